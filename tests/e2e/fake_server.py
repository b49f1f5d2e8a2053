"""The product's server as a process of its own, over fake pipelines: `python -m tests.e2e.fake_server`.

A query `sleep 1.5` takes so long; everything else answers at once. A url with `big` in it is a page of
400,000 characters. The port is told on stderr.
"""

from __future__ import annotations

import asyncio
import logging
import sys

from research_mcp.core.models import Page, SearchQuery, SearchReport
from research_mcp.core.ports import Progress
from research_mcp.server.config import Listen, ServerConfig
from research_mcp.server.run import run
from research_mcp.server.sockets import bound
from tests.server.fakes import FakePipelines, hit, page, report


async def search(query: SearchQuery, progress: Progress) -> SearchReport:
    if query.text.startswith("sleep "):
        await asyncio.sleep(float(query.text.removeprefix("sleep ")))
    return report(query, [hit(number) for number in range(1, query.limit + 1)])


async def read(url: str) -> Page:
    return page(url, "word " * 80_000) if "big" in url else page(url)


def main() -> None:
    port, drain = int(sys.argv[1]), int(sys.argv[2])
    logging.basicConfig(level=logging.INFO, stream=sys.stderr, format="%(levelname)s %(message)s")
    services = FakePipelines(search_with=search, read_with=read, keep=False).services()
    listen = Listen(port=port, drain_seconds=drain)
    sockets = bound(listen.host, listen.port)
    logging.getLogger(__name__).info("port %d", sockets[0].getsockname()[1])
    run(services, ServerConfig(), listen, sockets)


if __name__ == "__main__":
    main()
