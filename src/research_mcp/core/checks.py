"""The vocabulary of a live check: what was asked of each provider, and what that proves."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from research_mcp.core.errors import Reason


class Point(StrEnum):
    """What one call can prove."""

    REACHABLE = "reachable"
    KEY = "key accepted"
    MODEL = "model listed"
    SEARCHED = "search tool used"
    CITED = "citations returned"
    ANSWERED = "answered"


@dataclass(frozen=True, slots=True)
class Proof:
    """One point, proved or not. `detail`: what was seen, "" when the point says it all."""

    point: Point
    ok: bool
    detail: str = ""


class Verdict(StrEnum):
    """The end of one check. Skipped: not asked, and no fault of the provider."""

    OK = "ok"
    FAILED = "failed"
    SKIPPED = "skipped"


@dataclass(frozen=True, slots=True)
class Check:
    """What became of one provider. `paid`: the call may have cost money. `detail` is one sentence."""

    kind: str
    name: str
    verdict: Verdict
    proofs: tuple[Proof, ...] = ()
    reason: Reason | None = None
    detail: str = ""
    ms: int = 0
    paid: bool = False
