"""The processes of a real Chromium: capped, closed when idle, replaced, and never left behind."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import psutil
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ConfigError, ProviderError, Reason, Rejected, Transient
from research_mcp.net.browser.limits import BrowserLimits, VisitLimits
from research_mcp.net.browser.program import NAMES, usable_program
from tests.net.browser.web import PROSE, SITE, Web, browsers, chromium, saying, script, web
from tests.net.fakes import page

pytestmark = pytest.mark.timeout(180)  # a busy machine starts a browser slowly

QUICK = VisitLimits(settle=1.0)


def profiles(processes: list[psutil.Process]) -> list[Path]:
    """The folders that browsers keep their state in."""
    named = {argument for process in processes for argument in process.cmdline()}
    return [Path(name.partition("=")[2]) for name in named if name.startswith("--user-data-dir=")]


def kept(folders: list[Path]) -> bool:
    return any(folder.exists() for folder in folders)


async def gone(processes: list[psutil.Process], seconds: float = 10.0) -> bool:
    """Whether all of them end within `seconds`."""
    _, alive = await asyncio.to_thread(psutil.wait_procs, processes, seconds)
    return not [process for process in alive if process.status() != psutil.STATUS_ZOMBIE]


async def read(site: Web, path: str = "/") -> str:
    document = await site.browser.render(SITE + path, Deadline.after(25))
    return document.body.decode()


@pytest.mark.slow
async def test_a_page_is_read_and_the_browser_ends_with_the_server():
    async with web({"/": script(saying())}, visit=QUICK) as site:
        assert not browsers()
        assert PROSE.strip() in await read(site)
        running = browsers()
        folders = profiles(running)
        assert kept(folders)
    assert await gone(running)
    assert not kept(folders)


@pytest.mark.slow
@pytest.mark.parametrize(
    "bomb",
    [
        "const kept = []; const eat = () => { kept.push(new Uint8Array(3e7).fill(1)); setTimeout(eat, 1) }; eat()",
        "const kept = []; while (true) kept.push({text: 'x'.repeat(1e4) + Math.random()})",
        "const eat = () => { for (let i = 0; i < 2e4; i++) document.body.append(document.createElement('div')); setTimeout(eat, 1) }; eat()",
        "for (let i = 0; i < 40; i++) new Worker(URL.createObjectURL(new Blob(['const k = []; while (true) k.push(new Uint8Array(1e7).fill(1))'])))",
    ],
    ids=["arrays", "objects", "elements", "workers"],
)
async def test_a_page_that_eats_memory_is_ended_and_the_next_one_is_read(bomb):
    limit = 600_000_000
    async with web({"/": script(bomb), "/good": script(saying())}, memory=limit) as site:
        most = 0

        async def watch():
            nonlocal most
            while True:
                sizes = [p.memory_info() for p in browsers() if p.is_running()]
                most = max(most, sum(size.rss - size.shared for size in sizes))
                await asyncio.sleep(0.1)

        watching = asyncio.create_task(watch())
        with pytest.raises(ProviderError) as caught:
            await site.browser.render(SITE + "/", Deadline.after(20))
        watching.cancel()
        assert caught.value.reason in (Reason.TOO_LARGE, Reason.TIMEOUT)
        assert most < 3 * limit
        assert PROSE.strip() in await read(site, "/good")


async def asked(site: Web, path: str = "/") -> None:
    """Wait until the page is on its way."""
    for _ in range(200):
        if any(path in seen for seen in site.asked):
            return
        await asyncio.sleep(0.1)
    raise AssertionError("nobody asked for the page")


@pytest.mark.slow
async def test_a_browser_without_a_page_is_closed_after_its_time_and_started_again():
    async with web({"/": script(saying())}, visit=QUICK, idle=1.0) as site:
        await read(site)
        first = browsers()
        assert await gone(first)
        assert PROSE.strip() in await read(site)


@pytest.mark.slow
async def test_a_worn_browser_is_replaced_without_harm_to_its_open_page():
    late = f"setTimeout(() => {{ {saying()} }}, 2500)"
    limits = VisitLimits(settle=3.0)
    async with web({"/": script(saying()), "/late": script(late)}, visit=limits, pages_each=1) as site:
        slow = asyncio.create_task(read(site, "/late"))
        await asked(site, "/late")
        old = browsers()
        assert PROSE.strip() in await read(site)
        assert PROSE.strip() in await slow
        assert await gone(old)
        assert browsers()


@pytest.mark.slow
async def test_a_browser_that_was_killed_costs_its_page_one_more_try_and_no_other_anything():
    held = "fetch('/count').then(r => r.text()).then(n => { if (n === '1') while (true) {}; main.textContent = n })"
    counted = 0

    async def count(head):
        nonlocal counted
        counted += 1
        yield page(str(counted), Content_Type="text/plain")

    pages = {"/": script(held), "/count": count, "/good": script(saying())}
    async with web(pages, visit=QUICK) as site:
        read_twice = asyncio.create_task(read(site))
        await asked(site, "/count")
        for process in browsers():
            process.kill()
        assert '<main id="main">2</main>' in await read_twice
        assert PROSE.strip() in await read(site, "/good")


@pytest.mark.slow
async def test_a_program_that_is_no_browser_is_a_failure_of_the_browser():
    async with web(program="/bin/true") as site:
        with pytest.raises(Transient, match="BROWSER_PATH"):
            await read(site)


@pytest.mark.skipif(os.geteuid() != 0, reason="shows what root gets")
async def test_a_sandbox_that_cannot_start_is_told_with_its_remedy():
    async with web(sandbox=True) as site:
        with pytest.raises(Rejected, match="BROWSER_SANDBOX=false") as caught:
            await read(site)
        assert caught.value.reason is Reason.NOT_CONFIGURED


SERVER = """
import asyncio, sys
from tests.net.browser.web import SITE, saying, script, web
from research_mcp.core.deadline import Deadline

async def main():
    async with web({"/": script(saying()), "/busy": script("while (true) {}")}) as site:
        await site.browser.render(SITE + "/", Deadline.after(25))
        print("read", flush=True)
        await site.browser.render(SITE + "/busy", Deadline.after(50))

asyncio.run(main())
"""


@pytest.mark.slow
async def test_nothing_is_left_of_the_browser_when_the_server_is_killed_in_the_middle_of_a_page():
    chromium()
    server = await asyncio.create_subprocess_exec(
        sys.executable, "-c", SERVER, stdout=asyncio.subprocess.PIPE, cwd=Path(__file__).parents[3]
    )
    assert server.stdout is not None
    assert await server.stdout.readline() == b"read\n"
    await asyncio.sleep(1.5)
    running = [*browsers(server.pid), *psutil.Process(server.pid).children(recursive=True)]
    folders = profiles(browsers(server.pid))
    assert kept(folders)
    os.kill(server.pid, signal.SIGKILL)
    await server.wait()
    assert await gone(running)
    for _ in range(50):
        if not kept(folders):
            return
        await asyncio.sleep(0.1)
    raise AssertionError("a profile was left behind")


@pytest.mark.slow
async def test_the_sandbox_stands_around_pages_when_an_ordinary_user_runs_the_server():
    chromium()
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "tests.net.browser.sandboxed",
        stdout=asyncio.subprocess.PIPE,
        cwd=Path(__file__).parents[3],
    )
    said = (await process.communicate())[0].decode().split()
    if said == ["out", "of", "reach"]:
        pytest.skip("an ordinary user may not enter this checkout: move it out of a private folder")
    assert said[0] == "NSpid:"
    assert len(said[1:-2]) > 1  # a process namespace of its own
    assert said[-2:] == ["Seccomp:", "2"]


# Before anything starts


def program(path: Path, name: str) -> Path:
    made = path / name
    made.write_text("#!/bin/sh\n")
    made.chmod(0o755)
    return made


def test_the_program_is_found_by_path_by_name_and_by_itself(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    made = program(tmp_path, NAMES[-1])
    for stated in (str(made), NAMES[-1], "auto", "AUTO"):
        assert usable_program(stated, sandbox=False) == str(made)
    first = program(tmp_path, NAMES[0])
    assert usable_program("auto", sandbox=False) == str(first)


@pytest.mark.parametrize("stated", ["/none/chromium", "none", "auto", "/etc/passwd"])
def test_a_program_that_is_not_there_stops_the_start_with_the_remedy(stated, tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(ConfigError, match="BROWSER_PATH") as caught:
        usable_program(stated, sandbox=False)
    assert "apt-get install chromium" in str(caught.value)


def test_a_missing_driver_stops_the_start_with_the_remedy(tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [])
    monkeypatch.delitem(sys.modules, "playwright", raising=False)
    with pytest.raises(ConfigError, match="make browser"):
        usable_program(str(program(tmp_path, "chromium")), sandbox=False)


def test_a_sandbox_as_root_stops_the_start_with_the_remedy(tmp_path, monkeypatch):
    made = str(program(tmp_path, "chromium"))
    monkeypatch.setattr(os, "geteuid", lambda: 0)
    with pytest.raises(ConfigError, match="BROWSER_SANDBOX=false"):
        usable_program(made, sandbox=True)
    monkeypatch.setattr(os, "geteuid", lambda: 1_000)
    assert usable_program(made, sandbox=True) == made


def test_the_limits_are_what_the_documents_say():
    limits = BrowserLimits("chromium", "research-mcp/1")
    assert (limits.sandbox, limits.memory, limits.pages, limits.pages_each, limits.idle) == (
        True,
        1_000_000_000,
        2,
        100,
        60,
    )
    assert (limits.proxy.octets, limits.visit.requests, limits.visit.text) == (25_000_000, 400, 5_000_000)
