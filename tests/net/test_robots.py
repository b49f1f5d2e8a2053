"""robots.txt: asked once a day for each origin, never for long, under the operator's policy."""

from __future__ import annotations

import asyncio
import time

import pytest

from research_mcp.core.errors import NoContent, Reason, UrlRefused
from research_mcp.core.ports import RobotsRule
from research_mcp.core.wire import Document
from research_mcp.net.robots import RobotsGate, RobotsMode, allows, narrowed
from tests.kit.reading import FakeFetcher, document
from tests.kit.virtual_time import VirtualClock, run

FILE = "https://mill.test/robots.txt"
PAGE = "https://mill.test/private/moss"
AGENT = "research-mcp"
RULES = "User-agent: *\nDisallow: /private/\n\nUser-agent: GreedyBot\nDisallow: /\n"


def gate(
    fetcher: FakeFetcher, mode: RobotsMode = RobotsMode.OBEY, clock: VirtualClock | None = None
) -> RobotsGate:
    return RobotsGate(fetcher, clock or VirtualClock(), AGENT, mode)


def answered(body: str, mode: RobotsMode = RobotsMode.OBEY, url: str = PAGE) -> RobotsRule:
    async def main() -> RobotsRule:
        return await gate(FakeFetcher({FILE: body}), mode).rule(url)

    return run(main())


@pytest.mark.parametrize(
    ("mode", "rule"),
    [
        (RobotsMode.OBEY, RobotsRule.REFUSED),
        (RobotsMode.NOTE, RobotsRule.DISCOURAGED),
        (RobotsMode.IGNORE, RobotsRule.ALLOWED),
    ],
)
def test_a_disallowed_page_is_refused_or_noted_as_the_policy_says(mode: RobotsMode, rule: RobotsRule) -> None:
    assert answered(RULES, mode) is rule


def test_only_a_policy_that_can_refuse_is_binding() -> None:
    assert [gate(FakeFetcher(), mode).binding for mode in RobotsMode] == [False, True, False]


def test_a_page_outside_the_rules_is_allowed() -> None:
    assert answered(RULES, url="https://mill.test/public") is RobotsRule.ALLOWED


def test_a_policy_that_ignores_never_asks() -> None:
    async def main() -> None:
        fetcher = FakeFetcher({FILE: RULES})
        await gate(fetcher, RobotsMode.IGNORE).rule(PAGE)
        assert fetcher.fetched == []

    run(main())


def test_a_group_of_our_own_counts_more_than_the_one_for_all() -> None:
    assert (
        answered("User-agent: *\nDisallow: /\n\nUser-agent: Research-MCP/1.0\nAllow: /\n")
        is RobotsRule.ALLOWED
    )
    assert (
        answered("User-agent: *\nAllow: /\n\nUser-agent: research-mcp\nDisallow: /private\n")
        is RobotsRule.REFUSED
    )


def test_the_longest_rule_wins_and_wildcards_are_understood() -> None:
    rules = "User-agent: *\nDisallow: /*moss\nAllow: /private/moss$\n"
    assert answered(rules) is RobotsRule.ALLOWED
    assert answered(rules, url=PAGE + "?x") is RobotsRule.REFUSED


@pytest.mark.parametrize("status", [400, 401, 403, 404, 410])
def test_a_site_without_a_robots_txt_allows(status: int) -> None:
    async def main() -> None:
        fetcher = FakeFetcher({FILE: document(FILE, RULES, status)})
        assert await gate(fetcher).rule(PAGE) is RobotsRule.ALLOWED

    run(main())


TROUBLES: list[Document | Exception] = [
    document(FILE, "", 500),
    document(FILE, "", 503),
    document(FILE, "", 429),
    NoContent("silence", reason=Reason.TIMEOUT),
    NoContent("no way", reason=Reason.UNREACHABLE),
]


@pytest.mark.parametrize("trouble", TROUBLES, ids=str)
def test_a_robots_txt_that_cannot_be_had_forbids_when_obeyed_and_is_no_note(
    trouble: Document | Exception,
) -> None:
    async def main() -> None:
        assert await gate(FakeFetcher({FILE: trouble})).rule(PAGE) is RobotsRule.REFUSED
        assert await gate(FakeFetcher({FILE: trouble}), RobotsMode.NOTE).rule(PAGE) is RobotsRule.ALLOWED

    run(main())


def test_a_robots_txt_that_never_comes_is_given_up_after_three_seconds() -> None:
    async def main() -> None:
        assert await gate(FakeFetcher({FILE: RULES}, seconds=1_000)).rule(PAGE) is RobotsRule.REFUSED
        assert asyncio.get_running_loop().time() == 3.0

    run(main())


def test_a_robots_txt_that_leads_to_a_refused_address_is_none() -> None:
    async def main() -> None:
        assert await gate(FakeFetcher({FILE: UrlRefused("private")})).rule(PAGE) is RobotsRule.ALLOWED

    run(main())


def test_an_origin_is_asked_once_a_day() -> None:
    async def main() -> None:
        fetcher, clock = FakeFetcher({FILE: RULES}), VirtualClock()
        robots = gate(fetcher, clock=clock)
        for n in range(3):
            await robots.rule(f"https://mill.test/{n}")
        assert fetcher.fetched == [FILE]
        await robots.rule("http://mill.test:8080/x")
        assert fetcher.fetched[-1] == "http://mill.test:8080/robots.txt"
        clock.skipped = 86_401
        await robots.rule(PAGE)
        assert len(fetcher.fetched) == 3

    run(main())


def test_trouble_is_forgotten_after_five_minutes() -> None:
    async def main() -> None:
        fetcher, clock = FakeFetcher({FILE: document(FILE, "", 503)}), VirtualClock()
        robots = gate(fetcher, clock=clock)
        await robots.rule(PAGE)
        await robots.rule(PAGE)
        assert len(fetcher.fetched) == 1
        fetcher.pages[FILE] = "User-agent: *\nAllow: /"
        clock.skipped = 301
        assert await robots.rule(PAGE) is RobotsRule.ALLOWED

    run(main())


def test_pages_of_one_origin_in_flight_share_one_question() -> None:
    async def main() -> None:
        fetcher = FakeFetcher({FILE: RULES}, seconds=1)
        robots = gate(fetcher)
        rules = await asyncio.gather(*(robots.rule(PAGE) for _ in range(5)))
        assert set(rules) == {RobotsRule.REFUSED}
        assert len(fetcher.fetched) == 1

    run(main())


@pytest.mark.parametrize(
    "body", ["", "<!doctype html><p>Not here", "\ufeffUser-agent: *\nAllow: /", "\0\xff:::\n:\n"]
)
def test_a_file_without_a_rule_against_it_allows(body: str) -> None:
    assert answered(body) is RobotsRule.ALLOWED


def test_a_byte_order_mark_hides_no_rule() -> None:
    assert answered("\ufeff" + RULES) is RobotsRule.REFUSED


async def test_a_large_file_is_read_off_the_event_loop() -> None:
    body = RULES + "Disallow: /x\n" * 20_000
    assert await gate(FakeFetcher({FILE: body})).rule(PAGE) is RobotsRule.REFUSED


@pytest.mark.parametrize(
    "hostile",
    [
        "".join(f"user-agent: a{n}\n" for n in range(18_000)) + "disallow: /x\n" * 30_000,
        "".join(f"User agent a{n}\n" for n in range(18_000)) + "disallow: /x\n" * 30_000,
        "user-agent: *\n" + "disallow: /*a*a*b\n" * 30_000,
        "user-agent: *\n" + ("disallow: /" + "*a" * 1_000 + "b\n") * 300,
        "user-agent: *\n" + ("disallow: /" + "$" * 2_000 + "\n") * 300,
        ("user" + " " * 2_000 + "x\n") * 250,
        "\n" * 500_000,
    ],
    ids=["agents", "agents without a colon", "wildcards", "long wildcards", "dollars", "spaces", "lines"],
)
def test_half_a_hostile_megabyte_is_read_in_a_moment(hostile: str) -> None:
    began = time.process_time()
    allows(narrowed(hostile, AGENT), AGENT, "https://mill.test/" + "a" * 2_000)
    assert time.process_time() - began < 2.0


def test_site_maps_are_named_in_order_wherever_they_stand_whatever_the_policy_is() -> None:
    body = (
        "Sitemap: https://mill.test/a.xml\nUser-agent: *\nDisallow: /x\n"
        " sitemap :  /b.xml # comment\nSITEMAP:https://mill.test/a.xml\nSite-map: https://mill.test/c.xml\nSitemap:\n"
    )

    async def main() -> None:
        for mode in RobotsMode:
            fetcher = FakeFetcher({FILE: body})
            asked = gate(fetcher, mode)
            assert await asked.sitemaps("https://mill.test/any") == (
                "https://mill.test/a.xml",
                "/b.xml",
                "https://mill.test/c.xml",
            )
            await asked.rule(PAGE)
            assert fetcher.fetched == [FILE]

    run(main())


def test_a_site_without_robots_txt_names_none() -> None:
    async def main() -> None:
        assert await gate(FakeFetcher()).sitemaps(PAGE) == ()
        refused = FakeFetcher({FILE: NoContent("no", reason=Reason.UNREACHABLE)})
        assert await gate(refused).sitemaps(PAGE) == ()

    run(main())


def test_no_more_than_a_hundred_site_maps_are_kept() -> None:
    body = "".join(f"Sitemap: https://mill.test/{n}.xml\n" for n in range(300))

    async def main() -> int:
        return len(await gate(FakeFetcher({FILE: body})).sitemaps(PAGE))

    assert run(main()) == 100


@pytest.mark.parametrize(
    "body", ["", "".join(f"Sitemap: https://mill.test/{'m' * 400}/{n}.xml\n" for n in range(100))]
)
def test_what_is_remembered_of_all_origins_has_a_bound(body: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("research_mcp.net.robots.CACHE_BYTES", 100_000)
    origins = [f"https://{number}.mill.test" for number in range(200)]

    async def main() -> None:
        fetcher = FakeFetcher({f"{origin}/robots.txt": body for origin in origins})
        asked = gate(fetcher)
        for origin in (*origins, origins[0]):
            await asked.rule(f"{origin}/moss")
        assert fetcher.fetched.count(f"{origins[0]}/robots.txt") == 2

    run(main())
