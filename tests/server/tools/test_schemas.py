"""Structured answers are checked against what was declared."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from research_mcp.server.tools.schemas import PagesAnswer, Shape

SHAPE = Shape(PagesAnswer)
ROW = {"url": "https://e.org/ü b", "ok": True, "markdown": "x"}


def test_the_schema_is_written_out_in_place() -> None:
    text = {"type": "string"}
    assert SHAPE.schema == {
        "type": "object",
        "properties": {
            "summary": text,
            "pages": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {
                        "url": text,
                        "ok": {"type": "boolean"},
                        "title": text,
                        "markdown": text,
                        "note": text,
                        "error": text,
                        "reason": text,
                    },
                    "required": ["url", "ok"],
                },
            },
        },
        "required": ["summary", "pages"],
    }


def test_an_answer_of_the_declared_shape_passes_unchanged() -> None:
    assert SHAPE.checked({"summary": "s", "pages": [ROW]}) == {"summary": "s", "pages": [ROW]}


@pytest.mark.parametrize("row", [{"url": "x"}, ROW | {"ok": "true"}, ROW | {"markdown": None}])
def test_an_answer_of_another_shape_is_never_sent(row: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        SHAPE.checked({"summary": "s", "pages": [row]})
