"""The owner's rules about hosts."""

from __future__ import annotations

import pytest

from research_mcp.core.url_key import url_key
from research_mcp.pipelines.search.hosts import HostRule, HostRules, Wish

RULES = HostRules(
    [
        HostRule("example.com", Wish.LOWER),
        HostRule("https://www.example.com/user1", Wish.RAISE),
        HostRule("docs.example.com", Wish.PIN),
        HostRule("spam.test", Wish.RAISE, "first list"),
        HostRule("spam.test", Wish.REMOVE, "second list"),
    ]
)


@pytest.mark.parametrize(
    ("url", "wish"),
    [
        ("https://example.com/", Wish.LOWER),
        ("https://www.example.com/user2", Wish.LOWER),
        ("https://blog.example.com/a", Wish.LOWER),
        ("https://example.com/user1", Wish.RAISE),
        ("https://example.com/user1/a?b=1", Wish.RAISE),
        ("https://example.com/user10", Wish.LOWER),
        ("https://docs.example.com/user1", Wish.PIN),
        ("https://a.docs.example.com:8443/x", Wish.PIN),
        ("https://spam.test/", Wish.REMOVE),
        ("https://notexample.com/", None),
        ("https://example.com.evil.test/", None),
    ],
)
def test_the_most_specific_rule_decides_and_the_later_of_two_equal_ones(url: str, wish: Wish | None) -> None:
    rule = RULES.rule(url_key(url))
    assert (rule.wish if rule else None) is wish


def test_without_rules_nothing_is_looked_up() -> None:
    assert HostRules().rule("example.com/a") is None
