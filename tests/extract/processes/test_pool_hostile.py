"""The whole way, with the real worker: hostile pages and files, four at a time, beside an honest one."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator

import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Reason
from research_mcp.core.models import Extracted
from research_mcp.core.wire import Document
from research_mcp.extract.processes.pool import ExtractionPool
from tests.extract.pdf_files import HOSTILE, WORDS, document
from tests.extract.processes.pools import running
from tests.extract.quality_pages import LONG, PROSE, page
from tests.extract.test_gates import GENERATORS

pytestmark = pytest.mark.slow
URL = "https://example.org/log/1"


def of(body: bytes, media_type: str = "text/html") -> Document:
    return Document(URL, URL, 200, {"content-type": media_type}, body)


@pytest.fixture
async def pool() -> AsyncIterator[ExtractionPool]:
    async with running(ExtractionPool(2)) as made:
        await made.extract(of(page("<p>warm</p>").encode()), Deadline.after(30))
        yield made


async def ended(pool: ExtractionPool, task: Document) -> tuple[float, Extracted | NoContent]:
    """Seconds in a worker's hands, and what came of it."""
    started = time.monotonic()
    try:
        return 0.0, await pool.extract(task, Deadline.after(600))
    except NoContent as error:
        return time.monotonic() - started, error


@pytest.mark.timeout(600)
@pytest.mark.parametrize("size", [100_000, 1_000_000, 5_000_000])
async def test_pages_made_to_hang_end_with_words_or_a_typed_error(pool: ExtractionPool, size: int) -> None:
    lags: list[float] = []

    async def watch() -> None:
        while True:
            started = time.perf_counter()
            await asyncio.sleep(0.01)
            lags.append(time.perf_counter() - started - 0.01)

    turns = asyncio.Semaphore(4)

    async def one(name: str) -> tuple[str, float, Extracted | NoContent]:
        html = await asyncio.to_thread(GENERATORS[name], size)
        body = page(LONG + html).encode()
        async with turns:
            seconds, outcome = await ended(pool, of(body))
            return name, seconds, outcome

    watcher = asyncio.create_task(watch())
    outcomes = await asyncio.gather(*map(one, GENERATORS))
    watcher.cancel()
    for name, _, outcome in outcomes:
        if isinstance(outcome, Extracted):
            assert PROSE in outcome.markdown, name
        else:
            assert outcome.reason in (Reason.DEADLINE, Reason.TOO_LARGE), name
    assert sorted(lags)[int(len(lags) * 0.99)] < 0.05
    honest = await pool.extract(of(page(f"<article>{LONG}</article>").encode()), Deadline.after(5))
    assert honest.reason is None


@pytest.mark.timeout(600)
async def test_files_made_to_hang_end_with_text_a_reason_or_a_typed_error(pool: ExtractionPool) -> None:
    for name, make in HOSTILE.items():
        _, outcome = await ended(pool, of(await asyncio.to_thread(make), "application/pdf"))
        if isinstance(outcome, Extracted):
            assert outcome.reason or WORDS in outcome.markdown or "Part 1" in outcome.markdown, name
        else:
            assert outcome.reason in (Reason.DEADLINE, Reason.TOO_LARGE), name


async def test_a_file_that_needs_more_memory_than_a_worker_may_have_is_an_error_or_a_note(
    pool: ExtractionPool,
) -> None:
    big = document([(b"/Filter /ASCII85Decode", b"z" * 12_000_000 + b"~>")])
    _, outcome = await ended(pool, of(big, "application/pdf"))
    assert isinstance(outcome, Extracted | NoContent)
    assert outcome.reason is not None
