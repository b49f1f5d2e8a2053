"""Overviews to show: one with everything on it, one of a server that has just started."""

from __future__ import annotations

from research_mcp.core.errors import Reason
from research_mcp.core.ports import Rest, Spent, Usage
from research_mcp.observe.overview import (
    BreakerState,
    Failure,
    Minute,
    Overview,
    Provider,
    Record,
    Spending,
    Workers,
)

NOW = 1_800_000_000.0  # 2027-01-15 08:00:00 UTC
HOSTILE = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
LONG = "https://example.org/" + "an-address-without-any-space-" * 8


def on(name: str, kind: str = "search", **facts: object) -> Provider:
    return Provider(name, kind, on=True, record=Record(200, 194, 400, 1_800), **facts)  # type: ignore[arg-type]


def quiet_hour() -> tuple[Minute, ...]:
    return tuple(Minute(NOW - 60 * (59 - place)) for place in range(60))


FULL = Overview(
    at=NOW,
    started=NOW - 3 * 86_400 - 4_000,
    version="9.9.9",
    degraded=("store: the disk is full, so metered calls wait",),
    providers=(
        on("searxng"),
        on("exa", rest=Rest(NOW + 240, Reason.RATE_LIMITED, f"status 429 {HOSTILE}")),
        on("serper", rest=Rest(None, Reason.BAD_KEY, "the key was refused (status 401)")),
        on("kagi", breaker=BreakerState.HALF_OPEN),
        Provider("openalex", "search", on=True),
        Provider("brave", "search", on=False, why="BRAVE_API_KEY is not set"),
        Provider("linkup", "search", on=False, why="LINKUP_API_KEY is not set"),
        on("trafilatura", "read"),
        on("grok", "answer"),
        Provider("jina-rerank", "rerank", on=False, why="SEARCH_RERANK_ENABLED is not true"),
    ),
    budgets=(
        Usage("exa", 834, 1_000, "month", "2027-01", NOW + 16 * 86_400, 900, "EXA_BUDGET"),
        Usage(
            "tavily-1",
            50,
            50,
            "day",
            "2027-01-15",
            NOW + 4_000,
            49,
            "the row's quota",
            "TAVILY_1_API_KEY#1:ab",
        ),
        Usage("kagi", 0, 0, "total", "total", None, 0, "KAGI_BUDGET"),
    ),
    spending=(Spending(Spent("exa", 31, 834), 0.007), Spending(Spent("xmlriver", 4, 90))),
    workers=Workers(busy=1, idle=1, waiting=2, replaced={"worn": 1}),
    lag=0.0123,
    minutes=(*quiet_hour()[:-2], Minute(NOW - 60, 11, 3), Minute(NOW, 4, 0)),
    failures=(
        Failure(NOW - 20, "serper", "bad_key", f"the key was refused: {HOSTILE}", 14),
        Failure(NOW - 700, "read_page", "blocked", f"{LONG}: every reader was blocked", 2),
        Failure(NOW - 90_000, "web_search", "", "запрос: no engine answered", 1),
    ),
)

FRESH = Overview(
    at=NOW,
    started=NOW,
    version="9.9.9",
    providers=(Provider("duckduckgo", "search", on=True),),
    minutes=quiet_hour(),
)
