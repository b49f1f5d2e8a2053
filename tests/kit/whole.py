"""The whole product, assembled from an environment as `main.py` does it, over vendors on loopback."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from research_mcp.bootstrap import Configuration, Product, assemble, configure, read_environment
from research_mcp.core.models import EngineRow, SearchQuery, SearchReport
from research_mcp.observe.events import Event
from tests.kit.vendors import FakeVendor, Served, all_serving

URLS: Mapping[str, str] = {
    "searxng": "SEARXNG_URL",
    "jina": "JINA_SEARCH_API_URL",
    **{
        name: f"{name.upper()}_API_URL"
        for name in (
            *("duckduckgo", "brave", "tavily", "firecrawl", "parallel", "octen", "linkup", "youcom"),
            *(
                "serper",
                "exa",
                "perplexity",
                "kagi",
                "openalex",
                "semantic_scholar",
                "wikipedia",
                "marginalia",
            ),
        )
    },
}
"""The variable that leads to each vendor."""

FREE = ("duckduckgo", "openalex", "semantic_scholar", "wikipedia", "marginalia")
"""Vendors that are on without any variable: where a test has none of its own, they fail on loopback."""


class SkippingClock:
    """The machine's clock, and what the test skips."""

    def __init__(self) -> None:
        self.skipped = 0.0

    def now(self) -> float:
        return datetime.now(UTC).timestamp() + self.skipped


def key(vendor: str, number: int = 1) -> str:
    """A key that shows up in a search of every output."""
    return f"CANARY-{vendor}-{number}"


@dataclass
class Whole:
    """Vendors, an environment and a data folder, from which any number of products may start.

    `nobody` stands for the vendors that the test is not about.
    """

    folder: Path
    vendors: Mapping[str, FakeVendor]
    nobody: FakeVendor
    variables: Mapping[str, str] = field(default_factory=dict)
    clock: SkippingClock = field(default_factory=SkippingClock)
    events: list[Event] = field(default_factory=list)

    def environment(self, **more: str) -> dict[str, str]:
        nowhere = {URLS[name]: self.nobody.url for name in FREE}
        urls = {URLS[name]: vendor.url for name, vendor in self.vendors.items()}
        keys = {
            f"{'tavily_1' if name == 'tavily' else name}_api_key".upper(): key(name)
            for name in self.vendors
            if name not in (*FREE, "searxng")
        }
        settings = {
            "DATA_DIR": str(self.folder / "data"),
            "LOG_FILE": "",
            "SEARCH_CACHE_TTL": "0",
            "EXTRACT_WORKERS": "1",
        }
        return {**nowhere, **settings, **urls, **keys, **self.variables, **more}

    def configuration(self, **more: str) -> Configuration:
        return configure(read_environment(self.folder / "no.env", self.environment(**more)))

    def product(self, **more: str) -> Product:
        """A product on the data folder, not yet running; `more` variables win."""
        return assemble(self.configuration(**more), self.events.append, clock=self.clock)

    @asynccontextmanager
    async def started(self, **more: str) -> AsyncIterator[Product]:
        """The same, running."""
        product = self.product(**more)
        async with product.running():
            yield product


@asynccontextmanager
async def whole(folder: Path, *vendors: FakeVendor, **variables: str) -> AsyncIterator[Whole]:
    """The vendors at their ports, named in the environment with a key each, beside `variables`."""
    nobody = FakeVendor("nobody", answer=lambda _: Served(status=500))
    async with all_serving([*vendors, nobody]):
        yield Whole(folder, {vendor.name: vendor for vendor in vendors}, nobody, variables)


async def ask(product: Product, text: str = "tidal power", limit: int = 3, **filters: object) -> SearchReport:
    return await product.searcher.search(SearchQuery(text, limit=limit, **filters))  # type: ignore[arg-type]


def by_name(report: SearchReport) -> dict[str, EngineRow]:
    return {row.name: row for row in report.rows}


def states(report: SearchReport) -> dict[str, str]:
    return {row.name: row.state.value for row in report.rows}


def urls(report: SearchReport) -> Sequence[str]:
    return [hit.url for hit in report.hits]
