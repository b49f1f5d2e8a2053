"""Pools that end with their test, a failed set-up included: what they leave open would fail another test."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from research_mcp.extract.processes.pool import ExtractionPool


@asynccontextmanager
async def running(pool: ExtractionPool) -> AsyncIterator[ExtractionPool]:
    """`pool`, started."""
    await pool.start()
    try:
        yield pool
    finally:
        await pool.close()
