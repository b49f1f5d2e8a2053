"""Pages and answers that replicas share: they expire, are bounded, and tell nothing by their keys."""

from __future__ import annotations

import asyncio

import pytest

from research_mcp.core.answers import AnswerReport, Lost, Question
from research_mcp.core.models import Page
from research_mcp.store.codec import Codec
from research_mcp.store.valkey import answers as answers_module
from research_mcp.store.valkey import cache as cache_module
from research_mcp.store.valkey.answers import ValkeyAnswers
from research_mcp.store.valkey.cache import ValkeyCache
from research_mcp.store.valkey.line import Line
from tests.kit.valkey import Server
from tests.store.backends import START, HandClock
from tests.store.valkey.replica import Replica, WallClock

PAGE = Page("https://a.test/", "https://a.test/", "text " * 100, "trafilatura")


def cache(line: Line, seconds: float = 300, name: str = "pages") -> ValkeyCache[Page]:
    return ValkeyCache(line, name, Codec(Page), seconds=seconds)


def answers(line: Line, items: int = 100) -> ValkeyAnswers:
    return ValkeyAnswers(line, Codec(AnswerReport), seconds=3_600, items=items)


def answer(text: str = "Yes.") -> AnswerReport:
    return AnswerReport(Question("x"), content=text)


async def test_what_one_replica_keeps_all_reuse(own_server: Server, replica: Replica) -> None:
    other = Replica(own_server.address)
    await cache(replica.line).put(PAGE.url, PAGE)
    assert (await replica.line.health()).ok  # `put` is on its way before this
    assert await cache(other.line).get(PAGE.url) == PAGE
    assert await cache(other.line).get("https://b.test/") is None
    assert await cache(other.line, name="private-pages").get(PAGE.url) is None
    await other.line.close()


async def test_a_value_expires(replica: Replica) -> None:
    short = cache(replica.line, seconds=0.5)
    await short.put(PAGE.url, PAGE)
    assert await short.get(PAGE.url) == PAGE
    async with asyncio.timeout(10):
        while await short.get(PAGE.url) is not None:  # noqa: ASYNC110 - time sets no event
            await asyncio.sleep(0.05)


async def test_no_seconds_and_no_room_keep_nothing(replica: Replica, monkeypatch: pytest.MonkeyPatch) -> None:
    never = cache(replica.line, seconds=0)
    await never.put(PAGE.url, PAGE)
    assert await never.get(PAGE.url) is None
    monkeypatch.setattr(cache_module, "LARGEST", 400)
    await cache(replica.line).put(PAGE.url, PAGE)
    assert await cache(replica.line).get(PAGE.url) is None


async def test_what_others_wrote_there_is_no_value(own_server: Server, replica: Replica) -> None:
    await cache(replica.line).put(PAGE.url, PAGE)
    assert await cache(replica.line).get(PAGE.url) == PAGE
    (key,) = keys(own_server, "research-mcp:cache:*")
    for junk in ("", "[]", "\x80\x04pickled"):
        own_server.command("SET", key, junk)
        assert await cache(replica.line).get(PAGE.url) is None


def keys(server: Server, pattern: str = "*") -> list[str]:
    """Nothing in these tests has a key of more than one line."""
    return [line for line in server.command("KEYS", pattern).decode().split("\r\n") if line[:1] not in "*$"]


async def test_keys_have_the_prefix_and_an_end_and_tell_nothing(own_server: Server, replica: Replica) -> None:
    await cache(replica.line).put("https://a.test/?token=CANARY", PAGE)
    await answers(replica.line).keep("CANARY-session", answer())
    await replica.spend()
    await replica.paces.take("duckduckgo", 45)
    found = keys(own_server)
    assert all(key.startswith("research-mcp:") for key in found)
    assert not [key for key in found if "CANARY" in key or "a.test" in key]
    for kind in ("cache:", "answer:", "pace:", "reservation:"):
        (key,) = [key for key in found if key.startswith(f"research-mcp:{kind}")]
        assert int(own_server.command("TTL", key).strip(b":\r\n")) > 0


async def test_without_the_server_nothing_is_kept_and_nothing_raised(
    own_server: Server, replica: Replica
) -> None:
    own_server.kill()
    await cache(replica.line).put(PAGE.url, PAGE)
    assert await cache(replica.line).get(PAGE.url) is None
    own_server.start()
    await replica.healed()
    await cache(replica.line).put(PAGE.url, PAGE)
    assert await cache(replica.line).get(PAGE.url) == PAGE


async def test_answers_are_readable_on_every_replica(own_server: Server, replica: Replica) -> None:
    other = Replica(own_server.address)
    await answers(replica.line).keep("one", answer("Tides."))
    assert await answers(other.line).find("one") == answer("Tides.")
    assert await answers(other.line).find("two") is Lost.UNKNOWN
    await other.line.close()


async def test_the_oldest_answers_make_room_and_their_loss_is_told_apart(
    own_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = HandClock()
    replica = Replica(own_server.address, clock)
    kept = answers(replica.line, items=2)
    for number in range(4):
        clock.time = START + number
        await kept.keep(f"a{number}", answer(str(number)))
    assert [await kept.find(f"a{n}") for n in range(4)] == [
        Lost.EVICTED,
        Lost.EVICTED,
        answer("2"),
        answer("3"),
    ]
    monkeypatch.setattr(answers_module, "LARGEST", 100)
    await kept.keep("huge", answer("x" * 200))
    assert await kept.find("huge") is Lost.EVICTED
    clock.time = START + 3_602
    assert await kept.find("a2") is Lost.EXPIRED
    assert await kept.find("a3") == answer("3")
    clock.time = START + 3_603 + 86_400
    await kept.keep("later", answer())
    assert await kept.find("a2") is Lost.UNKNOWN
    await replica.line.close()


async def test_an_answer_of_another_version_is_lost_not_wrong(own_server: Server, replica: Replica) -> None:
    kept = answers(replica.line)
    await kept.keep("one", answer())
    (key,) = keys(own_server, "research-mcp:answer:*")
    own_server.command("SET", key, "{}")
    assert await kept.find("one") is Lost.EVICTED


async def test_an_answer_given_while_the_server_is_gone_is_readable_where_it_was_given(
    own_server: Server,
) -> None:
    replica = Replica(own_server.address, WallClock())
    kept = answers(replica.line)
    own_server.kill()
    await kept.keep("one", answer())
    assert await kept.find("one") == answer()
    assert await kept.find("two") is Lost.OUT_OF_REACH
    own_server.start()
    await replica.healed()
    assert await kept.find("one") == answer()
    await replica.line.close()
