"""A vendor's way out: one more try where that helps, caps and the deadline around every call.

Retried are connection errors, resets before an answer, 408, 502, 503 and 504; never 402, 429, 432 and
433, which say that the account should rest, and never a call whose answer was merely slow, since it
may have been billed.
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache

import httpx

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, Reason, Rejected, Transient, UrlRefused
from research_mcp.core.ports import Clock
from research_mcp.core.wire import Reply, Request
from research_mcp.net.base_url import Origin, check_base, joined, origin_of
from research_mcp.net.client import Network, raw_chunks
from research_mcp.net.decode import ACCEPT_ENCODING, RATIO_FREE, Body, size_text
from research_mcp.net.faults import fault_of
from research_mcp.net.status import retry_after
from research_mcp.net.tunnel import ProxyAddress

RETRIED = frozenset({408, 502, 503, 504})
MOST_HOPS = 3

_NEVER_CONNECTED = frozenset({Reason.DNS_FAILED, Reason.UNREACHABLE, Reason.TLS_FAILED})
_LEAST_FOR_A_TRY = 1.0
"""Seconds that a further try must have left to be worth its wait."""


@dataclass(frozen=True, slots=True)
class CallLimits:
    """Seconds, octets and tries. `timeout` is for one try, the deadline for all of them.

    `retried` are the statuses after which a further try makes sense.
    """

    timeout: float = 25.0
    connect: float = 5.0
    body: int = 5_000_000
    retries: int = 1
    pause: tuple[float, float] = (0.05, 0.5)
    retried: frozenset[int] = RETRIED


class RetryBudget:
    """At most about a fifth of the calls are tries again, so that retries never double an outage."""

    SHARE, MOST = 0.2, 10.0

    def __init__(self) -> None:
        self._saved = self.MOST

    def earn(self) -> None:
        """A first try goes out."""
        self._saved = min(self.MOST, self._saved + self.SHARE)

    def spend(self) -> bool:
        """Take one retry; False when none is left."""
        if self._saved < 1:
            return False
        self._saved -= 1
        return True


class _Lost(Exception):
    """A try without an answer. `again`: it is certain that nothing came of it."""

    def __init__(self, error: Transient, *, again: bool) -> None:
        super().__init__(str(error))
        self.error = error
        self.again = again


class VendorClient:
    """The `core.ports.Http` of one instance.

    `endpoint` is the type's default address, `base_url` what the operator put in its place. Both may be
    private; any other address that a request names passes the guard like a page.
    `proxy` is used for all of them. `between(low, high)` draws the pause before a retry.
    """

    def __init__(
        self,
        network: Network,
        name: str,
        *,
        clock: Clock,
        user_agent: str,
        endpoint: str = "",
        base_url: str = "",
        proxy: str = "",
        limits: CallLimits | None = None,
        between: Callable[[float, float], float] = random.uniform,
    ) -> None:
        self._name = name
        self._clock = clock
        self._endpoint = endpoint
        self._base = check_base(name, base_url) if base_url else ""
        self._trusted = {origin_of(url) for url in (base_url, endpoint) if url}
        if proxy:
            ProxyAddress.parse(proxy, name)
        self._network = network
        self._proxy = proxy
        self._limits = limits or CallLimits()
        self._between = between
        self._budget = RetryBudget()
        self._headers = {"User-Agent": user_agent, "Accept": "*/*", "Accept-Encoding": ACCEPT_ENCODING}

    async def send(self, request: Request, deadline: Deadline) -> Reply:
        """The vendor's answer, whatever its status, redirects within its own host followed.

        Raises `Transient` (`timeout`, `unreachable`, `dns_failed`, `tls_failed`, `upstream_error`),
        `BadReply` (`too_large`; `address_refused` when an address out of an answer is not public) and
        `Rejected` when a key cannot be put into a header.
        """
        self._budget.earn()
        tries, sent = 0, False
        while True:
            tries += 1
            more = tries <= self._limits.retries
            try:
                reply = await self._once(request, deadline)
            except _Lost as lost:
                sent = sent or lost.error.sent
                if not (more and lost.again and await self._paused(self._pause(), deadline)):
                    raise Transient(str(lost.error), reason=lost.error.reason, sent=sent) from None
            else:
                reply = replace(reply, tries=tries)
                if not (more and reply.status in self._limits.retried):
                    return reply
                wait = retry_after(reply, self._clock.now(), default=self._pause())
                if not await self._paused(wait, deadline):
                    return reply

    def _pause(self) -> float:
        return self._between(*self._limits.pause)

    async def _paused(self, seconds: float, deadline: Deadline) -> bool:
        """Wait before a further try; False, at once, when the deadline or the budget has no room."""
        if deadline.remaining() < seconds + _LEAST_FOR_A_TRY or not self._budget.spend():
            return False
        await asyncio.sleep(seconds)
        return True

    async def _once(self, request: Request, deadline: Deadline) -> Reply:
        within = deadline.share(self._limits.timeout)
        call = self._built(request)
        try:
            async with within.enforce():
                return await self._follow(call, request.ends)
        except TimeoutError:
            raise self._lost("did not answer in time", Reason.TIMEOUT, again=False) from None
        except NoContent as error:
            raise _Lost(Transient(str(error), reason=error.reason, sent=False), again=True) from None
        except UrlRefused:
            raise BadReply(
                f"{self._name} points to an address that is not public", reason=Reason.ADDRESS_REFUSED
            ) from None
        except httpx.LocalProtocolError:
            raise self._unsendable() from None
        except httpx.HTTPError as error:
            fault = fault_of(error)
            raise self._lost(fault.says, fault.reason, again=fault.early) from None

    def _lost(self, says: str, reason: Reason, *, again: bool) -> _Lost:
        sent = reason not in _NEVER_CONNECTED
        return _Lost(Transient(f"{self._name} {says}", reason=reason, sent=sent), again=again)

    def _built(self, request: Request) -> httpx.Request:
        headers = httpx.Headers(self._headers)
        try:
            headers.update(dict(request.headers))
        except UnicodeEncodeError:
            raise self._unsendable() from None
        try:
            url = _address(self._base, self._endpoint, request.url)
            if request.params:
                url = url.copy_merge_params({name: str(value) for name, value in request.params.items()})
            return httpx.Request(
                request.method,
                url,
                headers=headers,
                json=request.json,
                data=None if request.form is None else dict(request.form),
                content=request.content,
                extensions={"timeout": {"connect": self._limits.connect}},
            )
        except (UnicodeEncodeError, httpx.InvalidURL):
            raise BadReply(
                f"{self._name} was asked for something that HTTP cannot carry", reason=Reason.INVALID_URL
            ) from None

    def _unsendable(self) -> Rejected:
        return Rejected(
            f"a header for {self._name} cannot be sent: check its key for line ends, quotes and letters "
            "that are not ASCII"
        )

    async def _follow(self, call: httpx.Request, ends: tuple[bytes, ...]) -> Reply:
        for _ in range(MOST_HOPS + 1):
            answer = await self._way(call).handle_async_request(call)
            try:
                onward = _redirected(call, answer)
                if onward is None:
                    return await self._read(call, answer, ends)
            finally:
                await answer.aclose()
            call = onward
        raise BadReply(f"{self._name} redirects more than {MOST_HOPS} times")

    def _way(self, call: httpx.Request) -> httpx.AsyncBaseTransport:
        """Straight to what the configuration names, past the guard to anything else."""
        if origin_of(str(call.url)) in self._trusted:
            return self._network.direct(self._proxy)
        return self._network.guarded(self._proxy)

    async def _read(self, call: httpx.Request, answer: httpx.Response, ends: tuple[bytes, ...]) -> Reply:
        try:
            body = Body(answer.headers.get("content-encoding", ""), self._limits.body)
        except NoContent as error:
            raise BadReply(f"{self._name}: {error}", reason=error.reason) from None
        stream = "event-stream" in answer.headers.get("content-type", "") and bool(ends)
        ending = _Ending(ends)
        try:
            async with raw_chunks(answer) as chunks:
                async for chunk in chunks:
                    body.add(chunk)
                    if body.stopped or (stream and ending.reached(body.data)):
                        break
                else:
                    body.end()
        except httpx.HTTPError as error:
            if not (stream and body.data):
                fault = fault_of(error)
                raise self._lost(fault.says, fault.reason, again=False) from None
        if body.stopped:
            raise self._unreadable(body)
        return Reply(answer.status_code, dict(answer.headers.items()), bytes(body.data), str(call.url))

    def _unreadable(self, body: Body) -> BadReply:
        reason = Reason.TOO_LARGE if body.full or len(body.data) > RATIO_FREE else Reason.UPSTREAM_ERROR
        return BadReply(
            f"the answer of {self._name} cannot be read whole: {body.stopped}; "
            f"{size_text(self._limits.body)} are the most",
            reason=reason,
        )


@lru_cache(maxsize=512)
def _address(base: str, endpoint: str, url: str) -> httpx.URL:
    return httpx.URL(joined(base, endpoint, url))


class _Ending:
    """Watches an event stream for the whole of its last event."""

    _LONGEST = 200
    _GAPS = (b"\n\n", b"\r\n\r\n", b"\r\r")

    def __init__(self, ends: tuple[bytes, ...]) -> None:
        self._ends = ends
        self._seen = 0
        self._last = -1

    def reached(self, data: bytearray) -> bool:
        """True when `data`, which only ever grows, holds the last event with the blank line after it."""
        if self._last < 0:
            start = max(0, self._seen - self._LONGEST)
            self._seen = len(data)
            self._last = min((at for end in self._ends if (at := data.find(end, start)) >= 0), default=-1)
        return self._last >= 0 and any(data.find(gap, self._last) >= 0 for gap in self._GAPS)


def _redirected(call: httpx.Request, answer: httpx.Response) -> httpx.Request | None:
    """The same call where a redirect within its own host leads; None for an answer to be read."""
    location = answer.headers.get("location", "")
    keeps_body = answer.status_code in (307, 308)
    moves = answer.status_code in (301, 302, 303) and call.method in ("GET", "HEAD")
    if not location or not (keeps_body or moves):
        return None
    try:
        url = call.url.join(location)
    except httpx.InvalidURL:
        return None
    if not _same_place(origin_of(str(call.url)), origin_of(str(url))):
        return None
    headers = call.headers.copy()
    headers.pop("host", None)
    return httpx.Request(
        call.method, url, headers=headers, content=call.content, extensions=dict(call.extensions)
    )


def _same_place(before: Origin, after: Origin) -> bool:
    """The same origin, or its https twin on the default ports."""
    return before == after or (
        before[1] == after[1] and (before[0], before[2], after[0], after[2]) == ("http", 80, "https", 443)
    )
