"""Entries of `MCP_BEARER_TOKENS`."""

from __future__ import annotations

import hashlib

import pytest

from research_mcp.core.bearer import digest, digests, easy_tokens, hashed, new_token
from research_mcp.core.errors import ConfigError
from research_mcp.core.instance import Secret


def test_a_plain_entry_and_its_hash_stand_for_the_same_token() -> None:
    plain, hidden = Secret("zweites-Töken"), hashed(Secret("zweites-Töken"))
    assert digests([plain, Secret(hidden), Secret(hidden.upper().replace("SHA256", "sha256"))]) == (
        (digest("zweites-Töken".encode()),) * 3
    )
    assert hidden == "sha256:" + hashlib.sha256("zweites-Töken".encode()).hexdigest()


@pytest.mark.parametrize("entry", ["sha256:", "sha256:abc", "sha256:" + "g" * 64, "sha256:" + "a" * 65])
def test_a_hash_that_is_none_names_its_place_and_not_itself(entry: str) -> None:
    with pytest.raises(ConfigError, match="entry 2 of MCP_BEARER_TOKENS") as caught:
        digests([Secret("good"), Secret(entry)])
    assert entry.removeprefix("sha256:") == "" or entry not in str(caught.value)


def test_new_tokens_differ_are_long_and_fit_into_a_header() -> None:
    one, other = new_token(), new_token()
    assert one != other
    assert len(one.reveal()) == 43
    assert one.reveal().isascii()
    assert "," not in one.reveal()


def test_a_short_plain_token_is_warned_about_by_its_place() -> None:
    entries = [new_token(), Secret("s3cret"), Secret(hashed(Secret("s3cret")))]
    (warning,) = easy_tokens(entries)
    assert warning.startswith("token 2 of MCP_BEARER_TOKENS")
    assert "s3cret" not in warning
