"""Types that ask more than one fixed host: each further host is a leg with its own way out.

    legs = {"groq": Leg("https://api.groq.com/openai/v1", keyed=True)}

A request that names an address under a leg's `endpoint` takes the leg's way: its base url (option
`groq_url`), its proxy (option `groq_proxy`, the instance's own where the type has no such option), and
for a keyed leg its keys (option `groq_api_key`). All others take the way of the instance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from research_mcp.core.deadline import Deadline
from research_mcp.core.instance import Account
from research_mcp.core.ports import Clock, Http
from research_mcp.core.wire import Reply, Request
from research_mcp.net.status import NO_PHRASES, Phrases, error_of
from research_mcp.providers.kit.auth import BEARER, KeyPlace
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.metering import Metering


@dataclass(frozen=True, slots=True)
class Leg:
    """A further host of a type: its default address and the most octets that it may answer with.

    `keyed`: it is of use only with a key of its own, and each call to it is counted as money.
    """

    endpoint: str
    keyed: bool = False
    body: int = 5_000_000
    key_place: KeyPlace = BEARER
    phrases: Phrases = NO_PHRASES


class Legs:
    """A `core.ports.Http` in front of several: `ways` maps the default address of a leg to its way."""

    def __init__(self, main: Http, ways: Mapping[str, Http]) -> None:
        self._main = main
        self._ways = dict(ways)

    async def send(self, request: Request, deadline: Deadline) -> Reply:
        """Send as the way of the request's address does."""
        for endpoint, way in self._ways.items():
            if "://" in request.url and is_under(request.url, endpoint):
                return await way.send(request, deadline)
        return await self._main.send(request, deadline)


class KeyedHttp:
    """The way of a keyed leg: keys, money and the status table stand around `http` here already.

    Returns good answers only. A key that fails is parked and the next one used, so that a spent leg
    costs its type the leg's part and no more.
    """

    def __init__(
        self, leg: Leg, http: Http, ring: KeyRing, clock: Clock, *, metering: Metering | None = None
    ) -> None:
        self._leg = leg
        self._http = http
        self._ring = ring
        self._clock = clock
        self._metering = metering or Metering(None, "")

    async def send(self, request: Request, deadline: Deadline) -> Reply:
        """The answer with the first key that works. Raises `ProviderError` for every failure."""
        return await self._ring.use(lambda account: self._send(request, account, deadline))

    async def _send(self, request: Request, account: Account, deadline: Deadline) -> Reply:
        if account.key is not None:
            request = self._leg.key_place.apply(request, account.key)
        async with self._metering.call(account, self._http) as paid:
            reply = await paid.send(request, deadline)
        if error := error_of(reply, self._clock.now(), self._leg.phrases):
            raise error
        return reply


def is_under(url: str, endpoint: str) -> bool:
    """A path, or an address under `endpoint`: the only places that its key may go to."""
    if "://" not in url:
        return not url.startswith("//")
    base = endpoint.rstrip("/")
    return bool(base) and url.startswith(base) and url[len(base) :][:1] in ("", "/", "?")
