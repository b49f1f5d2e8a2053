"""`map_site` through the whole product: a real client, a site on loopback, vendors on loopback."""

from __future__ import annotations

import asyncio
import gzip
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from mcp import Client

from research_mcp.bootstrap import Product
from research_mcp.core.sitemaps import MapQuery
from research_mcp.server.app import build_server
from tests.kit.vendors import Call, FakeVendor, Served
from tests.kit.whole import ask, states, whole
from tests.server.serving import until

PUBLIC = "https://93.184.215.14/"
"""A site that no test reaches: only vendors are told of it."""


def urlset(*urls: str) -> bytes:
    return b"<urlset>" + b"".join(b"<url><loc>%s</loc></url>" % url.encode() for url in urls) + b"</urlset>"


class Site:
    """A small site. `bodies` by path; what is not there is a 404, `None` never comes."""

    def __init__(self, bodies: dict[str, bytes | None]) -> None:
        self.bodies = bodies
        self.asked: list[str] = []
        self.hung_up = 0
        self.url = ""

    @asynccontextmanager
    async def serving(self) -> AsyncIterator[None]:
        server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.url = f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"
        async with server:
            yield

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                path = head.split(b" ")[1].decode()
                self.asked.append(path)
                body = self.bodies.get(path, b"missing")
                if body is None:
                    await reader.read()
                    self.hung_up += 1
                    return
                status = "200 OK" if path in self.bodies else "404 Not Found"
                body = body.replace(b"SITE/", self.url.encode())
                kind = "application/x-gzip" if path.endswith(".gz") else "text/html"
                writer.write(
                    f"HTTP/1.1 {status}\r\ncontent-type: {kind}\r\ncontent-length: {len(body)}\r\n\r\n".encode()
                    + body
                )
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()


@asynccontextmanager
async def mapped(tmp_path: Path, site: Site, **variables: str) -> AsyncIterator[Client]:
    """A client of a product that may read the site."""
    async with site.serving(), whole(tmp_path) as house:
        port = site.url.rstrip("/").rpartition(":")[2]
        opened = {"ALLOW_PRIVATE_NETWORK": "true", "PAGE_PORTS": f"80,443,{port}", **variables}
        async with house.started(**opened) as product, client_of(product) as client:
            yield client


@asynccontextmanager
async def client_of(product: Product) -> AsyncIterator[Client]:
    async with Client(build_server(product.services(), product.server_config())) as client:
        yield client


async def call(client: Client, url: str, **arguments: Any) -> Any:
    return await client.call_tool("map_site", {"url": url, **arguments})


def paths(result: Any, site: Site) -> list[str]:
    return [page["url"].removeprefix(site.url) for page in result.structured_content["pages"]]


def a_site() -> Site:
    return Site(
        {
            "/robots.txt": b"User-agent: *\nDisallow: /closed\nSitemap: SITE/maps/index.xml\n",
            "/": b"<title>The mill</title><a href='/moss'>Moss</a><a href='/closed/x'>x</a><a href='//o.test/'>o</a>",
            "/maps/index.xml": b"<sitemapindex><sitemap><loc>SITE/maps/a.xml.gz</loc></sitemap>"
            b"<sitemap><loc>http://169.254.169.254/b.xml</loc></sitemap></sitemapindex>",
            "/moss": b"<title>Moss</title><a href='/moss/wall'>Wall</a>",
        }
    )


async def test_without_a_key_the_site_s_own_maps_and_links_are_read(tmp_path: Path) -> None:
    site = a_site()
    async with mapped(tmp_path, site) as client:
        site.bodies["/maps/a.xml.gz"] = gzip.compress(urlset(f"{site.url}press", f"{site.url}logo.png"))
        result = await call(client, site.url)
        assert not result.is_error, result.content[0].text
        assert paths(result, site) == ["", "press", "moss", "closed/x"]
        assert result.structured_content["pages"][0]["title"] == "The mill"
        assert result.structured_content["mappers"] == [{"name": "sitemap", "state": "ok", "count": 4}]
        assert site.asked == ["/robots.txt", "/", "/maps/index.xml", "/maps/a.xml.gz"]
        again = await call(client, site.url)
        assert "(from the cache)" in again.content[0].text
        assert len(site.asked) == 4


async def test_deeper_links_are_followed_where_robots_txt_allows(tmp_path: Path) -> None:
    site = a_site()
    async with mapped(tmp_path, site) as client:
        result = await call(client, site.url, max_depth=2)
        assert paths(result, site) == ["", "moss", "closed/x", "moss/wall"]
        assert "/closed/x" not in site.asked
        assert "1 linked pages were not opened, as robots.txt asks" in result.structured_content["notes"]


async def test_an_owner_who_obeys_robots_txt_refuses_the_closed_part(tmp_path: Path) -> None:
    site = a_site()
    async with mapped(tmp_path, site, ROBOTS="obey") as client:
        result = await call(client, f"{site.url}closed/")
        assert result.is_error
        assert "(robots_disallowed)" in result.content[0].text
        assert "/closed/" not in site.asked


async def test_a_site_that_hangs_ends_in_time_with_what_was_found(tmp_path: Path) -> None:
    site = a_site()
    site.bodies["/maps/index.xml"] = None
    async with mapped(tmp_path, site, MAP_TIMEOUT="4") as client:
        started = asyncio.get_running_loop().time()
        result = await call(client, site.url)
        assert asyncio.get_running_loop().time() - started < 5
        assert paths(result, site) == ["", "moss", "closed/x"]
        assert result.structured_content["partial"] is True
        assert "The list may lack pages (the time ran out)" in result.content[0].text


async def test_a_client_hears_how_far_it_is(tmp_path: Path) -> None:
    site = a_site()
    heard: list[str | None] = []

    async def progress(done: float, total: float | None, message: str | None) -> None:
        heard.append(message)

    async with mapped(tmp_path, site) as client:
        await client.call_tool("map_site", {"url": site.url}, progress_callback=progress)
    assert heard[-1] in ("2 addresses found", "3 addresses found")


async def test_a_client_that_leaves_stops_the_reading(tmp_path: Path) -> None:
    site = a_site()
    site.bodies["/maps/index.xml"] = None
    async with mapped(tmp_path, site) as client:
        task = asyncio.create_task(call(client, site.url))
        await until(lambda: "/maps/index.xml" in site.asked)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        await until(lambda: site.hung_up == 1)


async def test_vendors_are_asked_first_each_with_its_own_key(tmp_path: Path) -> None:
    def answer(call: Call) -> Served:
        assert json.loads(call.body)["instructions"] == "only moss"
        return Served(
            {"base_url": "93.184.215.14", "results": [PUBLIC, f"{PUBLIC}moss", "http://10.0.0.1/x"]}
        )

    vendor = FakeVendor("tavily", answer=answer)
    fire = FakeVendor("firecrawl", answer=lambda call: Served(status=500))
    async with (
        whole(tmp_path, vendor, fire) as house,
        house.started() as product,
        client_of(product) as client,
    ):
        result = await call(client, PUBLIC, instructions="only moss")
    assert [page["url"] for page in result.structured_content["pages"]] == [PUBLIC, f"{PUBLIC}moss"]
    states_ = {row["name"]: row["state"] for row in result.structured_content["mappers"]}
    assert states_ == {"tavily-map": "ok", "firecrawl-map": "skipped", "sitemap": "skipped"}
    assert [c.key for c in vendor.calls] == ["CANARY-tavily-1"]
    assert fire.calls == []
    assert "10.0.0.1" not in result.content[0].text
    assert "CANARY" not in result.content[0].text


async def test_a_plan_that_is_spent_by_a_map_rests_for_searches_too(tmp_path: Path) -> None:
    spent = Served({"detail": {"error": "This request exceeds your plan's set usage limit."}}, status=432)
    links = {"success": True, "links": [{"url": f"{PUBLIC}moss", "title": "Moss"}]}
    vendor = FakeVendor("tavily", answer=lambda call: spent)
    fire = FakeVendor("firecrawl", answer=lambda call: Served(links))
    async with whole(tmp_path, vendor, fire) as house, house.started() as product:
        report = await product.mapper.map(MapQuery(PUBLIC))
        assert [(row.name, row.state.value) for row in report.rows] == [
            ("tavily-map", "failed"),
            ("firecrawl-map", "ok"),
            ("sitemap", "skipped"),
        ]
        assert [(page.url, page.title) for page in report.pages] == [(f"{PUBLIC}moss", "Moss")]
        calls = len(vendor.calls)
        assert states(await ask(product))["tavily-search"] == "resting"
        assert len(vendor.calls) == calls


async def test_budgets_hold_for_maps(tmp_path: Path) -> None:
    vendor = FakeVendor("tavily", answer=lambda call: Served({"results": [f"{PUBLIC}moss"]}))
    async with whole(tmp_path, vendor, TAVILY_MAP_BUDGET="1/day") as house, house.started() as product:
        first = await product.mapper.map(MapQuery(PUBLIC))
        second = await product.mapper.map(MapQuery(PUBLIC, limit=9))
        assert first.mapper == "tavily-map"
        assert second.rows[0].reason is not None
        assert second.rows[0].reason.value == "out_of_credits"
        assert len(vendor.calls) == 1
