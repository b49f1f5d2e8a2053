"""The vocabulary of site maps: what is asked about a site, which addresses it has."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from research_mcp.core.errors import Reason
from research_mcp.core.models import EngineRow


class MapOption(StrEnum):
    """What a caller may ask of a mapper beside the number of addresses."""

    DEPTH = "max_depth"
    INSTRUCTIONS = "instructions"


@dataclass(frozen=True, slots=True)
class MapQuery:
    """One question for the addresses of a site. `url` is a normal form.

    `limit`: addresses wanted. `depth`: links to follow from `url` (1: those on its page). `instructions`:
    in plain words, which pages are wanted; "" for all.
    """

    url: str
    limit: int = 50
    depth: int = 1
    instructions: str = ""

    def options(self) -> frozenset[MapOption]:
        """What this query really asks for."""
        asked = {MapOption.DEPTH: self.depth > 1, MapOption.INSTRUCTIONS: bool(self.instructions)}
        return frozenset(option for option, wanted in asked.items() if wanted)


@dataclass(frozen=True, slots=True)
class SitePage:
    """An address of a site. `title` and `date` (ISO day of the last change) as stated, "" when not."""

    url: str
    title: str = ""
    date: str = ""


@dataclass(frozen=True, slots=True)
class MapAnswer:
    """What one mapper found, best first. `partial`: why there may be more, "" when it went through.

    `home`: where redirects from the query's address ended when that is another site, "" when it is not.
    """

    pages: tuple[SitePage, ...]
    unapplied: frozenset[MapOption] = frozenset()
    notes: tuple[str, ...] = ()
    partial: str = ""
    home: str = ""


@dataclass(frozen=True, slots=True)
class MapReport:
    """The answer of the map pipeline: same-site addresses, a row for each mapper, notes.

    `mapper` found the addresses; without any, `reason` and `message` say why.
    """

    query: MapQuery
    pages: tuple[SitePage, ...] = ()
    mapper: str = ""
    rows: tuple[EngineRow, ...] = ()
    notes: tuple[str, ...] = ()
    partial: str = ""
    reason: Reason | None = None
    message: str = ""
    cached: bool = False


class LinkKind(StrEnum):
    """What kind of thing the links were found in."""

    INDEX = "index"
    SITEMAP = "sitemap"
    FEED = "feed"
    PAGE = "page"
    NONE = "none"


@dataclass(frozen=True, slots=True)
class Links:
    """What a document leads to: absolute http addresses in its order, unchecked.

    Of an `INDEX` they are further site maps. `feeds` are those that a page names; `title` is its own.
    `cut` says why there are more than these, "" when they are all.
    """

    kind: LinkKind
    pages: tuple[SitePage, ...] = field(default=(), repr=False)
    feeds: tuple[str, ...] = ()
    title: str = ""
    cut: str = ""
