"""One page in the browser: opened, given time to fill itself, read, and what went wrong named."""

from __future__ import annotations

import asyncio
from contextlib import suppress
from datetime import timedelta
from urllib.parse import urlsplit

from playwright.async_api import BrowserContext, Error, Page, Request, Response, Route
from playwright.async_api import TimeoutError as Late

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Reason, ResearchError, Transient, UrlRefused
from research_mcp.core.wire import Document
from research_mcp.net.browser.limits import VisitLimits
from research_mcp.net.browser.proxy import PageProxy
from research_mcp.net.browser.snapshot import Snapshots
from research_mcp.net.normal import normal_form

_UNSEEN = frozenset({"image", "media", "font", "texttrack", "manifest", "ping", "cspviolationreport"})
"""What a reader of text needs none of."""

_FAULTS = (
    ("ERR_CERT", Reason.TLS_FAILED, "its certificate is not valid"),
    ("ERR_SSL", Reason.TLS_FAILED, "no safe connection to it is possible"),
    ("Download is starting", Reason.UNSUPPORTED_TYPE, "it is a file to download, no page"),
    ("ERR_TOO_MANY_REDIRECTS", Reason.UPSTREAM_ERROR, "it redirects in a circle"),
    ("ERR_", Reason.UPSTREAM_ERROR, "the connection to it broke off"),
)
"""The driver's and Chromium's words for what lies with the page."""


class Visit:
    """A visit to one url in a context of its own, over `proxy`."""

    def __init__(self, context: BrowserContext, page: Page, proxy: PageProxy, limits: VisitLimits) -> None:
        self._context = context
        self._page = page
        self._proxy = proxy
        self._limits = limits
        self._requests = 0
        self._way: list[str] = []
        self._answer: Response | None = None
        self._crashed = False
        self._ended = asyncio.Event()

    async def document(self, url: str, deadline: Deadline) -> Document:
        """The page as it stands after its scripts.

        Raises `UrlRefused` when it leads where the guard lets nobody, `NoContent` for what lies with
        the page and `Transient` when the browser is at fault.
        """
        reading = asyncio.create_task(self._read(url, deadline))
        ended = asyncio.create_task(self._ended.wait())
        try:
            async with deadline.enforce():
                await asyncio.wait((reading, ended), return_when=asyncio.FIRST_COMPLETED)
            if reading.done():
                return reading.result()
            raise self._meaning("it ended")
        except TimeoutError:
            raise self._cause() or NoContent("its scripts took too long", reason=Reason.TIMEOUT) from None
        except Error as error:
            raise self._meaning(str(error)) from None
        finally:
            for task in (reading, ended):
                task.cancel()
            await asyncio.gather(reading, ended, return_exceptions=True)

    async def _prepare(self) -> None:
        self._context.on("page", _close)
        self._page.on("request", self._note_request)
        self._page.on("response", self._note_response)
        self._page.on("crash", self._note_crash)
        self._page.on("close", lambda _: self._ended.set())
        await self._context.route("**/*", self._filter)

    async def _read(self, url: str, deadline: Deadline) -> Document:
        await self._prepare()
        await self._page.goto(url, wait_until="commit", timeout=0)
        snapshots = Snapshots(await self._context.new_cdp_session(self._page))
        await self._settle(snapshots, deadline)
        if error := self._cause():
            raise error
        html, cut = await self._html(snapshots)
        return self._document(url, html, cut)

    async def _settle(self, snapshots: Snapshots, deadline: Deadline) -> None:
        """Wait until the page is there, is quiet and shows something, each for a while.

        None of it takes more than half of what is left, so that the page can be read as it stands.
        """

        def patience(most: float) -> timedelta:
            return timedelta(seconds=min(most, deadline.remaining() / 2))

        with suppress(Late):  # some pages never end
            await self._page.wait_for_load_state("domcontentloaded", timeout=patience(self._limits.load))
        with suppress(Late):  # some are never quiet
            await self._page.wait_for_load_state("networkidle", timeout=patience(self._limits.settle))
        for _ in range(int(patience(self._limits.settle).total_seconds() / self._limits.look)):
            with suppress(Error):  # it is on its way to another page
                if await snapshots.text_length() >= self._limits.little:
                    return
            await asyncio.sleep(self._limits.look)

    async def _html(self, snapshots: Snapshots) -> tuple[str, bool]:
        """The page's tree; once more when the page moved on meanwhile."""
        try:
            return await snapshots.html(self._limits.text)
        except Error:
            await asyncio.sleep(self._limits.look)
            return await snapshots.html(self._limits.text)

    def _document(self, url: str, html: str, cut: bool) -> Document:
        truncated = ""
        if self._proxy.spent or self._requests > self._limits.requests:
            truncated = "the page loads more than it may here"
        elif cut:
            truncated = f"the page has more than {self._limits.text:,} characters"
        headers = dict(self._answer.headers) if self._answer else {}
        return Document(
            url=url,
            final_url=self._final_url(url),
            status=self._answer.status if self._answer else 200,
            headers={**headers, "content-type": "text/html; charset=utf-8"},
            body=html.encode("utf-8", "replace"),
            truncated=truncated,
        )

    def _final_url(self, url: str) -> str:
        """Where the page ended. Raises `NoContent` for what is no page of the web."""
        there = self._page.url
        if urlsplit(there).scheme not in ("http", "https"):
            raise NoContent("it leads away from the web", reason=Reason.UPSTREAM_ERROR)
        try:
            return normal_form(there).url
        except UrlRefused:  # a script may write into the address what no link may hold
            return url

    # What the page does

    async def _filter(self, route: Route) -> None:
        self._requests += 1
        unwanted = self._requests > self._limits.requests or route.request.resource_type in _UNSEEN
        with suppress(Error):  # the page is closed already
            await (route.abort("blockedbyclient") if unwanted else route.continue_())

    def _note_request(self, request: Request) -> None:
        if self._leads(request):
            self._way.append(request.url)

    def _note_response(self, response: Response) -> None:
        if self._leads(response.request):
            self._answer = response

    def _note_crash(self, _: Page) -> None:
        self._crashed = True
        self._ended.set()

    def _leads(self, request: Request) -> bool:
        """Whether `request` is for the page itself, not for a part of it."""
        try:
            return request.is_navigation_request() and request.frame == self._page.main_frame
        except Error:  # of a popup that is closed already
            return False

    # What went wrong

    def _cause(self) -> ResearchError | None:
        """Why the proxy could not bring the page, or a page on the way to it."""
        faults = [self._fault(url) for url in self._way]
        refused = next((fault for fault in faults if isinstance(fault, UrlRefused)), None)
        return refused or (faults[-1] if faults else None)

    def _fault(self, url: str) -> ResearchError | None:
        try:
            return self._proxy.fault(normal_form(url))
        except UrlRefused as error:
            return error if urlsplit(url).scheme in ("http", "https") else None

    def _meaning(self, said: str) -> ResearchError:
        if cause := self._cause():
            return cause
        if self._crashed or self._proxy.spent:
            return NoContent("it takes more memory or data than a page may here", reason=Reason.TOO_LARGE)
        for words, reason, why in _FAULTS:
            if words in said:
                return NoContent(why, reason=reason)
        return Transient("the browser gave the page up")


async def _close(popup: Page) -> None:
    with suppress(Error):
        await popup.close()
