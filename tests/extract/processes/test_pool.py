from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable
from pathlib import Path

import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Overloaded, Reason
from research_mcp.core.models import Extracted
from research_mcp.core.sitemaps import LinkKind, Links, SitePage
from research_mcp.core.wire import Document
from research_mcp.extract.processes.documents import is_document
from research_mcp.extract.processes.pool import ExtractionPool, PoolLimits
from research_mcp.observe.overview import Workers
from tests.extract.processes.pools import running

ENTRY = "tests.extract.entries:behave"


def document(act: str, body: bytes = b"") -> Document:
    return Document(f"http://x/{act}", f"http://x/{act}", 200, {"x": "y"}, body)


async def ask(pool: ExtractionPool, act: str, seconds: float = 20.0, body: bytes = b"") -> Extracted:
    return await pool.extract(document(act, body), Deadline.after(seconds))


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(20):
        while not condition():  # noqa: ASYNC110 - the pool sets no event
            await asyncio.sleep(0.01)


@pytest.fixture
async def patient() -> AsyncIterator[ExtractionPool]:
    """Two workers that have twenty seconds for a page."""
    async with running(ExtractionPool(2, limits=PoolLimits(page_seconds=20.0), entry=ENTRY)) as made:
        await until(lambda: made.workers().idle == 2)
        yield made


@pytest.fixture
async def pool() -> AsyncIterator[ExtractionPool]:
    limits = PoolLimits(page_seconds=1.0, queue=4, tasks=5, answer=2_000_000)
    async with running(ExtractionPool(2, limits=limits, entry=ENTRY)) as made:
        await until(lambda: made.workers().idle == 2)
        await asyncio.gather(ask(made, "a"), ask(made, "b"))
        yield made


async def test_a_document_goes_there_whole_and_comes_back(patient: ExtractionPool) -> None:
    body = os.urandom(25_000_000)
    assert (await ask(patient, "x", body=body)).markdown == "25000000 y"


@pytest.mark.parametrize("act", ["die", "eat", "recurse", "long"])
async def test_a_worker_that_breaks_is_a_typed_error_and_is_replaced_at_once(
    pool: ExtractionPool, act: str
) -> None:
    with pytest.raises(NoContent) as caught:
        await ask(pool, act)
    assert caught.value.reason is Reason.TOO_LARGE
    start = time.perf_counter()
    await asyncio.gather(ask(pool, "a"), ask(pool, "b"))
    assert time.perf_counter() - start < 3


async def test_a_crash_in_a_worker_is_a_fault_of_this_server_and_is_logged_without_words_of_the_page(
    pool: ExtractionPool, caplog: pytest.LogCaptureFixture, capfd: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(NoContent) as caught:
        await ask(pool, "crash", body=b"words of the page")
    assert caught.value.reason is Reason.INTERNAL_ERROR
    assert str(caught.value) == "extraction failed because of a fault in this server; its log has the details"
    assert "extraction of http://x/crash crashed" in caplog.text
    assert "entries.py" in caplog.text
    assert caplog.text.rstrip().endswith("ValueError")
    await asyncio.gather(ask(pool, "a"), ask(pool, "b"))
    assert "words of the page" not in caplog.text + "".join(capfd.readouterr())


async def test_a_worker_that_spins_is_stopped_at_its_deadline(pool: ExtractionPool) -> None:
    start = time.perf_counter()
    with pytest.raises(NoContent) as caught:
        await ask(pool, "spin")
    assert caught.value.reason is Reason.DEADLINE
    assert 0.9 < time.perf_counter() - start < 5


async def test_the_caller_s_deadline_is_kept_when_it_is_earlier(patient: ExtractionPool) -> None:
    start = time.perf_counter()
    with pytest.raises(NoContent):
        await ask(patient, "spin", seconds=0.2)
    assert time.perf_counter() - start < 5


@pytest.mark.parametrize(
    "body",
    [
        b"%PDF-1.7\n",
        b"\xef\xbb\xbf\n%PDF-1.4\n",
        b"PK\x03\x04word/document.xml",
        b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1",
        b'{"nbformat": 4, "cells": []}',
        b'\n{"cells": [' + b" " * 3_000 + b'], "nbformat": 4}',
    ],
    ids=["pdf", "pdf after a mark", "archive", "old office", "notebook", "notebook stated at its end"],
)
def test_documents_have_more_time_than_pages(body: bytes) -> None:
    assert is_document(body)


@pytest.mark.parametrize(
    "body",
    [b"<html>%PDF-1.7</html>", b'{"cells": []}', b"", b"nbformat", b"<p>PK\x03\x04", b'["nbformat"]'],
)
def test_pages_and_data_have_the_time_of_a_page(body: bytes) -> None:
    assert not is_document(body)


async def test_a_worker_is_told_the_time_of_what_it_reads(pool: ExtractionPool) -> None:
    limits = PoolLimits()
    assert limits.document_seconds > limits.page_seconds
    assert float((await ask(pool, "seconds", body=b"<p>")).markdown) <= 1.0
    assert float((await ask(pool, "seconds", body=b"PK\x03\x04")).markdown) > 10.0


@pytest.mark.slow
async def test_twenty_killed_workers_harm_no_other_task(pool: ExtractionPool) -> None:
    async def good() -> int:
        texts = [await ask(pool, "x") for _ in range(20)]
        return sum(text.markdown == "0 y" for text in texts)

    async def bad() -> None:
        for _ in range(20):
            with pytest.raises(NoContent):
                await ask(pool, "die")

    count, _ = await asyncio.gather(good(), bad())
    assert count == 20


async def test_a_caller_that_leaves_takes_its_worker_with_it(patient: ExtractionPool) -> None:
    leaving = [asyncio.create_task(ask(patient, "spin")) for _ in range(2)]
    await until(lambda: patient.workers().busy == 2)
    for task in leaving:
        task.cancel()
    await asyncio.gather(*leaving, return_exceptions=True)
    start = time.perf_counter()
    assert (await ask(patient, "x")).markdown == "0 y"
    assert time.perf_counter() - start < 5
    assert patient.workers().replaced["killed"] == 2


async def test_a_full_queue_is_a_busy_error(pool: ExtractionPool) -> None:
    waiting = [asyncio.create_task(ask(pool, "spin")) for _ in range(6)]  # two run, four wait
    await asyncio.sleep(0.05)
    with pytest.raises(Overloaded):
        await ask(pool, "x")
    for task in waiting:
        task.cancel()
    await asyncio.gather(*waiting, return_exceptions=True)


async def test_workers_are_renewed_after_their_share_of_tasks(pool: ExtractionPool) -> None:
    pids = {(await ask(pool, "pid")).markdown for _ in range(20)}
    assert len(pids) >= 4


async def test_a_lone_surrogate_does_not_break_the_answer(pool: ExtractionPool) -> None:
    assert (await ask(pool, "surrogate")).markdown == "a?b"


async def test_the_event_loop_goes_on_while_workers_are_busy_and_large_pages_travel(
    pool: ExtractionPool,
) -> None:
    lags: list[float] = []

    async def watch() -> None:
        while True:
            start = time.perf_counter()
            await asyncio.sleep(0.01)
            lags.append(time.perf_counter() - start - 0.01)

    watcher = asyncio.create_task(watch())
    body = bytes(10_000_000)
    await asyncio.gather(
        *(ask(pool, "x", body=body) for _ in range(2)), ask(pool, "spin"), return_exceptions=True
    )
    watcher.cancel()
    assert sorted(lags)[int(len(lags) * 0.99) - 1] < 0.25


async def test_hostile_pages_hold_up_an_ordinary_one_by_half_a_second_and_no_more(
    patient: ExtractionPool,
) -> None:
    hostile = [asyncio.create_task(ask(patient, "spin")) for _ in range(4)]
    await asyncio.sleep(0)
    start = time.perf_counter()
    assert (await ask(patient, "x")).markdown == "0 y"
    assert time.perf_counter() - start < 5
    for _ in range(5):
        start = time.perf_counter()
        await ask(patient, "x")
        assert time.perf_counter() - start < 2
    for task in hostile:
        task.cancel()
    await asyncio.gather(*hostile, return_exceptions=True)
    assert len({(await ask(patient, "pid")).markdown for _ in range(12)}) <= 2


def test_a_killed_server_leaves_no_worker_behind(tmp_path: Path) -> None:
    program = (
        "import asyncio, os, signal\n"
        "from tests.extract.processes.test_pool import ENTRY, ask\n"
        "from research_mcp.extract.processes.pool import ExtractionPool\n"
        "async def main():\n"
        "    pool = ExtractionPool(1, entry=ENTRY)\n"
        "    await pool.start()\n"
        "    print((await ask(pool, 'pid')).markdown, flush=True)\n"
        "    asyncio.get_running_loop().call_later(0.2, os.kill, os.getpid(), signal.SIGKILL)\n"
        "    await ask(pool, 'spin')\n"
        "asyncio.run(main())\n"
    )
    script = tmp_path / "server.py"
    script.write_text(
        f"import sys\nsys.path.insert(0, {str(Path.cwd())!r})\nif True:\n"
        + "".join(f"    {line}\n" for line in program.splitlines())
    )
    done = subprocess.run(
        [sys.executable, str(script)], capture_output=True, text=True, timeout=30, check=False
    )
    pid = int(done.stdout.split()[0])
    ends = time.perf_counter() + 15
    while Path(f"/proc/{pid}").exists() and Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z":
        assert time.perf_counter() < ends, "the worker still runs"
        time.sleep(0.05)


def test_importing_the_pool_loads_no_parser() -> None:
    code = (
        "import sys, research_mcp.extract.processes.pool\n"
        "print([name for name in ('trafilatura', 'lxml', 'selectolax', 'pypdf', 'feedparser') if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=True
    )
    assert done.stdout.strip() == "[]"


async def test_the_workers_are_counted_by_what_they_do_and_why_they_were_replaced(
    pool: ExtractionPool,
) -> None:
    assert pool.workers() == Workers(0, 2, 0, 0, {"worn": 0, "killed": 0, "slow": 0})
    with pytest.raises(NoContent):
        await ask(pool, "die")
    await until(lambda: pool.workers().idle == 2)
    assert pool.workers().replaced == {"worn": 0, "killed": 1, "slow": 0}
    spins = [asyncio.create_task(ask(pool, "spin")) for _ in range(3)]
    await until(lambda: pool.workers().busy == 2)
    busy = pool.workers()
    assert (busy.busy, busy.idle, busy.waiting) == (2, 0, 1)
    await asyncio.gather(*spins, return_exceptions=True)
    assert pool.workers().replaced["slow"] >= 2


@pytest.mark.slow
async def test_only_a_task_that_had_its_share_of_the_processor_loses_its_claim_to_it() -> None:
    async with running(ExtractionPool(2, limits=PoolLimits(slow_after=0.4), entry=ENTRY)) as pool:
        await asyncio.gather(*(ask(pool, "a") for _ in range(8)))  # both workers are through their start
        starved, toiled = await asyncio.gather(ask(pool, "starve"), ask(pool, "toil"))
        assert int(starved.markdown) < int(toiled.markdown)
        assert pool.workers().replaced["slow"] == 2


async def test_a_worker_that_did_its_share_is_replaced_as_worn(pool: ExtractionPool) -> None:
    for _ in range(10):
        await ask(pool, "a")
    assert pool.workers().replaced["worn"] >= 1


async def test_links_are_found_in_a_worker_too() -> None:
    async with running(ExtractionPool(1, limits=PoolLimits(page_seconds=50.0))) as pool:
        body = b"<html><title>Mill</title><a href='/a'>Mo\xc3\x9f &amp; co</a></html>"
        page = Document("https://mill.test/", "https://mill.test/", 200, {"content-type": "text/html"}, body)
        links = await pool.links(page, Deadline.after(50))
        assert links == Links(LinkKind.PAGE, (SitePage("https://mill.test/a", "Moß & co"),), title="Mill")
        assert (await pool.extract(page, Deadline.after(20))).title == "Mill"
