"""The gate: every spelling of the path, every Accept, hostile bodies, wrong methods."""

from __future__ import annotations

import asyncio
import json
import time

import pytest
import pytest_asyncio

from research_mcp.server.config import ServerConfig
from tests.server.serving import INITIALIZE, Running, call, receive, request, serving

SEARCH = call("web_search", query="x", num_results=1)


pytestmark = pytest.mark.asyncio(loop_scope="module")


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def running():
    async with serving() as server:
        yield server


async def test_both_spellings_of_the_path_are_served_without_a_redirect(running: Running) -> None:
    for path in ("/mcp", "/mcp/"):
        for modern in (False, True):
            answer = await running.rpc("tools/list", path=path, modern=modern)
            assert answer.status == 200
            assert "location" not in answer.headers
            assert len(answer.rpc()["result"]["tools"]) == 5


@pytest.mark.parametrize("method", ["GET", "DELETE", "PUT", "HEAD", "OPTIONS", "PATCH"])
@pytest.mark.parametrize("era", ["2025-06-18", "2026-07-28"])
async def test_other_methods_are_refused_at_once_and_told_what_this_is(
    running: Running, method: str, era: str
) -> None:
    started = time.perf_counter()
    headers = {"MCP-Protocol-Version": era, "Accept": "text/event-stream", "Last-Event-ID": "7"}
    answer = await running.ask(method, headers=headers)
    assert time.perf_counter() - started < 5
    assert answer.status == 405
    assert answer.headers["allow"] == "POST"
    if method != "HEAD":
        assert answer.text.startswith("This address is an MCP endpoint")


@pytest.mark.parametrize("accept", [None, "*/*", "application/json", "application/*", "text/html"])
@pytest.mark.parametrize("modern", [False, True])
async def test_who_does_not_name_streams_gets_one_json_document(
    running: Running, accept: str | None, modern: bool
) -> None:
    answer = await running.rpc(
        "tools/call", SEARCH | call("web_search", "t", query="x"), accept=accept, modern=modern
    )
    assert (answer.status, answer.headers["content-type"]) == (200, "application/json")
    message = answer.json()
    assert message["id"] == 1
    assert message["result"]["structuredContent"]["results"]


@pytest.mark.parametrize("accept", ["text/event-stream", "text/*", "text/event-stream;q=0.9, text/html"])
@pytest.mark.parametrize("modern", [False, True])
async def test_who_names_only_streams_gets_a_stream(running: Running, accept: str, modern: bool) -> None:
    answer = await running.rpc("tools/call", SEARCH, accept=accept, modern=modern)
    assert (answer.status, answer.headers["content-type"].partition(";")[0]) == (200, "text/event-stream")
    assert answer.events()[-1]["result"]["structuredContent"]["results"]


@pytest.mark.parametrize("modern", [False, True])
async def test_who_names_both_gets_progress_in_a_stream(running: Running, modern: bool) -> None:
    answer = await running.rpc("tools/call", call("web_search", "token", query="x"), modern=modern)
    first, last = answer.events()[0], answer.events()[-1]
    assert first["method"] == "notifications/progress"
    assert first["params"] == {
        "progressToken": "token",
        "progress": 1.0,
        "total": 1.0,
        "message": "1 of 1 engines answered",
    }
    assert last["result"]["isError"] is False


async def test_a_refused_weight_is_no_acceptance(running: Running) -> None:
    answer = await running.rpc("tools/list", accept="application/json, text/event-stream;q=0")
    assert answer.headers["content-type"] == "application/json"


async def test_notifications_are_acknowledged_to_everyone(running: Running) -> None:
    body = b'{"jsonrpc":"2.0","method":"notifications/initialized"}'
    for accept in ("application/json", "text/event-stream", "*/*"):
        headers = {"Content-Type": "application/json", "Accept": accept}
        answer = await running.ask(headers=headers, body=body)
        assert (answer.status, answer.body) == (202, b"")


async def test_requests_without_a_session_and_with_a_dead_one_are_served(running: Running) -> None:
    for headers in ({}, {"Mcp-Session-Id": "dead"}):
        assert (await running.rpc("tools/list", headers=headers)).status == 200
        assert (await running.rpc("initialize", INITIALIZE, headers=headers)).status == 200
        assert (await running.rpc("tools/list", headers=headers, modern=True)).status == 200


@pytest.mark.parametrize("version", ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"])
async def test_every_handshake_revision_is_agreed_to(running: Running, version: str) -> None:
    answer = await running.rpc("initialize", INITIALIZE | {"protocolVersion": version})
    assert answer.rpc()["result"]["protocolVersion"] == version
    listed = await running.rpc("tools/list", headers={"MCP-Protocol-Version": version})
    assert len(listed.rpc()["result"]["tools"]) == 5


@pytest.mark.parametrize(
    "body",
    [
        b"{broken",
        b"",
        b"\xff\xfe{}",
        b"[" * 100_000,
        b'{"a":' * 40_000,
        b'{"jsonrpc":"2.0","id":"\\ud800","method":"ping"}',
    ],
)
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_broken_json_is_a_parse_error(running: Running, body: bytes, version: str) -> None:
    headers = {"Content-Type": "application/json", "MCP-Protocol-Version": version}
    answer = await running.ask(headers=headers, body=body)
    assert answer.status == 400
    assert answer.json() == {
        "jsonrpc": "2.0",
        "id": None,
        "error": {"code": -32700, "message": "Parse error: the body is not valid JSON."},
    }


@pytest.mark.parametrize("message", [[], [{"jsonrpc": "2.0", "id": 1, "method": "ping"}], {}, 7, {"id": 1}])
@pytest.mark.parametrize("version", ["2025-06-18", "2026-07-28"])
async def test_json_that_is_no_message_is_an_invalid_request(
    running: Running, message: object, version: str
) -> None:
    headers = {"Content-Type": "application/json", "MCP-Protocol-Version": version}
    answer = await running.ask(headers=headers, body=json.dumps(message).encode())
    assert answer.status == 400
    assert answer.json()["error"]["code"] == -32600
    assert "pydantic" not in answer.text


async def test_a_huge_number_does_no_harm(running: Running) -> None:
    headers, body = request("tools/call", {"name": "web_search"})
    body = body.replace(
        b'"name"', b'"arguments": {"query": "x", "num_results": ' + b"9" * 5000 + b'}, "name"'
    )
    answer = await running.ask(headers=headers, body=body)
    assert answer.status in (200, 400)
    assert "pydantic" not in answer.text


async def begun(running: Running, *, length: int) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    """A request that announces a body of `length` bytes and sends the first of them."""
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    writer.write(
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\nContent-Type: application/json\r\n"
        f"Content-Length: {length}\r\n\r\n{{".encode()
    )
    return reader, writer


async def test_a_large_body_is_refused_by_its_stated_length(running: Running) -> None:
    reader, writer = await begun(running, length=5_242_880)
    answer = await receive(reader)
    writer.close()
    assert answer.status == 413
    assert answer.json()["error"]["message"] == "The request body is larger than 262144 bytes."


async def test_a_large_body_is_refused_while_it_streams_in(running: Running) -> None:
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    writer.write(
        f"POST /mcp HTTP/1.1\r\nHost: 127.0.0.1:{running.port}\r\nContent-Type: application/json\r\n"
        "Transfer-Encoding: chunked\r\n\r\n".encode()
    )
    for _ in range(5):
        writer.write(b"10000\r\n" + b" " * 0x10000 + b"\r\n")
    answer = await receive(reader)
    writer.close()
    assert answer.status == 413


@pytest.mark.parametrize("size", [300_000, 5_000_000])
@pytest.mark.parametrize("content_type", ["application/json", "text/plain"])
async def test_a_client_that_sends_all_of_a_refused_body_first_still_reads_the_answer(
    running: Running, size: int, content_type: str
) -> None:
    answer = await running.ask(headers={"Content-Type": content_type}, body=b"x" * size)
    assert answer.status == (413 if content_type == "application/json" else 415)
    assert answer.json()["error"]["code"] == -32600


async def test_a_refused_body_is_not_read_without_end() -> None:
    async with serving(config=ServerConfig(body_seconds=0.1)) as running:
        reader, writer = await begun(running, length=5_000_000)
        async with asyncio.timeout(5):
            assert b" 413 " in await reader.read()  # to the end: the server closes
        writer.close()


async def test_a_body_that_does_not_arrive_ends_the_request() -> None:
    async with serving(config=ServerConfig(body_seconds=0.1)) as running:
        reader, writer = await begun(running, length=100)
        answer = await receive(reader)
        writer.close()
    assert answer.status == 408
    assert answer.headers["connection"] == "close"


async def test_a_client_that_leaves_in_the_middle_of_its_body_leaves_no_error(
    running: Running, caplog: pytest.LogCaptureFixture
) -> None:
    _, writer = await begun(running, length=100)
    await writer.drain()
    writer.close()
    assert (await running.rpc("tools/list")).status == 200
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []


@pytest.mark.parametrize("content_type", ["text/plain", "", "application/x-www-form-urlencoded"])
async def test_other_content_types_are_refused(running: Running, content_type: str) -> None:
    headers = {"Content-Type": content_type} if content_type else {}
    answer = await running.ask(headers=headers, body=b"{}")
    assert answer.status == 415


@pytest.mark.parametrize("content_type", ["Application/JSON", "application/json ; charset=UTF-8"])
@pytest.mark.parametrize("modern", [False, True])
async def test_the_content_type_is_read_as_media_types_are(
    running: Running, content_type: str, modern: bool
) -> None:
    answer = await running.rpc("tools/list", headers={"Content-Type": content_type}, modern=modern)
    assert answer.status == 200


@pytest.mark.parametrize("value", ["null", "1.5", "true", "{}", "[1]"])
async def test_a_request_with_an_id_that_is_none_is_refused_instead_of_left_without_an_answer(
    running: Running, value: str
) -> None:
    headers, body = request("tools/list")
    answer = await running.ask(headers=headers, body=body.replace(b'"id": 1', f'"id": {value}'.encode()))
    assert answer.status == 400
    assert answer.json()["error"] == {
        "code": -32600,
        "message": "Invalid Request: the id must be a string or an integer.",
    }


async def test_an_unknown_path_is_not_found(running: Running) -> None:
    assert (await running.ask("GET", "/mcp/x")).status == 404
    assert (await running.ask("GET", "/.well-known/oauth-protected-resource/mcp")).status == 404
