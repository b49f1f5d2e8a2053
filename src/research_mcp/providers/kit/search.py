"""The base of every search type: declared facts, a pure request, a pure parse.

A vendor states what differs; `KeyedEngine` in `engine.py` puts policy, keys and clamping around it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import ClassVar

from research_mcp.core.errors import ProviderError
from research_mcp.core.models import Filter, Hit, SearchQuery, Topic
from research_mcp.core.wire import Reply, Request
from research_mcp.net.status import NO_PHRASES, Phrases
from research_mcp.providers.kit.auth import BEARER, KeyPlace
from research_mcp.providers.kit.registry import TypeSpec
from research_mcp.providers.kit.shape import Shape


@dataclass(frozen=True, slots=True)
class Means:
    """What an instance of a type gets: its options' values and today's date for computed ranges."""

    options: Mapping[str, str] = field(default_factory=dict)
    today: str = ""


class SearchType(ABC):
    """A vendor's search endpoint. Facts are class attributes; the two methods are pure.

    `endpoint` is the default address; an instance's base url replaces its scheme, host and prefix.
    `index` names whose index it sells. `applies` are the filters that `request` really sends.
    """

    spec: ClassVar[TypeSpec]
    docs: ClassVar[str] = ""
    endpoint: ClassVar[str] = ""
    index: ClassVar[str] = ""
    topics: ClassVar[frozenset[Topic]] = frozenset({Topic.GENERAL})
    reserve: ClassVar[bool] = False
    pace: ClassVar[float] = 0.0
    max_count: ClassVar[int] = 20
    max_query: ClassVar[int] = 400
    applies: ClassVar[frozenset[Filter]] = frozenset()
    key_place: ClassVar[KeyPlace] = BEARER
    phrases: ClassVar[Phrases] = NO_PHRASES
    headers: ClassVar[Mapping[str, str]] = {}

    def __init__(self, means: Means | None = None) -> None:
        self.means = means or Means()

    @abstractmethod
    def request(self, query: SearchQuery) -> Request:
        """The call for `query`, whose count and text are already within this type's limits."""

    @abstractmethod
    def parse(self, reply: Reply) -> list[Hit]:
        """The hits of a 2xx answer, best first. Raises `BadReply`, or another error it states."""

    def refusal(self, reply: Reply) -> ProviderError | None:
        """The error that only this vendor's answers show (a block page with 202); None otherwise."""
        return None


class JsonSearch(SearchType):
    """A vendor that answers with one JSON list: `shape` says where."""

    shape: ClassVar[Shape] = Shape()

    def parse(self, reply: Reply) -> list[Hit]:
        """The hits as `shape` describes them."""
        return self.shape.hits(reply.json())
