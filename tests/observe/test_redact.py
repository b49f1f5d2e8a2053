from __future__ import annotations

import time

import pytest

from research_mcp.observe.redact import Redactor, one_line


def test_a_secret_is_replaced_plain_and_percent_encoded() -> None:
    redact = Redactor(["pa ss/wörd"])
    assert (
        redact("key=pa ss/wörd url=pa%20ss%2Fw%C3%B6rd form=pa+ss%2Fw%C3%B6rd") == "key=*** url=*** form=***"
    )


def test_a_longer_secret_is_not_left_half_by_a_shorter_one() -> None:
    assert Redactor(["abcd", "abcdefgh"])("x abcdefgh y") == "x *** y"


def test_very_short_values_do_not_blank_out_words() -> None:
    assert Redactor(["a", "12"])("a 12 cat") == "a 12 cat"


def test_its_repr_says_nothing() -> None:
    assert "hunter22" not in repr(Redactor(["hunter22"]))


def test_one_line_has_no_control_characters_and_an_end() -> None:
    assert one_line("a\nb\x1b[31mc\u2028d") == "a b [31mc d"
    assert len(one_line("x" * 10_000)) == 500


@pytest.mark.parametrize("length", [200, 2_000])
def test_a_long_password_is_masked_though_its_line_is_cut(length: int) -> None:
    assert one_line(f"https://x:{'p' * length}@a.example/", 50) == "https://***@a.example/"


@pytest.mark.parametrize(
    "name",
    [
        "api_key",
        "apikey",
        "API-Key",
        "key",
        "token",
        "access_token",
        "X-Amz-Signature",
        "sig",
        "client_secret",
    ],
)
def test_what_opens_a_link_is_masked_in_one_line(name: str) -> None:
    line = one_line(f"not read: https://a.example/x?page=2&{name}=hunter22%2F&lang=en#top")
    assert line == f"not read: https://a.example/x?page=2&{name}=***&lang=en#top"


def test_parameters_that_open_nothing_stay_in_one_line() -> None:
    line = "https://a.example/?keywords=tidal&tokenizer=bpe&monkey=1&q=token=5 key=value"
    assert one_line(line) == line


@pytest.mark.parametrize("piece", ["a-", "?a-", "&token", "?"])
def test_masking_takes_linear_time(piece: str) -> None:
    hostile = "?" + piece * (100_000 // len(piece))
    started = time.process_time()
    one_line(hostile, len(hostile))
    assert time.process_time() - started < 1.0
