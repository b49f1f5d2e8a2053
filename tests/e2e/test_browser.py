"""A page that only its scripts fill, through the real server, a real client and a real Chromium."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import psutil
import pytest
from mcp import Client

from tests.e2e.test_start import NOBODY, WAYS, closed, started
from tests.net.browser.web import browsers, chromium
from tests.net.fakes import listening, page

pytestmark = [pytest.mark.slow, pytest.mark.timeout(180)]

SENTENCE = "Moss keeps the water of the spring through the dry weeks of summer. "
SHELL = (
    "<!doctype html><title>Mill notes</title><body><noscript>You need to enable JavaScript to run this app.</noscript>"
    "<div id=root></div><script src=/app.js></script>"
)
APP = """
fetch('/notes.json').then(answer => answer.json()).then(notes => {
  document.getElementById('root').innerHTML = '<nav><a href=/>Home</a> <a href=/about>About us</a></nav>'
    + '<main><article><h1>' + notes.title + '</h1>'
    + notes.parts.map(part => '<h2>' + part.title + '</h2><p>' + part.text + '</p>').join('')
    + '</article></main><footer>Imprint</footer>';
  fetch('http://169.254.169.254/latest/meta-data/').catch(() => 0);
});
"""
NOTES = {
    "title": "Moss on the mill",
    "parts": [{"title": f"Part {n}", "text": SENTENCE * 4} for n in range(3)],
}


@asynccontextmanager
async def shell() -> AsyncIterator[str]:
    """The address of an application whose page is empty without scripts."""
    answers = {
        b"/": page(SHELL),
        b"/app.js": page(APP, Content_Type="text/javascript"),
        b"/notes.json": page(json.dumps(NOTES), Content_Type="application/json"),
    }

    async def talk(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while head := await reader.readuntil(b"\r\n\r\n"):
            writer.write(answers.get(head.split(b" ")[1], page("", "404 Not Found")))

    async with listening(talk) as port:
        yield f"http://127.0.0.1:{port}/"


def switched_on() -> dict[str, str]:
    """The environment of a server with a browser, and without any other reader behind it."""
    return {
        **closed(NOBODY),
        "BROWSER_PATH": chromium(),
        "BROWSER_SANDBOX": "false" if os.geteuid() == 0 else "true",
        "JINA_READER_API_URL": NOBODY,
        "WAYBACK_API_URL": NOBODY,
    }


async def test_an_empty_shell_becomes_a_page_with_the_browser_and_a_reason_without(tmp_path, unused_tcp_port):
    variables = switched_on()
    without = {name: value for name, value in variables.items() if name != "BROWSER_PATH"}
    async with shell() as url:
        async with (
            started("main.py", tmp_path, unused_tcp_port, **without) as endpoint,
            Client(endpoint) as client,
        ):
            answer = await client.call_tool("read_page", {"url": url})
            assert answer.is_error
            assert "needs_javascript" in answer.content[0].text
        async with (
            started("main.py", tmp_path, unused_tcp_port, **variables) as endpoint,
            Client(endpoint) as client,
        ):
            answer = await client.call_tool("read_page", {"url": url})
            text = answer.content[0].text
            assert not answer.is_error, text
            assert "read by browser" in text
            assert "# Moss on the mill" in text
            assert "## Part 2" in text
            assert SENTENCE.strip() in text
            assert "About us" not in text
            (server,) = [
                each for each in psutil.Process().children() if "main.py" in " ".join(each.cmdline())
            ]
            running = browsers(server.pid)
            assert running
    _, alive = await asyncio.to_thread(psutil.wait_procs, running, 10)
    assert not alive


async def test_nothing_of_the_browser_outlives_a_server_that_is_killed(tmp_path, unused_tcp_port):
    env = {"PATH": os.environ["PATH"], "MCP_PORT": str(unused_tcp_port), **switched_on()}
    server = await asyncio.create_subprocess_exec(
        *WAYS["main.py"], env=env, cwd=tmp_path, stderr=asyncio.subprocess.DEVNULL
    )
    async with shell() as url:
        await ready(unused_tcp_port)
        async with Client(f"http://127.0.0.1:{unused_tcp_port}/mcp") as client:
            answer = await client.call_tool("read_page", {"url": url})
            assert not answer.is_error, answer.content[0].text
    children = psutil.Process(server.pid).children(recursive=True)
    assert browsers(server.pid)
    server.kill()
    await server.wait()
    _, alive = await asyncio.to_thread(psutil.wait_procs, children, 10)
    assert not alive


async def ready(port: int) -> None:
    """Wait until a server listens."""
    for _ in range(400):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:
            await asyncio.sleep(0.05)
        else:
            writer.close()
            return
    raise AssertionError("the server does not listen")


async def test_a_browser_that_cannot_run_stops_the_start_with_one_sentence(tmp_path):
    env = {"PATH": os.environ["PATH"], "BROWSER_PATH": "/none/chromium", "BROWSER_SANDBOX": "false"}
    process = await asyncio.create_subprocess_exec(
        *WAYS["console script"], "check", env=env, cwd=tmp_path, stderr=asyncio.subprocess.PIPE
    )
    _, said = await process.communicate()
    assert process.returncode == 2
    assert said.decode().startswith("research-mcp: BROWSER_PATH='/none/chromium' names no program")
