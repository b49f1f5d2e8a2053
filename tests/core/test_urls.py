"""Urls and domains as people write them."""

from __future__ import annotations

import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_mcp.core.urls import (
    host_of,
    normal_domain,
    pasted_candidates,
    refresh_target,
    within_domain,
    without_credentials,
)


def clean_pasted(text: str) -> str:
    return pasted_candidates(text)[0]


@pytest.mark.parametrize(
    "pasted",
    [
        "https://a.com/x",
        "  https://a.com/x\n",
        "<https://a.com/x>",
        "(https://a.com/x)",
        "(https://a.com/x).",
        '"https://a.com/x"',
        "'https://a.com/x',",
        "`https://a.com/x`",
        "**https://a.com/x**",
        "«https://a.com/x»",
        "[the page](https://a.com/x)",
        '[the page](https://a.com/x "its title").',
        "[the page](<https://a.com/x>)",
        "https://a.com/x.",
        "https://a.com/x,",
        "https://a.com/x).",
        "https://a.com/x”",
    ],
)
def test_a_pasted_url_loses_what_the_text_around_it_added(pasted: str):
    assert clean_pasted(pasted) == "https://a.com/x"


@pytest.mark.parametrize(
    "url",
    [
        "https://en.wikipedia.org/wiki/Rust_(programming_language)",
        "https://en.wikipedia.org/wiki/Apple_Inc.",
        "https://en.wikipedia.org/wiki/Washington,_D.C.",
        "https://en.wikipedia.org/wiki/Yahoo!",
        "https://a.com/?q=what?",
        "https://a.com/path_",
        "https://a.com/it's",
        "http://[::1]/",
        "http://exa mple.com/",
        "javascript:alert(1)",
        "mailto:someone@example.com",
        "//a.com/x",
        "http:/a.com",
        "no url at all",
        "",
    ],
)
def test_what_belongs_to_a_url_stays_and_what_is_none_is_left_to_the_guard(url: str):
    assert clean_pasted(url) == url
    assert pasted_candidates(url) == (url,)


@pytest.mark.parametrize(
    ("pasted", "rest"),
    [
        ("example.com", "example.com"),
        ("www.example.com/a?b=c#d", "www.example.com/a?b=c#d"),
        ("docs.python.org:8080/3.", "docs.python.org:8080/3"),
        ("пример.рф/путь", "пример.рф/путь"),
        ("localhost:8000/x", "localhost:8000/x"),
        ("192.0.2.7/x", "192.0.2.7/x"),
        ("[2001:db8::1]:80/x", "[2001:db8::1]:80/x"),
        ('"example.com".', "example.com"),
        ("[here](example.com)", "example.com"),
    ],
)
def test_a_bare_host_is_tried_with_https_first_and_http_second(pasted: str, rest: str):
    assert pasted_candidates(pasted) == (f"https://{rest}", f"http://{rest}")
    assert clean_pasted(pasted) == f"https://{rest}"


@pytest.mark.parametrize(
    ("pasted", "url"),
    [
        ("10.1038/s41586-020-2649-2", "https://doi.org/10.1038/s41586-020-2649-2"),
        ("doi:10.1038/s41586-020-2649-2", "https://doi.org/10.1038/s41586-020-2649-2"),
        ("DOI: 10.1002/(SICI)1097-4571(1999)50:1.", "https://doi.org/10.1002/(SICI)1097-4571(1999)50:1"),
        ("info:doi/10.1000/182", "https://doi.org/10.1000/182"),
        ("arXiv:2401.01234v2", "https://arxiv.org/abs/2401.01234v2"),
        ("(arXiv: math.GT/0309136)", "https://arxiv.org/abs/math.GT/0309136"),
    ],
)
def test_the_number_of_a_paper_is_its_address(pasted: str, url: str):
    assert pasted_candidates(pasted) == (url,)


@pytest.mark.parametrize("text", ["10.1.2.3/x", "doi:12.34/x", "arxiv:latest", "10.1038/a b"])
def test_what_only_resembles_the_number_of_a_paper_is_left(text: str):
    assert "doi.org" not in clean_pasted(text)
    assert "arxiv.org" not in clean_pasted(text)


@given(st.text(max_size=200))
@example("0 .")
def test_cleaning_never_fails_and_is_stable(text: str):
    once = clean_pasted(text)
    assert clean_pasted(once) == once


@pytest.mark.parametrize(
    "text", ["(" * 16_000, "a." * 8_000, "[x](" + "(" * 15_000, "." * 2_000_000, "x" * 16_000 + ")" * 300]
)
def test_cleaning_hostile_text_takes_no_time(text: str):
    begun = time.process_time()
    clean_pasted(text)
    normal_domain(text)
    refresh_target(text, "https://a.com/")
    assert time.process_time() - begun < 0.2


@pytest.mark.parametrize(
    ("url", "host"),
    [
        ("https://www.Example.COM:8080/x", "www.example.com"),
        ("https://example.com./", "example.com"),
        ("http://[2001:DB8::1]:80/", "2001:db8::1"),
        ("https://МЮНХЕН.рф/", "xn--e1andb2b0c.xn--p1ai"),
        ("mailto:a@b.com", ""),
        ("http://[bad", ""),
        ("", ""),
    ],
)
def test_the_host_of_a_url_is_lower_case_ascii_without_its_port(url: str, host: str):
    assert host_of(url) == host


@pytest.mark.parametrize(
    ("argument", "domain"),
    [
        ("example.com", "example.com"),
        ("https://www.Example.com/x", "example.com"),
        ("*.example.com", "example.com"),
        (".example.com", "example.com"),
        ("//example.com/x", "example.com"),
        ("Example.COM:8080", "example.com"),
        (" example.com, ", "example.com"),
        ("www.com", "www.com"),
        ("localhost", "localhost"),
        ("Пример.рф", "xn--e1afmkfd.xn--p1ai"),
        ("two words", ""),
        ("*", ""),
        ("", ""),
    ],
)
def test_a_domain_argument_becomes_a_bare_host(argument: str, domain: str):
    assert normal_domain(argument) == domain


def test_a_domain_covers_itself_and_what_is_below_it():
    assert within_domain("example.com", "example.com")
    assert within_domain("docs.example.com", "example.com")
    assert not within_domain("notexample.com", "example.com")
    assert not within_domain("example.com.evil.org", "example.com")
    assert not within_domain("example.com", "")


@pytest.mark.parametrize(
    ("value", "target"),
    [
        ("0;url=/next", "https://a.com/next"),
        ("5; URL='https://b.com/x'", "https://b.com/x"),
        ('0;url="rel"', "https://a.com/d/rel"),
        ("3 url=/q", "https://a.com/q"),
        ("0, /plain", "https://a.com/plain"),
        ("1.5;url=/a?url=b", "https://a.com/a?url=b"),
        ("6;url=/late", ""),
        ("0", ""),
        ("0;", ""),
        ("0;url=", ""),
        ("0;url=''", ""),
        ("0url=/x", ""),
        ("soon;url=/x", ""),
        ("0;url=http://[bad/", ""),
        ("", ""),
    ],
)
def test_a_refresh_within_five_seconds_names_its_target(value: str, target: str):
    assert refresh_target(value, "https://a.com/d/page") == target


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("http://user:pw@x.com/a", "http://***@x.com/a"),
        (
            "see https://tok@x.com and http://a:b@y.org/?q=1",
            "see https://***@x.com and http://***@y.org/?q=1",
        ),
        ("http://a@b:c@x.com/", "http://***@x.com/"),
        ("https://x.com/@user", "https://x.com/@user"),
        ("https://x.com/?mail=a@b.c", "https://x.com/?mail=a@b.c"),
    ],
)
def test_credentials_of_urls_are_masked_for_logs_and_messages(text: str, shown: str) -> None:
    assert without_credentials(text) == shown


def test_the_host_of_a_hostile_address_costs_no_more_than_its_length() -> None:
    label = "".join(map(chr, range(0x4E00, 0x4E00 + 4_000)))
    started = time.process_time()
    assert host_of(f"https://{label}.test/") == f"{label}.test"
    assert time.process_time() - started < 0.2
