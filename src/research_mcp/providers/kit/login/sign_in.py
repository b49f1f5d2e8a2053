"""How a login comes about: confirmed on another device, or in a browser on this machine."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, ProviderError, StoreUnavailable, Transient
from research_mcp.core.grant import Grant
from research_mcp.core.instance import Secret
from research_mcp.core.ports import Clock, Http
from research_mcp.core.wire import Reply, Request
from research_mcp.net.status import error_of
from research_mcp.providers.kit.login.oauth import (
    DeviceCode,
    LoginFailed,
    OAuthServer,
    Pkce,
    authorize_url,
    callback_code,
    device_code,
    device_request,
    error_code,
    exchange_request,
    granted,
    new_state,
    poll_request,
    polled,
)

CALL_SECONDS = 30.0
LONGEST_LOGIN = 1_800.0
"""Seconds that a code may be waited for, whatever the vendor says."""

Read = Callable[[Mapping[str, str]], Secret]
"""From the query of a callback to its code. Raises `LoginFailed`."""

Receive = Callable[[str, Read], Awaitable[Secret]]
"""Shows the user an address and waits for the callback, which it hands to `Read`."""


class NoDeviceFlow(LoginFailed):
    """The vendor does not offer the device flow: the browser remains."""


class SignIn:
    """One attempt to log in at `server`. All methods raise `LoginFailed` or `ProviderError`."""

    def __init__(self, server: OAuthServer, http: Http, clock: Clock) -> None:
        self.server = server
        self._http = http
        self._clock = clock

    async def discover(self) -> None:
        """Take the endpoints that the issuer states; the known ones stay where it states none."""
        reply = await self._send(self.server.discovery())
        if reply.status == 200:
            self.server = self.server.discovered(reply)

    async def by_device(self, tell: Callable[[DeviceCode], None]) -> Grant:
        """Confirmed wherever the user has a browser. Raises `NoDeviceFlow` where there is none."""
        reply = await self._send(device_request(self.server))
        if reply.status == 404:
            raise NoDeviceFlow("oauth_no_device_flow", f"{self.server.name} offers no device flow")
        if error := error_of(reply, self._clock.now()):
            raise LoginFailed(
                "oauth_device_failed",
                f"{error}; it says {error_code(reply) or 'nothing'}; --browser is the other way",
            )
        code = device_code(reply)
        tell(code)
        return await self._confirmed(code)

    async def by_browser(self, receive: Receive) -> Grant:
        """Confirmed in a browser whose answer comes to this machine, or is pasted."""
        pkce, state = Pkce.new(), new_state()
        code = await receive(
            authorize_url(self.server, pkce, state), lambda fields: callback_code(fields, state)
        )
        reply = await self._send(exchange_request(self.server, code, pkce))
        return granted(self.server, reply, self._clock.now())

    async def _confirmed(self, code: DeviceCode) -> Grant:
        deadline = Deadline.after(min(code.lives, LONGEST_LOGIN))
        interval = code.interval
        while deadline.remaining() > interval:
            await asyncio.sleep(interval)
            try:
                outcome = polled(self.server, await self._poll(code), self._clock.now())
            except Transient:
                continue  # the user is still confirming, whatever the network does
            if isinstance(outcome, Grant):
                return outcome
            interval += outcome.slower
        raise LoginFailed("oauth_expired", "the code was not confirmed in time: log in again")

    async def _poll(self, code: DeviceCode) -> Reply:
        reply = await self._send(poll_request(self.server, code))
        error = None if error_code(reply) else error_of(reply, self._clock.now())
        if isinstance(error, Transient):
            raise error
        return reply

    async def _send(self, request: Request) -> Reply:
        return await self._http.send(request, Deadline.after(CALL_SECONDS))


def explained(error: ProviderError) -> LoginFailed:
    """A login that failed on its way to the vendor or into its file."""
    codes = {BadReply: "oauth_bad_reply", StoreUnavailable: "oauth_file_failed"}
    return LoginFailed(codes.get(type(error), "oauth_unreachable"), str(error))
