"""The table of provider types: a class registers itself under a dotted name, once.

    @register("search.tavily", needs=("api_key",), metered=True)
    class TavilySearch(JsonSearch): ...

The part before the dot is the kind. `needs` are the settings without which an instance is off: `api_key`,
`url` or an option of the type; `options` are those it merely understands; `rules` say for some of both
what a value must look like.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TypeVar

from research_mcp.core.errors import ConfigError
from research_mcp.providers.kit.base import ProviderKind, ProviderType, TypeSpec
from research_mcp.providers.kit.options import Rule

__all__ = ["REGISTRY", "ProviderKind", "TypeSpec", "register"]

T = TypeVar("T", bound=ProviderType)


REGISTRY: dict[str, type[ProviderType]] = {}


def register(
    name: str,
    *,
    needs: tuple[str, ...] = (),
    options: tuple[str, ...] = (),
    metered: bool = False,
    rules: Mapping[str, Rule] | None = None,
) -> Callable[[type[T]], type[T]]:
    """Register a class as type `name`. Raises `ConfigError` for a taken name or an unknown kind."""
    kind, _, rest = name.partition(".")
    if kind not in list(ProviderKind) or not rest:
        kinds = ", ".join(f"{k}." for k in ProviderKind)
        raise ConfigError(f"provider type {name!r} must start with one of {kinds}")

    def keep(cls: type[T]) -> type[T]:
        if name in REGISTRY:
            taken = REGISTRY[name]
            raise ConfigError(
                f"provider type {name!r} is registered twice: by {taken.__module__} and {cls.__module__}"
            )
        cls.spec = TypeSpec(name, ProviderKind(kind), needs, options, metered, rules or {})
        REGISTRY[name] = cls
        return cls

    return keep
