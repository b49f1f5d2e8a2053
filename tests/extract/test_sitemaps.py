"""Links out of site maps, feeds, pages and lists; hostile ones included."""

from __future__ import annotations

import time

import pytest

from research_mcp.core.sitemaps import LinkKind, Links, SitePage
from research_mcp.core.wire import Document
from research_mcp.extract.sitemaps import MOST_LINKS, find_links

URL = "https://mill.test/docs/"
NAMESPACE = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"'


def links(body: str | bytes, media: str = "", **facts: object) -> Links:
    data = body if isinstance(body, bytes) else body.encode()
    document = Document(URL, URL, 200, {"content-type": media}, data, **facts)  # type: ignore[arg-type]
    return find_links(document, 50.0)


def found(body: str | bytes, media: str = "") -> list[tuple[str, str, str]]:
    return [(page.url, page.title, page.date) for page in links(body, media).pages]


class TestSiteMaps:
    def test_places_come_with_their_day_and_the_title_of_news(self) -> None:
        body = f"""<?xml version="1.0" encoding="UTF-8"?>
            <urlset {NAMESPACE} xmlns:n="http://www.google.com/schemas/sitemap-news/0.9"
              xmlns:i="http://www.google.com/schemas/sitemap-image/1.1">
            <url><loc> https://mill.test/a?x=1&amp;y=2 </loc><lastmod>2026-03-04T10:00:00+01:00</lastmod></url>
            <url><loc>https://mill.test/b</loc><lastmod>soon</lastmod>
              <i:image><i:loc>https://mill.test/b.png</i:loc></i:image>
              <n:news><n:title>Moss &amp; more</n:title></n:news></url>
            </urlset>"""
        assert found(body, "application/xml") == [
            ("https://mill.test/a?x=1&y=2", "", "2026-03-04"),
            ("https://mill.test/b", "Moss & more", ""),
        ]

    def test_an_index_names_further_maps(self) -> None:
        body = (
            f"<sitemapindex {NAMESPACE}><sitemap><loc>https://mill.test/1.xml</loc></sitemap></sitemapindex>"
        )
        assert links(body) == Links(LinkKind.INDEX, (SitePage("https://mill.test/1.xml"),))

    @pytest.mark.parametrize("media", ["application/xml", "text/xml", "text/plain", "text/html", ""])
    def test_it_is_known_under_any_label(self, media: str) -> None:
        assert links("<urlset><url><loc>https://mill.test/a</loc></url></urlset>", media).pages

    def test_one_that_breaks_off_gives_what_came(self) -> None:
        body = "<urlset><url><loc>https://mill.test/a</loc></url><url><loc>https://mill.test/b"
        assert found(body)[0][0] == "https://mill.test/a"

    def test_another_encoding_is_read(self) -> None:
        body = (
            '<?xml version="1.0" encoding="windows-1251"?><urlset><url><loc>https://mill.test/мох</loc></url>'
        )
        assert found(body.encode("cp1251"), "application/xml") == [("https://mill.test/мох", "", "")]

    def test_a_plain_list_is_one_too(self) -> None:
        body = "https://mill.test/a\n\nhttps://mill.test/b\n"
        assert links(body, "text/plain").kind is LinkKind.SITEMAP
        assert [url for url, _, _ in found(body, "text/plain")] == [
            "https://mill.test/a",
            "https://mill.test/b",
        ]

    def test_prose_is_no_list(self) -> None:
        assert links("See https://mill.test/a\nfor more", "text/plain") == Links(LinkKind.NONE)

    def test_addresses_that_are_none_are_left_out(self) -> None:
        body = "<urlset><url><loc>javascript:alert(1)</loc></url><url><loc>/a</loc></url><url/></urlset>"
        assert links(body).pages == ()

    def test_a_very_long_one_is_cut_and_says_so(self) -> None:
        rows = "".join(f"<url><loc>https://mill.test/{n}</loc></url>" for n in range(MOST_LINKS + 5))
        result = links(f"<urlset>{rows}</urlset>")
        assert len(result.pages) == MOST_LINKS
        assert result.cut == f"only the first {MOST_LINKS} addresses are taken"

    def test_a_body_that_is_not_whole_says_so(self) -> None:
        body = "<urlset><url><loc>https://mill.test/a</loc></url></urlset>"
        assert links(body, truncated="cut at 10 MB").cut == "cut at 10 MB"


class TestFeeds:
    def test_rss_entries_count(self) -> None:
        body = """<rss version="2.0"><channel><title>Mill</title><link>https://mill.test/</link>
            <item><title>Moss &amp;amp; wall</title><link>https://mill.test/p</link>
            <pubDate>Wed, 04 Mar 2026 10:00:00 GMT</pubDate></item></channel></rss>"""
        assert found(body, "application/rss+xml") == [("https://mill.test/p", "Moss & wall", "2026-03-04")]

    def test_atom_entries_count_by_their_alternate_link(self) -> None:
        body = """<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>Moss</title>
            <link rel="self" href="/api/1"/><link href="../p"/><updated>2026-03-04T00:00:00Z</updated>
            </entry></feed>"""
        assert found(body, "application/atom+xml") == [("https://mill.test/p", "Moss", "2026-03-04")]

    def test_an_entry_without_a_link_is_left_out(self) -> None:
        assert links("<rss><channel><item><title>A</title></item></channel></rss>").pages == ()


class TestPages:
    def test_links_come_absolute_with_their_text(self) -> None:
        body = """<html><head><title>Docs &amp; more</title><base href="/v2/"></head><body>
            <a href="a?x=1&amp;y=2"><b>First</b> page</a> <a href=b>Second<a href="c">Third</a>
            <map><area href="/d" alt="Fourth"></map></body></html>"""
        result = links(body, "text/html")
        assert result.kind is LinkKind.PAGE
        assert result.title == "Docs & more"
        assert [(page.url, page.title) for page in result.pages] == [
            ("https://mill.test/v2/a?x=1&y=2", "First page"),
            ("https://mill.test/v2/b", "Second"),
            ("https://mill.test/v2/c", "Third"),
            ("https://mill.test/d", "Fourth"),
        ]

    def test_idle_words_give_way_to_labels_and_pictures(self) -> None:
        body = """<a href="/a" aria-label="About us">Read more</a><a href="/b"><img src="x" alt="Moss"></a>
            <a href="/c">here</a>"""
        assert [page.title for page in links(body, "text/html").pages] == ["About us", "Moss", ""]

    def test_only_the_web_is_led_to(self) -> None:
        body = """<a href="mailto:a@mill.test">m</a><a href="javascript:x()">j</a><a href="#top">t</a>
            <a href="data:text/html,x">d</a><a>none</a><a href="ftp://mill.test/">f</a>"""
        assert links(body, "text/html").pages == ()

    def test_links_in_comments_and_scripts_are_none(self) -> None:
        body = "<!-- <a href=/a>a</a> --><script>'<a href=/b>b</a>'</script><a href=/c>c</a>"
        assert [page.url for page in links(body, "text/html").pages] == ["https://mill.test/c"]

    def test_feeds_of_the_page_are_named(self) -> None:
        body = """<link rel="alternate" type="application/rss+xml" href="/feed">
            <link rel="alternate" type="application/atom+xml" href="https://mill.test/atom">
            <link rel="stylesheet" href="/x.css"><p>Text</p>"""
        assert links(f"<html>{body}</html>", "text/html").feeds == (
            "https://mill.test/feed",
            "https://mill.test/atom",
        )

    def test_titles_lose_what_cannot_be_seen(self) -> None:
        (page,) = links("<a href=/a>Mo\u200b\u202ess\n wall</a>", "text/html").pages
        assert page.title == "Moss wall"

    def test_markdown_links_count(self) -> None:
        body = "# Mill\n\n- [Moss](moss.md): green\n- ![picture](x.png)\n- [Wall](https://mill.test/wall)\n"
        assert [(url, title) for url, title, _ in found(body, "text/markdown")] == [
            ("https://mill.test/docs/moss.md", "Moss"),
            ("https://mill.test/wall", "Wall"),
        ]

    @pytest.mark.parametrize("body", [b"%PDF-1.7 x", b"\x89PNG\r\n\x1a\n000", b'{"a": 1}', b""])
    def test_other_documents_have_none(self, body: bytes) -> None:
        assert links(body).pages == ()


class TestHostile:
    def test_entities_are_never_expanded(self) -> None:
        levels = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 10))
        body = (
            f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY l0 "lollollol">{levels}'
            '<!ENTITY file SYSTEM "file:///etc/passwd">]>'
            "<urlset><url><loc>https://mill.test/&l9;</loc></url><url><loc>https://mill.test/&file;</loc></url>"
            "<url><loc>https://mill.test/ok</loc></url></urlset>"
        )
        started = time.process_time()
        result = links(body, "application/xml")
        assert time.process_time() - started < 2
        assert all(len(page.url) < 100 for page in result.pages)
        for unfolded in ("root:", "lol"):
            assert unfolded not in "".join(page.url for page in result.pages)

    @pytest.mark.parametrize(
        "body",
        [
            b"<a href=x>" * 300_000,
            b"<a " * 1_000_000,
            b"<a href='x" * 300_000,
            b"<urlset>" * 300_000,
            b"<a href=x><img alt=" * 150_000,
            b"<title>" * 300_000,
            b"<base href=x>" * 200_000,
            (b"<a href=x>" + b"<img " * 780 + b">") * 100,
        ],
        ids=["links", "open tags", "open quotes", "nesting", "pictures", "titles", "bases", "open pictures"],
    )
    def test_three_megabytes_made_to_hang_do_not(self, body: bytes) -> None:
        started = time.process_time()
        links(body, "text/html")
        assert time.process_time() - started < 5

    def test_markdown_made_to_hang_does_not(self) -> None:
        started = time.process_time()
        links((b"[](" + b"a" * 2_400) * 400, "text/markdown")
        assert time.process_time() - started < 1

    def test_what_takes_too_long_is_given_up(self) -> None:
        document = Document(URL, URL, 200, {}, b"<a href=x>" * 500_000)
        assert find_links(document, 0.01) == Links(LinkKind.NONE, cut="it takes too long to read")
