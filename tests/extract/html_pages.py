"""Pages for the tests of HTML extraction: a body put into a plain site with navigation and footer."""

from __future__ import annotations

from research_mcp.extract.html.page import HtmlResult, convert_html

URL = "https://lighthouse.example/keepers/guide/page.html"
FIRST = (
    "<p>The keeper of the lighthouse writes down the wind at six in the morning and again at noon, because the"
    " supply boat only leaves the mainland when both figures are low enough for the small landing stage.</p>"
    "<p>In winter the entries get shorter, yet the ones about storms fill whole pages and name every pane of"
    " glass that had to be replaced before the lamp could be lit again.</p>"
)
LAST = (
    "<p>Visitors who climb the tower in summer find the old books on a shelf beside the stairs, and the patient"
    " ones among them read about years in which nothing at all seems to have happened out here.</p>"
)
NAV = (
    '<header class="site-header"><nav class="main-nav"><ul><li><a href="/">Home</a></li>'
    '<li><a href="/towers">Towers</a></li><li><a href="/visit">Plan a visit</a></li></ul></nav></header>'
)
FOOTER = (
    '<footer class="site-footer"><p>All rights reserved by the Lamp Society.</p>'
    '<ul><li><a href="/imprint">Imprint</a></li><li><a href="/privacy">Privacy policy</a></li></ul></footer>'
)


def article(body: str, head: str = "") -> str:
    """An article page with `body` between its first and last paragraphs."""
    return (
        f'<!doctype html><html lang="en"><head><title>Keeping the lamp</title>{head}</head><body>{NAV}'
        f"<main><article><h1>A year on the rock</h1>{FIRST}{body}{LAST}</article></main>{FOOTER}</body></html>"
    )


def read(body: str, head: str = "") -> str:
    """The Markdown of an article with this body."""
    return convert_html(article(body, head), URL).markdown


def result(html: str, url: str = URL) -> HtmlResult:
    """All that is made of a page."""
    return convert_html(html, url)


def lines(markdown: str) -> list[str]:
    """Lines without the spaces at their ends."""
    return [line.rstrip() for line in markdown.split("\n")]


def block(*texts: str) -> str:
    """Lines that must stand together."""
    return "\n".join(texts)
