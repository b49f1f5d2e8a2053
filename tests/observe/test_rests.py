"""What the owner is told of keys that stop working."""

from __future__ import annotations

import json
from pathlib import Path

from research_mcp.core.errors import Reason
from research_mcp.core.ports import Rest
from research_mcp.observe.events import Event, Parked
from research_mcp.observe.log import Log
from research_mcp.observe.redact import Redactor
from research_mcp.observe.rests import TellingParking
from research_mcp.store.memory import MemoryParking
from tests.kit.virtual_time import VirtualClock


async def told(*parked: tuple[str, Rest]) -> list[Event]:
    events: list[Event] = []
    inner = MemoryParking(VirtualClock())
    parking = TellingParking(inner, events.append)
    for name, rest in parked:
        await parking.park(name, rest)
        assert await parking.rest(name) == await inner.rest(name) == rest
    await parking.release(parked[0][0])
    assert await parking.rest(parked[0][0]) is None
    return events


async def test_a_key_that_is_refused_or_spent_is_told() -> None:
    events = await told(
        ("account:EXA_API_KEY#1", Rest(None, Reason.BAD_KEY, "status 401")),
        ("account:TAVILY_1_API_KEY#1", Rest(4_000_000_000.0, Reason.OUT_OF_CREDITS)),
    )
    assert events == [
        Parked("EXA_API_KEY#1", "bad_key", "", "status 401"),
        Parked("TAVILY_1_API_KEY#1", "out_of_credits", "2096-10-02T07:06:40+00:00"),
    ]


async def test_what_ends_by_itself_is_not_told() -> None:
    assert not await told(
        ("account:EXA_API_KEY#1", Rest(4_000_000_000.0, Reason.RATE_LIMITED)),
        ("instance:duckduckgo", Rest(4_000_000_000.0, Reason.BLOCKED)),
    )


def test_it_is_a_warning_in_the_log(tmp_path: Path) -> None:
    file = tmp_path / "log"
    log = Log(level="INFO", file=str(file), rotation="1 MB", retention="1 day", redact=Redactor(["s3cret"]))
    log.emit(Parked("EXA_API_KEY#1", "bad_key", "", "it says: s3cret is unknown"))
    entry = json.loads(file.read_text())
    assert (entry["level"], entry["message"]) == ("WARNING", "key EXA_API_KEY#1 rests: bad_key")
    assert (entry["account"], entry["detail"]) == ("EXA_API_KEY#1", "it says: *** is unknown")
