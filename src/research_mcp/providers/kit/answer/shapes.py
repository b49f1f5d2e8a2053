"""The two shapes in which models answer: Responses (`output`) and chat completions (`choices`).

Whole bodies and stream events are read into the same `Stated`; unknown items are passed over.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from research_mcp.core.answers import Citation
from research_mcp.core.hygiene import clean_line
from research_mcp.core.wire import JsonValue
from research_mcp.providers.kit.answer.links import plain_title
from research_mcp.providers.kit.fields import Fields, web_address
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.tree import at, number, rows, text

_SEARCH_CALLS = frozenset({"web_search_call", "x_search_call"})
_X_TOOLS = ("x_", "view_x_")


@dataclass(slots=True)
class Stated:
    """What a reply states, as it comes. `ended`: it said that it was complete; `broken` events were
    unreadable."""

    text: str = ""
    citations: list[Citation] = field(default_factory=list)
    searched: bool = False
    refusal: str = ""
    partial: str = ""
    model: str = ""
    ended: bool = False
    broken: int = 0


def read_responses(body: Fields, stated: Stated) -> None:
    """A whole object of the Responses API. Text of reasoning and tools is not taken."""
    items = rows(body, "output")
    blocks = [block for item in items if _is_message(item) for block in _blocks(item.get("content"))]
    prose = [each for block in blocks if (each := _prose(block))]
    stated.text = "".join(prose) or text(body, "output_text") or stated.text
    for block in blocks:
        stated.refusal = stated.refusal or text(block, "refusal")
        stated.citations += cited(block.get("annotations"), True)
        stated.citations += cited(block.get("citations"), True)
    for item in items:
        read_item(item, stated)
    stated.citations += cited(body.get("citations"), False)
    stated.searched = stated.searched or _used_tools(body)
    stated.model = text(body, "model") or stated.model
    status = text(body, "status")
    if status == "incomplete":
        stated.partial = clean_line(text(body, "incomplete_details", "reason"), 100) or "incomplete"
    elif status in ("in_progress", "queued"):
        stated.partial = status
    stated.ended = True


def read_item(item: Fields, stated: Stated) -> None:
    """One item of `output`: whether it is a search, and what was visited."""
    kind = text(item, "type")
    if kind in _SEARCH_CALLS or (kind == "custom_tool_call" and text(item, "name").startswith(_X_TOOLS)):
        stated.searched = True
        stated.citations += cited(at(item, "action", "sources"), False)


def read_chat(body: Fields, stated: Stated) -> None:
    """A whole object or one chunk of chat completions: the first choice, its message and its delta."""
    for choice in rows(body, "choices")[:1]:
        for part in (choice.get("message"), choice.get("delta")):
            if isinstance(part, dict):
                stated.text += flat(part.get("content"))
                stated.refusal += text(part, "refusal")
                stated.citations += cited(part.get("annotations"), True)
                stated.citations += cited(part.get("citations"), False)
                stated.citations += cited(part.get("search_sources"), False)
        finish = text(choice, "finish_reason")
        stated.ended = stated.ended or bool(finish) or isinstance(choice.get("message"), dict)
        if finish in ("length", "content_filter"):
            stated.partial = finish
    stated.citations += cited(body.get("citations"), False)
    stated.citations += cited(body.get("search_sources"), False)
    stated.searched = stated.searched or _used_tools(body)
    stated.model = text(body, "model") or stated.model


def flat(content: JsonValue) -> str:
    """Text given as a string, as a list of parts or as an object; "" for anything else."""
    if isinstance(content, str):
        return content
    if isinstance(content, list):
        return "".join(flat(part) for part in content)
    if isinstance(content, dict) and text(content, "type") not in ("reasoning", "thinking", "refusal"):
        return next((flat(content[name]) for name in ("text", "content", "value") if content.get(name)), "")
    return ""


def cited(value: JsonValue, named: bool) -> Iterator[Citation]:
    """The web addresses in a list of strings, objects or annotations; anything else is passed over."""
    for entry in value if isinstance(value, list) else []:
        inner = at(entry, "url_citation")
        facts = inner if isinstance(inner, dict) else entry
        url = _first(facts, ("url", "uri")) if isinstance(facts, dict) else facts
        if isinstance(url, str) and (address := web_address(_lower_scheme(url.strip()))):
            yield Citation(
                address,
                plain_title(clean_line(_first(facts, ("title",)))),
                clean_line(_first(facts, ("description", "snippet", "content"))),
                iso_day(_first(facts, ("published_date", "publishedDate", "date"))),
                cited=named,
            )


def _lower_scheme(url: str) -> str:
    scheme, mark, rest = url.partition("://")
    return scheme.lower() + mark + rest if " " not in url else ""


def _first(facts: JsonValue, names: Iterable[str]) -> str:
    return next((found for name in names if (found := text(facts, name))), "")


def _is_message(item: Fields) -> bool:
    return text(item, "type") in ("message", "") and isinstance(item.get("content"), list | str)


def _blocks(content: JsonValue) -> list[Fields]:
    return [{"type": "output_text", "text": content}] if isinstance(content, str) else rows(content)


def _prose(block: Fields) -> str:
    found = block.get("text")
    return found if isinstance(found, str) and text(block, "type") in ("output_text", "text", "") else ""


def _used_tools(body: Fields) -> bool:
    used = ("num_server_side_tools_used", "num_sources_used")
    return any((number(body, "usage", name) or 0) > 0 for name in used)
