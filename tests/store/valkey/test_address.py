"""`VALKEY_URL` in all its spellings, and never in an error."""

from __future__ import annotations

from pathlib import Path

import pytest

from research_mcp.core.errors import ConfigError
from research_mcp.core.instance import Secret
from research_mcp.store.valkey.address import Address, parse_address


def parsed(url: str) -> Address:
    return parse_address(Secret(url))


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("valkey://cache", Address("cache")),
        ("redis://cache:6380/3", Address("cache", 6380, database=3)),
        ("redis://:p%40ss@cache", Address("cache", password=Secret("p@ss"))),
        ("redis://app:pw@cache/", Address("cache", user="app", password=Secret("pw"))),
        ("rediss://cache", Address("cache", tls=True)),
        ("valkeys://[::1]:7000", Address("::1", 7000, tls=True)),
        ("unix:///run/valkey.sock", Address(socket="/run/valkey.sock")),
        (
            "unix:///run/a%20b?db=2&username=u&password=pw",
            Address(socket="/run/a b", database=2, user="u", password=Secret("pw")),
        ),
    ],
)
def test_every_spelling_is_understood(url: str, address: Address) -> None:
    assert parsed(url) == address


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("rediss://app:CANARY@cache:6380/3", "valkeys://cache:6380/3"),
        ("redis://:CANARY@[::1]", "valkey://[::1]:6379/0"),
        ("unix:///run/valkey.sock?password=CANARY", "unix:///run/valkey.sock"),
    ],
)
def test_what_is_shown_has_no_credentials(url: str, shown: str) -> None:
    assert str(parsed(url)) == shown
    assert "CANARY" not in repr(parsed(url))


@pytest.mark.parametrize(
    ("url", "why"),
    [
        ("http://:CANARY@cache", "does not begin with"),
        ("cache:6379", "does not begin with"),
        ("redis://:CANARY@", "names no host"),
        ("unix://?password=CANARY", "names no socket"),
        ("redis://:CANARY@cache:port", "no number"),
        ("redis://:CANARY@cache/first", "no number"),
        ("redis://:CANARY@[cache", "no address"),
        ("redis://:CANARY@cache?ssl_cert_reqs=none", "'ssl_cert_reqs'"),
        ("redis://:CANARY@cache?x", "no address"),
    ],
)
def test_an_unusable_one_is_refused_in_one_sentence_without_being_quoted(url: str, why: str) -> None:
    with pytest.raises(ConfigError, match=why) as refused:
        parsed(url)
    assert str(refused.value).startswith("VALKEY_URL is not usable: ")
    assert "CANARY" not in str(refused.value)


@pytest.mark.parametrize("content", [None, "", "no certificate"])
def test_a_certificate_file_that_is_none_is_refused(tmp_path: Path, content: str | None) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_text(content)
    with pytest.raises(ConfigError, match=r"VALKEY_CA_FILE=.*readable file of PEM"):
        parse_address(Secret("rediss://cache"), str(file))
