"""Every word the model reads, as one typed catalogue; `en` and `ru` beside it fill it.

Templates are filled with `str.format` and named fields. A new text is a new field here: a language
that lacks it does not type-check.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from research_mcp.core.answers import Fallback, Use
from research_mcp.core.errors import Reason
from research_mcp.core.models import EngineState, Flag, Kind, PageType


@dataclass(frozen=True, slots=True)
class ToolText:
    """What a client lists about one tool: its title, description and a sentence per argument."""

    title: str
    description: str
    arguments: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class ArgumentTexts:
    """One sentence for each mistake in a call: value, rule, remedy."""

    unknown_tool: str
    unknown: str
    unknown_closest: str
    missing: str
    blank: str
    too_long: str
    not_text: str
    not_integer: str
    not_flag: str
    not_list: str
    out_of_range: str
    too_small: str
    clamped: str
    not_a_choice: str
    too_many: str
    no_items: str
    not_language: str
    not_country: str
    not_domain: str
    start_beyond: str
    ignored: str
    not_zone: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTexts:
    """Words of the ranked list and its engine rows."""

    found: str
    nothing: str
    nothing_yet: str
    all_removed: str
    failed: str
    cached: str
    hit_by: str
    also_at: str
    engines: str
    notes: str
    retry: str
    no_retry: str
    cut_off: str
    retry_failed: str
    free_again: str
    states: Mapping[EngineState, str]
    types: Mapping[PageType, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PageTexts:
    """Words of a page's head, its marks and its failure."""

    asked_for: str
    read_by: str
    characters: str
    cached: str
    caveat: str
    note: str
    part: str
    cut: str
    cut_rest: str
    rest: str
    outline: str
    failed: str
    attempts: str
    pages_read: str
    hits_read: str
    hits_skipped: str
    unread: str
    kinds: Mapping[Kind, str]
    flags: Mapping[Flag, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class MapTexts:
    """Words of the list of a site's pages, and of its failure."""

    found: str
    partial: str
    mappers: str
    failed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerTexts:
    """Words of an answer with its sources, and of sources in its place."""

    answered: str
    instead: str
    no_sources: str
    failed: str
    attempt: str
    counts: str
    partial: str
    unverified: str
    sources: str
    warnings: str
    rest: str
    more: str
    session: str
    page: str
    fallbacks: Mapping[Fallback, str]
    uses: Mapping[Use, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanTexts:
    """Words of the prompt `research_plan`.

    `steps` stand in order, a depth takes the first few; `budgets` by depth; `uses` says what each tool is
    for in a plan, and is shown for the tools that are listed.
    """

    prompt: ToolText
    opening: str
    steps: Mapping[str, str]
    closing: str
    budgets: Mapping[int, str]
    uses: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Texts:
    """The catalogue of one language.

    `remedies` tells for every reason what to do next; `data` is the fixed sentence above every frame.
    """

    language: str
    instructions: str
    tools: Mapping[str, ToolText]
    arguments: ArgumentTexts
    search: SearchTexts
    page: PageTexts
    map: MapTexts
    answer: AnswerTexts
    plan: PlanTexts
    remedies: Mapping[Reason, str]
    data: str
    data_fields: str
    deadline: str
    deadline_progress: str
    crashed: str
    working: str
    at_time: str
    seconds: str
    minutes: str
    hours: str
    days: str
