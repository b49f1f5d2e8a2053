"""What the processes of a browser take of the memory, as Linux tells it. Elsewhere nothing is known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

_PROC = Path("/proc")
_OWN_MEMORY = ("RssAnon:", "RssShmem:")
"""What a process has for itself; the program's own pages are shared by all and count for none."""


def taken(group: int) -> int:
    """Octets of memory that the processes of `group` have for themselves."""
    return sum(_memory(process) for process in _members(group))


def largest_renderer(group: int) -> int | None:
    """The process of `group` with the most memory that runs a page; None when none does."""
    pages = [process for process in _members(group) if _runs_a_page(process)]
    return int(max(pages, key=_memory).name) if pages else None


def _members(group: int) -> Iterator[Path]:
    for process in _PROC.glob("[0-9]*"):
        with suppress(OSError, ValueError, IndexError):
            after_name = (process / "stat").read_text().rpartition(")")[2].split()
            if int(after_name[2]) == group:
                yield process


def _memory(process: Path) -> int:
    with suppress(OSError):
        lines = (process / "status").read_text().splitlines()
        return sum(int(line.split()[1]) * 1_024 for line in lines if line.startswith(_OWN_MEMORY))
    return 0


def _runs_a_page(process: Path) -> bool:
    with suppress(OSError):
        return b"--type=renderer" in (process / "cmdline").read_bytes()
    return False
