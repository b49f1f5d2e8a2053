"""A file in a form."""

from __future__ import annotations

import email
import email.policy

from research_mcp.providers.kit.multipart import File, multipart

AUDIO = bytes(range(256)) * 3


def test_the_form_holds_each_field_and_the_file_unharmed() -> None:
    kind, body = multipart({"model": "m-1", "format": "json"}, File("file", "a.m4a", "audio/mp4", AUDIO))
    whole = b"Content-Type: " + kind.encode() + b"\r\n\r\n" + body
    parts = list(email.message_from_bytes(whole, policy=email.policy.HTTP).iter_parts())
    named = [part.get_param("name", header="content-disposition") for part in parts]
    assert named == ["model", "format", "file"]
    assert [part.get_content().strip() for part in parts[:2]] == ["m-1", "json"]
    assert (parts[2].get_filename(), parts[2].get_content_type()) == ("a.m4a", "audio/mp4")
    assert parts[2].get_content() == AUDIO


def test_the_boundary_does_not_stand_in_the_file() -> None:
    first, _ = multipart({}, File("file", "a.m4a", "audio/mp4", b"one"))
    again, _ = multipart({}, File("file", "a.m4a", "audio/mp4", first.encode()))
    assert first != again
