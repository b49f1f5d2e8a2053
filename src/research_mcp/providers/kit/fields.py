"""What a vendor's answer says: single fields of its JSON, whatever stands there, and its own words."""

from __future__ import annotations

from research_mcp.core.errors import BadReply
from research_mcp.core.wire import JsonValue, Reply
from research_mcp.net.status import says

__all__ = ["Fields", "count_at", "object_of", "says", "text_at", "web_address"]

Fields = dict[str, JsonValue]
_HUGE = 1_000_000_000


def object_of(reply: Reply) -> Fields:
    """The answer as a JSON object. Raises `BadReply` for anything else."""
    value = reply.json()
    if not isinstance(value, dict):
        raise BadReply(f"expected a JSON object, got {type(value).__name__}")
    return value


def text_at(row: Fields, *names: str) -> str:
    """The first of `names` that holds text, as it is; of a list its first text. "" for none."""
    for name in names:
        value = row.get(name)
        for text in value if isinstance(value, list) else (value,):
            if isinstance(text, str) and text.strip():
                return text
    return ""


def count_at(row: Fields, name: str) -> int:
    """The whole number `name`, 0 for anything else; negative, huge and boolean values too."""
    value = row.get(name)
    return value if isinstance(value, int) and value is not True and 0 < value < _HUGE else 0


def web_address(text: str) -> str:
    """`text` when it is an http address, else ""."""
    return text if text.startswith(("http://", "https://")) else ""
