"""The browser of this machine as a reader uses it: started for the first page, closed when idle."""

from __future__ import annotations

import asyncio
from importlib import import_module
from typing import TYPE_CHECKING

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, ProviderError, Reason, Transient, UrlRefused
from research_mcp.core.wire import Document
from research_mcp.net.browser.limits import BrowserLimits
from research_mcp.net.browser.proxy import PageProxy
from research_mcp.net.client import Network
from research_mcp.net.guard import Guard

if TYPE_CHECKING:  # the driver is an extra, and heavy
    from research_mcp.net.browser.chromium import Chromium

LONGEST_START = 25.0
PAUSE = 0.25
"""Seconds before a second try: by then it is known whether the browser has ended."""


class LocalBrowser:
    """A `core.ports.Browser`: one Chromium for all pages, behind `network`'s guard."""

    def __init__(self, network: Network, limits: BrowserLimits) -> None:
        self._network = network
        self._limits = limits
        self._places = asyncio.Semaphore(limits.pages)
        self._chromium: Chromium | None = None
        self._starting: asyncio.Task[Chromium] | None = None
        self._idle: asyncio.TimerHandle | None = None
        self._closing: set[asyncio.Task[None]] = set()

    async def render(self, url: str, deadline: Deadline) -> Document:
        """The page at `url` (a normal form) as it stands after its scripts, whatever its status.

        Raises `UrlRefused` when it leads where the guard lets nobody, `NoContent` for what lies with the
        page, `Rejected` when the browser cannot run here and `ProviderError` when it fails or is busy.
        A browser that fails a page gets one more try, a fresh one when it has ended.
        """
        guard = await self._guard_for(url, deadline)
        try:
            async with deadline.enforce():
                await self._places.acquire()
        except TimeoutError:
            raise ProviderError("the browser has no free place", reason=Reason.OVERLOADED) from None
        try:
            try:
                return await self._visit(url, guard, deadline)
            except Transient:
                if deadline.remaining() < PAUSE:
                    raise
            await asyncio.sleep(PAUSE)
            return await self._visit(url, guard, deadline)
        finally:
            self._places.release()
            self._rest()

    async def _visit(self, url: str, guard: Guard, deadline: Deadline) -> Document:
        chromium = await self._running(deadline)
        network = self._network.under(guard)
        try:
            async with PageProxy(network, self._limits.proxy) as proxy:
                return await chromium.document(url, proxy, deadline)
        finally:
            await network.aclose()

    async def close(self) -> None:
        """End the browser."""
        if self._starting is not None:
            await asyncio.wait([self._starting])
        self._stop_idling()
        if self._chromium is not None:
            await self._chromium.close()
            self._chromium = None
        await asyncio.gather(*self._closing)

    async def _guard_for(self, url: str, deadline: Deadline) -> Guard:
        """The guard of everything that the page asks for.

        A public page gets no further than the public web, whatever the operator opened: else its scripts
        could look around in the network here. Only a page that is private itself may ask private hosts.
        """
        guard = self._network.guard
        public = guard.public
        try:
            target = public.target(url)
            async with deadline.enforce():
                await public.addresses(target.host, target.port)
        except UrlRefused:
            if public is guard:
                raise
            return guard
        except TimeoutError:
            raise NoContent("the host could not be resolved in time", reason=Reason.DNS_FAILED) from None
        return public

    async def _running(self, deadline: Deadline) -> Chromium:
        """The browser, started when there is none. A caller that leaves does not stop the start."""
        self._stop_idling()
        if self._chromium is not None and (self._chromium.worn or not self._chromium.alive):
            self._retire()
        if self._chromium is not None:
            return self._chromium
        if self._starting is None:
            self._starting = asyncio.create_task(self._start(), name="browser starts")
            self._starting.add_done_callback(self._started)
        try:
            async with deadline.enforce():
                return await asyncio.shield(self._starting)
        except TimeoutError:
            raise Transient("the browser did not start in time", reason=Reason.TIMEOUT) from None

    async def _start(self) -> Chromium:
        module = await asyncio.to_thread(import_module, "research_mcp.net.browser.chromium")
        try:
            async with asyncio.timeout(LONGEST_START):
                chromium: Chromium = await module.Chromium.start(self._limits)
        except TimeoutError:
            raise Transient("the browser's driver does not answer", reason=Reason.TIMEOUT) from None
        return chromium

    def _started(self, start: asyncio.Task[Chromium]) -> None:
        self._starting = None
        if not start.cancelled() and start.exception() is None:
            self._chromium = start.result()
            self._rest()

    def _rest(self) -> None:
        """Close the browser some time after its last page."""
        self._stop_idling()
        if self._chromium is not None:
            self._idle = asyncio.get_running_loop().call_later(self._limits.idle, self._retire)

    def _stop_idling(self) -> None:
        if self._idle is not None:
            self._idle.cancel()
            self._idle = None

    def _retire(self) -> None:
        """Take the browser out of use; it ends as soon as its pages have."""
        if self._chromium is not None:
            task = asyncio.create_task(self._chromium.retire(), name="browser closes")
            self._closing.add(task)
            task.add_done_callback(self._closing.discard)
            self._chromium = None
