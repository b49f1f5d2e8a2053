"""A linear model of which blocks are text, for pages whose text is no plain article.

The weights come from a logistic regression over the blocks of a few hundred labelled pages of seven
kinds (articles, documentation, services, forums, shops, listings, collections), each page weighing
alike. Names are those of `features.Layout.features`, in its order. Sizes are characters (logarithm of
one more), shares are 0 to 1, distances are in blocks.
"""

from __future__ import annotations

from math import log

BIAS = -0.001
WEIGHTS = {
    "main": 0.877,
    "check": 0.493,
    "log size": 0.081,
    "linked": -0.179,
    "zone nav": -1.382,
    "zone footer": -1.960,
    "zone side": -1.091,
    "zone header": -1.327,
    "zone notice": -1.672,
    "zone related": 0.232,
    "zone comments": -2.799,
    "zone form": 0.492,
    "is title": -0.000,
    "is heading": 1.747,
    "is paragraph": 1.480,
    "is item": 0.821,
    "is cell": 1.589,
    "is definition": -2.680,
    "is code": 3.169,
    "ends a sentence": 0.362,
    "holds a price": 0.400,
    "blocks since located": -0.161,
    "blocks until located": 0.105,
    "before all located": -0.007,
    "after all located": -1.245,
    "around 1: main": 0.339,
    "around 1: check": -0.531,
    "around 1: linked": -0.205,
    "around 1: share of page": -0.631,
    "around 2: main": -0.758,
    "around 2: check": 0.055,
    "around 2: linked": -0.529,
    "around 2: share of page": 0.236,
    "around 3: main": 0.433,
    "around 3: check": 0.612,
    "around 3: linked": 0.233,
    "around 3: share of page": 1.100,
    "around 4: main": -0.233,
    "around 4: check": -0.012,
    "around 4: linked": 0.585,
    "around 4: share of page": -0.352,
    "around 5: main": -0.879,
    "around 5: check": 1.290,
    "around 5: linked": -0.112,
    "around 5: share of page": 0.123,
    "group: members": 0.101,
    "group: mean size": -0.060,
    "group: share of page": 1.431,
    "group: linked": 0.287,
    "group: located members": -0.465,
    "page: main": 1.450,
    "page: check": -2.233,
    "page: main to check": 0.052,
    "page: prose of main": -1.055,
    "page: prose": 3.625,
    "page: log main": -0.144,
    "page: log size": 0.021,
    "place": -1.112,
    "has title": -0.170,
    "place after title": -0.179,
}
NAMES = tuple(WEIGHTS)
_VALUES = tuple(WEIGHTS.values())
LIKELY = 0.25  # a lost block costs more than a spare one: keep from this probability on
_CUT = log(LIKELY / (1 - LIKELY)) - BIAS


def is_text(features: list[float]) -> bool:
    """True when a block with these features is text with a probability of `LIKELY` or more."""
    return sum(value * weight for value, weight in zip(features, _VALUES, strict=True)) >= _CUT
