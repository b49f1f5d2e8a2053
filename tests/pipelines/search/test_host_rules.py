"""The owner's file about hosts: what a line means, and what is wrong with one that means nothing."""

from __future__ import annotations

import pytest

from research_mcp.core.errors import ConfigError
from research_mcp.core.url_key import url_key
from research_mcp.pipelines.search.host_rules import host_rules
from research_mcp.pipelines.search.hosts import HostRule, HostRules, Wish


@pytest.mark.parametrize(
    ("line", "place", "wish"),
    [
        ("raise docs.python.org", "docs.python.org", Wish.RAISE),
        ("  LOWER   example.com/blog/  # too chatty", "example.com/blog", Wish.LOWER),
        ("pin wiki.example.org", "wiki.example.org", Wish.PIN),
        ("remove spam.example", "spam.example", Wish.REMOVE),
        ("farm.example", "farm.example", Wish.LOWER),
        ("*://*.farm.example/*", "farm.example", Wish.LOWER),
        ("*.farm.example", "farm.example", Wish.LOWER),
        ("https://www.example.com/user1/", "example.com/user1", Wish.LOWER),
        ("remove münchen.example", "münchen.example", Wish.REMOVE),
    ],
)
def test_a_line_is_a_wish_about_a_host_or_a_path(line: str, place: str, wish: Wish) -> None:
    (rule,) = host_rules(f"# wishes\n\n{line}\n", "hosts")
    assert (rule.wish, rule.source) == (wish, "")
    assert HostRules([rule]).rule(url_key(f"https://sub.{place}")) == rule
    assert HostRules([rule]).rule(url_key(f"https://{place}/below")) == rule
    assert HostRules([rule]).rule(url_key("https://other.example/")) is None


def test_lines_after_a_name_belong_to_that_list() -> None:
    text = "raise a.example\n[ first list ]\nb.example\n[second]\nremove c.example\n"
    assert list(host_rules(text, "hosts")) == [
        HostRule("a.example", Wish.RAISE),
        HostRule("b.example", Wish.LOWER, "first list"),
        HostRule("c.example", Wish.REMOVE, "second"),
    ]


def test_a_pasted_block_list_lowers_and_removes_nothing() -> None:
    pasted = "\n".join(f"*://*.site{number}.example/*" for number in range(50)) + "\nmedium.com\n"
    assert {rule.wish for rule in host_rules(pasted, "hosts")} == {Wish.LOWER}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("remvoe a.example", "'remvoe' is no wish; the wishes are raise, lower, pin and remove; did you mean remove?"),
        ("block a.example", "'block' is no wish; the wishes are raise, lower, pin and remove"),
        ("raise a.example b.example", "'b.example' follows the host; write one host a line"),
        ("raise", "'raise' is no host; write it like example.com or example.com/path"),
        ("raise localhost", "'localhost' is no host; write it like example.com or example.com/path"),
        ("a.example?page=1", "'a.example?page=1' is no host; write it like example.com or example.com/path"),
        ("raise *.com", "'*.com' is no host; write it like example.com or example.com/path"),
    ],
)  # fmt: skip
def test_a_wrong_line_is_one_sentence_that_names_it(line: str, said: str) -> None:
    with pytest.raises(ConfigError) as stop:
        list(host_rules(f"raise ok.example\n\n{line}\n", "my-hosts.txt"))
    assert str(stop.value) == f"my-hosts.txt, line 3: {said}"
