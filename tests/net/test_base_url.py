"""Base urls as operators write them."""

from __future__ import annotations

import pytest

from research_mcp.core.errors import ConfigError
from research_mcp.net.base_url import check_base, joined, origin_of

VENDOR = "https://api.vendor.com"


@pytest.mark.parametrize(
    ("base", "endpoint", "url", "address"),
    [
        ("", VENDOR, "/search", "https://api.vendor.com/search"),
        ("", VENDOR + "/", "search?x=1", "https://api.vendor.com/search?x=1"),
        ("", VENDOR + "/v1/search", "", "https://api.vendor.com/v1/search"),
        ("", VENDOR + "/v1/search", "?q=x", "https://api.vendor.com/v1/search?q=x"),
        ("http://gw:8080", VENDOR, "/search", "http://gw:8080/search"),
        ("http://gw/vendor", VENDOR, "/v1/search", "http://gw/vendor/v1/search"),
        ("http://gw/vendor/v1", VENDOR, "/v1/search", "http://gw/vendor/v1/search"),
        ("http://gw/v1", VENDOR + "/v1", "/responses", "http://gw/v1/responses"),
        ("http://gw", VENDOR + "/v1", "/responses", "http://gw/v1/responses"),
        ("http://gw/v2", VENDOR + "/v1", "/responses", "http://gw/v2/responses"),
        ("http://gw/v1beta", VENDOR, "/v1/models", "http://gw/v1beta/models"),
        ("http://gw/api/v1", VENDOR + "/v1", "/chat/completions", "http://gw/api/v1/chat/completions"),
        (
            "http://gw/v1/chat/completions",
            VENDOR + "/v1",
            "/chat/completions",
            "http://gw/v1/chat/completions",
        ),
        ("http://gw/res/v1", VENDOR + "/res/v1/web/search", "?q=a/b", "http://gw/res/v1/web/search?q=a/b"),
        ("http://gw", VENDOR + "/html/", "", "http://gw/html"),
        ("http://gw", VENDOR, "/html/", "http://gw/html/"),
        ("http://gw", VENDOR, "", "http://gw"),
        ("http://gw/vendor", VENDOR + "/", VENDOR + "/", "http://gw/vendor/"),
        ("http://gw", VENDOR, VENDOR + "/v1/x?y=1", "http://gw/v1/x?y=1"),
        ("http://gw", VENDOR, VENDOR, "http://gw"),
        ("http://gw", VENDOR, "https://api.vendor.com.evil.org/x", "https://api.vendor.com.evil.org/x"),
        ("http://gw", VENDOR, "https://other.org/x", "https://other.org/x"),
        ("http://gw", "", "https://other.org/x", "https://other.org/x"),
        ("http://gw", "", "/x", "http://gw/x"),
    ],
)
def test_a_request_finds_its_address_without_doubled_parts(base: str, endpoint: str, url: str, address: str):
    assert joined(base, endpoint, url) == address


def test_a_path_without_any_base_is_a_configuration_error():
    with pytest.raises(ConfigError, match="no base url"):
        joined("", "", "/search")


@pytest.mark.parametrize("url", ["http://gw", "http://gw/", "http://gw//"])
def test_trailing_slashes_of_a_base_url_do_not_matter(url: str):
    assert check_base("tavily", url) == "http://gw"


@pytest.mark.parametrize(
    "url",
    [
        "gw:8080",
        "ftp://gw",
        "http://",
        "http://gw/?key=hunter2",
        "http://gw/#x",
        "http://me:hunter2@gw/",
        "http://gw:x",
    ],
)
def test_an_odd_base_url_stops_the_start_and_is_not_repeated(url: str):
    with pytest.raises(ConfigError, match="the base url of tavily cannot be used") as error:
        check_base("tavily", url)
    assert "hunter2" not in str(error.value)


def test_an_origin_is_scheme_host_and_port():
    assert origin_of("HTTPS://Gw.Example.com/x") == ("https", "gw.example.com", 443)
    assert origin_of("http://[2001:db8::1]:81/") == ("http", "2001:db8::1", 81)
    assert origin_of("http://gw:x") == ("", "", 0)
