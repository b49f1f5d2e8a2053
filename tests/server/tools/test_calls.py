"""The edge of every call: deadline, heartbeat, one event, every failure as text. In virtual time."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import pytest

from research_mcp.core.errors import Overloaded, Reason
from research_mcp.core.ports import Progress
from research_mcp.observe.events import Event, ToolCall
from research_mcp.server.texts.languages import load
from research_mcp.server.tools.arguments import Arguments, Integer, Text
from research_mcp.server.tools.calls import Answer, Tool, Toolbox
from tests.kit.virtual_time import run

Work = Callable[[Progress], Awaitable[Answer]]


class Probe(Tool):
    """A tool under a real tool's name that does what a test says."""

    name = "read_page"
    fields = (Text(name="url", required=True, limit=100), Integer(name="start", default=0, minimum=0))

    def __init__(self, work: Work) -> None:
        self.work = work

    def target(self, arguments: Arguments) -> str:
        return arguments.text("url")

    async def run(self, arguments: Arguments, progress: Progress) -> Answer:
        return await self.work(progress)


@dataclass
class Client:
    """Calls the probe and keeps what it was sent."""

    work: Work
    seconds: float = 54.0
    language: str = "en"
    slow: float = 0.0
    events: list[Event] = field(default_factory=list)
    sent: list[tuple[float, float, float | None, str]] = field(default_factory=list)

    async def call(self, name: str = "read_page", **arguments: Any) -> Answer:
        box = Toolbox(
            tools={"read_page": Probe(self.work)},
            texts=load(self.language),
            seconds=self.seconds,
            heartbeat=4.5,
            emit=self.events.append,
        )
        return await box.call(name, arguments or {"url": "https://e.org"}, self.report)

    async def report(self, progress: float, total: float | None, message: str) -> None:
        self.sent.append((asyncio.get_running_loop().time(), progress, total, message))
        await asyncio.sleep(self.slow)

    @property
    def event(self) -> ToolCall:
        (event,) = self.events
        assert isinstance(event, ToolCall)
        return event


def sleeping(seconds: float, *steps: tuple[int, int, str]) -> Work:
    async def work(progress: Progress) -> Answer:
        for step in steps:
            await progress(*step)
        await asyncio.sleep(seconds)
        return Answer("done", by="trafilatura", count=7)

    return work


def raising(error: BaseException) -> Work:
    async def work(_: Progress) -> Answer:
        raise error

    return work


def test_a_call_leaves_one_event_with_its_facts() -> None:
    client = Client(sleeping(1.5))
    assert run(client.call()).text == "done"
    assert client.event == ToolCall("read_page", "https://e.org", "ok", "trafilatura", 7, 1500)


def test_a_silent_call_is_reported_at_least_every_five_seconds_and_grows() -> None:
    client = Client(sleeping(21))
    run(client.call())
    times = [0.0, *(sent[0] for sent in client.sent), 21.0]
    assert max(later - sooner for sooner, later in pairwise(times)) <= 5
    progress = [sent[1] for sent in client.sent]
    assert progress == sorted(set(progress))
    assert client.sent[0][2:] == (None, "working")


def test_progress_is_passed_on_as_it_comes_and_repeated_while_nothing_happens() -> None:
    client = Client(sleeping(10, (2, 5, "2 of 5 pages read")))
    run(client.call())
    assert client.sent == [
        (0.0, 2.0, 5.0, "2 of 5 pages read"),
        (4.5, 2.01, 5.0, "2 of 5 pages read"),
        (9.0, 2.02, 5.0, "2 of 5 pages read"),
    ]


def test_the_last_progress_is_sent_before_the_answer() -> None:
    client = Client(sleeping(0, (1, 2, "one"), (2, 2, "two")))
    run(client.call())
    assert client.sent[-1][1:] == (2.0, 2.0, "two")


def test_a_client_that_takes_progress_slowly_does_not_hold_up_the_work() -> None:
    async def work(progress: Progress) -> Answer:
        for number in range(100):
            await progress(number, 100, "reading")
            await asyncio.sleep(0.1)
        return Answer("done")

    client = Client(work, slow=3)
    run(client.call())
    assert client.event.ms <= 13_100


def test_a_call_past_the_deadline_is_an_error_with_what_was_reached() -> None:
    client = Client(sleeping(1000, (2, 5, "2 of 5 pages read")))
    answer = run(client.call())
    assert answer.failed
    assert answer.text == (
        "read_page was stopped after 54 s, the longest a call may take. Reached so far: 2 of 5 pages read. "
        "Try once more; of several urls or results, ask for fewer in one call."
    )
    assert (client.event.outcome, client.event.ms) == ("deadline", 54_000)


def test_progress_is_told_in_the_language_of_the_texts() -> None:
    client = Client(sleeping(1000, (0, 5, "searching")), seconds=3, language="ru")
    answer = run(client.call())
    assert client.sent[0][3] == "идёт поиск"
    assert "Успели: идёт поиск." in answer.text


def test_the_deadline_error_does_without_progress_too() -> None:
    answer = run(Client(sleeping(1000), seconds=3, language="ru").call())
    assert answer.text.startswith(
        "read_page остановлен через 3 с: дольше вызов длиться не может. Попробуйте ещё раз"
    )


def test_an_error_on_purpose_becomes_its_sentence_with_a_remedy() -> None:
    client = Client(raising(Overloaded("The page workers are all busy.")))
    answer = run(client.call())
    assert answer.failed
    assert answer.text == (
        "The page workers are all busy. Try once more in a few seconds, with fewer calls at once."
    )
    assert (client.event.outcome, client.event.detail) == ("overloaded", "The page workers are all busy.")


@pytest.mark.parametrize("error", [ValueError("s3cret"), TimeoutError("s3cret"), KeyError("s3cret")])
def test_a_fault_of_ours_is_logged_with_its_trace_and_told_without_it(
    error: Exception, caplog: pytest.LogCaptureFixture
) -> None:
    client = Client(raising(error))
    with caplog.at_level(logging.ERROR):
        answer = run(client.call())
    assert answer.failed
    assert "s3cret" not in answer.text
    assert "fault in this server" in answer.text
    assert "s3cret" in caplog.text
    assert "Traceback" in caplog.text
    assert (client.event.outcome, client.event.detail) == ("internal_error", "crashed")


def test_a_wrong_argument_is_an_error_and_runs_nothing() -> None:
    client = Client(raising(AssertionError("must not run")))
    answer = run(client.call(url="https://e.org", strat=3))
    assert answer.text.startswith("read_page has no argument 'strat'; did you mean 'start'?")
    assert (client.event.outcome, client.event.target) == ("invalid_argument", "")


def test_an_unknown_tool_is_an_error_that_names_the_tools() -> None:
    client = Client(sleeping(0))
    answer = run(client.call("fetch", url="x"))
    assert answer.failed
    assert answer.text == "There is no tool 'fetch' here. The tools are: read_page."
    assert client.event.tool == "fetch"


def test_a_cancelled_call_cancels_its_work_and_is_logged_as_cancelled() -> None:
    cancelled = []

    async def work(_: Progress) -> Answer:
        try:
            await asyncio.sleep(100)
        except asyncio.CancelledError:
            cancelled.append(True)
            raise
        return Answer("")

    client = Client(work)

    async def scenario() -> None:
        task = asyncio.create_task(client.call())
        await asyncio.sleep(1)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert len(asyncio.all_tasks()) == 1  # no heartbeat is left behind

    run(scenario())
    assert cancelled == [True]
    assert (client.event.outcome, client.event.ms) == (Reason.CANCELLED.value, 1000)
