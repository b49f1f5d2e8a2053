"""One world for each back-end; a test that needs a restart or a meter asks for a lasting one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.store.backends import BACKENDS, LASTING, World


@pytest.fixture(params=BACKENDS, ids=lambda backend: backend.name)
async def world(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    world = World(request.param, tmp_path)
    yield world
    await world.stop()


@pytest.fixture(params=LASTING, ids=lambda backend: backend.name)
async def lasting(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[World]:
    world = World(request.param, tmp_path)
    yield world
    await world.stop()
