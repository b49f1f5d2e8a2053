"""Whose certificates count."""

from __future__ import annotations

import asyncio
import ssl
from pathlib import Path

import pytest
import trustme

from research_mcp.core.errors import ConfigError
from research_mcp.net.trust import trust


async def greet(authority: trustme.CA, context: ssl.SSLContext) -> None:
    """Shake hands with a server of `authority` under `context`."""
    served = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    authority.issue_cert("inside.test").configure_cert(served)
    server = await asyncio.start_server(lambda _, writer: writer.close(), "127.0.0.1", 0, ssl=served)
    async with server:
        port = server.sockets[0].getsockname()[1]
        _, writer = await asyncio.open_connection(
            "127.0.0.1", port, ssl=context, server_hostname="inside.test"
        )
        writer.close()


async def test_a_company_s_own_authority_is_trusted_beside_the_public_ones(tmp_path: Path) -> None:
    authority = trustme.CA()
    file = tmp_path / "ca.pem"
    authority.cert_pem.write_to_path(str(file))
    with pytest.raises(ssl.SSLCertVerificationError):
        await greet(authority, trust())
    context = trust(str(file))
    await greet(authority, context)
    assert context.cert_store_stats()["x509_ca"] == trust().cert_store_stats()["x509_ca"] + 1


@pytest.mark.parametrize("content", [None, b"", b"no certificate"])
def test_a_file_without_certificates_stops_the_start(tmp_path: Path, content: bytes | None) -> None:
    file = tmp_path / "ca.pem"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(ConfigError, match=r"CA_FILE=.*PEM certificates"):
        trust(str(file))
