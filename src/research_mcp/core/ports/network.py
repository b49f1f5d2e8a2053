"""The ways out: to vendors, to pages, and what a site's robots.txt says."""

from __future__ import annotations

from enum import StrEnum
from typing import Protocol

from research_mcp.core.deadline import Deadline
from research_mcp.core.wire import Document, Reply, Request


class Http(Protocol):
    """A vendor's way out: retry, proxy, caps and deadline are already around it.

    Returns any status. Raises `Transient` when no answer came (reason `timeout`, `unreachable`,
    `dns_failed`, `tls_failed`, or `upstream_error` for one that broke off), `BadReply` past the cap
    (`too_large`) and for an address out of an answer that is not public (`address_refused`), and
    `Rejected` for a key that no header can carry.
    """

    async def send(self, request: Request, deadline: Deadline) -> Reply: ...


class PageFetcher(Protocol):
    """The only door to a url that a caller named.

    `normal_form` and `check` raise `UrlRefused`; `check` also resolves the name (raises `NoContent` with
    `dns_failed` for unknown names). `shareable` says whether a reader elsewhere may be told of a url
    that passed: it is public by name and address, whatever the operator opened for this machine. It
    never raises.
    `fetch` prefers Markdown unless `accept` says otherwise, undoes a body that is gzip by itself if `unpack`
    says so (within the same bounds), returns any status and raises `UrlRefused`
    (also for a redirect to a refused address) or `NoContent`: `dns_failed`, `unreachable` and
    `tls_failed` mean that nothing connected, `timeout` and `upstream_error` (broken HTTP, redirects
    without end) that something did; also `too_large` and `unsupported_type`.
    """

    def normal_form(self, url: str) -> str: ...

    async def check(self, url: str, deadline: Deadline) -> None: ...

    async def shareable(self, url: str, deadline: Deadline) -> bool: ...

    async def fetch(
        self, url: str, deadline: Deadline, *, accept: str = "", unpack: bool = False
    ) -> Document: ...


class Browser(Protocol):
    """A browser on this machine, behind the same guard as the fetcher, subresources and all.

    `render` gives the page as it stands after its scripts, as HTML in UTF-8, whatever its status. Raises
    `UrlRefused` (the page leads to a refused address), `NoContent` for what lies with the page,
    `Rejected` when the browser cannot run here and another `ProviderError` when it fails or is busy.
    """

    async def render(self, url: str, deadline: Deadline) -> Document: ...


class RobotsRule(StrEnum):
    """What a site's robots.txt means for one url under the operator's policy."""

    ALLOWED = "allowed"
    DISCOURAGED = "discouraged"
    REFUSED = "refused"


class Robots(Protocol):
    """The site's wish about automated readers. `rule` never raises and ends within 3 s.

    `binding`: the policy can refuse, so a read waits for the answer before it goes on. Otherwise the
    answer only adds `Flag.ROBOTS` to the page. `sitemaps`: the addresses of site maps that robots.txt names,
    as they stand there; asked whatever the policy is, under the same terms.
    """

    @property
    def binding(self) -> bool: ...

    async def rule(self, url: str) -> RobotsRule: ...

    async def sitemaps(self, url: str) -> tuple[str, ...]: ...
