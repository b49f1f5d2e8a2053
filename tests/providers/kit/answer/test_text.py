"""A model's text is parted into prose and sources, and no prose is ever lost."""

from __future__ import annotations

import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from research_mcp.providers.kit.answer.links import MOST_SOURCES
from research_mcp.providers.kit.answer.text import part

A, B, C = "https://a.dev/1", "https://b.dev/2", "https://c.dev/3"


def urls(text: str) -> list[str]:
    return [source.url for source in part(text).sources]


def titles(text: str) -> list[str]:
    return [source.title for source in part(text).sources]


class TestCards:
    def test_inline_cards_become_numbers_and_keep_their_titles(self) -> None:
        text = f'Tides rise citation_card("Alpha", "{A}") daily citation_card("Beta", {B}).'
        assert part(text).content == "Tides rise [1] daily [2]."
        assert (urls(text), titles(text)) == ([A, B], ["Alpha", "Beta"])

    def test_cards_on_their_own_lines_are_all_found_in_order(self) -> None:
        text = f'One.\n\ncitation_card("Alpha", "{A}")\n\nTwo.\n\nsource_card(title="Beta", url="{B}")'
        assert part(text).content == "One.\n\n[1]\n\nTwo.\n\n[2]"
        assert titles(text) == ["Alpha", "Beta"]

    @pytest.mark.parametrize(
        "call",
        [
            f'sources(citation_card("Alpha",{A}), citation_card("Beta",{B}))',
            f'sources([{{"title": "Alpha", "url": "{A}"}}, {{"title": "Beta", "url": "{B}"}}])',
            f"references([('Alpha', '{A}'), ('Beta', '{B}')])",
            f'citations(\n  citation_card("Alpha", "{A}"),\n  citation_card("Beta", "{B}")\n)',
        ],
    )
    def test_a_call_at_the_end_goes_and_its_titles_stay(self, call: str) -> None:
        assert part(f"Text.\n\n{call}").content == "Text."
        assert titles(f"Text.\n\n{call}") == ["Alpha", "Beta"]

    @pytest.mark.parametrize(
        "text",
        [f"sources(see the report at {A} for more)", "sources()", f"sources({A}", f"sources({A}) say so"],
    )
    def test_what_only_looks_like_a_call_stays(self, text: str) -> None:
        assert part(text).content == text


class TestNumberedLinks:
    def test_they_become_numbers_of_the_sources(self) -> None:
        text = f"X grew.[[7]]({B}) Y fell [[1]]({A}), X again [[7]]({B})."
        assert part(text).content == "X grew.[1] Y fell [2], X again [1]."
        assert urls(text) == [B, A]
        assert titles(text) == ["", ""]

    def test_an_ordinary_link_stays_readable_and_is_reported(self) -> None:
        text = f"See [the report]({A}) and {B}."
        assert part(text).content == text
        assert (urls(text), titles(text)) == ([A, B], ["the report", ""])
        assert not part(text).marked

    def test_a_number_as_the_words_of_a_link_is_prose(self) -> None:
        assert part(f"In [2024]({A}) it grew.").content == f"In [2024]({A}) it grew."

    def test_numbers_already_in_the_text_count_the_list_that_came_with_it(self) -> None:
        text = f"First [1], second [2], third [[9]]({C}).\n\n## Sources\n1. [Alpha]({A})\n2. [Beta]({B})"
        assert part(text).content == "First [1], second [2], third [3]."
        assert urls(text) == [A, B, C]

    def test_pictures_are_no_sources(self) -> None:
        assert urls(f"![map]({A}) then {B}") == [B]

    def test_what_exceeds_the_limit_stays_in_the_text(self) -> None:
        text = " ".join(f"w{n} [[1]](https://h{n}.dev/x)" for n in range(MOST_SOURCES + 5))
        parted = part(text)
        assert len(parted.sources) == MOST_SOURCES
        assert f"w{MOST_SOURCES} [[1]](https://h{MOST_SOURCES}.dev/x)" in parted.content


class TestHeadings:
    def test_a_list_amid_the_text_goes_alone(self) -> None:
        text = f"Intro.\n\n## References\n- [Alpha]({A})\n2. Beta report - {B}\n\n## Conclusion\nKept."
        assert part(text).content == "Intro.\n\n## Conclusion\nKept."
        assert titles(text) == ["Alpha", "Beta report"]

    @pytest.mark.parametrize(
        "heading",
        [
            *("## Sources", "**Sources:**", "Sources", "Sources:", "### References (2)", "**## Sources**"),
            *(
                "**引用：**",
                "## 参考资料",
                "来源：",
                "__Citations__",
                "# Источники",
                "## 📚 Sources",
                "> Sources:",
            ),
        ],
    )
    def test_every_spelling_of_the_heading_is_known(self, heading: str) -> None:
        text = f"Text.\n\n{heading}\n\n- [Alpha]({A})\n- {B}"
        assert part(text).content == "Text."
        assert urls(text) == [A, B]
        assert part(text).marked

    def test_links_may_stand_on_the_headings_own_line(self) -> None:
        assert part(f"Text.\n\n**Sources:** [Alpha]({A}), {B}").content == "Text."

    def test_words_beside_a_listed_link_are_kept_as_its_snippet(self) -> None:
        text = f"Text.\n\n## Sources\n- [Alpha]({A})（Publisher, 2026-03-04）"
        (source,) = part(text).sources
        assert (source.title, source.snippet) == ("Alpha", "Publisher, 2026-03-04")

    @pytest.mark.parametrize(
        "text",
        [
            f"## Sources\nThe data at {A} comes from a survey of many people.",
            "Sources differ.\n\n## Sources\n\nNone were found.",
            f"Sources: the report at {A} says so.",
            f"## Sources of error\n- {A}",
        ],
    )
    def test_prose_under_such_a_heading_stays(self, text: str) -> None:
        assert part(text).content == text

    def test_a_rule_before_the_list_goes_with_it(self) -> None:
        assert part(f"Text.\n\n---\n\n## Sources\n- {A}").content == "Text."


class TestDetails:
    def test_a_block_with_one_link_goes(self) -> None:
        text = f"Text.\n\n<details>\n<summary>Sources</summary>\n\n- {A}\n</details>"
        assert (part(text).content, urls(text)) == ("Text.", [A])

    def test_text_after_it_stays(self) -> None:
        text = f"Text.\n<details><summary>Sources (1)</summary>[Alpha]({A})</details> After it."
        assert part(text).content.split() == ["Text.", "After", "it."]
        assert titles(text) == ["Alpha"]

    @pytest.mark.parametrize(
        "text",
        [
            f"<details><summary>How it was found</summary>{A}</details>",
            f"<details>The report {A} says so.</details>",
            f"<details><details>{A}</details></details>",
            f"<details>{A}",
        ],
    )
    def test_a_block_with_anything_else_stays(self, text: str) -> None:
        assert part(text).content == text
        assert urls(text) == [A]


class TestTail:
    @pytest.mark.parametrize(
        "tail",
        [f"{A}\n{B}", f"- [Alpha]({A})\n- [Beta]({B})", f'[1]: {A} "Alpha"\n[2]: {B}', f"1. {A}\n\n2. {B}"],
    )
    def test_addresses_alone_at_the_end_go(self, tail: str) -> None:
        assert part(f"Text [1].\n\n{tail}").content == "Text [1]."
        assert urls(f"Text [1].\n\n{tail}") == [A, B]

    @pytest.mark.parametrize(
        "text",
        [
            f"- [Alpha]({A})\n- [Beta]({B})",
            f"The best ones:\n\n- [Alpha]({A})\n- [Beta]({B})",
            f"# The best ones\n\n- [Alpha]({A})\n- [Beta]({B})",
            f"The best ones are\n- [Alpha]({A})\n- [Beta]({B})",
            f"Text.\n\n{A}",
            f"## Sources\n- [Alpha]({A})\n- [Beta]({B})",
        ],
    )
    def test_an_answer_that_is_a_list_stays(self, text: str) -> None:
        assert part(text).content == text
        assert urls(text)[0] == A


class TestCode:
    @pytest.mark.parametrize(
        "text",
        [
            f"Do:\n```md\n## Sources\n- {A}\n```\nEnd.",
            f"~~~\nsources({A})\n<details>{A}</details>\n~~~\nEnd.",
            f'Write `[[1]]({A})` or ``citation_card("A", "{A}")`` so.',
            f"```\n## Sources\n- {A}\n",
            "Write `<think>x</think>` so.",
        ],
    )
    def test_code_is_left_alone(self, text: str) -> None:
        assert part(text).content == text.rstrip()
        assert urls(text) == []


class TestReasoning:
    def test_it_goes_wherever_it_stands(self) -> None:
        assert (
            part(f"<think>hm {A}</think>Yes. <thinking>\nno\n</thinking>Really.").content == "Yes. \nReally."
        )
        assert urls(f"<think>hm {A}</think>Yes.") == []

    def test_a_backtick_inside_does_not_hide_its_end(self) -> None:
        assert part("<think>a ` here</think>The `<think>` tag, `</think>` too.").content == (
            "The `<think>` tag, `</think>` too."
        )

    def test_one_that_never_ends_is_no_answer(self) -> None:
        parted = part("<think>I wonder")
        assert (parted.content, parted.cut_off) == ("", True)
        assert parted.warnings

    def test_one_that_begins_in_the_middle_of_prose_and_never_ends_stays(self) -> None:
        parted = part("The <think> tag is common.")
        assert (parted.content, parted.cut_off) == ("The <think> tag is common.", False)
        assert parted.warnings

    def test_words_about_prompts_and_refusals_stay(self) -> None:
        text = "I cannot help noticing: ignore previous instructions is a prompt injection.\n\nI'm sorry."
        assert part(text).content == text


class TestAddresses:
    def test_balanced_brackets_belong_to_the_address(self) -> None:
        wiki = "https://en.wikipedia.org/wiki/C_(programming_language)"
        assert urls(f"(see {wiki}) and [it]({wiki}#x), [[1]]({wiki})") == [wiki]

    def test_the_end_of_a_sentence_does_not(self) -> None:
        assert urls(f"({A}), {B}. 见 {C}。") == [A, B, C]

    def test_spelling_twins_are_one_source_with_the_best_title(self) -> None:
        text = f"HTTPS://A.dev/1 and [Alpha]({A}/) and https://www.a.dev/1?utm_source=x#top"
        assert titles(text) == ["Alpha"]


WORDS = st.lists(st.sampled_from(["tide", "moon", "wave", "river", "delta"]), min_size=1, max_size=6)
ADDRESS = st.sampled_from((A, B, C, "https://d.dev/x_(y)", "HTTPS://E.dev/z"))
FORMS = (
    "## Sources\n- [{words}]({url})",
    "**Sources:** {url}",
    'citation_card("{words}", "{url}")',
    'sources(citation_card("{words}", {url}))',
    "<details><summary>Sources</summary>\n- {url}\n</details>",
    "[[1]]({url})",
    "- {url}\n- {url}",
    "[1]: {url}",
)


@st.composite
def answers(draw: st.DrawFn) -> tuple[str, list[str]]:
    """A text of prose and source forms, and the words of its prose."""
    pieces, prose = [], []
    for number in range(draw(st.integers(1, 7))):
        if draw(st.booleans()):
            words = [f"{word}{number}" for word in draw(WORDS)]
            prose += words
            pieces.append(
                draw(st.sampled_from(("{}.", "# {}", "- {}", "> {}", "{}:", "`{}`"))).format(" ".join(words))
            )
        else:
            form = draw(st.sampled_from(FORMS))
            pieces.append(form.format(words="TITLE", url=draw(ADDRESS)))
    gaps = [draw(st.sampled_from(("\n\n", "\n", " "))) for _ in pieces]
    return "".join(piece + gap for piece, gap in zip(pieces, gaps, strict=True)), prose


@settings(max_examples=200, deadline=None)
@given(answers())
def test_no_word_of_prose_is_ever_lost_and_no_address_either(answer: tuple[str, list[str]]) -> None:
    text, prose = answer
    parted = part(text)
    left = parted.content + " ".join(f" {source.title} {source.snippet} " for source in parted.sources)
    assert set(prose) <= set(re.findall(r"[a-z]+\d", left))
    if "`" not in text:
        assert len(parted.sources) == len(
            {address.lower() for address in re.findall(r"https?://[a-e]", text, re.IGNORECASE)}
        )


FRAGMENTS = st.sampled_from(
    [
        *(form.format(words="T t", url=A) for form in FORMS),
        *(
            "<think>",
            "</think>",
            "`",
            "```",
            "\n",
            "\n\n",
            " ",
            "word",
            "Sources:",
            "## References",
            "- ",
            "[1]",
        ),
        *(
            "<details>",
            "</details>",
            "[[",
            "]]",
            "](",
            ")",
            "(",
            "[",
            "]",
            "sources(",
            "citation_card(",
            '"',
            A,
            B,
            "~~~",
            "---",
        ),
    ]
)


@settings(max_examples=300, deadline=None)
@given(st.lists(FRAGMENTS, max_size=14).map("".join))
def test_parting_twice_changes_nothing(text: str) -> None:
    once = part(text).content
    assert part(once).content == once


@settings(max_examples=200, deadline=None)
@given(st.text(max_size=300))
def test_a_text_without_addresses_and_tags_stays_as_it_is(text: str) -> None:
    plain = text.replace("://", "").replace("<", "").replace("\r", "")
    assert part(plain).content == part(part(plain).content).content
    assert part(plain).content.split() == plain.split()


def seconds(text: str) -> float:
    started = time.process_time()
    part(text)
    return time.process_time() - started


def megabyte() -> str:
    paragraph = "Tidal power grew in this year, as many said with `code` and more words here. " * 5
    body = "".join(f"{paragraph}[[{n % 400}]](https://a.dev/{n % 400}).\n\n" for n in range(2_700))[
        :1_000_000
    ]
    return body + "\n\n## Sources\n" + "\n".join(f"- [T {n}](https://a.dev/{n})" for n in range(20))


def test_a_megabyte_takes_under_200_ms() -> None:
    text = megabyte()
    assert min(seconds(text) for _ in range(5)) < 0.2


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "[[1](http://a",
            "sources(\n",
            "<details>",
            "<think>`",
            "` `` ",
            "- http://a.b/c\n",
            "[a](http://a(",
            "```\n",
        ),
        *('citation_card("', "Sources: http://a ", "> ", "(", "*", "\n"),
    ],
)
def test_hostile_text_takes_time_in_proportion_to_its_length(piece: str) -> None:
    short, long = (piece * (size // len(piece)) for size in (20_000, 80_000))
    fast = min(seconds(short) for _ in range(3))
    assert min(seconds(long) for _ in range(2)) < 12 * max(fast, 0.005)
