"""The declared shapes of structured answers, and their schemas as every client takes them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Generic, NotRequired, TypeVar

from pydantic import TypeAdapter
from typing_extensions import TypedDict  # pydantic cannot use typing's before Python 3.12

from research_mcp.core.wire import JsonValue


class FoundHit(TypedDict):
    """One entry of the ranked list; `date` as the engine stated it, `also_at` twin urls, `why` its votes,
    `type` the kind of source."""

    title: str
    url: str
    snippet: str
    engines: list[str]
    why: NotRequired[str]
    type: NotRequired[str]
    date: NotRequired[str]
    also_at: NotRequired[list[str]]


class EngineLine(TypedDict):
    """What became of one engine; `detail` says why and when it is free again."""

    name: str
    state: str
    count: int
    detail: NotRequired[str]
    reason: NotRequired[str]


class SearchAnswer(TypedDict):
    """The whole answer of `web_search`."""

    summary: str
    results: list[FoundHit]
    engines: list[EngineLine]
    notes: list[str]


class PageLine(TypedDict):
    """One requested url: `markdown` when `ok`, else `error` and `reason`. `note` holds caveats."""

    url: str
    ok: bool
    title: NotRequired[str]
    markdown: NotRequired[str]
    note: NotRequired[str]
    error: NotRequired[str]
    reason: NotRequired[str]


class PagesAnswer(TypedDict):
    """The whole answer of `read_pages`."""

    summary: str
    pages: list[PageLine]


class ReadHit(TypedDict):
    """A hit that was tried: `markdown`, or `error` and `reason`."""

    title: str
    url: str
    snippet: str
    type: NotRequired[str]
    date: NotRequired[str]
    markdown: NotRequired[str]
    note: NotRequired[str]
    error: NotRequired[str]
    reason: NotRequired[str]


class ResearchAnswer(TypedDict):
    """The whole answer of `search_and_read`."""

    summary: str
    results: list[ReadHit]
    engines: list[EngineLine]
    notes: list[str]


class SitePageLine(TypedDict):
    """One page of a site; `title` and `date` of its last change where known."""

    url: str
    title: NotRequired[str]
    date: NotRequired[str]


class MapAnswer(TypedDict):
    """The whole answer of `map_site`; `mappers` say who was asked and what came of it."""

    summary: str
    pages: list[SitePageLine]
    mappers: list[EngineLine]
    partial: bool
    notes: list[str]


class SourceLine(TypedDict):
    """One source of an answer; `use` is cited, visited or supplementary."""

    url: str
    use: str
    provenance: list[str]
    title: NotRequired[str]
    snippet: NotRequired[str]
    date: NotRequired[str]


class WebAnswerAnswer(TypedDict):
    """The whole answer of `web_answer`. `next_start` and `next_offset` say where `get_sources` goes on."""

    summary: str
    session_id: str
    content: str
    verifiable: bool
    partial: bool
    search_provider: str
    fallback_used: bool
    sources_count: int
    cited_count: int
    visited_count: int
    supplementary_count: int
    sources: list[SourceLine]
    warnings: list[str]
    engines: list[EngineLine]
    truncated: bool
    expires_in_seconds: int
    fallback_reason: NotRequired[str]
    unverified_content: NotRequired[str]
    next_start: NotRequired[int]
    next_offset: NotRequired[int]


class SourcesAnswer(TypedDict):
    """The whole answer of `get_sources`. Without `next_offset`, the sources end here."""

    summary: str
    session_id: str
    sources_count: int
    offset: int
    sources: list[SourceLine]
    expires_in_seconds: int
    next_offset: NotRequired[int]
    content: NotRequired[str]
    next_start: NotRequired[int]


T = TypeVar("T")


class Shape(Generic[T]):
    """One structured answer: its schema for `tools/list`, and the check before it is sent."""

    def __init__(self, kind: type[T]) -> None:
        self._adapter = TypeAdapter(kind)
        schema = self._adapter.json_schema()
        self.schema = _flat(schema, schema.get("$defs", {}))

    def checked(self, answer: Mapping[str, object]) -> dict[str, JsonValue]:
        """`answer` as plain JSON values. Raises `pydantic.ValidationError` when it breaks the schema."""
        plain: dict[str, JsonValue] = self._adapter.dump_python(
            self._adapter.validate_python(answer, strict=True), mode="json"
        )
        return plain


def _flat(node: Mapping[str, Any], definitions: Mapping[str, Any]) -> dict[str, JsonValue]:
    """`node` without references, titles and descriptions, which some clients refuse or nobody reads."""
    if "$ref" in node:
        return _flat(definitions[node["$ref"].rpartition("/")[2]], definitions)
    flat: dict[str, JsonValue] = {"type": node["type"]}
    if "properties" in node:
        flat["properties"] = {name: _flat(inner, definitions) for name, inner in node["properties"].items()}
        flat["required"] = node["required"]
    if "items" in node:
        flat["items"] = _flat(node["items"], definitions)
    return flat
