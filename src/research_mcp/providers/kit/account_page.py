"""A vendor's page about the account behind a key: it costs nothing and shows whether the key is good."""

from __future__ import annotations

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent
from research_mcp.core.flights import Flights
from research_mcp.core.instance import Account
from research_mcp.core.wire import Request
from research_mcp.net.status import error_of
from research_mcp.providers.kit.base import ProviderType
from research_mcp.providers.kit.configured import ConfiguredType

Pages = Flights[str, None]
"""Pages that are asked for now: instances with one key share one call, since vendors count these too."""


class ConfiguredAccountPage(ConfiguredType[ProviderType]):
    """The account page of one row of the configuration (`core.ports.AccountPage`).

    A failure here parks no key: the page has limits of its own, which say nothing about the rest. `pages`
    is for its owner to share among the pages of all instances.
    """

    pages: Pages

    async def ask(self, deadline: Deadline) -> None:
        """Ask with the first key that does not rest. Raises `ProviderError`."""
        account = (await self._ring.free())[0]
        await self.pages.share(f"{self._type.account} {account.id}", lambda: self._ask(account, deadline))

    async def _ask(self, account: Account, deadline: Deadline) -> None:
        request = self._type.signed(Request("GET", self._type.account), account)
        error = error_of(await self._http.send(request, deadline), self._clock.now(), self._type.phrases)
        if isinstance(error, NoContent):
            raise BadReply(f"the vendor has no account page there ({error})")
        if error:
            raise error
