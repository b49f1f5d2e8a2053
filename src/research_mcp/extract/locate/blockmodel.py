"""A linear model of which blocks are text, for pages whose text is no plain article.

The weights come from a logistic regression over the blocks of a few hundred labelled pages of seven
kinds (articles, documentation, services, forums, shops, listings, collections), each page weighing
alike. Names are those of `features.Layout.features`, in its order. Sizes are characters (logarithm of
one more), shares are 0 to 1, distances are in blocks.
"""

from __future__ import annotations

from math import log

BIAS = 1.612
WEIGHTS = {
    "main": 0.563,
    "check": 0.281,
    "log size": 0.008,
    "linked": -0.205,
    "zone nav": -1.137,
    "zone footer": -1.272,
    "zone side": -0.860,
    "zone header": -1.035,
    "zone notice": -1.046,
    "zone related": 0.411,
    "zone comments": -1.862,
    "zone form": -0.199,
    "is title": -0.520,
    "is heading": 1.183,
    "is paragraph": 0.953,
    "is item": 0.222,
    "is cell": 1.019,
    "is definition": -2.150,
    "is code": 2.722,
    "ends a sentence": 0.431,
    "holds a price": 0.535,
    "blocks since located": -0.209,
    "blocks until located": -0.029,
    "before all located": 0.410,
    "after all located": -0.922,
    "around 1: main": 0.255,
    "around 1: check": -0.014,
    "around 1: linked": -0.163,
    "around 1: share of page": -0.889,
    "around 2: main": -0.549,
    "around 2: check": 0.048,
    "around 2: linked": -0.216,
    "around 2: share of page": 0.425,
    "around 3: main": 0.335,
    "around 3: check": 0.475,
    "around 3: linked": -0.116,
    "around 3: share of page": 1.522,
    "around 4: main": -0.237,
    "around 4: check": 0.086,
    "around 4: linked": 0.266,
    "around 4: share of page": -0.674,
    "around 5: main": -0.474,
    "around 5: check": 0.423,
    "around 5: linked": 0.166,
    "around 5: share of page": -0.037,
    "group: members": 0.125,
    "group: mean size": -0.050,
    "group: share of page": 0.782,
    "group: linked": 0.421,
    "group: located members": -0.459,
    "page: main": 1.095,
    "page: check": -2.050,
    "page: main to check": 0.186,
    "page: prose of main": -0.702,
    "page: prose": 3.850,
    "page: log main": -0.092,
    "page: log size": -0.104,
    "place": -0.839,
    "has title": -0.343,
    "place after title": 0.003,
}
NAMES = tuple(WEIGHTS)
_VALUES = tuple(WEIGHTS.values())
LIKELY = 0.25  # a lost block costs more than a spare one: keep from this probability on
_CUT = log(LIKELY / (1 - LIKELY)) - BIAS


def is_text(features: list[float]) -> bool:
    """True when a block with these features is text with a probability of `LIKELY` or more."""
    return sum(value * weight for value, weight in zip(features, _VALUES, strict=True)) >= _CUT
