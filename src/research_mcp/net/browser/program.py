"""Which browser program there is, and whether it can be used at all: told at start, in one sentence."""

from __future__ import annotations

import os
import shutil
from importlib.util import find_spec

from research_mcp.core.errors import ConfigError

AUTO = "auto"
NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
"""What Chromium and Chrome are called on the systems that we know."""

DRIVER = "playwright"


def usable_program(stated: str, *, sandbox: bool) -> str:
    """The path of the program that `stated` names (a path, a name on PATH, or `auto`).

    Raises `ConfigError` when there is none, when its driver is not installed, and when its sandbox
    is wanted where it cannot be.
    """
    program = _found(stated)
    if not program:
        raise ConfigError(
            f"BROWSER_PATH={stated!r} names no program that can be started: install Chromium "
            "(on Debian: apt-get install chromium), or name the path of one that is installed"
        )
    if find_spec(DRIVER) is None:
        raise ConfigError(
            "BROWSER_PATH is set, but the driver of the browser is not installed: run `make browser` in "
            "the clone (or install this package's extra `browser`), or unset BROWSER_PATH"
        )
    if sandbox and os.geteuid() == 0:
        raise ConfigError(
            "BROWSER_PATH is set, but Chromium has no sandbox when root runs it: run this server as an "
            "ordinary user, or set BROWSER_SANDBOX=false where a container is the wall around it"
        )
    return program


def _found(stated: str) -> str:
    names = NAMES if stated.lower() == AUTO else (stated,)
    return next((path for name in names if (path := shutil.which(name))), "")
