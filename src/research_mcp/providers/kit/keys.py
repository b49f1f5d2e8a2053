"""The keys of one instance: a ring that passes over keys that rest and parks those that fail."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from research_mcp.core.errors import BudgetSpent, ProviderError, QuotaSpent, RateLimited, Rejected
from research_mcp.core.instance import KEYLESS, Account
from research_mcp.core.ports import Clock, Parking, Rest

T = TypeVar("T")


class KeyRing:
    """The accounts of one instance in order. A key that rests is passed over, a dead one parked."""

    def __init__(self, accounts: Sequence[Account], parking: Parking, clock: Clock) -> None:
        self._accounts = tuple(accounts) or (KEYLESS,)
        self._parking = parking
        self._clock = clock

    @property
    def keyed(self) -> bool:
        """False when the instance is used without any key."""
        return any(account.key for account in self._accounts)

    async def use(self, call: Callable[[Account], Awaitable[T]]) -> T:
        """What `call` brings with the first free key; one that fails for its own reasons costs one more.

        When all keys have failed, the error rests until the first of them is free again.
        """
        errors: list[ProviderError] = []
        for account in await self.free():
            try:
                return await call(account)
            except ProviderError as error:
                if not await self.park(account, error):
                    raise
                errors.append(error)
        raise await self.soonest(errors)

    async def free(self) -> list[Account]:
        """The accounts that may be used now. Raises the soonest rest's error when there is none."""
        rests: list[Rest] = []
        free: list[Account] = []
        for account in self._accounts:
            rest = await self._parking.rest(f"account:{account.id}") if account.key else None
            if rest is None:
                free.append(account)
            else:
                rests.append(rest)
        if free:
            return free
        soonest = min(rests, key=_end)
        seconds = None if soonest.until is None else max(1.0, soonest.until - self._clock.now())
        raise RateLimited(
            f"every key rests ({soonest.detail or soonest.reason})",
            reason=soonest.reason,
            rest_for=seconds,
            sent=False,
        )

    async def park(self, account: Account, error: ProviderError) -> bool:
        """Park a key for what is the key's fault; True when the next key may be tried."""
        if isinstance(error, BudgetSpent):
            return True
        if account.key is None or not isinstance(error, Rejected | QuotaSpent | RateLimited):
            return False
        until = None if error.rest_for is None else self._clock.now() + error.rest_for
        await self._parking.park(f"account:{account.id}", Rest(until, error.reason, str(error)))
        return True

    async def soonest(self, errors: Sequence[ProviderError]) -> ProviderError:
        """Of the errors that all keys just had, the one to raise: it rests until any key is free."""
        error = min(errors, key=lambda error: math.inf if error.rest_for is None else error.rest_for)
        try:
            await self.free()
        except RateLimited as resting:
            error.rest_for = resting.rest_for
        return error


def _end(rest: Rest) -> float:
    return math.inf if rest.until is None else rest.until
