"""`read_pages` of 20 mixed local pages against the peers' read tools: wall time and correct rows.

A row is correct when every sentence that the page is about is there and nothing of what stands around it:
menus, cookie walls, related links. Pages of seven kinds in the markup of different systems, a page in GBK
without a label, a PDF, a Word file, a feed, Markdown, JSON, and a page that takes a second.
"""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from mcp import Client

from bench.peers import PEERS, Peer, reading
from bench.product import product
from bench.site import Served, site
from tests.extract.office.files import docx, para
from tests.extract.pdf_files import report
from tests.quality.measure import plain
from tests.quality.pages.kinds import KINDS, samples

LEAST_SENTENCE = 25
GBK = "潮汐能是一种可再生能源，水坝利用潮差发电，并讨论成本与环境影响。"
PROSE = "The harbour board met on Tuesday to hear what the new lock would cost."
_WORD = re.compile(r"\w+")

Read = Callable[[list[str]], Awaitable[list[str]]]


@dataclass(frozen=True, slots=True)
class Case:
    """One page: how it is served, what must come of it and what must not."""

    path: str
    served: Served
    wanted: tuple[str, ...]
    unwanted: tuple[str, ...] = ()

    def judged(self, text: str) -> tuple[bool, bool]:
        """Whether everything wanted is there, and nothing unwanted."""
        words = _words(plain(text))
        return (
            all(_words(sentence) in words for sentence in self.wanted),
            not any(_words(sentence) in words for sentence in self.unwanted),
        )


def _words(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "


def cases() -> list[Case]:
    """Twenty pages, the same on every run."""
    made = []
    for kind in KINDS:
        for sample in [sample for sample in samples() if sample.kind == kind][:2]:
            wanted = tuple(text for text in sample.content.gold if len(text) >= LEAST_SENTENCE)
            made.append(Case(f"/{sample.name}", Served(sample.html.encode()), wanted, sample.unwanted))
    article = next(case for case in made if case.path.startswith("/article"))
    made.append(Case("/slow", Served(article.served.body, seconds=1.0), article.wanted, article.unwanted))
    gbk = f"<html><head><title>潮汐</title></head><body><article><p>{GBK * 12}</p></article></body></html>"
    feed = (
        '<?xml version="1.0"?><rss version="2.0"><channel><title>Harbour news</title><link>https://town.example</link>'
        + "".join(
            f"<item><title>Notice {n}</title><description>&lt;p&gt;{PROSE} Notice {n}.&lt;/p&gt;</description></item>"
            for n in range(8)
        )
        + "</channel></rss>"
    )
    markdown = f"# Harbour\n\n{PROSE}\n\n- first pier\n- second pier\n\n" + f"{PROSE}\n\n" * 8
    file = docx(
        para("The harbour report", "Heading1") + "".join(para(f"{PROSE} Part {n}.") for n in range(9))
    )
    word = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
    made += [
        Case("/gbk", Served(gbk.encode("gb18030"), "text/html"), tuple(GBK.split("，"))),
        Case(
            "/report.pdf",
            Served(report(), "application/pdf"),
            ("The Harbour Report", "A second paragraph stands apart by a gap that nobody can miss at all"),
        ),
        Case("/report.docx", Served(file, word), ("The harbour report", f"{PROSE} Part 8.")),
        Case("/feed.xml", Served(feed.encode(), "application/rss+xml"), (f"{PROSE} Notice 7.",)),
        Case("/notes.md", Served(markdown.encode(), "text/markdown"), (PROSE, "second pier")),
    ]
    return made


async def _timed(urls: list[str], read: Read) -> tuple[float, list[str]]:
    begun = time.perf_counter()
    texts = await read(urls)
    return time.perf_counter() - begun, texts


async def _product(endpoint: str, base: str, pages: list[Case]) -> tuple[float, list[str]]:
    async with Client(endpoint) as client:

        async def read(urls: list[str]) -> list[str]:
            answer = await client.call_tool("read_pages", {"urls": urls})
            rows = (answer.structured_content or {})["pages"]
            return [row.get("markdown", "") for row in rows]

        return await _warm(base, pages, read)


async def _peer(peer: Peer, base: str, pages: list[Case]) -> tuple[float, list[str]]:
    async with reading(peer) as read:
        return await _warm(base, pages, read)


async def _warm(base: str, pages: list[Case], read: Read) -> tuple[float, list[str]]:
    """One page first, so that nobody's start counts."""
    await read([f"{base}{pages[0].path}?warm=1"])
    return await _timed([f"{base}{case.path}" for case in pages], read)


def run() -> list[dict[str, object]]:
    """One row for each reader of the same twenty pages."""
    pages = cases()
    rows = []
    with site({case.path: case.served for case in pages}) as base:
        with product(READ_BATCH_MAX_CHARS="100000", ROBOTS="ignore") as (endpoint, _, _):
            rows.append(_row("research-mcp read_pages", asyncio.run(_product(endpoint, base, pages)), pages))
        for peer in PEERS:
            if peer.install():
                version = peer.package.rpartition("=")[2].rpartition("@")[2]
                rows.append(_row(f"{peer.name} {version}", asyncio.run(_peer(peer, base, pages)), pages))
    return rows


def _row(name: str, result: tuple[float, list[str]], pages: list[Case]) -> dict[str, object]:
    seconds, texts = result
    verdicts = [case.judged(text) for case, text in zip(pages, texts, strict=True)]
    return {
        "reader": name,
        "seconds for 20 pages": round(seconds, 2),
        "correct rows": sum(whole and clean for whole, clean in verdicts),
        "whole text": sum(whole for whole, _ in verdicts),
        "no boilerplate": sum(clean and bool(text) for (_, clean), text in zip(verdicts, texts, strict=True)),
    }
