"""Connections: which addresses are tried, when, and that the socket is what was meant."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Sequence
from ipaddress import ip_address

import httpcore
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import UrlRefused
from research_mcp.net.backend import Backend, first_to_connect, spread
from tests.kit.virtual_time import run
from tests.net.fakes import (
    PUBLIC,
    PUBLIC_2,
    PUBLIC_6,
    LoopbackNet,
    MemoryNet,
    Names,
    answering,
    fetching,
    listening,
    page,
)


def backend(net: httpcore.AsyncNetworkBackend, *addresses: str, tries: int = 1) -> Backend:
    async def find(host: str, port: int) -> Sequence[object]:
        return tuple(map(ip_address, addresses))

    return Backend(find, net, tries=tries)


def test_families_take_turns_and_four_addresses_are_the_most():
    sixes, fours = [f"2606:4700::{n}" for n in range(1, 6)], [f"93.184.215.{n}" for n in range(1, 6)]
    mixed = spread([ip_address(text) for text in (*sixes, *fours)])
    assert [str(address) for address in mixed] == [sixes[0], fours[0], sixes[1], fours[1]]
    assert spread([ip_address(PUBLIC)]) == [ip_address(PUBLIC)]


def test_a_black_hole_costs_a_quarter_of_a_second():
    async def scenario() -> tuple[list[str], float]:
        net = MemoryNet(silent={PUBLIC_6})
        await backend(net, PUBLIC_6, PUBLIC).connect_tcp("a.example.com", 80, timeout=5)
        return net.connects, asyncio.get_running_loop().time()

    connects, took = run(scenario())
    assert connects == [PUBLIC_6, PUBLIC]
    assert took == pytest.approx(0.25)


def test_two_hundred_silent_addresses_cost_four_connections_and_the_connect_budget():
    silent = [f"93.184.215.{number}" for number in range(1, 201)]

    async def scenario() -> tuple[int, float]:
        net = MemoryNet(silent=set(silent))
        with pytest.raises(httpcore.ConnectTimeout):
            await backend(net, *silent).connect_tcp("a.example.com", 80, timeout=5)
        return len(net.connects), asyncio.get_running_loop().time()

    assert run(scenario()) == (4, pytest.approx(5.0))


async def test_with_a_dead_ipv6_route_and_a_good_ipv4_address_the_page_is_there_in_under_two_seconds():
    class DeadSix(LoopbackNet):
        async def connect_tcp(self, host, port, *rest):
            if ":" in host:
                await asyncio.sleep(130)
            return await super().connect_tcp(host, port, *rest)

    async with listening(answering(page())) as port:
        names = Names(default=[PUBLIC_6, PUBLIC])
        async with fetching(DeadSix({PUBLIC: port}), names) as kit:
            begun = time.monotonic()
            document = await kit.fetcher.fetch("http://dual.example.com/", Deadline.after(10))
    assert document.status == 200
    assert time.monotonic() - begun < 2


def test_a_refused_address_makes_room_for_the_next_at_once():
    async def scenario() -> tuple[list[str], float]:
        net = MemoryNet(refusing={PUBLIC})
        await backend(net, PUBLIC, PUBLIC_2).connect_tcp("a.example.com", 80, timeout=5)
        return net.connects, asyncio.get_running_loop().time()

    assert run(scenario()) == ([PUBLIC, PUBLIC_2], pytest.approx(0.0))


async def test_when_every_address_refuses_the_same_ones_get_a_second_round():
    net = MemoryNet(refuse_first=2)
    await backend(net, PUBLIC, PUBLIC_2, tries=2).connect_tcp("a.example.com", 80, timeout=5)
    assert net.connects == [PUBLIC, PUBLIC_2, PUBLIC]


async def test_when_nothing_connects_the_last_failure_is_told():
    net = MemoryNet(refusing={PUBLIC, PUBLIC_2})
    with pytest.raises(httpcore.ConnectError):
        await backend(net, PUBLIC, PUBLIC_2).connect_tcp("a.example.com", 80, timeout=5)


async def test_a_connection_that_ends_elsewhere_is_closed_and_refused():
    net = MemoryNet(peer=("127.0.0.1", 80))
    with pytest.raises(UrlRefused):
        await backend(net, PUBLIC).connect_tcp("a.example.com", 80, timeout=5)
    assert net.closed == 1
    assert net.sent == []


async def test_a_connection_that_was_reset_at_once_counts_as_not_made():
    class Gone(MemoryNet):
        async def connect_tcp(self, *args, **kwargs):
            stream = await super().connect_tcp(*args, **kwargs)
            stream.get_extra_info = lambda info: None
            return stream

    net = Gone()
    with pytest.raises(httpcore.ConnectError):
        await backend(net, PUBLIC).connect_tcp("a.example.com", 80, timeout=5)
    assert net.closed == 1


async def test_late_winners_and_losers_are_closed():
    net = MemoryNet()
    both = asyncio.Event()
    waiting = 0

    async def together(address: object) -> httpcore.AsyncNetworkStream:
        nonlocal waiting
        waiting += 1
        if waiting == 2:
            both.set()
        await both.wait()
        return await net.connect_tcp(str(address), 80)

    winner = await first_to_connect([ip_address(PUBLIC), ip_address(PUBLIC_2)], together)
    assert winner is not None
    assert len(net.connects) == 2
    assert net.closed == 1


async def test_a_cancelled_race_leaves_no_attempt_behind():
    net = MemoryNet(silent={PUBLIC, PUBLIC_2})
    before = asyncio.all_tasks()
    race = asyncio.create_task(backend(net, PUBLIC, PUBLIC_2).connect_tcp("a.example.com", 80))
    await asyncio.sleep(0.3)
    race.cancel()
    with pytest.raises(asyncio.CancelledError):
        await race
    assert asyncio.all_tasks() == before


async def test_local_sockets_are_refused():
    with pytest.raises(NotImplementedError):
        await backend(MemoryNet()).connect_unix_socket("/var/run/docker.sock")


def test_an_address_that_still_hangs_when_the_other_has_refused_is_waited_for():
    async def scenario() -> float:
        net = MemoryNet(silent={PUBLIC}, refusing={PUBLIC_2})
        with pytest.raises(httpcore.ConnectTimeout):
            await backend(net, PUBLIC, PUBLIC_2).connect_tcp("a.example.com", 80, timeout=5)
        return asyncio.get_running_loop().time()

    assert run(scenario()) == pytest.approx(5.0)
