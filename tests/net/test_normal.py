"""The normal form: one reading of a url."""

from __future__ import annotations

import contextlib
import time

import httpx
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from research_mcp.core.errors import Reason, UrlRefused
from research_mcp.net.normal import absolute, host_address, normal_form


@pytest.mark.parametrize(
    ("url", "normal"),
    [
        ("HTTPS://EXAMPLE.COM", "https://example.com/"),
        ("https://example.com./a", "https://example.com/a"),
        ("http://example.com:80/", "http://example.com/"),
        ("https://example.com:443/", "https://example.com/"),
        ("http://example.com:/", "http://example.com/"),
        ("https://example.com:8443/", "https://example.com:8443/"),
        ("https://example.com?q=1", "https://example.com/?q=1"),
        ("https://example.com/a b?c d#e f", "https://example.com/a%20b?c%20d#e%20f"),
        ("https://example.com/тест?я=ю", "https://example.com/%D1%82%D0%B5%D1%81%D1%82?%D1%8F=%D1%8E"),
        ("https://example.com/50%off?x=100%", "https://example.com/50%25off?x=100%25"),
        ("https://example.com/a%2Fb%20c", "https://example.com/a%2Fb%20c"),
        ("https://example.com/%0d%0aX:%20y", "https://example.com/%0d%0aX:%20y"),
        ("https://example.com/a\\b", "https://example.com/a%5Cb"),
        ("https://example.com/a/./b/../c", "https://example.com/a/c"),
        ("https://example.com/../../a/..", "https://example.com/"),
        ("https://example.com//a//b", "https://example.com//a//b"),
        ("https://example.com/..;/x", "https://example.com/..;/x"),
        ("https://example.com/?u=http://127.0.0.1/", "https://example.com/?u=http://127.0.0.1/"),
        ("https://example.com/#/route?x=1", "https://example.com/#/route?x=1"),
        ("https://my_host.example.com/", "https://my_host.example.com/"),
        ("https://münchen.de/", "https://xn--mnchen-3ya.de/"),
        ("https://faß.de/", "https://xn--fa-hia.de/"),
        ("https://my_host.пример.рф/", "https://my_host.xn--e1afmkfd.xn--p1ai/"),
        ("https://[2001:DB8:0::1]:8080/", "https://[2001:db8::1]:8080/"),
        ("http://8.8.8.8/", "http://8.8.8.8/"),
    ],
)
def test_a_url_has_one_normal_form_which_the_http_library_reads_alike(url: str, normal: str):
    target = normal_form(url)
    assert target.url == normal
    assert normal_form(normal).url == normal
    read_again = httpx.URL(normal)
    assert str(read_again) == normal
    assert read_again.raw_host.decode() == target.host


def test_the_parts_that_policy_looks_at_stand_beside_the_url():
    target = normal_form("https://[2001:db8::1]:8080/")
    assert (target.host, target.port, target.address) == ("2001:db8::1", 8080, host_address("2001:db8::1"))
    target = normal_form("http://name.example.com/")
    assert (target.host, target.port, target.address) == ("name.example.com", 80, None)


def test_the_address_of_a_host_is_known_without_a_url():
    assert str(host_address("192.0.2.1")) == "192.0.2.1"
    assert host_address("a.b.c.d1") is None
    assert host_address("localhost") is None


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("", "it is empty"),
        ("https://a.com/" + "x" * 9_000, "9014 characters"),
        ("https://a.com/" + "字" * 8_000, "once encoded"),
        ("ftp://a.com/", "its scheme is 'ftp:'"),
        ("example.com", "does not start with http"),
        ("http:/a.com", "does not start with http"),
        ("http://a.com/\n", "control characters"),
        ("http://a.com/\ud800", "control characters"),
        ("http://a.com:99999/", "port"),
        ("http://0x7f.1/", "no plain IPv4 address"),
        ("http://xn--a.com/", "xn--"),
        ("http://a\u200bb.com/", "invisible"),
        ("http://a.com\\@127.0.0.1/", "a backslash ends its host"),
        ("http:///a.com", "no host after its //"),
        ("http://a.com\uff0f.b.com/", "turns into punctuation"),
        ("http://a.com\uff1a80/", "turns into punctuation"),
    ],
)
def test_a_refusal_says_in_one_sentence_what_is_wrong(url: str, says: str):
    with pytest.raises(UrlRefused, match=r"^The url cannot be read: [^.]*(\.\w[^.]*)*\.$") as refusal:
        normal_form(url)
    assert says in str(refusal.value)
    assert refusal.value.reason is Reason.INVALID_URL


def test_credentials_are_refused_and_not_repeated():
    with pytest.raises(UrlRefused) as refusal:
        normal_form("https://user:hunter2@example.com/")
    assert refusal.value.reason is Reason.INVALID_URL
    assert "it must not carry a user name or a password" in str(refusal.value)
    assert "hunter2" not in str(refusal.value)


@given(st.text(alphabet=st.characters(exclude_categories=["Cs"]), max_size=40))
@example("#`")
def test_any_path_query_and_fragment_is_encoded_once_and_for_all(text: str):
    try:
        normal = normal_form("https://example.com/" + text).url
    except UrlRefused:
        return
    assert normal_form(normal).url == normal
    assert str(httpx.URL(normal)) == normal
    assert normal.isascii()


@given(st.text(max_size=30))
def test_any_authority_is_refused_or_read_as_the_http_library_reads_it(text: str):
    try:
        target = normal_form(f"http://{text}/")
    except UrlRefused:
        return
    url = httpx.URL(target.url)
    assert (url.raw_host.decode(), url.port or 80) == (target.host, target.port)


@pytest.mark.parametrize(
    ("location", "lands"),
    [
        ("/a", "https://a.com/a"),
        ("b", "https://a.com/d/b"),
        ("?q", "https://a.com/d/x?q"),
        ("//b.com/", "https://b.com/"),
        ("http://b.com/", "http://b.com/"),
        ("http:/b.com/", "http:/b.com/"),
        ("javascript:x", "javascript:x"),
        ("/a\tb", "/a\tb"),
        ("//[bad", "//[bad"),
    ],
)
def test_a_location_is_joined_without_being_repaired(location: str, lands: str):
    assert absolute("https://a.com/d/x", location) == lands


@pytest.mark.parametrize("location", ["\\\\b.com\\x", "/\\b.com/", "\\/b.com"])
def test_a_location_that_starts_with_a_backslash_is_refused(location: str):
    with pytest.raises(UrlRefused, match="backslash"):
        absolute("https://a.com/", location)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.com/" + "/." * 4_000,
        "https://" + "a." * 4_000 + "com/",
        "https://" + "é" * 8_000,
        "http://" + "[" * 8_000,
        "https://a.com/" + "%" * 4_000,
        "h" * 8_000,
    ],
)
def test_reading_a_hostile_url_takes_no_time(url: str):
    begun = time.process_time()
    for _ in range(5):
        with contextlib.suppress(UrlRefused):
            normal_form(url)
    assert time.process_time() - begun < 0.5
