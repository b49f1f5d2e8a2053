"""The status page in a real Chromium: looks, keyboard, renewal, and what assistive technology is told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar

import pytest
import pytest_asyncio
from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, ViewportSize, async_playwright, expect

from research_mcp.core.instance import Secret
from research_mcp.observe.overview import Overview
from research_mcp.server.config import ServerConfig
from tests.net.browser.web import chromium
from tests.server.serving import Running, serving, until
from tests.server.status.overviews import FRESH, FULL

pytestmark = [pytest.mark.slow, pytest.mark.asyncio(loop_scope="module")]

PHONE = ViewportSize(width=360, height=740)
DESK = ViewportSize(width=1280, height=900)
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]}


@dataclass
class Shown:
    """A page on the screen. `now` is what the server shows from now on; `log` is the browser's console."""

    browser: ClassVar[Browser]
    page: Page
    running: Running
    now: Overview
    asked: int = 0
    log: list[str] = field(default_factory=list)
    foreign: list[str] = field(default_factory=list)

    async def five_seconds(self) -> None:
        """Let the page's time pass; what comes of it is waited for by `expect` or `settled`."""
        await self.page.clock.run_for(5_000)

    async def settled(self) -> int:
        """How often the server was asked, when all that was begun has come to its end."""
        await asyncio.sleep(0.2)
        await self.page.wait_for_load_state("networkidle")
        return self.asked

    async def keys(self, *names: str) -> None:
        for name in names:
            await self.page.keyboard.press(name)


@pytest_asyncio.fixture(scope="module", loop_scope="module", autouse=True)
async def browser() -> AsyncIterator[None]:
    """One browser for all tests; each has a context of its own."""
    async with async_playwright() as driver:
        Shown.browser = await driver.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        yield
        await Shown.browser.close()


@asynccontextmanager
async def showing(
    now: Overview = FULL,
    *,
    viewport: ViewportSize = DESK,
    config: ServerConfig | None = None,
    path: str = "/",
    **context: Any,
) -> AsyncIterator[Shown]:
    """The page of a running server; its timers move by hand where it has scripts."""

    async def look() -> Overview:
        shown.asked += 1
        return shown.now

    async with serving(config=config, overview=look) as running:
        screen = await Shown.browser.new_context(viewport=viewport, **context)
        page = await screen.new_page()
        shown = Shown(page, running, now)
        page.on("console", lambda message: shown.log.append(message.text))
        page.on("pageerror", lambda error: shown.log.append(str(error)))
        page.on("dialog", lambda dialog: shown.log.append(f"dialog {dialog.message}"))
        here = f"http://127.0.0.1:{running.port}"
        page.on(
            "request", lambda r: None if r.url.startswith((here, "data:")) else shown.foreign.append(r.url)
        )
        if context.get("java_script_enabled", True):
            await page.clock.install()
        await page.goto(f"{here}{path}")
        yield shown
        await screen.close()


@pytest.mark.parametrize(
    ("now", "viewport", "scheme"),
    [
        (FULL, DESK, "light"),
        (FULL, DESK, "dark"),
        (FULL, PHONE, "light"),
        (FULL, PHONE, "dark"),
        (FRESH, DESK, "light"),
    ],
    ids=["desk-light", "desk-dark", "phone-light", "phone-dark", "fresh"],
)
async def test_axe_finds_nothing_to_complain_about(
    now: Overview, viewport: ViewportSize, scheme: str
) -> None:
    async with showing(now, viewport=viewport, color_scheme=scheme) as shown:
        for summary in await shown.page.locator("summary").all():
            await summary.click()
        found = await Axe().run(shown.page, options=RULES)
        told = [
            (one["id"], [node["html"][:120] for node in one["nodes"]]) for one in found.response["violations"]
        ]
        assert told == []
        assert (shown.log, shown.foreign) == ([], [])


@pytest.mark.parametrize("width", [320, 360, 700, 1280])
async def test_nothing_is_cut_off_or_scrolls_sideways(width: int) -> None:
    async with showing(viewport=ViewportSize(width=width, height=740)) as shown:
        for summary in await shown.page.locator("summary").all():
            await summary.click()
        wide = await shown.page.evaluate(
            "[...document.querySelectorAll('body *:not(thead, thead *)')]"
            ".filter(e => e.getBoundingClientRect().right > innerWidth + 1).map(e => e.outerHTML.slice(0, 80))"
        )
        assert wide == []
        assert await shown.page.evaluate("document.documentElement.scrollWidth <= innerWidth")


async def test_light_and_dark_follow_the_reader_s_choice() -> None:
    grounds = []
    for scheme in ("light", "dark"):
        async with showing(color_scheme=scheme) as shown:
            grounds.append(await shown.page.evaluate("getComputedStyle(document.body).backgroundColor"))
    assert grounds == ["rgb(248, 248, 246)", "rgb(20, 23, 28)"]


async def test_stacked_rows_are_still_a_table_to_assistive_technology() -> None:
    async with showing(viewport=PHONE) as shown:
        search = shown.page.get_by_role("region", name="Search engines").get_by_role("table")
        row = search.get_by_role("row").filter(has=shown.page.get_by_role("rowheader", name="exa"))
        assert await row.get_by_role("cell").count() == 5
        assert "rests until 08:04" in await row.inner_text()
        names = [await one.text_content() for one in await search.get_by_role("columnheader").all()]
        assert names == ["Name", "State", "Calls", "Success", "p50", "p95"]
        assert await shown.page.get_by_role("main").count() == 1
        chart = shown.page.get_by_role("img")
        assert (
            await chart.get_attribute("aria-label") == "18 calls, 3 failed; most in one minute: 14, at 07:59."
        )


async def test_it_renews_itself_in_place_and_disturbs_nobody() -> None:
    async with showing() as shown:
        opened = shown.page.locator("#search-summary")
        await opened.focus()
        await shown.keys("Enter")
        assert await shown.page.get_by_text("BRAVE_API_KEY is not set").is_visible()
        shown.now = replace(
            FULL, degraded=(), at=FULL.at + 5, providers=(*FULL.providers[:1], *FULL.providers[2:])
        )
        await shown.five_seconds()
        await expect(shown.page).to_have_title("Ready · research-mcp")
        await expect(shown.page.get_by_text("rests until 08:04")).to_have_count(0)
        assert await shown.page.get_by_text("BRAVE_API_KEY is not set").is_visible(), "it stays open"
        assert await opened.evaluate("e => e === document.activeElement"), "the focus stays"
        assert shown.log == []


async def test_it_asks_nothing_while_nobody_looks_and_at_once_when_somebody_does() -> None:
    hide = "Object.defineProperty(document, 'hidden', {get: () => %s, configurable: true});"
    event = "document.dispatchEvent(new Event('visibilitychange'))"
    async with showing() as shown:
        await shown.page.evaluate(hide % "true" + event)
        before = await shown.settled()
        for _ in range(3):
            await shown.five_seconds()
        assert await shown.settled() == before
        await shown.page.evaluate(hide % "false" + event)
        await until(lambda: shown.asked == before + 1)
        await shown.five_seconds()
        await until(lambda: shown.asked == before + 2)


async def test_the_keyboard_reaches_everything_and_can_pause_it() -> None:
    async with showing() as shown:
        await shown.keys("Tab")
        pause = shown.page.get_by_role("button", name="Pause updates")
        assert await pause.evaluate("e => e === document.activeElement")
        outline = await pause.evaluate(
            "e => getComputedStyle(e).outlineStyle + getComputedStyle(e).outlineWidth"
        )
        assert outline == "solid3px"
        await shown.keys("Space")
        assert await pause.get_attribute("aria-pressed") == "true"
        before = await shown.settled()
        await shown.five_seconds()
        assert await shown.settled() == before
        await shown.keys("Space")
        await until(lambda: shown.asked == before + 1)
        await shown.keys("Tab")
        assert await shown.page.evaluate("document.activeElement.id") == "search-summary"


async def test_a_server_that_is_gone_is_said_and_forgotten_when_it_is_back() -> None:
    async with showing() as shown:
        await shown.page.route("**/status", lambda route: route.abort())
        await shown.five_seconds()
        said = shown.page.locator("#connection")
        await expect(said).to_contain_text("what stands below is old")
        await shown.page.unroute("**/status")
        await shown.five_seconds()
        await expect(said).to_have_text("")


async def test_without_scripts_everything_is_there_and_reloading_can_be_stopped() -> None:
    async with showing(java_script_enabled=False, viewport=PHONE) as shown:
        assert await shown.page.get_by_text("rests until 08:04").is_visible()
        assert not await shown.page.locator("#pause").is_visible()
        await shown.page.get_by_role("link", name="Stop reloading").click()
        assert shown.page.url.endswith("/?still")
        assert await shown.page.get_by_role("link", name="Reload every 30 s").is_visible()


async def test_hostile_words_run_nothing_even_when_they_are_swapped_in() -> None:
    async with showing(FRESH) as shown:
        shown.now = FULL
        await shown.five_seconds()
        await expect(shown.page.get_by_text("<script>alert(1)</script>")).to_have_count(2)
        assert await shown.page.locator("img, main script").count() == 0
        assert (shown.log, shown.foreign) == ([], [])


async def test_a_token_as_the_password_opens_it_and_keeps_it_renewing() -> None:
    config = ServerConfig(bearer_tokens=(Secret("operators-token"),))
    login = {"username": "me", "password": "operators-token"}
    async with showing(FRESH, config=config, http_credentials=login) as shown:
        assert await shown.page.title() == "Ready · research-mcp"
        shown.now = FULL
        await shown.five_seconds()
        await expect(shown.page).to_have_title("Degraded · research-mcp")
        await shown.page.get_by_role("link", name="status.json").click()
        assert json.loads(await shown.page.locator("pre").inner_text())["version"] == "9.9.9"
