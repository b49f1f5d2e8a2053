"""An answer that is still in the making is asked for again, inside the deadline."""

from __future__ import annotations

import asyncio

import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import Reason, Transient
from research_mcp.core.wire import Reply, Request
from research_mcp.providers.kit.waiting import until
from tests.kit.virtual_time import run


class Vendor:
    def __init__(self, busy: int) -> None:
        self.busy = busy
        self.asked: list[float] = []

    async def send(self, request: Request, deadline: Deadline) -> Reply:
        self.asked.append(asyncio.get_running_loop().time())
        self.busy -= 1
        return Reply(202 if self.busy >= 0 else 200)


def done(reply: Reply) -> bool:
    return reply.status == 200


def test_it_asks_until_the_answer_is_there() -> None:
    vendor = Vendor(busy=2)
    assert run(until_in(vendor, 30)).status == 200
    assert vendor.asked == [0, 1, 2]


def test_it_gives_up_when_the_time_is_over() -> None:
    vendor = Vendor(busy=99)
    with pytest.raises(Transient) as caught:
        run(until_in(vendor, 2.5))
    assert caught.value.reason is Reason.TIMEOUT
    assert vendor.asked == [0, 1, 2]


async def until_in(vendor: Vendor, seconds: float) -> Reply:
    return await until(done, vendor, Request("GET", "/job/1"), Deadline.after(seconds))
