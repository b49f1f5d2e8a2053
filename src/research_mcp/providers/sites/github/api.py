"""The calls that the reader makes, for one read."""

from __future__ import annotations

from collections.abc import Mapping

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, ProviderError, Reason
from research_mcp.core.ports import Http
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.fields import Fields, object_of
from research_mcp.providers.kit.thread import missing
from research_mcp.providers.kit.tree import rows

A_PAGE = 100
MOST_ROWS = 200
"""Comments or reviews of one page: each hundred costs a call, of which strangers have 60 an hour."""

_RAW = {"Accept": "application/vnd.github.raw+json"}

Params = Mapping[str, str | int]


class Api:
    """GitHub's REST API. Every method raises `ProviderError`; what is not there is `NoContent`."""

    def __init__(self, http: Http, deadline: Deadline) -> None:
        self._http = http
        self._deadline = deadline
        self.notes: tuple[str, ...] = ()
        """What could not be had while the rest could."""

    async def object(self, path: str) -> Fields:
        """One JSON object."""
        return object_of(await self._get(path))

    async def entries(self, path: str, params: Params) -> list[Fields]:
        """The entries of a directory."""
        return _rows((await self._get(path, params)).json())

    async def raw(self, path: str, params: Params | None = None) -> Reply:
        """A file as it is."""
        return await self._get(path, params or {}, _RAW)

    async def extra_rows(self, what: str, path: str) -> list[Fields]:
        """The first rows of a list, page after page; what fails is noted and leaves those before it."""
        found: list[Fields] = []
        try:
            for page in range(1, MOST_ROWS // A_PAGE + 1):
                more = _rows((await self._get(path, {"per_page": A_PAGE, "page": page})).json())
                found += more
                if len(more) < A_PAGE:
                    break
        except ProviderError as error:
            self.notes += (missing(what, error),)
        return found

    async def extra_text(self, what: str, path: str, params: Params | None = None) -> str:
        """A file's text, "" when there is none; another failure is noted."""
        try:
            return (await self.raw(path, params)).text
        except NoContent as error:
            if error.reason is Reason.NOT_FOUND:
                return ""
            self.notes += (missing(what, error),)
        except ProviderError as error:
            self.notes += (missing(what, error),)
        return ""

    async def _get(
        self, path: str, params: Params | None = None, headers: Mapping[str, str] | None = None
    ) -> Reply:
        request = Request("GET", path, params=params or {}, headers=headers or {})
        return await self._http.send(request, self._deadline)


def _rows(value: JsonValue) -> list[Fields]:
    if not isinstance(value, list):
        raise BadReply(f"expected a list from GitHub, got {type(value).__name__}")
    return rows(value)
