"""Good answers and pages that all replicas reuse."""

from __future__ import annotations

import hashlib
from typing import Generic, TypeVar

from research_mcp.core.errors import StoreUnavailable
from research_mcp.store.codec import Codec
from research_mcp.store.valkey.line import Line

V = TypeVar("V")

PATIENCE = 1.0
"""Seconds to wait for the store before the work is done anew."""
LARGEST = 2_000_000
"""Bytes of the largest value that is kept."""


class ValkeyCache(Generic[V]):
    """`core.ports.Cache` on a `Line`, each value for `seconds`; the server's own limit bounds the number.

    `name` keeps caches apart. Keys are hashed: what people ask and read stands in no key.
    """

    def __init__(self, line: Line, name: str, codec: Codec[V], *, seconds: float) -> None:
        self._line = line
        self._name = name
        self._codec = codec
        self._milliseconds = round(seconds * 1_000)

    async def get(self, key: str) -> V | None:
        """The value, or None when it is unknown, too old or not understood."""
        if not (self._milliseconds and self._line.usable()):
            return None
        try:
            kept = await self._line.ask(("GET", self._key(key)), patience=PATIENCE)
        except StoreUnavailable:
            return None
        return self._codec.decode(kept)

    async def put(self, key: str, value: V) -> None:
        """Keep the value from now on, for all replicas. Does not wait for the store."""
        if self._milliseconds and self._line.usable():
            written = self._codec.encode(value)
            if len(written) <= LARGEST:
                self._line.send(("SET", self._key(key), written, "PX", self._milliseconds))

    def _key(self, key: str) -> str:
        return f"{self._line.prefix}cache:{self._name}:{hashlib.sha256(key.encode()).hexdigest()}"
