"""The arguments of a search, shared by the tools that search."""

from __future__ import annotations

import re

from research_mcp.core.answers import Question
from research_mcp.core.errors import InvalidArgument
from research_mcp.core.models import SearchQuery, TimeRange
from research_mcp.core.urls import normal_domain
from research_mcp.core.zones import zone_of
from research_mcp.server.texts.shape import ArgumentTexts
from research_mcp.server.tools.arguments import Arguments, Field, Text, TextList, shown

QUERY = Text(name="query", required=True, limit=2000)
DOMAINS: tuple[Field, ...] = (
    TextList(name="include_domains", limit=50, commas=True),
    TextList(name="exclude_domains", limit=50, commas=True),
)
FILTERS: tuple[Field, ...] = (
    Text(name="language", limit=40),
    Text(name="time_range", limit=40, choices=tuple(item.value for item in TimeRange if item.value)),
    *DOMAINS,
    TextList(name="prefer_domains", limit=50, commas=True),
    Text(name="country", limit=40),
)

_HOMES_OF_SCRIPTS = {"hant": "tw", "hans": "cn"}
"""Where Chinese in traditional and in simplified characters is at home, for tags without a region."""

_HOST = re.compile(r"(?:\w(?:[\w-]{0,61}\w)?\.)+[\w-]{2,63}")


def search_query(arguments: Arguments, words: ArgumentTexts) -> SearchQuery:
    """The question to the engines. Raises `InvalidArgument` for codes and domains that are none."""
    language, region = _language(arguments.text("language"), words)
    return SearchQuery(
        text=arguments.text("query"),
        limit=arguments.integer("num_results"),
        language=language,
        region=region,
        country=_country(arguments.text("country"), words),
        time_range=TimeRange(arguments.text("time_range")),
        include_domains=_domains("include_domains", arguments, words),
        exclude_domains=_domains("exclude_domains", arguments, words),
        prefer_domains=_domains("prefer_domains", arguments, words),
    )


def answer_question(arguments: Arguments, words: ArgumentTexts) -> Question:
    """The question to a model that searches. Raises `InvalidArgument` for domains that are none."""
    return Question(
        text=arguments.text("query"),
        recency_days=arguments.integer("recency_days"),
        include_domains=_domains("include_domains", arguments, words),
        exclude_domains=_domains("exclude_domains", arguments, words),
        extra_sources=arguments.integer("extra_sources"),
        include_x=arguments.flag("include_x"),
        zone=arguments.zone if zone_of(arguments.zone) else "",
    )


def zone_notes(arguments: Arguments, words: ArgumentTexts) -> tuple[str, ...]:
    """That the client states a time zone that does not exist; nothing otherwise."""
    if not arguments.zone or zone_of(arguments.zone):
        return ()
    return (words.not_zone.format(value=shown(arguments.zone)),)


def _language(stated: str, words: ArgumentTexts) -> tuple[str, str]:
    """The code and the region: `zh`, `TW` for `zh-TW`, `ZH_tw` and `zh-Hant`; `de`, "" for `de`."""
    code, *more = re.split("[-_]", stated.lower())
    if code and not re.fullmatch("[a-z]{2,3}", code):
        raise InvalidArgument(words.not_language.format(name="language", value=shown(stated)))
    if code in ("any", "all"):
        return "", ""
    regions = [part for part in more if re.fullmatch("[a-z]{2}", part)]
    regions += [_HOMES_OF_SCRIPTS[part] for part in more if part in _HOMES_OF_SCRIPTS]
    return code, _country(regions[0], words) if code and regions else ""


def _country(stated: str, words: ArgumentTexts) -> str:
    """`at` is `AT`; `uk`, which is nobody's code but what everybody writes, is `GB`."""
    code = stated.upper()
    if code in ("ANY", "ALL"):
        return ""
    if code == "UK":
        return "GB"
    if code and not re.fullmatch("[A-Z]{2}", code):
        raise InvalidArgument(words.not_country.format(name="country", value=shown(stated)))
    return code


def _domains(name: str, arguments: Arguments, words: ArgumentTexts) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_domain(name, text, words) for text in arguments.texts(name)))


def _domain(name: str, stated: str, words: ArgumentTexts) -> str:
    """`https://www.Example.org/x`, `*.example.org` and `site:example.org` are all `example.org`."""
    host = normal_domain(stated.lower().removeprefix("site:"))
    if not _HOST.fullmatch(host):
        raise InvalidArgument(words.not_domain.format(name=name, value=shown(stated)))
    return host
