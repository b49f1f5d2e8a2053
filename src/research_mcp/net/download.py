"""A page, fetched within bounds: the only door to a url that a caller named.

Redirects are followed by hand, so that each hop passes the guard and no redirect's body is read. A
downgrade to http is followed like any http url: no cookie or credential goes along that it could leak.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from weakref import WeakValueDictionary

import httpx

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ConfigError, NoContent, Reason, UrlRefused
from research_mcp.core.wire import Document
from research_mcp.net.client import Network, raw_chunks
from research_mcp.net.decode import ACCEPT_ENCODING, Body, size_text
from research_mcp.net.faults import DROPPED, fault_of, no_content
from research_mcp.net.normal import Target, absolute
from research_mcp.net.sniff import HEAD, Family, family_of

ACCEPT = "text/markdown, text/html;q=0.9, */*;q=0.1"
ANYTHING = "*/*"
ACCEPT_LANGUAGE = "en, *;q=0.5"

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_LEAST_IN_TIME = 2_048
"""Octets: a page that was slower than this is a time-out, not a page."""


@dataclass(frozen=True, slots=True)
class FetchLimits:
    """Sizes in octets, times in seconds. The defaults are what the tests hold."""

    text: int = 10_000_000
    document: int = 25_000_000
    binary: int = 64_000
    head: int = 64_000
    fields: int = 200
    redirects: int = 5
    connect: float = 5.0
    first_byte: float = 10.0
    whole: float = 20.0
    slow_after: float = 5.0
    slow_rate: int = 1_000
    per_host: int = 4


@dataclass(frozen=True, slots=True)
class _Hop:
    """One answer. `location`: where a redirect leads ("" for none), and then there is no body."""

    status: int
    headers: dict[str, str]
    location: str = ""
    body: bytes = b""
    truncated: str = ""
    broken: bool = False


@dataclass(frozen=True, slots=True)
class _Wish:
    """What is asked of one document: its kind, and whether a body that is gzip itself is undone."""

    accept: str
    unpack: bool


class GuardedFetcher:
    """Fetches pages over `network`'s guarded way (`core.ports.PageFetcher`).

    `user_agent` names the product and a contact address. `proxy` is told checked numbers only.
    """

    def __init__(
        self,
        network: Network,
        *,
        user_agent: str,
        limits: FetchLimits | None = None,
        proxy: str = "",
    ) -> None:
        if not (user_agent.isascii() and user_agent.isprintable()):
            raise ConfigError(f"USER_AGENT={user_agent!r} cannot be sent: write it in plain ASCII")
        self._guard = network.guard
        self._transport = network.guarded(proxy)
        self._limits = limits or FetchLimits()
        self._headers = {
            "User-Agent": user_agent,
            "Accept-Language": ACCEPT_LANGUAGE,
            "Accept-Encoding": ACCEPT_ENCODING,
        }
        self._places: WeakValueDictionary[str, asyncio.Semaphore] = WeakValueDictionary()

    def normal_form(self, url: str) -> str:
        """The url that later code may use. Raises `UrlRefused`."""
        return self._guard.target(url).url

    async def check(self, url: str, deadline: Deadline) -> None:
        """Judge `url` and the addresses of its name. Raises `UrlRefused` or `NoContent` (`dns_failed`)."""
        target = self._guard.target(url)
        try:
            async with deadline.enforce():
                await self._guard.addresses(target.host, target.port)
        except TimeoutError:
            raise NoContent(
                f"{target.host} could not be resolved in time", reason=Reason.DNS_FAILED
            ) from None

    async def shareable(self, url: str, deadline: Deadline) -> bool:
        """Whether `url` passes the guard even where it opens nothing private. Never raises."""
        public = self._guard.public
        if public is self._guard:
            return True
        try:
            target = public.target(url)
            async with deadline.enforce():
                await public.addresses(target.host, target.port)
        except (UrlRefused, NoContent, TimeoutError):
            return False
        return True

    async def fetch(
        self, url: str, deadline: Deadline, *, accept: str = "", unpack: bool = False
    ) -> Document:
        """The document at `url`, whatever its status; after a 406, once more with `Accept: */*`.

        Raises `UrlRefused` and `NoContent` as `core.ports.PageFetcher` says. A text that broke off is
        returned with the reason in `truncated`.
        """
        within = deadline.share(self._limits.whole)
        target = self._guard.target(url)
        document = await self._follow(target, _Wish(accept or ACCEPT, unpack), within)
        if document.status == httpx.codes.NOT_ACCEPTABLE and accept != ANYTHING:
            document = await self._follow(target, _Wish(ANYTHING, unpack), within)
        return document

    async def _follow(self, target: Target, wish: _Wish, deadline: Deadline) -> Document:
        first, left = target, list[str]()
        while True:
            hop = await self._get(target, wish, deadline)
            if not hop.location:
                return Document(
                    first.url,
                    target.url,
                    hop.status,
                    hop.headers,
                    hop.body,
                    hop.truncated,
                    tuple(left),
                    hop.broken,
                )
            left.append(target.url)
            target = self._led_to(target, hop.location)
            if target.url in left or len(left) > self._limits.redirects:
                raise NoContent(
                    f"{first.host} redirects in a circle or more than {self._limits.redirects} times",
                    reason=Reason.UPSTREAM_ERROR,
                )

    def _led_to(self, target: Target, location: str) -> Target:
        """Where a redirect leads. Raises `UrlRefused` that says so: the caller's own url was fine."""
        try:
            return self._guard.target(absolute(target.url, location))
        except UrlRefused as error:
            raise UrlRefused(f"The page redirects elsewhere. {error}", reason=error.reason) from None

    async def _get(self, target: Target, wish: _Wish, deadline: Deadline) -> _Hop:
        try:
            return await self._try(target, wish, deadline)
        except httpx.HTTPError as error:
            fault = fault_of(error)
        if fault is DROPPED:  # most often a kept connection that the host had given up
            try:
                return await self._try(target, wish, deadline)
            except httpx.HTTPError as error:
                fault = fault_of(error)
        raise no_content(target.host, fault)

    async def _try(self, target: Target, wish: _Wish, deadline: Deadline) -> _Hop:
        host = target.host
        try:
            async with (
                self._place(host, deadline),
                self._answer(target, wish.accept, deadline) as answer,
            ):
                headers = self._headers_of(answer, host)
                if answer.status_code in _REDIRECTS:
                    return _Hop(answer.status_code, headers, location=_location(headers, host))
                body = await self._read(answer, deadline, host, unpack=wish.unpack)
                return _Hop(answer.status_code, headers, "", bytes(body.data), body.stopped, body.broken)
        except TimeoutError:
            raise NoContent(f"{host} did not answer in time", reason=Reason.TIMEOUT) from None

    @asynccontextmanager
    async def _place(self, host: str, deadline: Deadline) -> AsyncIterator[None]:
        """One of the few connections that a host gets at a time. Raises `TimeoutError`."""
        places = self._places.get(host)
        if places is None:
            places = self._places[host] = asyncio.Semaphore(self._limits.per_host)
        async with asyncio.timeout(deadline.remaining()):
            await places.acquire()
        try:
            yield
        finally:
            places.release()

    @asynccontextmanager
    async def _answer(self, target: Target, accept: str, deadline: Deadline) -> AsyncIterator[httpx.Response]:
        """The answer's head; leaving the block drops what was not read. Raises `TimeoutError`."""
        request = httpx.Request(
            "GET",
            target.url,
            headers={**self._headers, "Accept": accept},
            extensions={"timeout": {"connect": self._limits.connect}},
        )
        async with asyncio.timeout(min(self._limits.first_byte, deadline.remaining())):
            answer = await self._transport.handle_async_request(request)
        try:
            yield answer
        finally:
            await answer.aclose()

    def _headers_of(self, answer: httpx.Response, host: str) -> dict[str, str]:
        raw = answer.headers.raw
        octets = sum(len(name) + len(value) for name, value in raw)
        if len(raw) > self._limits.fields or octets > self._limits.head:
            raise NoContent(
                f"{host} sent {len(raw)} header fields of {size_text(octets)}; "
                f"{self._limits.fields} of {size_text(self._limits.head)} are the most",
                reason=Reason.TOO_LARGE,
            )
        return dict(answer.headers.items())

    async def _read(self, answer: httpx.Response, deadline: Deadline, host: str, *, unpack: bool) -> Body:
        """The body up to its cap, which depends on what its first octets say that it is."""
        reading = _Reading(answer, self._limits, host, unpack=unpack)
        try:
            await reading.run(deadline)
        except TimeoutError:
            if len(reading.body.data) < _LEAST_IN_TIME:
                raise
            reading.body.break_off("the rest came too slowly")
        except httpx.HTTPError:
            if not reading.body.data:
                raise
            reading.body.break_off("the connection broke off")
        return reading.finished()


class _Reading:
    """One body on its way in."""

    def __init__(self, answer: httpx.Response, limits: FetchLimits, host: str, *, unpack: bool) -> None:
        self._answer = answer
        self._limits = limits
        self._host = host
        self._family: Family | None = None
        self._caps = {
            Family.TEXT: limits.text,
            Family.DOCUMENT: limits.document,
            Family.BINARY: limits.binary,
        }
        # a body that turns out not to be gzip is taken as it is
        encoding = answer.headers.get("content-encoding", "").strip() or ("gzip" if unpack else "")
        self.body = Body(encoding, limits.text)

    async def run(self, deadline: Deadline) -> None:
        """Read on while it comes at `slow_rate` at least. Raises `TimeoutError` and httpx's errors."""
        now = asyncio.get_running_loop().time
        begun = now()
        last = begun + deadline.remaining()
        grace, rate = self._limits.slow_after, self._limits.slow_rate
        async with asyncio.timeout_at(min(last, begun + grace)) as patience:
            async with raw_chunks(self._answer) as chunks:
                async for chunk in chunks:
                    self._take(chunk)
                    if self.body.stopped:
                        return
                    patience.reschedule(min(last, begun + max(grace, self.body.wire / rate)))

    def finished(self) -> Body:
        """The body, its caveat set. Raises `NoContent` for a document that is over its cap."""
        self.body.end()
        family = self._decide()
        if family is Family.DOCUMENT and self.body.full:
            self._refuse_document()
        if family is Family.BINARY and self.body.full:
            self.body.stopped = f"only the first {size_text(self._limits.binary)} of a binary file are kept"
        return self.body

    def _take(self, chunk: bytes) -> None:
        self.body.add(chunk)
        if self._family is None and len(self.body.data) >= HEAD:
            self._decide()

    def _decide(self) -> Family:
        """Settle the family and with it the cap."""
        if self._family is None:
            media_type = self._answer.headers.get("content-type", "").partition(";")[0].strip().lower()
            self._family = family_of(bytes(self.body.data[:HEAD]), media_type)
            self.body.limit(self._caps[self._family])
            if self._family is Family.DOCUMENT and self._stated_size() > self._limits.document:
                self._refuse_document()
        return self._family

    def _stated_size(self) -> int:
        stated = self._answer.headers.get("content-length", "")
        return int(stated) if stated.isascii() and stated.isdigit() and len(stated) < 16 else 0

    def _refuse_document(self) -> None:
        raise NoContent(
            f"the document on {self._host} is larger than {size_text(self._limits.document)}",
            reason=Reason.TOO_LARGE,
        )


def _location(headers: dict[str, str], host: str) -> str:
    location = headers.get("location", "").strip(" ")
    if not location:
        raise NoContent(f"{host} redirects without saying where to", reason=Reason.UPSTREAM_ERROR)
    return location
