"""Prose and sources told apart, as a client of `web_answer` gets them, whatever a model wrote them as."""

from __future__ import annotations

from typing import Any

import pytest

from research_mcp.core.models import MergedHit
from tests.kit.answers import A, B, Bench, C, FakeSearcher, body, hits, message

WIKI = "https://en.wikipedia.org/wiki/Go_(programming_language)"


def answered(text: str, *cited: str, **more: Any) -> Any:
    """The structure for one reply of a model that searched; `cited` stand in its annotations."""
    result = Bench(body(message(text, *cited)), **more).call(extra_sources=3 if more else 0)
    assert not result.is_error, result.content[0].text
    return result.structured_content


def sources(found: Any) -> list[tuple[str, str]]:
    return [(source["url"], source.get("title", "")) for source in found["sources"]]


@pytest.mark.parametrize(
    ("text", "content", "expected"),
    [
        pytest.param(
            f'Tides rise citation_card("Alpha","{A}") and fall citation_card("Beta","{B}") daily.',
            "Tides rise [1] and fall [2] daily.",
            [(A, "Alpha"), (B, "Beta")],
            id="cards inside sentences",
        ),
        pytest.param(
            f'Tides rise.\n\ncitation_card("Alpha","{A}")\n\nThey fall.\n\ncitation_card("Beta","{B}")',
            "Tides rise.\n\n[1]\n\nThey fall.\n\n[2]",
            [(A, "Alpha"), (B, "Beta")],
            id="cards on lines of their own",
        ),
        pytest.param(
            f'Tides rise.\n\nsources(citation_card("Alpha","{A}"), citation_card("Beta","{B}"))',
            "Tides rise.",
            [(A, "Alpha"), (B, "Beta")],
            id="a call at the end keeps its titles",
        ),
        pytest.param(f"X [[1]]({A})", "X [1]", [(A, "")], id="numbered links"),
        pytest.param(
            f"Tides rise.\n\n## References\n- [Alpha]({A})\n\n## Conclusion\n\nThey do.",
            "Tides rise.\n\n## Conclusion\n\nThey do.",
            [(A, "Alpha")],
            id="a list amid the text goes alone",
        ),
        pytest.param(
            f"Tides rise.\n\n**## Sources**\n- [Alpha]({A})", "Tides rise.", [(A, "Alpha")], id="bold heading"
        ),
        pytest.param(
            f"Tides rise.\n\n**引用：**\n- [Alpha]({A})", "Tides rise.", [(A, "Alpha")], id="Chinese heading"
        ),
        pytest.param(
            f"See [Go]({WIKI}).", f"See [Go]({WIKI}).", [(WIKI, "Go")], id="brackets inside an address"
        ),
        pytest.param(
            f"Tides rise.\n\n<details><summary>Sources</summary>\n\n- [Alpha]({A})\n\n</details>\n\nThe end.",
            "Tides rise.\n\nThe end.",
            [(A, "Alpha")],
            id="a folded list with one link and text after it",
        ),
        pytest.param(
            f"- [Alpha]({A})\n- [Beta]({B})",
            f"- [Alpha]({A})\n- [Beta]({B})",
            [(A, "Alpha"), (B, "Beta")],
            id="an answer that is a list",
        ),
        pytest.param(
            f"Write:\n```md\n## Sources\n- {A}\n```\nThat is all [[1]]({B}).",
            f"Write:\n```md\n## Sources\n- {A}\n```\nThat is all [1].",
            [(B, "")],
            id="a heading inside code",
        ),
        pytest.param(
            f"<think>secret thought</think>Use `<think>` so [[1]]({A}).",
            "Use `<think>` so [1].",
            [(A, "")],
            id="thoughts go, the word in code stays",
        ),
        pytest.param(
            f"Prompt injection makes models refuse.\n\nI cannot stress it enough [[1]]({A}).",
            "Prompt injection makes models refuse.\n\nI cannot stress it enough [1].",
            [(A, "")],
            id="prose about refusals",
        ),
    ],
)
def test_each_way_of_naming_sources_is_told_from_prose(
    text: str, content: str, expected: list[tuple[str, str]]
) -> None:
    found = answered(text)
    assert (found["content"], sources(found)) == (content, expected)
    assert found["verifiable"] is True


def test_a_thought_without_an_end_is_no_answer() -> None:
    result = Bench(body(message("<think>secret thought", A)), FakeSearcher(hits(B))).call()
    found = result.structured_content
    assert found["fallback_reason"] == "grok_content_empty"
    assert "secret thought" not in result.content[0].text


def test_spelling_twins_are_one_source_with_both_ways_that_led_there() -> None:
    twin = MergedHit("Alpha", "https://www.a.dev/1/?utm_source=x#part", "About tides", engines={"exa": 1})
    found = answered(f"Tides rise [[1]]({A}).", "HTTPS://A.dev/1", searcher=FakeSearcher((twin,)))
    (source,) = found["sources"]
    assert (source["url"], source["title"], source["snippet"]) == (A, "Alpha", "About tides")
    assert source["provenance"] == ["grok_responses", "exa_enrichment"]


def test_a_number_is_no_title() -> None:
    assert sources(answered("Tides rise.", A, B)) == [(A, ""), (B, "")]


def test_cited_visited_and_supplementary_sources_are_counted_apart() -> None:
    reply = message("Tides rise.[[1]](https://a.dev/1)", A)
    reply["citations"] = [A, B]
    found = Bench(body(reply), FakeSearcher(hits(C))).call().structured_content
    counts = [found[f"{kind}_count"] for kind in ("sources", "cited", "visited", "supplementary")]
    assert counts == [3, 1, 1, 1]
    assert found["verifiable"] is True
