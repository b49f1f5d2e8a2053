"""Secrets and hostile text through the whole product: none comes out again, and no line is forged."""

from __future__ import annotations

import json
import re
from pathlib import Path

import httpx
import pytest
from mcp import Client
from mcp.client.streamable_http import streamable_http_client

from tests.e2e.test_start import NOBODY, closed, started
from tests.kit.vendors import Call, FakeVendor, Served, all_serving

CANARY = "CANARY"
TOKEN = "CANARY-token-of-enough-length"
EVIL = "tidal\r\n2026-01-01 INFO tool=web_search outcome=ok\x1b[2J\x1b]0;owned\x07 \u202eenergy"


def quoting(status: int) -> FakeVendor:
    """A vendor that repeats whatever it was sent."""

    def answer(call: Call) -> Served:
        said = f"no such key: {call.key} {dict(call.headers)} {dict(call.params)}"
        return Served({"error": {"message": said}, "message": said}, status)

    return FakeVendor(f"quoting-{status}", answer=answer)


@pytest.mark.slow
async def test_no_secret_and_no_forged_line_leaves_the_server(tmp_path: Path, unused_tcp_port: int) -> None:
    refusing, failing = quoting(401), quoting(500)
    said: list[str] = []
    async with all_serving([refusing, failing]):
        variables = {
            **closed(NOBODY),
            "BRAVE_API_KEY": "CANARY-brave",
            "BRAVE_API_URL": refusing.url,
            "SERPER_API_KEY": "CANARY-serper",
            "SERPER_API_URL": failing.url,
            "EXA_API_KEY": "CANARY-exa",
            "EXA_PROXY": "http://me:CANARY-proxy@127.0.0.1:9",
            "JINA_API_KEY": "CANARY-jina",
            "JINA_READER_API_URL": refusing.url,
            "JINA_SEARCH_API_URL": f"{failing.url}/CANARY-path",
            "GROK_API_KEY": "CANARY-grok",
            "GROK_API_URL": refusing.url,
            "MCP_BEARER_TOKENS": TOKEN,
            "LOG_LEVEL": "DEBUG",
            "WAYBACK_API_URL": NOBODY,
        }
        async with started("main.py", tmp_path, unused_tcp_port, said, **variables) as endpoint:
            texts, pages = await _abused(endpoint)
    log = (tmp_path / "data/research-mcp.log").read_text()
    for place, text in {"tools": texts, "pages": pages, "log": log, "stderr": said[0]}.items():
        assert CANARY not in text, (place, text[max(0, text.find(CANARY) - 200) :][:400])
        assert "\x1b" not in text
    records = [json.loads(line) for line in log.splitlines()]
    calls = [record["tool"] for record in records if "tool" in record]
    assert calls == ["web_search", "web_search", "read_page", "read_page", "web_answer"]
    assert len([line for line in said[0].splitlines() if re.search(r" tool=web_search ", line)]) == 2
    assert all(len(line) < 20_000 for line in log.splitlines())
    assert {refusing.keys[0], failing.keys[0]} <= {
        f"CANARY-{name}" for name in ("brave", "serper", "jina", "grok")
    }


async def _abused(endpoint: str) -> tuple[str, str]:
    """What the tools answered, and the pages for machines and people."""
    headers = {"Authorization": f"Bearer {TOKEN}"}
    base = endpoint.removesuffix("/mcp")
    async with httpx.AsyncClient(trust_env=False, headers=headers, timeout=60) as http:
        async with Client(streamable_http_client(endpoint, http_client=http)) as client:
            answers = [
                await client.call_tool("web_search", {"query": EVIL}),
                await client.call_tool("web_search", {"query": "x" * 200_000}),
                await client.call_tool(
                    "read_page", {"url": "http://me:CANARY-url@127.0.0.1:9/\r\nX: y\x1b[2J"}
                ),
                await client.call_tool("read_page", {"url": "http://127.0.0.1:9/" + "a" * 200_000}),
                await client.call_tool(
                    "web_answer", {"query": "Is tidal power growing?", "extra_sources": 0}
                ),
            ]
            status = await client.read_resource("research://status")
        pages = [(await http.get(f"{base}{path}")).text for path in ("/metrics", "/", "/readyz")]
    texts = [f"{answer.content[0].text} {json.dumps(answer.structured_content)}" for answer in answers]
    return "\n".join([*texts, status.contents[0].text]), "\n".join(pages)
