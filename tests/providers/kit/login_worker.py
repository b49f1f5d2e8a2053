"""A process that needs a token: `login_worker.py FILE ISSUER COUNT`.

Says `ready`, waits for a line, and prints the tokens of COUNT calls at once.
"""

from __future__ import annotations

import asyncio
import sys
import time
from dataclasses import replace
from pathlib import Path

from research_mcp.net.client import Network
from research_mcp.net.guard import Guard, GuardPolicy
from research_mcp.net.policy import VendorClient
from research_mcp.net.resolver import Resolver
from research_mcp.providers.kit.login.tokens import Login
from research_mcp.providers.vendors.grok import LOGIN
from research_mcp.store.grant_file import GrantFile


class WallClock:
    def now(self) -> float:
        return time.time()


async def main(file: str, issuer: str, count: str) -> None:
    server = replace(LOGIN, issuer=issuer)
    resolver = Resolver()
    network = Network(Guard(GuardPolicy(), resolver), resolver)
    http = VendorClient(network, "login", clock=WallClock(), user_agent="test", endpoint=issuer)
    login = Login(server, http, GrantFile(Path(file)), WallClock())
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    await asyncio.to_thread(sys.stdin.readline)
    for token in await asyncio.gather(*(login.token() for _ in range(int(count)))):
        sys.stdout.write(f"{token.reveal()}\n")
    await network.aclose()


if __name__ == "__main__":
    asyncio.run(main(*sys.argv[1:]))
