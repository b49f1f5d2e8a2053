"""The owner's rules about hosts: raise, lower, pin to the top, remove. By host, subdomains and path."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import Enum

from research_mcp.core.url_key import url_key


class Wish(Enum):
    """What the owner wants of a host; the value multiplies the votes of its pages."""

    PIN = 1_000.0
    RAISE = 1.5
    LOWER = 0.5
    REMOVE = 0.0


@dataclass(frozen=True, slots=True)
class HostRule:
    """`place` is a host with an optional path (`example.com/user1`); it covers subdomains and what is
    below the path. `source` names the list that the rule came from, for the explanation."""

    place: str
    wish: Wish
    source: str = ""


class HostRules:
    """All rules of one owner; the most specific one decides, the later of two equal ones."""

    def __init__(self, rules: Iterable[HostRule] = ()) -> None:
        self._by_host: dict[str, list[tuple[str, HostRule]]] = {}
        for rule in rules:
            host, _, path = url_key(rule.place).partition("/")
            self._by_host.setdefault(host, []).append((path.rstrip("/"), rule))

    def rule(self, key: str) -> HostRule | None:
        """The rule for a url key, None when no rule speaks of it."""
        if not self._by_host:
            return None
        host, _, path = key.partition("/")
        labels = host.partition(":")[0].split(".")
        for start in range(len(labels)):
            if found := _longest(self._by_host.get(".".join(labels[start:]), ()), path):
                return found
        return None


def _longest(rules: Sequence[tuple[str, HostRule]], path: str) -> HostRule | None:
    best: tuple[int, HostRule] | None = None
    for below, rule in rules:
        covers = not below or path == below or path.startswith((f"{below}/", f"{below}?"))
        if covers and (best is None or len(below) >= best[0]):
            best = (len(below), rule)
    return best[1] if best else None


NO_RULES = HostRules()
