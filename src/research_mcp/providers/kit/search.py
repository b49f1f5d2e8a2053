"""The base of every search type: declared facts, a pure request, a pure parse.

A vendor states what differs; `ConfiguredEngine` in `engine.py` puts policy, keys and clamping around it.
"""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import replace
from typing import ClassVar

from research_mcp.core.errors import ProviderError
from research_mcp.core.models import Filter, Hit, SearchQuery, Topic
from research_mcp.core.wire import Reply, Request
from research_mcp.net.status import NO_PHRASES, Phrases, error_of
from research_mcp.providers.kit.base import ProviderType
from research_mcp.providers.kit.shape import Shape
from research_mcp.providers.kit.sites import SiteQuery, with_sites

__all__ = ["JsonSearch", "Phrases", "SearchType", "as_if"]


class SearchType(ProviderType):
    """A vendor's search endpoint. The two methods are pure.

    `price` is what the vendor's page said when this was written, for the owner's table. `index` names
    whose index it sells; `prior` is 1 for a general web index, less for what covers only a part of the
    web. `applies` are the filters that `request` really sends. `max_count` is the most hits that one call
    brings (and costs no more than one). `max_query` counts characters, `max_words` words (0: any number);
    `most_included` and `most_excluded` are the most domains of either list (None: any number).
    `site_words`: domains travel as words of the query, which `worded` adds.
    """

    price: ClassVar[str] = "free"
    index: ClassVar[str] = ""
    prior: ClassVar[float] = 0.5
    topics: ClassVar[frozenset[Topic]] = frozenset({Topic.GENERAL})
    reserve: ClassVar[bool] = False
    pace: ClassVar[float] = 0.0
    max_count: ClassVar[int] = 20
    max_query: ClassVar[int] = 400
    max_words: ClassVar[int] = 0
    most_included: ClassVar[int | None] = None
    most_excluded: ClassVar[int | None] = None
    site_words: ClassVar[bool] = False
    applies: ClassVar[frozenset[Filter]] = frozenset()

    @abstractmethod
    def request(self, query: SearchQuery) -> Request:
        """The call for `query`, whose count and text are already within this type's limits."""

    @abstractmethod
    def parse(self, reply: Reply) -> list[Hit]:
        """The hits of a 2xx answer, best first. Raises `BadReply`, or another error it states."""

    def language(self, query: SearchQuery) -> str:
        """The vendor's code for the asked language, "" for one that it does not have."""
        return query.language

    def country(self, query: SearchQuery) -> str:
        """The vendor's code for the asked country, "" for one that it does not have."""
        return query.country

    def worded(self, query: SearchQuery) -> SiteQuery:
        """The text to send, with the domains that travel as words of it."""
        return with_sites(query, self.max_query, self.max_words) if self.site_words else SiteQuery(query.text)

    def unapplied(self, query: SearchQuery) -> frozenset[Filter]:
        """The asked filters that `request` cannot send, or not in full, for this very query."""
        beyond = {
            Filter.LANGUAGE: not self.language(query),
            Filter.COUNTRY: not self.country(query),
            Filter.INCLUDE_DOMAINS: query.include_domains[: self.most_included] != query.include_domains,
            Filter.EXCLUDE_DOMAINS: query.exclude_domains[: self.most_excluded] != query.exclude_domains,
        }
        asked = query.filters()
        lost = {name for name in asked if name not in self.applies or beyond.get(name)}
        return frozenset(lost | self.worded(query).missing)

    def refusal(self, reply: Reply) -> ProviderError | None:
        """The error that only this vendor's answers show (a block page with 202); None otherwise."""
        return None

    def stumbled(self, reply: Reply) -> bool:
        """Whether a good status hides a failure that the vendor says to try once more at once."""
        return False


class JsonSearch(SearchType):
    """A vendor that answers with one JSON list: `shape` says where."""

    shape: ClassVar[Shape] = Shape()

    def parse(self, reply: Reply) -> list[Hit]:
        """The hits as `shape` describes them."""
        return self.shape.hits(reply.json())


def as_if(reply: Reply, status: int, phrases: Phrases = NO_PHRASES) -> ProviderError | None:
    """The error in an answer that claims success, for a type's `refusal`.

    `status` is what the vendor's own code amounts to; a code that is no HTTP error is one of their side.
    """
    stated = status if 400 <= status < 600 else 500
    return error_of(replace(reply, status=stated, headers={}), 0.0, phrases)
