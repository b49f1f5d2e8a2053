"""DuckDuckGo: what is asked, what of the page counts, and what a block page means."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, RateLimited, Reason
from research_mcp.core.models import EngineState, Filter, Hit, SearchQuery, SearchReport, TimeRange
from research_mcp.core.wire import Reply
from research_mcp.pipelines.search.pipeline import SearchPipeline
from research_mcp.providers.vendors.duckduckgo import DuckDuckGo, region
from research_mcp.store.memory import MemoryAgreements, MemoryCache, MemoryPaces, MemoryParking
from tests.kit.virtual_time import VirtualClock, run
from tests.kit.wire import Wire, search_engine

PAGES = Path(__file__).parents[2] / "fixtures" / "search" / "duckduckgo"


def body(name: str) -> bytes:
    return (PAGES / f"{name}.html").read_bytes()


def form(query: SearchQuery) -> dict[str, str]:
    sent = DuckDuckGo().request(query).form
    assert sent is not None
    return dict(sent)


def result(inner: str) -> Reply:
    return Reply(200, body=f'<div id="links"><div class="result web-result">{inner}</div></div>'.encode())


def link(href: str, text: str = "Tide") -> str:
    return f'<h2 class="result__title"><a class="result__a" href="{href}">{text}</a></h2>'


class TestRequest:
    def test_it_looks_like_the_form_of_the_page_itself(self) -> None:
        wire = Wire(httpx.Response(200, content=body("ok")))
        run(search_engine(DuckDuckGo, wire).search(SearchQuery("tidal power"), Deadline(9.0)))
        (request,) = wire.sent
        assert str(request.url) == "https://html.duckduckgo.com/html/"
        assert request.content == b"q=tidal+power&b=&kl=wt-wt"
        assert request.headers["referer"] == "https://html.duckduckgo.com/"
        assert request.headers["sec-fetch-mode"] == "navigate"
        assert request.headers["sec-fetch-dest"] == "document"
        assert request.headers["sec-fetch-site"] == "same-origin"
        assert request.headers["user-agent"].startswith("Mozilla/5.0 ")
        assert request.headers["accept-language"] == "en-US,en;q=0.5"
        assert "cookie" not in request.headers

    def test_the_language_is_accepted_before_english(self) -> None:
        sent = DuckDuckGo().request(SearchQuery("tide", language="de"))
        assert sent.headers["Accept-Language"] == "de,en;q=0.3"

    @pytest.mark.parametrize(
        ("time_range", "df"),
        [(TimeRange.DAY, "d"), (TimeRange.WEEK, "w"), (TimeRange.MONTH, "m"), (TimeRange.YEAR, "y")],
    )
    def test_ages_are_single_letters(self, time_range: TimeRange, df: str) -> None:
        assert form(SearchQuery("tide", time_range=time_range))["df"] == df
        assert "df" not in form(SearchQuery("tide"))

    @pytest.mark.parametrize(
        ("text", "q"),
        [
            ("!g tide", "g tide"),
            ("tide !w mill", "tide w mill"),
            ("tide w!", "tide w"),
            ("!!tide", "tide"),
            ("\\tide", "tide"),
            ("\\ tide", "tide"),
            ("wow! tide!!", "wow tide"),
            ("a != b", "a = b"),
            ("c++ tide", "c++ tide"),
            ("user@example.com", "user@example.com"),
            ("!!", '"!!"'),
        ],
    )
    def test_bang_words_are_words(self, text: str, q: str) -> None:
        assert form(SearchQuery(text))["q"] == q

    def test_several_sites_are_alternatives_and_excluded_ones_are_not(self) -> None:
        query = SearchQuery(
            "tide", include_domains=("a.test", "b.test"), exclude_domains=("c.test", "d.test")
        )
        assert form(query)["q"] == "tide (site:a.test OR site:b.test) -site:c.test -site:d.test"
        assert form(SearchQuery("tide", include_domains=("a.test",)))["q"] == "tide site:a.test"

    def test_the_query_never_exceeds_499_characters_and_says_what_did_not_fit(self) -> None:
        many = tuple(f"a-rather-long-name-{n}.test" for n in range(40))
        query = SearchQuery("word " * 99, include_domains=many, exclude_domains=many)
        assert len(form(query)["q"]) <= 499
        assert form(query)["q"].startswith("word word")
        assert DuckDuckGo().unapplied(query) == {Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS}
        few = SearchQuery("tide", include_domains=many[:2])
        assert DuckDuckGo().unapplied(few) == frozenset()

    @pytest.mark.parametrize(
        ("language", "country", "code", "missing"),
        [
            ("", "", "wt-wt", set()),
            ("en", "", "us-en", set()),
            ("", "GB", "uk-en", set()),
            ("en", "GB", "uk-en", set()),
            ("ja", "", "jp-jp", set()),
            ("ja", "JP", "jp-jp", set()),
            ("ko", "", "kr-kr", set()),
            ("zh", "", "cn-zh", set()),
            ("zh", "TW", "tw-tzh", set()),
            ("sl", "", "sl-sl", set()),
            ("", "SI", "sl-sl", set()),
            ("nb", "NO", "no-no", set()),
            ("es", "", "es-es", set()),
            ("es", "AR", "ar-es", set()),
            ("ar", "", "xa-ar", set()),
            ("", "EG", "xa-ar", set()),
            ("ar", "EG", "xa-ar", set()),
            ("pt", "BR", "br-pt", set()),
            ("", "CH", "ch-de", set()),
            ("fr", "CH", "ch-fr", set()),
            ("en", "DE", "us-en", {Filter.COUNTRY}),
            ("ar", "DE", "xa-ar", {Filter.COUNTRY}),
            ("he", "IL", "il-en", {Filter.LANGUAGE}),
            ("he", "", "wt-wt", {Filter.LANGUAGE}),
            ("", "XX", "wt-wt", {Filter.COUNTRY}),
        ],
    )
    def test_language_and_country_become_one_region(
        self, language: str, country: str, code: str, missing: set[Filter]
    ) -> None:
        query = SearchQuery("tide", language=language, country=country)
        assert region(query).code == form(query)["kl"] == code
        assert DuckDuckGo().unapplied(query) == missing

    @pytest.mark.parametrize(
        ("language", "of", "country", "code", "missing"),
        [
            ("zh", "TW", "", "tw-tzh", set()),
            ("zh", "HK", "", "hk-tzh", set()),
            ("pt", "BR", "", "br-pt", set()),
            ("pt", "PT", "", "pt-pt", set()),
            ("en", "GB", "", "uk-en", set()),
            ("de", "LI", "", "de-de", set()),
            ("he", "IL", "", "wt-wt", {Filter.LANGUAGE}),
            ("pt", "BR", "DE", "br-pt", {Filter.COUNTRY}),
            ("fr", "FR", "CH", "ch-fr", set()),
        ],
    )
    def test_the_region_of_the_language_chooses_among_the_regions_that_speak_it(
        self, language: str, of: str, country: str, code: str, missing: set[Filter]
    ) -> None:
        query = SearchQuery("tide", language=language, region=of, country=country)
        assert form(query)["kl"] == code
        assert DuckDuckGo().unapplied(query) == missing


class TestPage:
    @pytest.mark.parametrize(
        ("href", "url"),
        [
            (
                "//duckduckgo.com/l/?uddg=https%3A%2F%2Fsea.test%2Fa%3Fx%3D1%26y%3D%2525&amp;rut=0",
                "https://sea.test/a?x=1&y=%25",
            ),
            ("/l/?uddg=http%3A%2F%2Fsea.test%2F", "http://sea.test/"),
            ("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fsea.test%2F", "https://sea.test/"),
            (
                "https://sea.test/l/?uddg=https%3A%2F%2Fother.test%2F",
                "https://sea.test/l/?uddg=https%3A%2F%2Fother.test%2F",
            ),
            ("  https://sea.test/a  ", "https://sea.test/a"),
        ],
    )
    def test_links_are_read_plain_and_wrapped(self, href: str, url: str) -> None:
        assert DuckDuckGo().parse(result(link(href))) == [Hit("Tide", url)]

    @pytest.mark.parametrize(
        "href",
        [
            "javascript:x",
            "https://duckduckgo.com/l/?rut=1",
            "https://duckduckgo.com/about",
            "http://[::1",
            "",
            "//duckduckgo.com/l/?uddg=ftp%3A%2F%2Fx",
        ],
    )
    def test_links_that_lead_nowhere_are_no_results(self, href: str) -> None:
        with pytest.raises(BadReply):
            DuckDuckGo().parse(result(link(href)))

    @pytest.mark.parametrize(
        "ad",
        [
            link("https://duckduckgo.com/y.js?ad_domain=shop.test"),
            link("//duckduckgo.com/y.js?u3=x"),
            link("https://shop.test/") + '<button class="badge--ad">Ad</button>',
            link("https://shop.test/")
            + '<a class="result__url" href="https://duckduckgo.com/y.js?a=1">shop</a>',
        ],
    )
    def test_an_ad_shows_by_any_of_its_signs(self, ad: str) -> None:
        page = result(ad).body + result(link("https://sea.test/")).body
        assert [hit.url for hit in DuckDuckGo().parse(Reply(200, body=page))] == ["https://sea.test/"]

    def test_a_page_of_ads_alone_is_not_an_empty_answer(self) -> None:
        with pytest.raises(BadReply, match="markup has changed"):
            DuckDuckGo().parse(result(link("//duckduckgo.com/y.js?u3=x")))

    @pytest.mark.parametrize(
        "attributes", ["hidden", 'style="display:none"', 'style="color:red; display: none;"']
    )
    def test_hidden_blocks_do_not_count(self, attributes: str) -> None:
        hidden = f'<div class="result web-result" {attributes}>{link("https://hidden.test/")}</div>'
        page = hidden.encode() + result(link("https://sea.test/")).body
        assert [hit.url for hit in DuckDuckGo().parse(Reply(200, body=page))] == ["https://sea.test/"]

    def test_what_is_said_twice_counts_once(self) -> None:
        page = result(link("https://sea.test/")).body + result(link("https://sea.test/", "Again")).body
        assert DuckDuckGo().parse(Reply(200, body=page)) == [Hit("Tide", "https://sea.test/")]


class TestBlock:
    @pytest.mark.parametrize("status", [200, 202, 403, 418, 429])
    def test_the_puzzle_is_a_block_whatever_its_status(self, status: int) -> None:
        error = DuckDuckGo().refusal(Reply(status, body=body("blocked")))
        assert isinstance(error, RateLimited)
        assert error.reason is Reason.BLOCKED
        assert error.rest_for is not None
        assert error.rest_for >= 600

    def test_a_202_with_the_sign_for_none_is_empty_and_with_results_a_list(self) -> None:
        ddg = DuckDuckGo()
        for name, count in (("empty", 0), ("ok", 2)):
            reply = Reply(202, body=body(name))
            assert ddg.refusal(reply) is None
            assert len(ddg.parse(reply)) == count

    def test_a_202_with_neither_is_a_block(self) -> None:
        assert isinstance(DuckDuckGo().refusal(Reply(202, body=b"<html></html>")), RateLimited)

    def test_results_that_speak_of_anomalies_are_results(self) -> None:
        reply = result(link("https://sea.test/", "How to solve anomaly-modal and challenge-form pages"))
        assert DuckDuckGo().refusal(reply) is None

    def test_a_page_about_puzzles_without_results_is_a_changed_page(self) -> None:
        reply = Reply(200, body=b"<p>anomaly.js</p><div class='no-results'>None</div>")
        assert DuckDuckGo().refusal(reply) is None
        assert DuckDuckGo().parse(reply) == []

    def test_the_caller_is_told_when_to_come_back(self) -> None:
        async def main() -> tuple[SearchReport, SearchReport]:
            clock = VirtualClock()
            wire = Wire(httpx.Response(202, content=body("blocked")))
            pipeline = SearchPipeline(
                [search_engine(DuckDuckGo, wire, clock=clock)],
                clock=clock,
                parking=MemoryParking(clock),
                paces=MemoryPaces(clock),
                cache=MemoryCache(clock, seconds=600),
                agreements=MemoryAgreements(),
            )
            reports = await pipeline.search(SearchQuery("tide")), await pipeline.search(SearchQuery("mill"))
            assert len(wire.sent) == 1
            return reports

        first, second = run(main())
        start = VirtualClock().start
        assert (first.answered, first.retry_at) == (False, pytest.approx(start + 600))
        assert first.rows[0].state is EngineState.BLOCKED
        assert "takes this address for a bot" in first.rows[0].detail
        assert second.rows[0].state is EngineState.RESTING
        assert second.retry_at == pytest.approx(start + 600)
