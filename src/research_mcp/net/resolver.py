"""Names to addresses, away from the event loop's own threads.

A hung name server must not hold up anybody else: each lookup has a thread of its own up to a bound
that is far above what hangs at a time, a name that is being looked up is not looked up again, and
nobody waits longer than the limit. The threads are daemons, so a hung one does not hold up the exit.
"""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from ipaddress import ip_address

from cachetools import TTLCache

from research_mcp.core.errors import NoContent, Reason
from research_mcp.net.addresses import Address

Lookup = Callable[[str], Sequence[str]]
"""The addresses of a name as text, in order of preference. Blocks; raises `OSError`."""

LIMIT = 3.0
KEEP = 60.0
MOST_THREADS = 64
_MOST_KEPT = 2_048


def system_lookup(name: str) -> list[str]:
    """What the system's resolver says, hosts file included; a numeric scope stays on the address."""
    found = socket.getaddrinfo(name.encode("ascii"), None, type=socket.SOCK_STREAM)
    return list(dict.fromkeys(str(address[0]) for *_, address in found))


@dataclass(frozen=True, slots=True)
class _Answer:
    addresses: tuple[Address, ...] = ()
    failure: str = ""


class Resolver:
    """Resolves names through `lookup`. Answers are kept for `keep` seconds, failures are not."""

    def __init__(
        self,
        lookup: Lookup = system_lookup,
        *,
        limit: float = LIMIT,
        keep: float = KEEP,
        threads: int = MOST_THREADS,
    ) -> None:
        self._lookup = lookup
        self._limit = limit
        self._free = asyncio.Semaphore(threads)
        self._running: dict[str, asyncio.Task[_Answer]] = {}
        self._kept: TTLCache[str, tuple[Address, ...]] = TTLCache(
            _MOST_KEPT, keep, timer=lambda: asyncio.get_running_loop().time()
        )

    async def resolve(self, name: str) -> tuple[Address, ...]:
        """The addresses of an ASCII name, at least one. Raises `NoContent` (`dns_failed`)."""
        if kept := self._kept.get(name):
            return kept
        running = self._running.get(name)
        if running is None:
            running = self._running[name] = asyncio.create_task(self._run(name))
            running.add_done_callback(lambda _: self._running.pop(name, None))
        try:
            async with asyncio.timeout(self._limit):
                answer = await asyncio.shield(running)
        except TimeoutError:
            answer = _Answer(failure=f"the name server did not answer within {self._limit:g} s")
        if not answer.addresses:
            raise NoContent(f"{name} could not be resolved: {answer.failure}", reason=Reason.DNS_FAILED)
        return answer.addresses

    async def _run(self, name: str) -> _Answer:
        async with self._free:
            answer = await self._in_thread(name)
        if answer.addresses:
            self._kept[name] = answer.addresses
        return answer

    async def _in_thread(self, name: str) -> _Answer:
        loop = asyncio.get_running_loop()
        future: asyncio.Future[_Answer] = loop.create_future()

        def deliver(answer: _Answer) -> None:
            if not future.done():
                future.set_result(answer)

        def work() -> None:
            answer = self._ask(name)
            with suppress(RuntimeError):  # the loop was closed while the name server hung
                loop.call_soon_threadsafe(deliver, answer)

        try:
            threading.Thread(target=work, name=f"lookup {name}", daemon=True).start()
        except RuntimeError:  # the system allows no more of them
            return _Answer(failure="the lookup failed")
        return await future

    def _ask(self, name: str) -> _Answer:
        try:
            addresses = tuple(ip_address(text) for text in self._lookup(name))
        except socket.gaierror as error:
            if error.errno == socket.EAI_AGAIN:
                return _Answer(failure="the name server failed; a later try may work")
            return _Answer(failure="there is no such name")
        except (OSError, ValueError):
            return _Answer(failure="the lookup failed")
        return _Answer(addresses, failure="" if addresses else "the name has no address")
