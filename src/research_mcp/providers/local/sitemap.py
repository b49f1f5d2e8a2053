"""The mapper without a service: what the site itself says, then the links of its pages.

Asked in this order: the page at the address; the site maps that robots.txt names, else those at the usual
places, with the maps that they name; feeds where no site map is; the pages that are linked, level by level.
It stops when enough addresses are known. After the page itself come addresses below its path, those of site
maps first; then those that pages link to elsewhere on the site; then the rest of the site maps.
"""

from __future__ import annotations

import asyncio
import math
import re
from collections import Counter, deque
from collections.abc import Iterable, Sequence
from urllib.parse import urljoin, urlsplit

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NO_CONNECTION, NoContent, Overloaded, Reason, UrlRefused
from research_mcp.core.ports import Http, Opened, Site
from research_mcp.core.same_site import SameSite, is_page
from research_mcp.core.sitemaps import LinkKind, MapAnswer, MapOption, MapQuery, SitePage
from research_mcp.core.url_key import url_key
from research_mcp.providers.kit.map import MapType
from research_mcp.providers.kit.read import target_error
from research_mcp.providers.kit.registry import register

USUAL = ("/sitemap.xml", "/sitemap_index.xml")
MOST_MAPS = 50
MOST_LEVELS = 3
"""Of site maps in site maps; the protocol allows one."""
MOST_PAGES = 60
MOST_LINKS = 2_000
"""Links of one page that are considered."""
AT_A_TIME = 200
"""Addresses that are looked at before other work has its turn."""
AT_ONCE = 4
OPEN_FOR = 12.0
"""Seconds for one document."""
LEAVE = 0.5
"""Seconds before the deadline at which what was found is handed over."""

_NOBODY_THERE = NO_CONNECTION | {Reason.DNS_FAILED, Reason.ROBOTS_DISALLOWED}
"""After one of these from the first page, nothing else of the site is asked."""


@register("map.sitemap")
class SitemapMap(MapType):
    """robots.txt, site maps, feeds and links, read by this server itself."""

    docs = "https://www.sitemaps.org/protocol.html"
    applies = frozenset({MapOption.DEPTH})
    from_here = True
    cap = math.inf

    async def map(self, query: MapQuery, site: Site, http: Http, deadline: Deadline) -> MapAnswer:
        """What was found in time. Raises `NoContent` with the reason of the first page for nothing."""
        walk = _Walk(query, site, deadline.share(math.inf, reserve=LEAVE))
        await walk.run()
        return walk.answer(query.options() - self.applies)


class _Finds:
    """Addresses in the order of their worth, each page once; later mentions add what is missing.

    Of those below the path that was asked for as many are taken as are wanted, and as many of the others:
    a site map may name tens of thousands, and telling pages apart costs more than counting them.
    """

    def __init__(self, query: MapQuery) -> None:
        self._path = urlsplit(query.url).path.rstrip("/")
        self._limit = query.limit
        self._places: dict[str, tuple[int, SitePage]] = {}
        self._near = 0
        self.more = False
        """Whether addresses were left out that a higher limit brings."""

    def __len__(self) -> int:
        return len(self._places)

    @property
    def full(self) -> bool:
        """True when there are enough addresses below the path that was asked for."""
        return self._near >= self._limit

    def wants(self, url: str) -> bool:
        """Whether there is room for an address like this one; cheap."""
        room = self._near if self._is_near(url) else len(self._places) - self._near
        self.more = self.more or room >= self._limit
        return room < self._limit

    def add(self, page: SitePage, *, mapped: bool) -> None:
        """Take an address; `mapped`: a site map names it."""
        key = url_key(page.url)
        near = self._is_near(page.url)
        rank = 0 if near else 1 + mapped
        before_rank, before = self._places.get(key, (rank, page))
        if key not in self._places:
            if not self.wants(page.url):
                return
            self._near += near
        self._places[key] = (
            min(rank, before_rank),
            SitePage(before.url, before.title or page.title, before.date or page.date),
        )

    def lead(self, page: SitePage) -> None:
        """Put the page that was asked for before all others."""
        key = url_key(page.url)
        _, before = self._places.pop(key, (0, page))
        self._near += self._is_near(page.url) and before is page
        self._places = {
            key: (-1, SitePage(page.url, page.title or before.title, before.date)),
            **self._places,
        }

    def best(self) -> tuple[SitePage, ...]:
        """As many as are wanted."""
        self.more = self.more or len(self._places) > self._limit
        ordered = sorted(self._places.values(), key=lambda place: place[0])
        return tuple(page for _, page in ordered[: self._limit])

    def _is_near(self, url: str) -> bool:
        path = "/" + re.split("[?#]", url.partition("://")[2].partition("/")[2], maxsplit=1)[0]
        return path.rstrip("/") == self._path or path.startswith(f"{self._path}/")


class _Walk:
    """One map. `run` is called once and raises only what the first page's address deserves."""

    def __init__(self, query: MapQuery, site: Site, deadline: Deadline) -> None:
        self._query = query
        self._site = site
        self._deadline = deadline
        self._home = query.url
        self._within = SameSite.of(query.url)
        self._finds = _Finds(query)
        self._maps: deque[tuple[str, int]] = deque()
        self._named: set[str] = set()
        self._page: Opened | None = None
        self._why: NoContent | None = None
        self._notes: list[str] = []
        self._failed: Counter[Reason] = Counter()
        self._partial = ""
        self._moved = ""

    async def run(self) -> None:
        """Look until enough is known, everything was seen, or the time is over."""
        try:
            async with self._deadline.enforce():
                await self._look()
        except TimeoutError:
            self._partial = "the time ran out"
            if self._page:
                self._lead(self._page)
                self._add(self._page.links.pages[:AT_A_TIME], mapped=False)

    def answer(self, unapplied: frozenset[MapOption]) -> MapAnswer:
        """What was found. Raises `NoContent` when that is nothing."""
        if not self._finds:
            if self._why:
                raise self._why
            reason = Reason.DEADLINE if self._partial else Reason.EMPTY
            raise NoContent(self._partial or "the site names no addresses", reason=reason)
        pages, notes = self._finds.best(), list(self._notes)
        if self._finds.more:
            notes.append("more addresses are known: a higher max_results brings them")
        if kept := self._failed.pop(Reason.ROBOTS_DISALLOWED, 0):
            notes.append(f"{kept} linked pages were not opened, as robots.txt asks")
        if unread := self._failed.total():
            notes.append(f"{unread} documents of the site could not be read")
        return MapAnswer(pages, unapplied, tuple(notes), self._partial, self._moved)

    async def _look(self) -> None:
        start = await self._first()
        is_map = start is not None and await self._is_map(start, 1)
        self._page = None if is_map else start
        mapped = await self._read_maps() if is_map or await self._name_maps() else await self._try_usual()
        if self._page:
            if not mapped:
                await self._read_feeds(self._page.links.feeds)
            await self._follow(self._page)

    async def _first(self) -> Opened | None:
        """The document that was asked for; None when there is none that helps.

        Raises `NoContent` when that means that nobody is there, and `UrlRefused`.
        """
        try:
            start = await self._site.open(self._query.url, self._deadline.share(OPEN_FOR))
        except NoContent as error:
            if error.reason in _NOBODY_THERE:
                raise
            self._why = error
            return None
        self._settle(start.url)
        self._why = target_error(start.status)
        return None if self._why else start

    def _settle(self, home: str) -> None:
        """A site that redirects to another host is looked for there."""
        self._home = home
        if not self._within.covers(home):
            before, self._within = self._within, SameSite.of(home)
            self._moved = home
            self._notes.append(f"{before.host} redirects to {self._within.host}, whose pages are listed")

    # Site maps and feeds

    async def _name_maps(self) -> bool:
        """Whether robots.txt names site maps, which are read next."""
        self._queue((urljoin(self._home, line) for line in await self._site.sitemaps(self._home)), 1)
        return bool(self._maps)

    async def _try_usual(self) -> bool:
        for path in USUAL:
            self._queue([urljoin(self._home, path)], 1)
            if await self._read_maps():
                return True
        return False

    def _queue(self, addresses: Iterable[str], level: int) -> None:
        for address in addresses:
            if address not in self._named:
                self._named.add(address)
                self._maps.append((address, level))

    async def _read_maps(self) -> bool:
        """Read the queued site maps, and those that they name. True when one of them was a site map.

        More and more at once: most often the first one holds all that is wanted.
        """
        found = False
        left, at_once = MOST_MAPS, 0
        while self._maps and not self._finds.full:
            if not left:
                self._notes.append(f"only the first {MOST_MAPS} site maps were read")
                break
            at_once = min(AT_ONCE, at_once + 1)
            wave = [self._maps.popleft() for _ in range(min(at_once, len(self._maps), left))]
            left -= len(wave)
            documents = await asyncio.gather(*(self._opened(address) for address, _ in wave))
            for (_, level), document in zip(wave, documents, strict=True):
                found = (document is not None and await self._is_map(document, level)) or found
        return found

    async def _is_map(self, document: Opened, level: int) -> bool:
        """Take the addresses of a site map or feed, queue the maps of an index; False for anything else."""
        links = document.links
        if links.kind is LinkKind.INDEX:
            if level < MOST_LEVELS:
                self._queue((page.url for page in self._likely(document)), level + 1)
            return True
        if links.kind not in (LinkKind.SITEMAP, LinkKind.FEED):
            return False
        await self._take(links.pages, mapped=True)
        return True

    def _likely(self, index: Opened) -> list[SitePage]:
        """The maps of an index on the site or beside it, those first that name a step of the path."""
        beside = SameSite.of(index.url)
        own = (p for p in index.links.pages if self._within.covers(p.url) or beside.covers(p.url))
        steps = [step for step in urlsplit(self._query.url).path.split("/") if step]
        return sorted(own, key=lambda page: not any(step in page.url for step in steps))

    async def _read_feeds(self, feeds: Iterable[str]) -> None:
        for address in feeds:
            if self._within.covers(address) and (document := await self._opened(address)):
                await self._is_map(document, MOST_LEVELS)

    # Pages

    async def _follow(self, start: Opened) -> None:
        """The page itself, and the linked ones level by level, as far as the query's depth."""
        seen = {url_key(start.url)}
        self._lead(start)
        level = self._new(await self._take(start.links.pages, mapped=False), seen)
        left = MOST_PAGES
        for _ in range(self._query.depth - 1):
            below: list[SitePage] = []
            while level and not self._finds.full:
                if not left:
                    self._notes.append(f"only the first {MOST_PAGES} linked pages were opened")
                    return
                wave = [level.popleft() for _ in range(min(AT_ONCE, len(level), left))]
                left -= len(wave)
                for page in await asyncio.gather(*(self._opened(p.url, linked=True) for p in wave)):
                    if page and page.links.kind is LinkKind.PAGE:
                        below += await self._take(page.links.pages, mapped=False)
            level = self._new(below, seen)

    def _new(self, pages: Iterable[SitePage], seen: set[str]) -> deque[SitePage]:
        """Those that were not opened yet."""
        new: deque[SitePage] = deque()
        for page in pages:
            if (key := url_key(page.url)) not in seen:
                seen.add(key)
                new.append(page)
        return new

    def _lead(self, page: Opened) -> None:
        """The page that was asked for counts as found, before all others."""
        self._finds.lead(SitePage(page.url, page.links.title))

    async def _take(self, pages: Sequence[SitePage], *, mapped: bool) -> list[SitePage]:
        """Those that are pages of the site; they count as found. Other work goes on meanwhile."""
        wanted: list[SitePage] = []
        considered = pages if mapped else pages[:MOST_LINKS]
        for start in range(0, len(considered), AT_A_TIME):
            wanted += self._add(considered[start : start + AT_A_TIME], mapped=mapped)
            await asyncio.sleep(0)
        await self._site.found(len(self._finds))
        return wanted

    def _add(self, pages: Iterable[SitePage], *, mapped: bool) -> list[SitePage]:
        wanted = []
        for page in pages:
            if mapped and not self._finds.wants(page.url):
                continue
            if self._within.covers(page.url) and is_page(page.url):
                self._finds.add(page, mapped=mapped)
                wanted.append(page)
        return wanted

    async def _opened(self, url: str, *, linked: bool = False) -> Opened | None:
        """A further document, None when it cannot be read: the rest of the site goes on."""
        try:
            opened = await self._site.open(url, self._deadline.share(OPEN_FOR), linked=linked)
        except (NoContent, UrlRefused, Overloaded) as error:
            self._failed[error.reason] += 1
            return None
        return opened if opened.status < 400 else None
