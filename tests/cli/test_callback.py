"""The address that a login page sends the browser back to."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Mapping

import pytest

from research_mcp.cli.callback import Callback, pasted
from research_mcp.core.instance import Secret
from research_mcp.providers.kit.login.oauth import LoginFailed, callback_code


def read(fields: Mapping[str, str]) -> Secret:
    return callback_code(fields, "s-1")


async def get(port: int, target: str, method: str = "GET") -> tuple[int, str]:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"{method} {target} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n".encode())
    answer = (await reader.read()).decode()
    writer.close()
    return int(answer.split()[1]), answer


async def waiting(port: int) -> asyncio.Task[Secret]:
    """A callback that listens."""
    task = asyncio.create_task(Callback(f"http://127.0.0.1:{port}/callback", read).code(5))
    for _ in range(200):
        await asyncio.sleep(0.01)
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                break
    return task


async def test_probes_and_favicons_do_not_end_a_login(unused_tcp_port: int) -> None:
    task = await waiting(unused_tcp_port)
    assert (await get(unused_tcp_port, "/favicon.ico"))[0] == 404
    assert (await get(unused_tcp_port, "/callback?state=s-1&code=c", "POST"))[0] == 404
    _, writer = await asyncio.open_connection("127.0.0.1", unused_tcp_port)
    writer.write(b"\x00" * 100_000)  # no HTTP at all
    status, answer = await get(unused_tcp_port, "/callback?state=s-1&code=c%20-9")
    assert (status, await task) == (200, Secret("c -9"))
    assert "You are logged in" in answer
    writer.close()


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ("state=other&code=c", "oauth_state_mismatch"),
        ("state=s-1&error=access_denied", "oauth_denied"),
        ("state=s-1", "oauth_code_missing"),
    ],
)
async def test_a_login_that_failed_shows_no_success(unused_tcp_port: int, query: str, code: str) -> None:
    task = await waiting(unused_tcp_port)
    status, answer = await get(unused_tcp_port, f"/callback?{query}")
    with pytest.raises(LoginFailed) as caught:
        await task
    assert (status, caught.value.code) == (400, code)
    assert "logged in" not in answer


async def test_a_busy_port_and_a_browser_that_never_comes_are_named(unused_tcp_port: int) -> None:
    busy = pytest.raises(LoginFailed, match=f"oauth_callback_bind_failed: port {unused_tcp_port}")
    with socket.create_server(("127.0.0.1", unused_tcp_port)), busy:
        await Callback(f"http://127.0.0.1:{unused_tcp_port}/callback", read).code(1)
    with pytest.raises(LoginFailed, match="oauth_callback_timeout"):
        await Callback(f"http://127.0.0.1:{unused_tcp_port}/callback", read).code(0.05)


def test_a_pasted_address_is_checked_like_a_callback() -> None:
    assert pasted(" http://127.0.0.1:56121/callback?code=c&state=s-1\n", read) == Secret("c")
    for odd in ("", "http://[x", "http://127.0.0.1:56121/callback?code=c"):
        with pytest.raises(LoginFailed, match="oauth_state_mismatch"):
            pasted(odd, read)
