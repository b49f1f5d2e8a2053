"""Calls in the owner's own name: a login's token in the place of a key, fresh whenever it is used.

However many calls and processes find the token old, one of them refreshes it and the rest read what it
wrote: a refresh token that is sent twice can end the whole login.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ProviderError, Reason, Rejected
from research_mcp.core.grant import Grant
from research_mcp.core.instance import Account, Secret
from research_mcp.core.ports import Clock, GrantStore, Http, Parking
from research_mcp.core.wire import Reply, Request
from research_mcp.net.status import NO_PHRASES, Phrases, error_of, says
from research_mcp.providers.kit.auth import BEARER
from research_mcp.providers.kit.keys import KeyRing
from research_mcp.providers.kit.login.oauth import (
    LoginFailed,
    OAuthServer,
    granted,
    is_ended,
    jwt_expiry,
    refresh_request,
)

REFRESHED_BEFORE = 120.0
"""Seconds of life below which a token is renewed."""

RENEWAL_SECONDS = 30.0
LOOKS_AGAIN = 60.0
"""Seconds after which a server without a login looks whether there is one now."""

PLAN_LOOKS_AGAIN = 86_400.0
"""Seconds: a plan can change while the login stays, and nothing here would notice."""

_HOW = "`research-mcp login` on this machine"


class Login:
    """The tokens of one login, kept fresh."""

    def __init__(self, server: OAuthServer, http: Http, store: GrantStore, clock: Clock) -> None:
        self.server = server
        self._http = http
        self._store = store
        self._clock = clock
        self._renewal: asyncio.Task[Grant] | None = None

    async def grant(self) -> Grant:
        """Tokens that are good for a while. Raises `Rejected`, `Transient` or `StoreUnavailable`."""
        held = self._known(await self._store.held())
        if not self._old(held):
            return held
        try:
            return await self._renewed(held.access)
        except ProviderError:
            if self._left(held) > 0:
                return held
            raise

    async def token(self) -> Secret:
        """The access token of `grant`."""
        return (await self.grant()).access

    async def renewed(self, refused: Secret) -> Secret:
        """Another token than `refused`, which the vendor did not take. Raises as `token` does."""
        return (await self._renewed(refused)).access

    async def settled(self) -> None:
        """Wait for a refresh under way: a process that ends in its middle may lose the login."""
        if self._renewal is not None:
            await asyncio.wait({self._renewal})

    async def _renewed(self, stale: Secret) -> Grant:
        if self._renewal is None or self._renewal.done():
            self._renewal = asyncio.create_task(self._renew(stale))
            self._renewal.add_done_callback(_looked_at)
        # whoever leaves early leaves the refresh running: its answer must be written down
        return await asyncio.shield(self._renewal)

    async def _renew(self, stale: Secret) -> Grant:
        deadline = Deadline.after(RENEWAL_SECONDS)
        async with self._store.alone(deadline):
            held = self._known(await self._store.held())
            if held.access != stale and not self._old(held):
                return held  # somebody else was faster
            if held.refresh is None:
                raise _ended(self.server)
            if not self.server.issued_by(held.token_endpoint):
                raise _nobody(f"{self._store.place} names an endpoint that is not {self.server.name}'s own")
            await self._store.keep(held)  # what could not be written afterwards must not be asked for
            return await self._refresh(held, held.refresh, deadline)

    async def _refresh(self, held: Grant, refresh: Secret, deadline: Deadline) -> Grant:
        client_id = held.client_id or self.server.client_id
        reply = await self._http.send(refresh_request(held.token_endpoint, client_id, refresh), deadline)
        if is_ended(reply):
            await self._store.keep(replace(held, refresh=None))
            raise _ended(self.server)
        if error := error_of(reply, self._clock.now()):
            raise error
        try:
            fresh = granted(self.server, reply, self._clock.now(), held)
        except LoginFailed as failed:
            raise Rejected(str(failed), rest_for=LOOKS_AGAIN) from None
        await self._store.keep(fresh)
        return fresh

    def _known(self, held: Grant | None) -> Grant:
        if held is None:
            raise _nobody(f"nobody is logged in to {self.server.name}")
        return held

    def _old(self, held: Grant) -> bool:
        return self._left(held) <= REFRESHED_BEFORE

    def _left(self, held: Grant) -> float:
        """Seconds of life; without end when nobody knows."""
        ends = held.expires_at or jwt_expiry(held.access.reveal())
        return float("inf") if ends is None else ends - self._clock.now()


def account_of(row: Account, grant: Grant) -> Account:
    """The account of one login, of those that may come to stand behind the account of a row."""
    return Account(f"{row.id}:{grant.id}", grant.access)


class LoginRing(KeyRing):
    """A ring whose only key is a login's token of the moment. Each login is an account of its own."""

    def __init__(self, account: Account, login: Login, parking: Parking, clock: Clock) -> None:
        super().__init__([replace(account, key=Secret(""))], parking, clock)
        self._account = account
        self._login = login

    async def free(self) -> list[Account]:
        """The account with a token that is good now. Raises the rest's error, or what `Login` raises."""
        account = account_of(self._account, await self._login.grant())
        return await KeyRing([account], self._parking, self._clock).free()


class LoginHttp:
    """A `core.ports.Http` for calls that carry a login's token: one refresh and one more try after a 401.

    A plan without API access is said so, since another login would not help.
    """

    def __init__(self, http: Http, login: Login, phrases: Phrases = NO_PHRASES) -> None:
        self._http = http
        self._login = login
        self._phrases = phrases

    async def send(self, request: Request, deadline: Deadline) -> Reply:
        """Send as the inner `http` does. Raises `Rejected` where the plan is the reason."""
        used = Secret(request.headers[BEARER.name].removeprefix(BEARER.prefix))
        reply = await self._http.send(request, deadline)
        if self._refused(reply):
            used = await self._login.renewed(used)
            reply = await self._http.send(BEARER.apply(request, used), deadline)
        if reply.status == 403 and isinstance(error_of(reply, 0.0, self._phrases), Rejected):
            raise Rejected(
                f"the plan of this login may not use the API of {self._login.server.name} (status 403): "
                "use an API key or another plan; logging in again does not help",
                reason=Reason.FORBIDDEN,
                rest_for=PLAN_LOOKS_AGAIN,
            )
        return replace(reply, body=reply.body.replace(used.reveal().encode(), b"***"))

    def _refused(self, reply: Reply) -> bool:
        return reply.status == 401 or (reply.status == 400 and says(reply, self._phrases.rejected))


def _nobody(why: str) -> Rejected:
    return Rejected(f"{why}: run {_HOW}", rest_for=LOOKS_AGAIN, sent=False)


def _ended(server: OAuthServer) -> Rejected:
    return Rejected(f"{server.name} ended this login: run {_HOW}", rest_for=LOOKS_AGAIN, sent=False)


def _looked_at(renewal: asyncio.Task[Grant]) -> None:
    """A refresh that nobody waited for is no unseen failure."""
    if not renewal.cancelled():
        renewal.exception()
