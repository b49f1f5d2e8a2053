"""How much each engine's vote counts: observed agreement, shipped priors at first, the owner's word."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from research_mcp.core.models import Topic
from research_mcp.core.ports import Confirmed, EngineFacts

PRIOR_LISTS = 20
"""As many lists as the prior is worth before observation outweighs it."""

_TYPICAL_SHARE = 0.35
"""The share that other families confirm of a good general engine; scales the priors."""

_LEAST, _MOST = 0.1, 3.0


def weights(engines: Iterable[EngineFacts], known: Mapping[str, Confirmed], topic: Topic) -> dict[str, float]:
    """A weight for each engine: 0.5 for one that nobody confirms to 1.0 for the most confirmed.

    A specialist counts in full within its own topic. The owner's weight multiplies (0.1 to 3).
    """
    facts = list(engines)
    shares = {engine.name: _share(engine, known.get(engine.name)) for engine in facts}
    highest = max(shares.values(), default=0.0)
    found = {}
    for engine in facts:
        at_home = topic is not Topic.GENERAL and topic in engine.topics
        agreed = 0.5 + 0.5 * (shares[engine.name] / highest if highest else 1.0)
        found[engine.name] = (1.0 if at_home else agreed) * min(max(engine.weight, _LEAST), _MOST)
    return found


def _share(engine: EngineFacts, seen: Confirmed | None) -> float:
    prior = engine.prior * _TYPICAL_SHARE
    if seen is None:
        return prior
    return (prior * PRIOR_LISTS + seen.share * seen.lists) / (PRIOR_LISTS + seen.lists)
