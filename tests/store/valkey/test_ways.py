"""The ways to a server: TLS with a certificate authority of one's own, a unix socket, a database number."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
import trustme

from research_mcp.core.instance import Secret
from research_mcp.store.valkey.address import parse_address
from tests.kit.valkey import Server, free_port, server
from tests.store.valkey.replica import Replica


class Tls:
    def __init__(
        self, folder: Path, *, not_before: datetime | None = None, not_after: datetime | None = None
    ) -> None:
        folder.mkdir()
        self.authority = trustme.CA()
        self.ca_file = folder / "ca.pem"
        self.authority.cert_pem.write_to_path(self.ca_file)
        self.certificate = folder / "server.pem"
        self.key = folder / "server.key"
        own = self.authority.issue_cert("localhost", not_before=not_before, not_after=not_after)
        own.cert_chain_pems[0].write_to_path(self.certificate)
        own.private_key_pem.write_to_path(self.key)
        self.port = free_port()


@contextmanager
def serving(tls: Tls, folder: Path) -> Iterator[None]:
    options = {
        "tls_port": str(tls.port),
        "tls_cert_file": str(tls.certificate),
        "tls_key_file": str(tls.key),
        "tls_ca_cert_file": str(tls.ca_file),
        "tls_auth_clients": "no",
    }
    with server("redis-server", folder, **options):
        yield


@pytest.fixture
def tls(tmp_path: Path) -> Iterator[Tls]:
    tls = Tls(tmp_path / "tls")
    with serving(tls, tmp_path / "server"):
        yield tls


async def used_over(url: str, ca_file: Path | str = "") -> str:
    """ "" when a call could be paid over `url`, else why not."""
    replica = Replica(parse_address(Secret(url), str(ca_file)))
    await replica.line.open()
    try:
        health = await replica.meter.health()
        if health.ok:
            await replica.spend()
        return health.detail
    finally:
        await replica.line.close()


async def test_tls_with_an_authority_of_ones_own(tls: Tls) -> None:
    assert await used_over(f"rediss://localhost:{tls.port}", tls.ca_file) == ""
    assert await used_over(f"valkeys://localhost:{tls.port}/1", tls.ca_file) == ""


@pytest.mark.slow
async def test_a_certificate_that_nobody_vouches_for_is_refused_as_such(tls: Tls) -> None:
    detail = await used_over(f"rediss://localhost:{tls.port}")
    assert "its certificate is not trusted, see VALKEY_CA_FILE" in detail


@pytest.mark.slow
async def test_a_certificate_for_another_name_is_refused_as_such(tls: Tls) -> None:
    detail = await used_over(f"rediss://127.0.0.1:{tls.port}", tls.ca_file)
    assert "its certificate is for another name than VALKEY_URL has" in detail


@pytest.mark.slow
@pytest.mark.parametrize(
    ("begins", "ends", "words"),
    [
        (-9, -2, "its certificate has expired"),
        (2, 9, "its certificate is not valid yet by this machine's clock"),
    ],
)
async def test_a_certificate_out_of_its_time_is_refused_as_such(
    tmp_path: Path, begins: int, ends: int, words: str
) -> None:
    now = datetime.now(UTC)
    tls = Tls(tmp_path / "tls", not_before=now + timedelta(days=begins), not_after=now + timedelta(days=ends))
    with serving(tls, tmp_path / "server"):
        assert words in await used_over(f"rediss://localhost:{tls.port}", tls.ca_file)


async def test_plain_words_to_a_tls_port_are_trouble_not_a_crash(tls: Tls) -> None:
    assert await used_over(f"redis://localhost:{tls.port}") != ""


async def test_a_unix_socket(tmp_path: Path) -> None:
    path = tmp_path / "valkey.sock"
    with server("redis-server", tmp_path / "server", unixsocket=str(path)):
        for _ in range(100):
            if path.exists():
                break
            await asyncio.sleep(0.01)
        assert await used_over(f"unix://{path}?db=2") == ""


async def test_databases_are_apart(own_server: Server) -> None:
    one, two = (Replica(parse_address(Secret(f"redis://127.0.0.1:{own_server.port}/{n}"))) for n in (1, 2))
    await one.spend(3)
    assert (await one.used(), await two.used()) == (3, 0)
    await one.line.close()
    await two.line.close()


async def test_something_else_that_listens_there_is_trouble_not_a_crash() -> None:
    async def greet(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(greet, "127.0.0.1", 0) as other:
        port = other.sockets[0].getsockname()[1]
        assert await used_over(f"redis://127.0.0.1:{port}") != ""
