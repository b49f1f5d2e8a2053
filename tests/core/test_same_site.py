"""Which addresses are of a site, and which of them are pages."""

from __future__ import annotations

import pytest

from research_mcp.core.same_site import SameSite, is_page


@pytest.mark.parametrize(
    ("home", "url"),
    [
        ("https://example.com/", "http://example.com/a"),
        ("https://www.example.com/x", "https://example.com/"),
        ("https://example.com/", "https://www.example.com/"),
        ("https://example.com/", "https://docs.example.com/a"),
        ("https://example.com:443/", "https://example.com/a"),
        ("http://example.com:8080/", "http://example.com:8080/a"),
        ("https://bücher.example/", "https://xn--bcher-kva.example/a"),
        ("http://192.0.2.7/", "http://192.0.2.7/a"),
        ("https://www.com/", "https://www.com/a"),
    ],
)
def test_a_site_is_a_host_with_all_below_it(home: str, url: str) -> None:
    assert SameSite.of(home).covers(url)


@pytest.mark.parametrize(
    ("home", "url"),
    [
        ("https://example.com/", "https://example.org/"),
        ("https://example.com/", "https://notexample.com/"),
        ("https://example.com/", "https://example.com.evil.test/"),
        ("https://example.com/", "https://evil.test/https://example.com/"),
        ("https://example.com/", "https://example.com@evil.test/"),
        ("https://docs.example.com/", "https://example.com/"),
        ("https://docs.example.com/", "https://blog.example.com/"),
        ("https://example.com/", "https://example.com:8443/"),
        ("http://example.com:8080/", "http://example.com/"),
        ("http://192.0.2.7/", "http://192.0.2.8/"),
        ("https://example.com/", "https://[broken/"),
        ("https://www.com/", "https://other.com/"),
    ],
)
def test_other_hosts_parents_and_ports_are_other_sites(home: str, url: str) -> None:
    assert not SameSite.of(home).covers(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.test/style.css?v=2",
        "https://a.test/img/Logo.PNG",
        "https://a.test/fonts/x.woff2",
        "https://a.test/files/setup.exe",
        "https://a.test/login",
        "https://a.test/en/sign-in/",
        "https://a.test/accounts/login",
        "https://a.test/wp-login.php?redirect_to=x",
        "https://a.test/wp-admin/index.php",
        "https://a.test/cdn-cgi/l/email-protection",
        "https://a.test/post?share=twitter",
        "https://a.test/w/index.php?title=A&action=edit",
        "https://a.test/cart",
    ],
)
def test_what_nobody_reads_is_no_page(url: str) -> None:
    assert not is_page(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://a.test/",
        "https://a.test/docs/guides/login",
        "https://a.test/blog/how-to-register",
        "https://a.test/paper.pdf",
        "https://a.test/table.xlsx",
        "https://a.test/login-methods",
        "https://a.test/a.png/about",
        "https://a.test/search?q=share",
    ],
)
def test_documents_and_texts_about_doors_are_pages(url: str) -> None:
    assert is_page(url)
