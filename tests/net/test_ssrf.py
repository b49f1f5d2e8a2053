"""The guard as an attacker meets it: every spelling, answer, redirect and rebinding, with no send."""

from __future__ import annotations

import asyncio
import time

import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Reason, UrlRefused
from tests.net.fakes import (
    PUBLIC,
    LoopbackNet,
    MemoryNet,
    Names,
    answering,
    fetching,
    listening,
    page,
    redirect,
    saying,
)
from tests.net.hostile_urls import CASES, CHAINS, HOPS, INVALID, REFUSED, Case, Chain

REASONS = {Reason.ADDRESS_REFUSED: REFUSED, Reason.INVALID_URL: INVALID}


async def outcome_of(case: Case) -> tuple[str, list[str]]:
    net = MemoryNet()
    async with fetching(net, Names(default=list(case.answers))) as kit:
        try:
            await kit.fetcher.fetch(case.url, Deadline.after(5))
        except UrlRefused as error:
            return REASONS[error.reason], net.connects
        return net.connects[0], net.connects


async def test_hostile_urls_are_refused_without_a_connection_and_good_ones_connect_where_their_name_says():
    begun = time.monotonic()
    wrong = []
    for case in CASES:
        outcome, connects = await outcome_of(case)
        refused = case.outcome in (REFUSED, INVALID)
        if outcome != case.outcome or (refused and connects):
            wrong.append((case.url[:80], case.why, outcome, connects))
    assert wrong == []
    assert len(CASES) > 200
    assert time.monotonic() - begun < 30, "one of them waits"


@pytest.mark.parametrize("chain", CHAINS, ids=lambda chain: chain.locations[-1][:40])
async def test_each_redirect_is_judged_like_the_first_url(chain: Chain):
    net = MemoryNet(site=saying(*map(redirect, chain.locations), page()))
    async with fetching(net, Names(dict(HOPS))) as kit:
        try:
            outcome = (await kit.fetcher.fetch("https://start.example.com/", Deadline.after(5))).final_url
        except UrlRefused as error:
            outcome = REASONS[error.reason]
    assert (outcome, tuple(net.connects)) == (chain.outcome, chain.connects)


async def test_a_name_is_looked_up_once_for_a_connection_and_the_answer_is_kept_to():
    names = Names({"a.example.com": [[PUBLIC], ["127.0.0.1"]]})
    net = MemoryNet(refuse_first=1)
    async with fetching(net, names) as kit:
        await kit.fetcher.fetch("http://a.example.com/", Deadline.after(5))
    assert names.asked == ["a.example.com"]
    assert net.connects == [PUBLIC, PUBLIC]


async def test_a_name_that_turns_private_is_refused_at_the_next_connection_and_at_the_next_reader():
    names = Names({"a.example.com": [[PUBLIC], ["10.0.0.7"]]})
    net = MemoryNet(site=saying(page(Connection="close")))
    async with fetching(net, names) as kit:
        await kit.fetcher.fetch("http://a.example.com/", Deadline.after(5))
        with pytest.raises(UrlRefused):
            await kit.fetcher.check("http://a.example.com/", Deadline.after(5))
        with pytest.raises(UrlRefused):
            await kit.fetcher.fetch("http://a.example.com/", Deadline.after(5))
    assert net.connects == [PUBLIC]


async def test_a_redirect_back_to_a_name_that_has_turned_private_is_refused():
    names = Names({"a.example.com": [[PUBLIC], ["127.0.0.1"]]})
    net = MemoryNet(site=saying(redirect("http://a.example.com/2"), page()))
    async with fetching(net, names) as kit:
        with pytest.raises(UrlRefused):
            await kit.fetcher.fetch("https://a.example.com/", Deadline.after(5))
    assert net.connects == [PUBLIC]


@pytest.mark.parametrize("reads_each", [10, pytest.param(125, marks=pytest.mark.slow)])
async def test_names_that_flip_to_loopback_on_every_lookup_never_reach_a_listener_there(reads_each: int):
    hits = 0

    async def canary(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal hits
        hits += 1

    flip = [[PUBLIC], ["127.0.0.1"]] * 1_500
    names = Names({"flip.example.com": flip})
    answer = page(Connection="close")
    outcomes = {"served": 0, "refused": 0}
    async with listening(canary) as canary_port, listening(answering(answer)) as port:
        net = LoopbackNet({PUBLIC: port, "127.0.0.1": canary_port})
        async with fetching(net, names) as kit:

            async def reads(count: int) -> None:
                for _ in range(count):
                    try:
                        await kit.fetcher.fetch("http://flip.example.com/", Deadline.after(5))
                        outcomes["served"] += 1
                    except UrlRefused:
                        outcomes["refused"] += 1

            await asyncio.gather(*(reads(reads_each) for _ in range(8)))
    assert hits == 0
    assert outcomes["served"] + outcomes["refused"] == 8 * reads_each
    assert min(outcomes.values()) > 0
    assert set(net.connects) == {PUBLIC}


async def test_a_name_without_addresses_fails_and_is_not_connected_to():
    net = MemoryNet()
    async with fetching(net, Names()) as kit:
        for attempt in (kit.fetcher.check, kit.fetcher.fetch):
            with pytest.raises(NoContent) as failure:
                await attempt("http://nowhere.example.com/", Deadline.after(5))
            assert failure.value.reason is Reason.DNS_FAILED
    assert net.connects == []


async def test_no_refusal_tells_the_address_that_a_name_resolved_to():
    async with fetching(MemoryNet(), Names(default=["10.11.12.13"])) as kit:
        with pytest.raises(UrlRefused) as refusal:
            await kit.fetcher.check("http://inner.example.com/", Deadline.after(5))
    assert "10.11.12.13" not in str(refusal.value)
    assert "inner.example.com" in str(refusal.value)
