"""One map's way to the site, shared by all mappers: guard, robots.txt, workers, progress."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Reason
from research_mcp.core.ports import LinkFinder, Opened, PageFetcher, Robots, RobotsRule
from research_mcp.core.urls import host_of

ACCEPT = "text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.5"
"""Markdown, which pages are otherwise asked for, leaves their menus out."""


class SiteJob:
    """A `core.ports.Site`. `home` is the address that the caller asked for; `tell` gets every count."""

    def __init__(
        self,
        home: str,
        fetcher: PageFetcher,
        finder: LinkFinder,
        robots: Robots,
        tell: Callable[[int], Awaitable[None]],
    ) -> None:
        self._home = home
        self._fetcher = fetcher
        self._finder = finder
        self._robots = robots
        self._tell = tell
        self.discouraged = False
        """Whether robots.txt asks automated readers not to read the page that the caller asked for."""

    async def open(self, url: str, deadline: Deadline, *, linked: bool = False) -> Opened:
        """One guarded GET within the site's wishes, and the links of what it brought."""
        url = self._fetcher.normal_form(url)
        await self._ask(url, linked=linked)
        document = await self._fetcher.fetch(url, deadline, accept=ACCEPT, unpack=True)
        if host_of(document.final_url) != host_of(url):
            await self._ask(document.final_url, linked=linked)
        return Opened(document.final_url, document.status, await self._finder.links(document, deadline))

    async def sitemaps(self, url: str) -> tuple[str, ...]:
        """What robots.txt names."""
        return await self._robots.sitemaps(url)

    async def found(self, count: int) -> None:
        """Pass the count on."""
        await self._tell(count)

    async def _ask(self, url: str, *, linked: bool) -> None:
        rule = await self._robots.rule(url)
        if rule is RobotsRule.REFUSED or (linked and rule is RobotsRule.DISCOURAGED):
            raise NoContent(
                f"the robots.txt of {host_of(url)} asks automated readers to stay away from it",
                reason=Reason.ROBOTS_DISALLOWED,
            )
        if rule is RobotsRule.DISCOURAGED and url == self._home:
            self.discouraged = True
