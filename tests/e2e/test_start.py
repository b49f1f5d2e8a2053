"""The product as a stranger starts it, and its main job: find pages, read pages, over real HTTP."""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import urllib.parse
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from html import escape
from pathlib import Path

import httpx
import pytest
from mcp import Client

from tests.extract.pdf_files import report
from tests.quality.pages.kinds import KINDS, samples

ROOT = Path(__file__).parents[2]
WAYS = {
    "main.py": [sys.executable, str(ROOT / "main.py")],
    "module": [sys.executable, "-m", "research_mcp"],
    "console script": [str(Path(sys.executable).with_name("research-mcp"))],
}
GBK = "潮汐能是一种可再生能源，水坝利用潮差发电，并讨论成本与环境影响。" * 20
NOBODY = "http://127.0.0.1:9"


def pages() -> dict[str, tuple[str, bytes]]:
    """Path to content type and body: one page of each kind, a PDF, a page in GBK without a header."""
    chosen = {sample.kind: sample for sample in samples()}
    site = {f"/{kind}": ("text/html; charset=utf-8", chosen[kind].html.encode()) for kind in KINDS}
    meta = "<meta http-equiv=Content-Type content='text/html; charset=gbk'>"
    site["/gbk"] = ("text/html", f"<html><head>{meta}</head><p>{GBK}</p></html>".encode("gb18030"))
    site["/paper.pdf"] = ("application/octet-stream", report())
    site["/robots.txt"] = ("text/plain", b"User-agent: *\nDisallow:\n")
    return site


def results(base: str, paths: list[str]) -> bytes:
    """DuckDuckGo's page with a result for each path, links in both forms, and an ad."""
    rows = []
    for number, path in enumerate(paths):
        target = base + path
        href = target if number % 2 else "//duckduckgo.com/l/?uddg=" + urllib.parse.quote(target, safe="")
        rows.append(
            '<div class="result results_links results_links_deep web-result"><h2 class="result__title">'
            f'<a class="result__a" href="{escape(href)}">Tidal power {number}</a></h2>'
            '<a class="result__snippet" href="#">All about <b>tidal</b> power.</a></div>'
        )
    ad = '<div class="result result--ad"><a class="result__a" href="https://duckduckgo.com/y.js?x">Ad</a></div>'
    return f'<div id="links">{ad}{"".join(rows)}</div>'.encode()


@asynccontextmanager
async def web() -> AsyncIterator[str]:
    """A loopback site that is also the search engine."""
    site = pages()

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = (await reader.readuntil(b"\r\n\r\n")).decode()
        length = int((re.search(r"(?i)content-length: (\d+)", head) or [0, "0"])[1])
        await reader.readexactly(length)
        path = head.split()[1].partition("?")[0]
        kind, body = site.get(path, ("text/plain", b""))
        if head.startswith("POST"):
            listed = [path for path in site if path != "/robots.txt"]
            kind, body = "text/html", results(base, listed)
        status = "200 OK" if body else "404 Not Found"
        writer.write(
            f"HTTP/1.1 {status}\r\nContent-Type: {kind}\r\nContent-Length: {len(body)}\r\n"
            "Connection: close\r\n\r\n".encode()
            + body
        )
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    base = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}"
    async with server:
        yield base


@asynccontextmanager
async def started(
    way: str, folder: Path, port: int, said: list[str] | None = None, **variables: str
) -> AsyncIterator[str]:
    """The endpoint of a fresh server process; it must stop within its drain time.

    `said` gets what it wrote to stderr.
    """
    env = {"PATH": os.environ["PATH"], "MCP_PORT": str(port), **variables}
    process = await asyncio.create_subprocess_exec(
        *WAYS[way], env=env, cwd=folder, stderr=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE
    )
    base = f"http://127.0.0.1:{port}"
    try:
        async with httpx.AsyncClient(trust_env=False) as client:
            for _ in range(800):
                assert process.returncode is None, (await process.communicate())[1].decode()
                try:
                    if (await client.get(f"{base}/readyz")).status_code == 200:
                        break
                except httpx.TransportError:  # it listens before it answers
                    await asyncio.sleep(0.05)
        yield f"{base}/mcp"
    finally:
        process.send_signal(signal.SIGTERM)
        out, err = await asyncio.wait_for(process.communicate(), 30)
        assert out == b"", "stdout belongs to nobody"
        if said is not None:
            said.append(err.decode())
        assert f"at {base}/mcp" in err.decode()
        assert "search: duckduckgo" in err.decode()


def closed(base: str) -> Mapping[str, str]:
    """No engine or reader leaves this machine."""
    reserve = ("WIKIPEDIA", "MARGINALIA", "OPENALEX", "SEMANTIC_SCHOLAR")
    return {
        "DUCKDUCKGO_API_URL": base,
        "ALLOW_PRIVATE_NETWORK": "true",
        **{f"{name}_API_URL": NOBODY for name in reserve},
    }


@pytest.mark.slow
@pytest.mark.parametrize("way", WAYS)
async def test_every_way_to_start_is_the_same_server(way: str, tmp_path: Path, unused_tcp_port: int) -> None:
    async with started(way, tmp_path, unused_tcp_port) as endpoint, Client(endpoint) as client:
        listed = await client.list_tools()
        assert {"web_search", "read_page", "read_pages", "search_and_read"} <= {t.name for t in listed.tools}


async def test_pages_are_found_and_read_by_a_real_client(tmp_path: Path, unused_tcp_port: int) -> None:
    async with (
        web() as base,
        started("main.py", tmp_path, unused_tcp_port, **closed(base)) as endpoint,
        Client(endpoint) as client,
    ):
        await _main_job(client, base)
    records = [json.loads(line) for line in (tmp_path / "data/research-mcp.log").read_text().splitlines()]
    calls = [record["tool"] for record in records if "tool" in record]
    assert calls == ["web_search", "read_pages", "read_page", "search_and_read", "web_search", "read_page"]


async def _main_job(client: Client, base: str) -> None:
    found = await client.call_tool("web_search", {"query": "tidal power", "num_results": 20})
    urls = [hit["url"] for hit in found.structured_content["results"]]
    assert sorted(urls) == sorted(base + path for path in pages() if path != "/robots.txt")

    read = await client.call_tool("read_pages", {"urls": [*urls, f"{base}/nowhere"]})
    rows = {row["url"].removeprefix(base): row for row in read.structured_content["pages"]}
    assert [path for path, row in rows.items() if not row["ok"]] == ["/nowhere"]
    assert rows["/nowhere"]["reason"] == "not_found"
    assert "潮汐能是一种可再生能源" in rows["/gbk"]["markdown"]
    assert "[page 2]" in rows["/paper.pdf"]["markdown"]
    for sample in {sample.kind: sample for sample in samples()}.values():
        assert len(rows[f"/{sample.kind}"]["markdown"]) > 0.5 * len(sample.gold)

    part = await client.call_tool("read_page", {"url": f"{base}/gbk", "max_chars": "100"})
    assert "read_page with start=" in part.content[0].text

    both = await client.call_tool("search_and_read", {"query": "tidal power", "num_results": 2})
    assert sum("markdown" in row for row in both.structured_content["results"]) == 2

    resting = await client.call_tool("web_search", {"query": "another question"})
    assert resting.is_error
    assert re.search(r"duckduckgo .*free again at \d\d:\d\d UTC", resting.content[0].text)

    private = await client.call_tool("read_page", {"url": "http://169.254.169.254/latest/meta-data/"})
    assert private.is_error
    assert "address_refused" in private.content[0].text


@pytest.mark.slow
async def test_a_start_with_a_login_that_nobody_made_says_what_to_run(
    tmp_path: Path, unused_tcp_port: int
) -> None:
    said: list[str] = []
    async with started("module", tmp_path, unused_tcp_port, said, GROK_OAUTH="on"):
        pass
    assert "login: nobody is logged in to xAI: run `research-mcp login`" in said[0]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("way", "variables", "said"),
    [
        ("main.py", {"SEARCH_TIMEOUT": "soon"}, "SEARCH_TIMEOUT='soon' is not usable"),
        ("module", {"TOOLS": "web_serch"}, "web_serch"),
        ("console script", {"EXA_API_KEY": "k", "EXA_PROXY": "ftp://x"}, "proxy"),
    ],
)
def test_a_wrong_setting_stops_the_start_with_one_sentence(
    way: str, variables: dict[str, str], said: str, tmp_path: Path
) -> None:
    env = {"PATH": os.environ["PATH"], **variables}
    done = subprocess.run(
        WAYS[way], env=env, cwd=tmp_path, capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == 2
    *_, last = done.stderr.splitlines()
    assert last.startswith("research-mcp: ")
    assert said in last
    assert "Traceback" not in done.stderr
