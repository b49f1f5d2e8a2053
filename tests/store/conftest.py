"""One world for each back-end; a test that needs a restart or a meter asks for a lasting one."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack
from functools import cache
from pathlib import Path

import pytest

from tests.kit.valkey import server
from tests.store.backends import BACKENDS, LASTING, Start, World


@pytest.fixture(scope="session")
def start(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Start]:
    with ExitStack() as stack:
        yield cache(lambda name: stack.enter_context(server(name, tmp_path_factory.mktemp(name))))


@pytest.fixture
def nothing_failed(caplog: pytest.LogCaptureFixture) -> Iterator[None]:
    """Where the store fails, other code steps in, and a test would not see it."""
    yield
    assert [record.getMessage() for record in caplog.records if record.levelno >= logging.ERROR] == []


@pytest.fixture(params=BACKENDS, ids=lambda backend: backend.name)
async def world(
    request: pytest.FixtureRequest, tmp_path: Path, start: Start, nothing_failed: None
) -> AsyncIterator[World]:
    world = World(request.param, tmp_path, start)
    yield world
    await world.stop()


@pytest.fixture(params=LASTING, ids=lambda backend: backend.name)
async def lasting(
    request: pytest.FixtureRequest, tmp_path: Path, start: Start, nothing_failed: None
) -> AsyncIterator[World]:
    world = World(request.param, tmp_path, start)
    yield world
    await world.stop()
