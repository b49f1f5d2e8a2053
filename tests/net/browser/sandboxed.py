"""Reads a page with the sandbox on, as an ordinary user, and tells what is around the process of the page.

Says "out of reach" when an ordinary user may not enter this checkout.
"""

from __future__ import annotations

import asyncio
import os
import sys
from pathlib import Path

import playwright

from research_mcp.core.deadline import Deadline
from research_mcp.net.browser.memory import largest_renderer
from tests.net.browser.web import SITE, browsers, saying, script, web

NOBODY = 65_534


async def around(*, sandbox: bool) -> list[str]:
    """What Linux says of the process that ran a page."""
    async with web({"/": script(saying())}, sandbox=sandbox) as site:
        await site.browser.render(SITE + "/", Deadline.after(30))
        page = largest_renderer(os.getpgid(browsers()[0].pid))
        status = await asyncio.to_thread(Path(f"/proc/{page}/status").read_text)
    return [line for line in status.splitlines() if line.startswith(("NSpid:", "Seccomp:"))]


def main() -> None:
    if os.geteuid() == 0:
        asyncio.run(around(sandbox=False))  # loads what may be out of reach afterwards
        os.setgroups([])
        os.setgid(NOBODY)
        os.setuid(NOBODY)
    if not os.access(Path(playwright.__file__).parent / "driver" / "node", os.X_OK):
        sys.stdout.write("out of reach")
        return
    sys.stdout.write("\n".join(asyncio.run(around(sandbox=True))))


if __name__ == "__main__":
    main()
