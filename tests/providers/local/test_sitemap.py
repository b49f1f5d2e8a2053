"""The mapper without a service: which documents it opens, in what order its addresses come."""

from __future__ import annotations

import asyncio
from typing import Any

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, Overloaded, ProviderError, Reason, UrlRefused
from research_mcp.core.sitemaps import MapAnswer, MapOption, MapQuery
from research_mcp.core.wire import Document
from research_mcp.providers.kit.base import Means
from research_mcp.providers.local.sitemap import MOST_MAPS, MOST_PAGES, SitemapMap
from tests.kit.mapping import HOME, FakeSite
from tests.kit.virtual_time import run


def mapped(site: FakeSite, url: str = HOME, seconds: float = 40.0, **query: Any) -> MapAnswer:
    async def main() -> MapAnswer:
        http: Any = None
        deadline = Deadline.after(seconds)
        return await SitemapMap(Means()).map(MapQuery(url, **query), site, http, deadline)

    return run(main())


def failed(site: FakeSite, **query: Any) -> ProviderError:
    try:
        answer = mapped(site, **query)
    except ProviderError as error:
        return error
    raise AssertionError(answer)


def urls(answer: MapAnswer) -> list[str]:
    return [page.url.removeprefix(HOME) for page in answer.pages]


def sitemap(*paths: str) -> str:
    return "<urlset>" + "".join(f"<url><loc>{HOME}{path}</loc></url>" for path in paths) + "</urlset>"


def index(*addresses: str) -> str:
    return (
        "<sitemapindex>"
        + "".join(f"<sitemap><loc>{a}</loc></sitemap>" for a in addresses)
        + "</sitemapindex>"
    )


def page(*links: str, title: str = "", head: str = "") -> str:
    anchors = "".join(f'<a href="{link}">to {link}</a>' for link in links)
    return f"<html><head><title>{title}</title>{head}</head><body>{anchors}</body></html>"


class TestSiteMaps:
    def test_those_that_robots_txt_names_are_read_and_links_give_titles(self) -> None:
        site = FakeSite(
            {HOME: page("/b", "/c", title="Home"), HOME + "map.xml": sitemap("a", "b")}, ["map.xml"]
        )
        answer = mapped(site)
        assert [(p.url, p.title) for p in answer.pages] == [
            (HOME, "Home"),
            (HOME + "a", ""),
            (HOME + "b", "to /b"),
            (HOME + "c", "to /c"),
        ]
        assert site.opened == [HOME, HOME + "map.xml"]
        assert answer.partial == ""
        assert answer.notes == ()

    def test_without_any_the_usual_places_are_tried(self) -> None:
        site = FakeSite(
            {HOME: page(), HOME + "sitemap_index.xml": index(HOME + "1.xml"), HOME + "1.xml": sitemap("a")}
        )
        assert urls(mapped(site)) == ["", "a"]
        assert site.opened == [HOME, HOME + "sitemap.xml", HOME + "sitemap_index.xml", HOME + "1.xml"]

    def test_indexes_may_hold_indexes_to_a_bound(self) -> None:
        site = FakeSite(
            {
                HOME: page(),
                **{HOME + f"{n}.xml": index(HOME + f"{n + 1}.xml") for n in range(1, 6)},
            },
            ["1.xml"],
        )
        mapped(site)
        assert site.opened == [HOME, HOME + "1.xml", HOME + "2.xml", HOME + "3.xml"]

    def test_an_index_that_names_itself_is_read_once(self) -> None:
        site = FakeSite({HOME: page("/a"), HOME + "1.xml": index(HOME + "1.xml")}, ["1.xml"])
        assert urls(mapped(site)) == ["", "a"]
        assert site.opened.count(HOME + "1.xml") == 1

    def test_no_more_than_a_bounded_number_of_them_is_read(self) -> None:
        maps = {HOME + f"{n}.xml": sitemap(f"p{n}") for n in range(200)}
        site = FakeSite({HOME: page(), HOME + "all.xml": index(*maps), **maps}, ["all.xml"])
        answer = mapped(site, limit=500)
        assert len(site.opened) == 1 + MOST_MAPS
        assert f"only the first {MOST_MAPS} site maps were read" in answer.notes

    def test_it_stops_once_enough_is_known(self) -> None:
        maps = {HOME + f"{n}.xml": sitemap(*(f"p{n}-{k}" for k in range(10))) for n in range(40)}
        site = FakeSite({HOME: page(), HOME + "all.xml": index(*maps), **maps}, ["all.xml"])
        answer = mapped(site, limit=10)
        assert len(answer.pages) == 10
        assert len(site.opened) <= 6
        assert answer.notes == ("more addresses are known: a higher max_results brings them",)

    def test_maps_on_other_sites_are_read_only_where_robots_txt_names_them(self) -> None:
        elsewhere = "https://maps.test/mill.xml"
        site = FakeSite({HOME: page(), elsewhere: sitemap("a")}, [elsewhere])
        assert urls(mapped(site)) == ["", "a"]
        site = FakeSite({HOME: page(), HOME + "i.xml": index(elsewhere), elsewhere: sitemap("a")}, ["i.xml"])
        assert urls(mapped(site)) == [""]

    def test_one_that_cannot_be_read_costs_the_others_nothing(self) -> None:
        site = FakeSite(
            {
                HOME: page(),
                HOME + "1.xml": NoContent("slow", reason=Reason.TIMEOUT),
                HOME + "2.xml": UrlRefused("private"),
                HOME + "3.xml": Overloaded("full"),
                HOME + "4.xml": sitemap("a"),
            },
            ["1.xml", "2.xml", "3.xml", "4.xml"],
        )
        answer = mapped(site)
        assert urls(answer) == ["", "a"]
        assert answer.notes == ("3 documents of the site could not be read",)

    def test_an_address_that_is_itself_a_site_map_is_understood(self) -> None:
        site = FakeSite({HOME + "map.xml": index(HOME + "1.xml"), HOME + "1.xml": sitemap("a", "b")})
        assert urls(mapped(site, HOME + "map.xml")) == ["a", "b"]
        assert site.opened == [HOME + "map.xml", HOME + "1.xml"]

    def test_a_site_whose_front_page_fails_is_still_mapped(self) -> None:
        broken = Document(HOME, HOME, 503, {}, b"no")
        assert urls(mapped(FakeSite({HOME: broken, HOME + "sitemap.xml": sitemap("a")}))) == ["a"]


class TestOrderAndBounds:
    def test_what_lies_below_the_asked_path_comes_first(self) -> None:
        site = FakeSite(
            {
                HOME + "docs": page("/blog/1", "/docs/x"),
                HOME + "map.xml": sitemap("", "blog/1", "docs", "docs/a", "docsy"),
            },
            ["map.xml"],
        )
        assert urls(mapped(site, HOME + "docs")) == ["docs", "docs/a", "docs/x", "blog/1", "", "docsy"]

    def test_maps_that_name_the_asked_path_are_read_first(self) -> None:
        maps = {
            HOME + f"{name}.xml": sitemap(f"{name}/1") for name in ("blog", "shop", "news", "more", "docs")
        }
        site = FakeSite({HOME + "docs/": page(), HOME + "all.xml": index(*maps), **maps}, ["/all.xml"])
        mapped(site, HOME + "docs/")
        assert site.opened[2] == HOME + "docs.xml"

    def test_other_sites_assets_and_doors_are_left_out_and_each_page_comes_once(self) -> None:
        site = FakeSite(
            {
                HOME: page(
                    *("https://other.test/", "/a", "/a#part", "/a?utm_source=x", "http://www.mill.test/a/"),
                    *("/style.css", "/login", "https://sub.mill.test/b", "https://mill.test:8443/c", "/"),
                )
            }
        )
        assert [p.url for p in mapped(site).pages] == [HOME, HOME + "a", "https://sub.mill.test/b"]

    def test_no_more_is_given_than_was_asked_for(self) -> None:
        site = FakeSite({HOME: page(*(f"/{n}" for n in range(90)))})
        answer = mapped(site, limit=7)
        assert len(answer.pages) == 7
        assert answer.notes == ("more addresses are known: a higher max_results brings them",)

    def test_a_map_of_ten_thousand_is_looked_through_for_the_asked_path_alone(self) -> None:
        rest = [f"blog/{n}" for n in range(9_000)]
        site = FakeSite(
            {HOME + "docs/": page(), HOME + "map.xml": sitemap(*rest, "docs/a", "docs/b")}, ["/map.xml"]
        )
        answer = mapped(site, HOME + "docs/", limit=20)
        assert urls(answer)[:3] == ["docs/", "docs/a", "docs/b"]
        assert len(answer.pages) == 20
        assert max(site.counts) <= 2 * 20 + 1

    def test_other_work_goes_on_while_a_long_list_is_looked_through(self) -> None:
        async def main() -> int:
            ticks = 0

            async def tick() -> None:
                nonlocal ticks
                while True:
                    ticks += 1
                    await asyncio.sleep(0)

            site = FakeSite({HOME: page(*(f"/{n}" for n in range(2_000)))})
            ticking = asyncio.create_task(tick())
            http: Any = None
            await SitemapMap(Means()).map(MapQuery(HOME, limit=500), site, http, Deadline.after(40))
            ticking.cancel()
            return ticks

        assert run(main()) >= 10


def tree() -> FakeSite:
    """Two branches; the second one ends in a page that cannot be read."""
    return FakeSite(
        {
            HOME: page("/a", "/b"),
            HOME + "a": page("/a/1"),
            HOME + "b": page("/b/1"),
            HOME + "a/1": page("/a/1/x"),
            HOME + "b/1": NoContent("away", reason=Reason.TIMEOUT),
        }
    )


class TestLinks:
    def test_depth_one_opens_the_page_alone(self) -> None:
        site = tree()
        assert urls(mapped(site)) == ["", "a", "b"]
        assert site.linked == []

    def test_further_levels_are_opened_breadth_first(self) -> None:
        site = tree()
        assert urls(mapped(site, depth=2)) == ["", "a", "b", "a/1", "b/1"]
        assert site.linked == [HOME + "a", HOME + "b"]
        site = tree()
        answer = mapped(site, depth=3)
        assert urls(answer) == ["", "a", "b", "a/1", "b/1", "a/1/x"]
        assert answer.notes == ("1 documents of the site could not be read",)

    def test_a_circle_ends(self) -> None:
        site = FakeSite({HOME: page("/a"), HOME + "a": page("/", "/a")})
        mapped(site, depth=5)
        assert site.opened.count(HOME) == 1
        assert site.opened.count(HOME + "a") == 1

    def test_an_endless_site_is_left_after_some_pages(self) -> None:
        class Endless(FakeSite):
            async def open(self, url: str, deadline: Deadline, *, linked: bool = False) -> Any:
                self.bodies[url] = page(*(f"{url}{n}/" for n in range(3)))
                return await super().open(url, deadline, linked=linked)

        site = Endless({})
        answer = mapped(site, depth=5, limit=500)
        assert len(site.linked) == MOST_PAGES
        assert f"only the first {MOST_PAGES} linked pages were opened" in answer.notes

    def test_pages_that_robots_txt_closes_are_named_and_not_opened(self) -> None:
        closed = NoContent("closed", reason=Reason.ROBOTS_DISALLOWED)
        answer = mapped(
            FakeSite({HOME: page("/a", "/b"), HOME + "a": closed, HOME + "b": page("/c")}), depth=2
        )
        assert urls(answer) == ["", "a", "b", "c"]
        assert answer.notes == ("1 linked pages were not opened, as robots.txt asks",)

    def test_feeds_stand_in_for_a_missing_site_map(self) -> None:
        head = '<link rel="alternate" type="application/rss+xml" href="/feed">'
        feed = f"<rss><channel><item><title>Moss</title><link>{HOME}moss</link></item></channel></rss>"
        site = FakeSite({HOME: page(head=head), HOME + "feed": feed})
        assert urls(mapped(site)) == ["", "moss"]
        site = FakeSite({HOME: page(head=head), HOME + "feed": feed, HOME + "sitemap.xml": sitemap("a")})
        assert urls(mapped(site)) == ["", "a"]


class TestEnds:
    def test_a_site_that_moved_is_mapped_where_it_is_now(self) -> None:
        new = "https://new-mill.test/"
        site = FakeSite(
            {
                HOME: page("/a", HOME + "old"),
                new + "sitemap.xml": f"<urlset><url><loc>{new}b</loc></url></urlset>",
            },
            moved={HOME: new},
        )
        answer = mapped(site)
        assert [p.url for p in answer.pages] == [new, new + "b", new + "a"]
        assert answer.home == new
        assert answer.notes == ("mill.test redirects to new-mill.test, whose pages are listed",)

    def test_time_that_runs_out_leaves_what_was_found(self) -> None:
        maps = {HOME + f"{n}.xml": sitemap(f"p{n}") for n in range(40)}
        site = FakeSite({HOME: page("/a"), HOME + "all.xml": index(*maps), **maps}, ["all.xml"], seconds=2.0)
        answer = mapped(site, seconds=9.0)
        assert answer.partial == "the time ran out"
        assert urls(answer) == ["", *(f"p{n}" for n in range(5)), "a"]

    def test_nothing_in_time_is_no_map(self) -> None:
        assert failed(FakeSite({}, seconds=60.0)).reason is Reason.DEADLINE

    def test_a_missing_page_on_a_site_without_maps_is_named(self) -> None:
        assert failed(FakeSite({})).reason is Reason.NOT_FOUND

    def test_where_nobody_is_nothing_more_is_asked(self) -> None:
        for reason in (Reason.UNREACHABLE, Reason.DNS_FAILED, Reason.TLS_FAILED, Reason.ROBOTS_DISALLOWED):
            site = FakeSite({HOME: NoContent("no", reason=reason)})
            assert failed(site).reason is reason
            assert site.opened == [HOME]

    def test_a_page_that_leads_to_a_private_address_ends_it(self) -> None:
        try:
            mapped(FakeSite({HOME: UrlRefused("private")}))
        except UrlRefused:
            return
        raise AssertionError

    def test_instructions_are_said_to_have_no_effect(self) -> None:
        answer = mapped(FakeSite({HOME: page("/a")}), instructions="only moss", depth=2)
        assert answer.unapplied == {MapOption.INSTRUCTIONS}

    def test_how_many_are_known_is_told_on_the_way(self) -> None:
        site = FakeSite({HOME: page("/a"), HOME + "sitemap.xml": sitemap("b", "c")})
        mapped(site)
        assert site.counts == [2, 4]
