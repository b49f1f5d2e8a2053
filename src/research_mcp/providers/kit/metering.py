"""What stands around a metered call: reserved before the first request, settled or refunded after.

    async with metering.call(account, http) as paid:
        reply = await paid.send(request, deadline)

The reservation is made by the first `send`, so a call that asks nobody costs nothing. It is refunded
only when it is certain that none of its requests left this machine; a cancelled call was sent.
"""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager, nullcontext
from types import TracebackType

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import Overloaded, ProviderError, StoreUnavailable, UrlRefused
from research_mcp.core.instance import Account
from research_mcp.core.ports import Http, Meter, Reservation
from research_mcp.core.wire import Reply, Request


class Metering:
    """One instance's calls on the meter, `units` each; without a meter or a key they are free.

    `ways`: by account id the way out of each account that must not take the common one.
    """

    def __init__(
        self, meter: Meter | None, instance: str, units: int = 1, *, ways: Mapping[str, Http] | None = None
    ) -> None:
        self._meter = meter
        self._instance = instance
        self._units = units
        self._ways = dict(ways or {})

    def call(self, account: Account, http: Http) -> AbstractAsyncContextManager[Http]:
        """The way out for one call, however many requests that takes: the account's own, else `http`."""
        http = self._ways.get(account.id, http)
        if self._meter is None or account.key is None:
            return nullcontext(http)
        return _MeteredCall(self._meter, http, account.id, self._instance, self._units)


class _MeteredCall:
    """A `core.ports.Http` that pays before it sends. For one call and one task."""

    def __init__(self, meter: Meter, http: Http, account: str, instance: str, units: int) -> None:
        self._meter = meter
        self._http = http
        self._account = account
        self._instance = instance
        self._units = units
        self._reservation: Reservation | None = None
        self._sent = False

    async def __aenter__(self) -> Http:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._reservation is None:
            return
        if self._sent:
            await self._meter.settle(self._reservation, self._reservation.units)
        else:
            await self._meter.refund(self._reservation)

    async def send(self, request: Request, deadline: Deadline) -> Reply:
        """Send as the inner `http` does. Raises `BudgetSpent` and `StoreUnavailable` before sending."""
        if self._reservation is None:
            self._reservation = await self._reserve(deadline)
        before, self._sent = self._sent, True
        try:
            return await self._http.send(request, deadline)
        except ProviderError as error:
            self._sent = before or error.sent
            raise
        except (UrlRefused, Overloaded):
            self._sent = before
            raise

    async def _reserve(self, deadline: Deadline) -> Reservation:
        try:
            async with deadline.enforce():
                return await self._meter.reserve(self._account, self._instance, self._units, uuid.uuid4().hex)
        except TimeoutError:
            raise StoreUnavailable("this server's budget store did not answer before the deadline") from None
