"""Where a vendor wants its key: a declared place, applied once, outside the vendor's code."""

from __future__ import annotations

from dataclasses import dataclass, replace

from research_mcp.core.instance import Secret
from research_mcp.core.wire import Request


@dataclass(frozen=True, slots=True)
class HeaderKey:
    """The key in a header: `Authorization: Bearer KEY` unless told otherwise."""

    name: str = "Authorization"
    prefix: str = "Bearer "

    def apply(self, request: Request, key: Secret) -> Request:
        """The same request with the key in its header."""
        return replace(request, headers={**request.headers, self.name: self.prefix + key.reveal()})


@dataclass(frozen=True, slots=True)
class ParamKey:
    """The key in the query string, for vendors that have no other place."""

    name: str

    def apply(self, request: Request, key: Secret) -> Request:
        """The same request with the key in its query."""
        return replace(request, params={**request.params, self.name: key.reveal()})


KeyPlace = HeaderKey | ParamKey
BEARER = HeaderKey()
