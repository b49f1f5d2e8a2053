"""What instances of every kind share: a type behind its client, its keys, the clock and its meter."""

from __future__ import annotations

from typing import Generic, TypeVar

from research_mcp.core.ports import Clock, Http
from research_mcp.providers.kit.base import ProviderType
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.metering import Metering

T = TypeVar("T", bound=ProviderType)


class ConfiguredType(Generic[T]):
    """One row of the configuration. `metered`: its calls cost, since the vendor charges and a key is set."""

    def __init__(
        self,
        name: str,
        type_: T,
        http: Http,
        ring: KeyRing,
        clock: Clock,
        *,
        metering: Metering | None = None,
    ) -> None:
        self.name = name
        self.metered = type_.spec.metered and ring.keyed
        self._type = type_
        self._http = http
        self._ring = ring
        self._clock = clock
        self._metering = metering or Metering(None, name)
