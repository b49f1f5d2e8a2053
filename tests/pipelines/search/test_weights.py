"""Engine weights: priors at first, observation later, the owner's word on top."""

from __future__ import annotations

from research_mcp.core.models import Topic
from research_mcp.core.ports import Confirmed, EngineFacts
from research_mcp.pipelines.search.weights import weights

GENERAL = EngineFacts("general", "bing", prior=1.0)
OTHER = EngineFacts("other", "brave", prior=1.0)
STRANGER = EngineFacts("stranger", "x")
SCHOLAR = EngineFacts("scholar", "openalex", topics=frozenset({Topic.SCHOLARLY}), prior=0.3)


def test_without_history_the_shipped_priors_decide() -> None:
    assert weights([GENERAL, STRANGER, SCHOLAR], {}, Topic.GENERAL) == {
        "general": 1.0,
        "stranger": 0.75,
        "scholar": 0.65,
    }


def test_a_specialist_counts_in_full_within_its_own_topic() -> None:
    known = {"general": Confirmed(0.8, 300), "scholar": Confirmed(0.0, 300)}
    assert weights([GENERAL, SCHOLAR], known, Topic.SCHOLARLY)["scholar"] == 1.0
    assert weights([GENERAL, SCHOLAR], known, Topic.GENERAL)["scholar"] < 0.52


def test_observation_outweighs_the_prior_with_time() -> None:
    few = weights(
        [GENERAL, OTHER], {"other": Confirmed(0.0, 5), "general": Confirmed(0.35, 5)}, Topic.GENERAL
    )
    many = weights(
        [GENERAL, OTHER], {"other": Confirmed(0.0, 300), "general": Confirmed(0.35, 300)}, Topic.GENERAL
    )
    assert few["general"] == many["general"] == 1.0
    assert few["other"] > 0.85
    assert 0.5 < many["other"] < 0.55


def test_the_owners_weight_multiplies_within_its_bounds() -> None:
    loud, quiet = (
        EngineFacts("loud", "a", weight=50, prior=1.0),
        EngineFacts("quiet", "b", weight=0, prior=1.0),
    )
    assert weights([loud, quiet], {}, Topic.GENERAL) == {"loud": 3.0, "quiet": 0.1}


def test_engines_that_nobody_ever_confirmed_are_equal() -> None:
    known = {name: Confirmed(0.0, 10**9) for name in ("general", "other")}
    found = weights([GENERAL, OTHER], known, Topic.GENERAL)
    assert found["general"] == found["other"]
    assert weights([], {}, Topic.GENERAL) == {}
