from __future__ import annotations

import json
import time

import pytest

from research_mcp.extract.feeds import MOST_ENTRIES, feed, json_feed

URL = "https://example.org/blog/feed.xml"
RSS = """<?xml version="1.0"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel>
<title>Harbour news</title><description>All about the basin</description><language>en-gb</language>
<pubDate>Tue, 01 Sep 2026 10:00:00 GMT</pubDate>
<item><title>Ferry &amp; tide</title><link>/posts/1</link><pubDate>Mon, 31 Aug 2026 09:00:00 +0200</pubDate>
<description>Short &lt;b&gt;summary&lt;/b&gt;.</description>
<content:encoded><![CDATA[<p>The <em>whole</em> story with a <a href="/x">link</a>.</p><script>x()</script>]]></content:encoded></item>
<item><link>https://example.org/posts/2</link><author>Ada</author><description>Plain words</description></item>
<item><title>Bad link</title><link>javascript:alert(1)</link></item>
</channel></rss>"""
ATOM = """<?xml version="1.0" encoding="utf-8"?><feed xmlns="http://www.w3.org/2005/Atom"><title>Log</title>
<updated>2026-09-02T00:00:00Z</updated><entry><title>Gale</title><link href="https://example.org/g"/>
<updated>2026-09-01T00:00:00Z</updated><author><name>Ada</name></author><summary>It blew.</summary></entry></feed>"""
JSON = {
    "version": "https://jsonfeed.org/version/1.1",
    "title": "Log",
    "language": "en",
    "items": [
        {"id": "1", "url": "/g", "title": "Gale", "content_html": "<p>It <b>blew</b>.</p>", "date_published": "2026-09-01T00:00:00Z", "authors": [{"name": "Ada"}]},
        {"id": "2", "external_url": "https://example.org/c", "content_text": "Calm."},
        "no item",
    ],
}  # fmt: skip


def test_an_rss_feed_is_a_list_of_titles_links_dates_and_texts() -> None:
    read = feed(RSS, URL)
    assert (read.title, read.date, read.language, read.cut) == ("Harbour news", "2026-09-01", "en-gb", "")
    assert read.markdown.startswith("All about the basin\n\n## [Ferry & tide](https://example.org/posts/1)")
    assert "2026-08-31" in read.markdown
    assert "The *whole* story with a [link](https://example.org/x)." in read.markdown
    assert "## [(untitled)](https://example.org/posts/2)\n\nAda\n\nPlain words" in read.markdown


def test_a_link_that_runs_code_is_left_out() -> None:
    assert "## Bad link" in feed(RSS, URL).markdown
    assert "javascript:" not in feed(RSS, URL).markdown
    assert "x()" not in feed(RSS, URL).markdown


def test_an_atom_feed_is_read_too() -> None:
    read = feed(ATOM, URL)
    assert read.title == "Log"
    assert read.markdown == "## [Gale](https://example.org/g)\n\n2026-09-01 · Ada\n\nIt blew."


def test_a_json_feed_is_read_too() -> None:
    read = json_feed(json.dumps(JSON), URL)
    assert (read.title, read.language) == ("Log", "en")
    assert read.markdown == (
        "## [Gale](https://example.org/g)\n\n2026-09-01 · Ada\n\nIt **blew**.\n\n"
        "## [(untitled)](https://example.org/c)\n\nCalm."
    )


@pytest.mark.parametrize(
    "text", ["{", "[]", "{}", '{"version": 7}', '{"version": "https://jsonfeed.org/version/1", "items": 3}']
)
def test_other_json_is_no_feed(text: str) -> None:
    assert json_feed(text, URL).markdown == ""


def test_a_long_feed_is_cut_and_says_so() -> None:
    items = "".join(f"<item><title>Entry {n}</title></item>" for n in range(MOST_ENTRIES + 5))
    read = feed(f"<rss version='2.0'><channel><title>T</title>{items}</channel></rss>", URL)
    assert read.markdown.count("## Entry") == MOST_ENTRIES
    assert read.cut == f"only the first {MOST_ENTRIES} of {MOST_ENTRIES + 5} entries are shown"


def test_entities_are_not_expanded() -> None:
    bomb = '<!DOCTYPE r [<!ENTITY a "ha">' + "".join(
        f'<!ENTITY a{n} "{f"&a{n - 1};" * 10 if n else "&a;" * 10}">' for n in range(9)
    )
    started = time.process_time()
    read = feed(
        f"<?xml version='1.0'?>{bomb}]><rss version='2.0'><channel><title>&a8;</title></channel></rss>", URL
    )
    assert time.process_time() - started < 2
    assert len(read.title) < 600


def test_a_body_that_names_a_file_opens_none(tmp_path: object) -> None:
    assert feed(__file__, URL).markdown == ""


@pytest.mark.parametrize(
    "text", ["", "<rss", "<rss><channel></channel></rss>", "<feed>" + "<entry>" * 1_000, "\ud800"]
)
def test_broken_feeds_are_no_feeds_or_short_ones(text: str) -> None:
    assert len(feed(text, URL).markdown) < 20_000
