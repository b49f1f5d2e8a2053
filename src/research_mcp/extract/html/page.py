"""HTML to Markdown: locate the text with an extractor, then convert the original tree."""

from __future__ import annotations

from dataclasses import dataclass, field

from selectolax.lexbor import LexborHTMLParser

from research_mcp.core.models import Flag
from research_mcp.extract.gates import shape_of, tame
from research_mcp.extract.hidden.drop import strip_hidden
from research_mcp.extract.hidden.linear import plain_text
from research_mcp.extract.html import prepare
from research_mcp.extract.html.convert import to_markdown
from research_mcp.extract.html.formulas import runs_tex
from research_mcp.extract.html.frameset import frames_html
from research_mcp.extract.html.icons import name_icons
from research_mcp.extract.html.keep import Keep
from research_mcp.extract.html.links import Links
from research_mcp.extract.html.metadata import read_metadata
from research_mcp.extract.html.posts import find_posts
from research_mcp.extract.html.products import Product, read_product
from research_mcp.extract.html.rescue import as_html, read_data, rescue
from research_mcp.extract.html.threads import is_thread
from research_mcp.extract.locate.blocks import Topic, choose
from research_mcp.extract.locate.extractors import locate
from research_mcp.extract.locate.textmap import TextMap

LITTLE_OF_PRODUCT = 1_000
"""Characters of a shop's page below which the description in its data is asked for."""


@dataclass(frozen=True, slots=True)
class HtmlResult:
    """A page as Markdown, with what it states about itself and what a verdict needs.

    `text_chars` counts the text a visitor without scripts would see, furniture included. `rescued`
    is true when the Markdown comes from data in the page (JSON-LD, a framework's state) because its
    tree held next to nothing.
    """

    markdown: str = field(default="", repr=False)
    title: str = ""
    author: str = ""
    date: str = ""
    site: str = ""
    language: str = ""
    flags: tuple[Flag, ...] = ()
    notes: tuple[str, ...] = ()
    text_chars: int = 0
    script_count: int = 0
    rescued: bool = False


def convert_html(html: str, url: str) -> HtmlResult:
    """The main text of a page read at `url`. Pure, deterministic, CPU only; bears any markup."""
    tree = LexborHTMLParser(html)
    data = read_data(tree)
    stated = read_metadata(tree, data.linked)
    scripts = len(tree.css("script"))
    base = tree.css_first("base[href]")
    links = Links(url, (base.attributes.get("href") or "") if base is not None else "")
    product = read_product(tree, data.linked)
    topic = Topic.THREAD if is_thread(tree, data.linked, url) else Topic.PRODUCT if product else Topic.OTHER
    framed = frames_html(tree)
    name_icons(tree)
    hidden = strip_hidden(tree)
    tex = runs_tex(html)
    markdown, shown, kept = _convert_tree(tree, stated.title, links, topic, tex=tex)
    saved = _convert_data(rescue(data, kept) or (framed if not kept else ""), links, tex=tex)
    if product is not None:
        markdown = _with_product(saved or markdown, product, links)
    return HtmlResult(
        markdown=markdown if product is not None else saved or markdown,
        title=stated.title,
        author=stated.author,
        date=stated.date,
        site=stated.site,
        language=stated.language,
        flags=hidden.flags,
        text_chars=shown,
        script_count=scripts,
        rescued=bool(saved),
    )


def convert_whole(html: str, url: str = "") -> str:
    """Markdown of all text of a document that has no furniture: a chapter, a cell's output.

    Without a `url`, links that are not absolute keep their text only.
    """
    return _convert_fragment(html, Links(url), tex=runs_tex(html))


def _convert_tree(
    tree: LexborHTMLParser, title: str, links: Links, topic: Topic, *, tex: bool
) -> tuple[str, int, int]:
    """Markdown of the main text, characters on the page, characters kept."""
    root = prepare.clean(tree)
    if root is None:
        return "", 0, 0
    page = TextMap(root)
    posts = find_posts(page) if topic is Topic.THREAD else []
    chosen = choose(page, locate(page), title, topic, posts)
    bylines = {post.element: post.byline for post in posts}
    markdown = to_markdown(Keep(page, chosen), links, tex=tex, before=bylines)
    return markdown, page.length(0, len(page)), page.taken(chosen)


def _with_product(markdown: str, product: Product, links: Links) -> str:
    """The text of a shop with the stated facts behind its heading, and the description if it lacks one."""
    top, _, rest = markdown.partition("\n\n")
    heading, text = (top, rest) if top.startswith("# ") else ("", markdown)
    description = ""
    if len(text) < LITTLE_OF_PRODUCT and _start(product.description) not in _start(text, len(text)):
        description = _convert_data(as_html(product.description), links, tex=False)
    return "\n\n".join(part for part in (heading, product.listed(), description, text) if part)


def _start(text: str, size: int = 40) -> str:
    """The first letters and digits of a text, to compare it in."""
    return "".join(character for character in text[: 4 * size].lower() if character.isalnum())[:size]


def _convert_data(html: str, links: Links, *, tex: bool) -> str:
    """Markdown of HTML out of a script, which went past the gates as plain text: it meets them here."""
    if not html:
        return ""
    shape = shape_of(html)
    if shape.hopeless:
        return plain_text(html).text
    return _convert_fragment(tame(html, shape), links, tex=tex)


def _convert_fragment(html: str, links: Links, *, tex: bool) -> str:
    """Markdown of all of a fragment."""
    tree = LexborHTMLParser(html)
    strip_hidden(tree)
    root = prepare.clean(tree)
    if root is None:
        return ""
    page = TextMap(root)
    return to_markdown(Keep(page, bytearray(b"\x01") * len(page)), links, tex=tex)
