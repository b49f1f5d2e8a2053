"""One Chromium with its driver: started over a pipe, watched for memory, ended with all its children.

The driver holds the browser by a pipe in place of a debugging port, so that nobody else on the machine
can speak to it, and so that it ends when the driver ends, which ends when this process does, however
that one died. Imported on first use alone: the driver is an extra, and heavy.
"""

from __future__ import annotations

import asyncio
import os
import signal
from contextlib import suppress
from datetime import timedelta
from typing import Literal, TypedDict

from playwright.async_api import Browser, BrowserContext, Error, Playwright, ProxySettings, async_playwright

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import Reason, Rejected, Transient
from research_mcp.core.wire import Document
from research_mcp.net.browser.limits import BrowserLimits
from research_mcp.net.browser.memory import largest_renderer, taken
from research_mcp.net.browser.proxy import PageProxy
from research_mcp.net.browser.visit import Visit


class ContextOptions(TypedDict):
    """What a context is opened with."""

    proxy: ProxySettings
    user_agent: str
    accept_downloads: bool
    service_workers: Literal["block"]
    locale: str


START = timedelta(seconds=20)
ANSWER = 10.0
CLOSE = 3.0
WATCH = 0.2
"""Seconds between two looks at the memory: a page that eats it takes about a gigabyte a second."""

_NOWHERE = "http://nowhere.invalid:9"
"""The browser's own errands have no way out; each page has a way of its own."""

_NO_BYPASS = "<-loopback>"
"""Loopback goes through the proxy as well, where the guard is."""

_FLAGS = (
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
    "--disable-gpu",
    "--disable-remote-fonts",
    "--blink-settings=imagesEnabled=false",
    "--deny-permission-prompts",
    "--no-pings",
    "--js-flags=--max-old-space-size=512",
)

_ENVIRONMENT: dict[str, str | float | bool] = {"HOME": "/dev/null", "PATH": os.defpath, "LANG": "C.UTF-8"}
"""What the browser may know of ours: no key, no proxy, no folder to keep things in."""


class Chromium:
    """A running browser. `open` counts its pages, `opened` all that it ever had."""

    def __init__(self, driver: Playwright, browser: Browser, group: int, limits: BrowserLimits) -> None:
        self._driver = driver
        self._browser = browser
        self._group = group
        self._limits = limits
        self._watch = asyncio.create_task(self._watched(), name="browser memory")
        self._leaving: set[asyncio.Task[None]] = set()
        self._empty = asyncio.Event()
        self._empty.set()
        self.open = 0
        self.opened = 0

    @classmethod
    async def start(cls, limits: BrowserLimits) -> Chromium:
        """A new browser; takes about two seconds.

        Raises `Rejected` when its sandbox cannot be had, `Transient` when it does not start otherwise.
        """
        driver = await async_playwright().start()
        try:
            browser = await driver.chromium.launch(
                executable_path=limits.program,
                chromium_sandbox=limits.sandbox,
                args=[*_FLAGS, f"--ignore-certificate-errors-spki-list={','.join(limits.trusted_keys)}"],
                env=_ENVIRONMENT,
                proxy={"server": _NOWHERE, "bypass": _NO_BYPASS},
                timeout=START,
                handle_sighup=False,
                handle_sigint=False,
                handle_sigterm=False,
            )
            group = await _process_of(browser)
        except Error as error:
            await driver.stop()
            raise _no_start(str(error)) from None
        except BaseException:
            await driver.stop()
            raise
        return cls(driver, browser, group, limits)

    @property
    def alive(self) -> bool:
        """Whether it can open pages."""
        return self._browser.is_connected()

    @property
    def worn(self) -> bool:
        """Whether it had so many pages that a fresh one should take its place."""
        return self.opened >= self._limits.pages_each

    async def document(self, url: str, proxy: PageProxy, deadline: Deadline) -> Document:
        """The page at `url`, visited over `proxy` in a context of its own: no cookie, cache or permission
        of any other page. Raises as `Visit.document` does."""
        self.opened += 1
        self.open += 1
        self._empty.clear()
        context: BrowserContext | None = None
        try:
            async with deadline.share(ANSWER).enforce():
                context = await self._browser.new_context(**self._options(proxy))
                page = await context.new_page()
            return await Visit(context, page, proxy, self._limits.visit).document(url, deadline)
        except TimeoutError:
            if not deadline.expired:  # it had all the time that a page may take to open
                self.kill()
            raise Transient("the browser opened no page in time", reason=Reason.TIMEOUT) from None
        except Error:
            raise Transient("the browser ended in the middle of a page") from None
        finally:
            leaving = asyncio.create_task(self._leave(context), name="browser page closes")
            self._leaving.add(leaving)
            leaving.add_done_callback(self._leaving.discard)

    async def _leave(self, context: BrowserContext | None) -> None:
        """Close a page; one that cannot be closed takes the browser with it."""
        try:
            if context is not None:
                async with asyncio.timeout(CLOSE):
                    await context.close()
        except Error:
            pass  # the browser has ended
        except TimeoutError:
            self.kill()
        finally:
            self.open -= 1
            if not self.open:
                self._empty.set()

    def _options(self, proxy: PageProxy) -> ContextOptions:
        major = self._browser.version.partition(".")[0]
        return {
            "proxy": {
                "server": proxy.address,
                "bypass": _NO_BYPASS,
                "username": proxy.username,
                "password": proxy.password,
            },
            "user_agent": f"Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) "
            f"Chrome/{major}.0.0.0 Safari/537.36 {self._limits.user_agent}",
            "accept_downloads": False,
            "service_workers": "block",
            "locale": "en-US",
        }

    def kill(self) -> None:
        """End all its processes at once; after its end their number may be another's."""
        if self.alive:
            with suppress(OSError):
                os.killpg(self._group, signal.SIGKILL)

    async def retire(self) -> None:
        """End it once its pages are closed."""
        await self._empty.wait()
        await self.close()

    async def close(self) -> None:
        """End it, its driver and its profile. Never raises."""
        self._watch.cancel()
        for ending in (self._browser.close, self._driver.stop):
            with suppress(Error, TimeoutError):
                async with asyncio.timeout(CLOSE):
                    await ending()
        self.kill()
        await asyncio.gather(self._watch, *self._leaving, return_exceptions=True)

    async def _watched(self) -> None:
        """Kill the largest page, or the browser when no page is at fault, each time it takes too much."""
        while self.alive:
            await asyncio.sleep(WATCH)
            if self.open and await asyncio.to_thread(taken, self._group) > self._limits.memory:
                page = await asyncio.to_thread(largest_renderer, self._group)
                with suppress(OSError):
                    os.kill(page, signal.SIGKILL) if page else self.kill()


_NO_SANDBOX = ("Running as root without --no-sandbox", "No usable sandbox", "new namespace", "SUID sandbox")
"""Chromium's words for a sandbox that it cannot have; it ends then."""


async def _process_of(browser: Browser) -> int:
    """The id of the browser's own process, which leads the group of all its processes."""
    session = await browser.new_browser_cdp_session()
    known = await session.send("SystemInfo.getProcessInfo")
    await session.detach()
    return int(next(process["id"] for process in known["processInfo"] if process["type"] == "browser"))


def _no_start(said: str) -> Transient | Rejected:
    if any(words in said for words in _NO_SANDBOX):
        return Rejected(
            "Chromium cannot start its sandbox here: the kernel or the container forbids user namespaces. "
            "Allow them, or set BROWSER_SANDBOX=false where a container is the wall around it",
            reason=Reason.NOT_CONFIGURED,
        )
    return Transient("Chromium did not start: run the program of BROWSER_PATH by hand to see why")
