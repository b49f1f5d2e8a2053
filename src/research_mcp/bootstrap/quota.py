"""The operator's look at the money: what is used, who rests, and counting anew."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from research_mcp.bootstrap.assemble import SystemClock
from research_mcp.bootstrap.configure import Configuration
from research_mcp.bootstrap.instances import Resolved
from research_mcp.bootstrap.login import accounts_behind
from research_mcp.bootstrap.state import State, state_of
from research_mcp.core.errors import ConfigError
from research_mcp.core.ports import Clock, Rest, Usage


@dataclass(frozen=True, slots=True)
class Statement:
    """One instance: its budgets (or one line that only counts), and who of it rests.

    `rests` names the instance itself or one of its keys by variable and place.
    """

    name: str
    usage: tuple[Usage, ...]
    rests: tuple[tuple[str, Rest], ...]


class Books:
    """The money of a configuration, in whichever store it names. Every method raises `StoreUnavailable`."""

    def __init__(self, configuration: Configuration, state: State) -> None:
        self._state = state
        self._settings = configuration.settings
        self._instances = {one.instance.name: one for one in configuration.on}

    async def statements(self) -> list[Statement]:
        """Each instance that has a key, a bill or a rest, in the order of the configuration."""
        usage = await self._state.meter.usage()
        found = []
        for name in dict.fromkeys((*self._instances, *(line.instance for line in usage))):
            resolved = self._instances.get(name)
            lines = tuple(line for line in usage if line.instance == name)
            rests = tuple([rest async for rest in self._rests(resolved)])
            if lines or rests or (resolved and resolved.accounts):
                found.append(Statement(name, lines, rests))
        return found

    async def check(self, name: str) -> None:
        """Raises `ConfigError` for a name that spends nothing here."""
        known = [one.name for one in await self.statements()]
        if name not in known:
            raise ConfigError(f"{name!r} spends nothing here: known are {', '.join(known) or 'none'}")

    async def reset(self, name: str) -> None:
        """Let the budgets of an instance count from zero and wake it and its keys.

        Raises `ConfigError` for a name that spends nothing here.
        """
        await self.check(name)
        await self._state.meter.reset(name)
        await self._state.parking.release(f"instance:{name}")
        if name in self._instances:
            for account in await accounts_behind(self._instances[name], self._settings):
                await self._state.parking.release(f"account:{account.id}")

    async def _rests(self, resolved: Resolved | None) -> AsyncIterator[tuple[str, Rest]]:
        if resolved is None:
            return
        if rest := await self._state.parking.rest(f"instance:{resolved.instance.name}"):
            yield resolved.instance.name, rest
        for account in await accounts_behind(resolved, self._settings):
            if rest := await self._state.parking.rest(f"account:{account.id}"):
                yield account.id.partition(":")[0], rest


@asynccontextmanager
async def books(configuration: Configuration, clock: Clock | None = None) -> AsyncIterator[Books]:
    """The books, open within."""
    state = state_of(configuration, clock or SystemClock())
    await state.opened()
    try:
        yield Books(configuration, state)
    finally:
        await state.closed()
