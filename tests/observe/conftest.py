"""A log that a test configured is gone after it: the root logger belongs to all tests of a process."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest
from loguru import logger


@pytest.fixture(autouse=True)
def quiet_after() -> Iterator[None]:
    yield
    logger.remove()
    logging.basicConfig(handlers=[logging.NullHandler()], force=True)
