"""Frozen records as bytes for a store that others write to as well: JSON that is checked when it is read."""

from __future__ import annotations

import hashlib
import json
from typing import Generic, TypeVar

from pydantic import TypeAdapter, ValidationError

T = TypeVar("T")


class Codec(Generic[T]):
    """One type's values as bytes and back.

    The bytes begin with a mark of the type's shape: a value that an older or newer program wrote in
    another shape is none here, and neither is a corrupt one.
    """

    def __init__(self, type_: type[T]) -> None:
        self._adapter: TypeAdapter[T] = TypeAdapter(type_)
        shape = json.dumps(self._adapter.json_schema(), sort_keys=True)
        self._mark = hashlib.sha256(shape.encode()).hexdigest()[:12].encode() + b"\n"

    def encode(self, value: T) -> bytes:
        """The bytes of `value`."""
        return self._mark + self._adapter.dump_json(value)

    def decode(self, kept: object) -> T | None:
        """The value, or None for anything but what `encode` wrote."""
        if not isinstance(kept, bytes) or not kept.startswith(self._mark):
            return None
        try:
            return self._adapter.validate_json(kept[len(self._mark) :])
        except ValidationError:
            return None
