"""What tests of the extraction share."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def collector_rests() -> Iterator[None]:
    """No garbage collection: Hypothesis times it by a callback, where an `OutOfTime` would be lost with a warning."""
    gc.disable()
    yield
    gc.enable()
