from __future__ import annotations

import json
import time

import pytest

from research_mcp.core.models import Kind
from tests.extract.office.files import read

URL = "https://example.org/a/book.ipynb"
META = {"kernelspec": {"language": "julia"}, "language_info": {"name": "python"}}


def code(source: object, *outputs: dict[str, object]) -> dict[str, object]:
    return {"cell_type": "code", "source": source, "outputs": list(outputs)}


def note(source: object) -> dict[str, object]:
    return {"cell_type": "markdown", "source": source}


def markdown(*cells: object, metadata: object = META) -> str:
    book = {"cells": list(cells), "metadata": metadata, "nbformat": 4, "nbformat_minor": 5}
    result = read(json.dumps(book).encode(), url=URL, content_type="text/plain")
    assert (result.kind, result.reason) == (Kind.MARKDOWN, None)
    return result.markdown


def test_text_code_and_outputs_follow_each_other() -> None:
    cells = (
        note(["# Log\n", "\n", "words"]),
        code("1 + 1", {"output_type": "execute_result", "data": {"text/plain": ["2"]}}),
        code("print(1)", {"output_type": "stream", "text": "1\n"}),
        {"cell_type": "raw", "source": "raw text"},
        code("   "),
    )
    assert markdown(*cells) == (
        "# Log\n\nwords\n\n```python\n1 + 1\n```\n\n```text\n2\n```\n\n```python\nprint(1)\n```\n\n```text\n1\n```"
        "\n\n```\nraw text\n```"
    )


def test_a_notebook_is_told_by_its_version_whatever_its_label_and_its_heading_is_its_title() -> None:
    book = json.dumps({"cells": [note("# The log")], "metadata": {}, "nbformat": 4}).encode()
    for label in ("", "application/json", "text/html", "text/plain", "application/x-ipynb+json"):
        result = read(book, url="https://example.org/raw/1", content_type=label)
        assert (result.kind, result.title) == (Kind.MARKDOWN, "The log")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        ({"text/html": "<table><tr><th>a</th><th>b</th></tr><tr><td>1</td><td>2</td></tr></table>", "text/plain": "x"},
         "| a | b |\n| --- | --- |\n| 1 | 2 |"),
        ({"text/html": "<b>x</b>", "text/plain": "plain"}, "```text\nplain\n```"),
        ({"text/latex": "$x^2$", "text/plain": "x"}, "$x^2$"),
        ({"text/markdown": "**x**"}, "**x**"),
        ({"image/png": "iVBORw0KGgo="}, ""),
    ],
)  # fmt: skip
def test_outputs_show_their_richest_text(data: dict[str, str], expected: str) -> None:
    assert (
        markdown(code("f()", {"output_type": "display_data", "data": data}))
        == f"```python\nf()\n```\n\n{expected}".strip()
    )


def test_errors_show_what_went_wrong_without_colours() -> None:
    error = {
        "output_type": "error",
        "ename": "ValueError",
        "evalue": "\x1b[0;31mno\x1b[0m",
        "traceback": ["long"],
    }
    assert markdown(code("f()", error)).endswith("```text\nValueError: no\n```")


def test_long_outputs_and_pictures_in_text_are_cut() -> None:
    text = markdown(
        code("f()", {"output_type": "stream", "text": "x" * 10_500}),
        note("![a](data:image/png;base64,AAAA) ![b](attachment:b.png)"),
    )
    assert "[500 more characters of output]" in text
    assert text.endswith("![a]() ![b]()")


def test_notebooks_of_version_3_are_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": "Log"},
        {"cell_type": "heading", "level": "x", "source": "Top"},
        {
            "cell_type": "code",
            "input": "f()",
            "outputs": [{"output_type": "pyout", "text": "7", "latex": ""}],
        },
    ]
    book = {"worksheets": [{"cells": cells}], "metadata": {}, "nbformat": 3}
    result = read(json.dumps(book).encode(), url=URL)
    assert result.markdown == "## Log\n\n# Top\n\n```python\nf()\n```\n\n```text\n7\n```"


@pytest.mark.parametrize("body", ['{"nbformat": 4', '["nbformat"]', '{"a": "\\"nbformat\\""}'])
def test_what_is_no_notebook_is_shown_as_json(body: str) -> None:
    assert read(body.encode(), url=URL).markdown.startswith("```json\n")


@pytest.mark.parametrize(
    "cells", [None, 7, [None, 7, "x"], [{"cell_type": "code", "source": 7, "outputs": [3, {"data": 3}]}]]
)
def test_odd_shapes_do_no_harm(cells: object) -> None:
    book = {
        "cells": [note("words"), *(cells if isinstance(cells, list) else [])],
        "worksheets": cells,
        "metadata": 3,
        "nbformat": 4,
    }
    assert read(json.dumps(book).encode(), url=URL).markdown == "words"


def test_hostile_text_takes_linear_time() -> None:
    started = time.process_time()
    markdown(
        note("(data:" * 200_000),
        note("# " + " " * 1_000_000),
        code("f()", {"output_type": "stream", "text": "\x1b[0" * 300_000}),
    )
    assert time.process_time() - started < 3
