"""A question that names a product finds the product's own site among its first results."""

from __future__ import annotations

import pytest

from research_mcp.core.models import Hit, MergedHit
from research_mcp.pipelines.search.fuse import NO_LIKES, Likes, fuse
from research_mcp.pipelines.search.hosts import HostRule, HostRules, Wish
from research_mcp.pipelines.search.own_site import names_in
from research_mcp.pipelines.search.pool import Ballot, pool

QUESTION = "fastapi oauth2 tutorial"
OWN = "https://fastapi.tiangolo.com/tutorial/security"


def others(count: int) -> list[Hit]:
    return [
        Hit(f"FastAPI OAuth2 tutorial {n}", f"https://blog{n}.example/post", "FastAPI, OAuth2, a tutorial.")
        for n in range(count)
    ]


def merged(*hits: Hit, query: str = QUESTION, likes: Likes = NO_LIKES) -> list[MergedHit]:
    """Two engines agree on the first hits; one of them has `hits` last."""
    agreed = others(6)
    ballots = [Ballot.of("one", agreed), Ballot.of("two", [*agreed, *hits])]
    return fuse(query, ballots, list(pool(ballots).values()), likes)


def place(found: list[MergedHit], url: str = OWN) -> int:
    return [one.url for one in found].index(url) + 1


def page(url: str, title: str = "OAuth2 - FastAPI tutorial") -> Hit:
    return Hit(title, url, "How to secure an application.")


def test_the_own_site_moves_to_the_third_place_and_says_why() -> None:
    found = merged(page(OWN))
    assert place(found) == 3
    assert found[2].why.endswith("; lifted as the own site of what is asked about")
    assert [one.url for one in found if one.url != OWN] == [one.url for one in others(6)]


@pytest.mark.parametrize(
    ("query", "url"),
    [
        ("scikit learn", "https://scikit-learn.org/stable"),
        ("numpy", "https://numpy.org/doc/2.1/reference/simd"),
        ("github actions cache docs", "https://docs.github.com/en/actions"),
        ("pydantic settings documentation", "https://pydantic-settings.readthedocs.io/en/latest"),
    ],
)
def test_names_may_be_two_words_or_a_label_of_the_host(query: str, url: str) -> None:
    assert place(merged(page(url, query), query=query), url) == 3


@pytest.mark.parametrize(
    ("query", "url", "title"),
    [
        ("fastapi vs flask oauth2 tutorial", OWN, "fastapi flask oauth2 tutorial"),
        ("best fastapi oauth2 tutorial", OWN, "best fastapi oauth2 tutorial"),
        ("why did the great wall of china fall into ruin", "https://china.example/wall", "great wall of china"),
        ("youtube download error", "https://youtube.com/watch?v=1", "youtube download error"),
        ("github actions cache docs", "https://github.com/someone/cache", "github actions cache docs"),
        (QUESTION, OWN, "Something else entirely"),
        (QUESTION, "https://notfastapi.example/", "fastapi oauth2 tutorial"),
        ("tidal power", "https://tidal.example/", "Tidal music"),
        ("404 error", "https://404.example/", "404 error"),
    ],
)  # fmt: skip
def test_no_other_page_moves(query: str, url: str, title: str) -> None:
    assert place(merged(page(url, title), query=query), url) == 7


def test_an_own_site_that_stands_high_already_stays_where_it_is() -> None:
    first = [page(OWN), *others(6)]
    ballots = [Ballot.of("one", first), Ballot.of("two", first)]
    found = fuse(QUESTION, ballots, list(pool(ballots).values()))
    assert place(found) == 1
    assert "lifted" not in found[0].why


def test_the_owners_rules_come_before() -> None:
    lowered = HostRules([HostRule("tiangolo.com", Wish.LOWER)])
    assert place(merged(page(OWN), likes=Likes(rules=lowered))) == 7
    pinned = HostRules(HostRule(f"blog{n}.example", Wish.PIN) for n in range(4))
    found = merged(page(OWN), likes=Likes(rules=pinned))
    assert place(found) == 5


def test_a_lone_page_of_a_social_site_does_not_beat_agreement() -> None:
    url = "https://x.com/someone/status/1"
    assert place(merged(page(url, QUESTION)), url) == 7


def test_stop_words_and_numbers_are_no_names() -> None:
    assert names_in("the 2024 api") == {"the2024", "2024api", "api"}
