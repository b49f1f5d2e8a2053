"""The extractors of the `extract` benchmark, each in a process of its own: `python extractors.py NAME`.

Runs in the peers' environment as well as in the product's, so it needs nothing but the one library that
NAME stands for. A line of JSON in (`html`, `url`) is a line of JSON out (`text`, `cpu` in ms, `rss` in MB).
All collect garbage as the product's workers do, which spares each of them a part of its time.
"""

from __future__ import annotations

import gc
import json
import logging
import os
import sys
import time
from collections.abc import Callable
from pathlib import Path

Extract = Callable[[str, str], "str | None"]


def research_mcp() -> Extract:
    """The product's conversion."""
    from research_mcp.extract.html.page import convert_html

    return lambda html, url: convert_html(html, url).markdown


def research_mcp_worker() -> Extract:
    """All that a worker of the product does with a page: decoding, gates, conversion, verdict."""
    from research_mcp.core.wire import Document
    from research_mcp.extract.worker import extract_document

    kind = {"content-type": "text/html; charset=utf-8"}
    return lambda html, url: (
        extract_document(Document(url, url, 200, kind, html.encode("utf-8", "replace")), 30).markdown
    )


def trafilatura() -> Extract:
    """Its own Markdown, with all that the product keeps too."""
    from trafilatura import extract

    return lambda html, url: extract(
        html,
        url=url,
        output_format="markdown",
        include_links=True,
        include_formatting=True,
        include_tables=True,
    )


def resiliparse() -> Extract:
    """Its main text."""
    from resiliparse.extract.html2text import extract_plain_text

    return lambda html, _: extract_plain_text(html, main_content=True)


def html_to_markdown() -> Extract:
    """The whole page as Markdown."""
    from html_to_markdown import convert

    def run(html: str, _: str) -> str:
        made = convert(html)
        return made if isinstance(made, str) else made.content or ""

    return run


def readability_lxml() -> Extract:
    """The article that it cuts out, through markdownify."""
    from markdownify import markdownify
    from readability import Document

    return lambda html, _: markdownify(Document(html).summary(), heading_style="ATX")


def newspaper4k() -> Extract:
    """The text of an article."""
    from newspaper import Article

    def run(html: str, url: str) -> str:
        article = Article(url, fetch_images=False)
        article.download(input_html=html)
        article.parse()
        return str(article.text)

    return run


def mcp_server_fetch() -> Extract:
    """The way of mcp-server-fetch: readabilipy, then markdownify."""
    from markdownify import markdownify
    from readabilipy.simple_json import simple_json_from_html_string

    def run(html: str, _: str) -> str:
        found = simple_json_from_html_string(html, use_readability=True)
        return markdownify(found["content"] or "", heading_style="ATX")

    return run


OURS = ("research-mcp", "research-mcp worker")
EXTRACTORS: dict[str, Callable[[], Extract]] = {
    "research-mcp": research_mcp,
    "research-mcp worker": research_mcp_worker,
    "trafilatura": trafilatura,
    "resiliparse": resiliparse,
    "html-to-markdown": html_to_markdown,
    "readability-lxml": readability_lxml,
    "newspaper4k": newspaper4k,
    "mcp-server-fetch's way": mcp_server_fetch,
}


def _cpu() -> float:
    """Seconds of this process and of its children that ended."""
    return time.process_time() + os.times().children_user + os.times().children_system


def _resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def main() -> None:
    """Answer page after page until the input ends."""
    out = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)  # extractors that print must not spoil the answers
    logging.disable(logging.CRITICAL)
    extract = EXTRACTORS[sys.argv[1]]()
    gc.collect()
    gc.freeze()
    gc.set_threshold(50_000, 2, 2)
    for line in sys.stdin:
        page = json.loads(line)
        start = _cpu()
        try:
            text = extract(page["html"], page["url"]) or ""
        except Exception as error:
            print(repr(error), file=sys.stderr)
            text = ""
        answer = {"text": text, "cpu": (_cpu() - start) * 1e3, "rss": _resident()}
        out.write(json.dumps(answer) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
