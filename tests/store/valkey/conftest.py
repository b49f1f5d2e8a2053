"""Servers of their own for the tests that stop, fill or lock them."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from pathlib import Path

import pytest

from tests.kit.valkey import Server, server
from tests.store.valkey.replica import Replica


@pytest.fixture(params=["redis-server", "valkey-server"])
def own_server(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Server]:
    """Keeps its data over a kill, as the compose file tells it to."""
    with server(request.param, tmp_path / "server", appendonly="yes", appendfsync="always") as made:
        yield made


@pytest.fixture
async def replica(own_server: Server) -> AsyncIterator[Replica]:
    replica = Replica(own_server.address)
    await replica.line.open()
    yield replica
    await replica.line.close()
