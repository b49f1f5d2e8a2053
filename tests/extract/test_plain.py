from __future__ import annotations

import time

import pytest

from research_mcp.extract import plain


def test_markdown_stays_as_it_is() -> None:
    text = "# Log\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n```py\n  x = 1\n```"
    assert plain.markdown(text) == plain.Plain(text, "Log")


def test_front_matter_gives_the_title_and_goes() -> None:
    read = plain.markdown('---\nlayout: x\ntitle: "The Log"\n---\n\n# Other\n\nwords')
    assert (read.title, read.markdown) == ("The Log", "# Other\n\nwords")


def test_rules_are_not_front_matter() -> None:
    assert plain.markdown("words\n\n---\ntitle: x\n---\n").markdown.startswith("words\n\n---")


def test_the_note_about_a_documentation_index_goes_and_other_quotes_stay() -> None:
    note = "> ## Documentation Index\n> Fetch the index at: https://x.example/llms.txt\n\n"
    assert plain.markdown(note + "# Setup\n\nwords").markdown == "# Setup\n\nwords"
    assert plain.markdown("> A quoted line\n\nwords").markdown == "> A quoted line\n\nwords"


def test_text_keeps_its_lines() -> None:
    assert plain.text("\n  a\r\n    b\n\n\nc  \n").markdown == "  a\n    b\n\n\nc  "


def test_json_is_laid_out_in_a_fence_longer_than_any_inside() -> None:
    assert plain.json_text('{"a":[1,"é"]}').markdown == '```json\n{\n "a": [\n  1,\n  "é"\n ]\n}\n```'
    assert plain.json_text('{"a":"````"}').markdown.startswith("`````json\n")


@pytest.mark.parametrize("text", ['{"a":', "[" * 100_000, "{'a': 1}"])
def test_broken_json_is_shown_as_it_came(text: str) -> None:
    read = plain.json_text(text)
    assert text in read.markdown
    assert "not valid JSON" in read.cut


def test_long_json_is_not_laid_out_anew() -> None:
    text = "[" + "1," * plain.MOST_JSON + "1]"
    assert plain.json_text(text).markdown == f"```json\n{text}\n```"


def test_a_table_of_values_is_a_markdown_table() -> None:
    read = plain.table('name,depth\n"Alder | old",12\n\nBirch,"15\nfeet",x\n', tabs=False)
    assert read.markdown.split("\n") == [
        "| name | depth |  |",
        "| --- | --- | --- |",
        "| Alder \\| old | 12 |  |",
        "| Birch | 15 feet | x |",
    ]


def test_tabs_and_semicolons_part_cells_too() -> None:
    assert "| a | b |" in plain.table("a\tb\n1\t2", tabs=True).markdown
    assert "| a | b |" in plain.table("a;b\n1,5;2", tabs=False).markdown
    assert "| a | b |" in plain.table("a|b\n1,5|2", tabs=False).markdown


def test_a_long_table_is_cut_and_says_so() -> None:
    read = plain.table("n\n" + "\n".join(map(str, range(plain.MOST_ROWS + 10))), tabs=False)
    assert read.markdown.count("\n") == plain.MOST_ROWS + 1
    assert str(plain.MOST_ROWS) in read.cut


def test_no_table_is_shown_as_it_came_or_empty() -> None:
    assert plain.table('a,"' + "b" * 200_000, tabs=False).cut.startswith("it is no regular table")
    assert plain.table("\n\n,,\n", tabs=False).markdown == ""


@pytest.mark.slow
@pytest.mark.parametrize("piece", ["---\n", ">\n", "`", "#", "title:", "a,\n", '"', "> x\n", "\n"])
def test_plain_readers_are_linear(piece: str) -> None:
    text = piece * (1_000_000 // len(piece))
    started = time.process_time()
    for read in (plain.markdown, plain.text, plain.json_text):
        read(text)
    plain.table(text, tabs=False)
    assert time.process_time() - started < 4.0
