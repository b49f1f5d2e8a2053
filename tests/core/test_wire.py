"""Vendors' answers as they come over the wire."""

import pytest

from research_mcp.core.errors import BadReply
from research_mcp.core.wire import Reply

HEADERS = {"content-type": "application/json"}


def test_one_broken_letter_does_not_cost_the_whole_answer() -> None:
    body = '{"snippets": ["cut in a lett", "Gezeiten für alle"]}'.encode().replace(b"lett", b"lett\xc3")
    assert Reply(200, HEADERS, body).json() == {"snippets": ["cut in a lett\ufffd", "Gezeiten für alle"]}


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16"])
def test_json_may_come_in_any_encoding_of_unicode(encoding: str) -> None:
    assert Reply(200, HEADERS, '{"name": "für"}'.encode(encoding)).json() == {"name": "für"}


@pytest.mark.parametrize("body", [b"", b"<html>", b'{"name": "\xff"', b"[" * 100_000])
def test_what_is_no_json_is_said_with_its_size_and_kind(body: bytes) -> None:
    with pytest.raises(BadReply, match=f"^expected JSON, got {len(body)} bytes of application/json$"):
        Reply(200, HEADERS, body).json()
