"""What an operator should know of the server before money is trusted to it."""

from __future__ import annotations

from collections.abc import Iterator

CLOCKS_APART = 2.0
"""Seconds by which the clocks of a replica and of the server may differ."""


def remarks(time: object, info: object, now: float) -> Iterator[str]:
    """What is odd in the server's answers to TIME and INFO; answers that are none (it may refuse) are not."""
    if isinstance(time, list) and abs(int(time[0]) - now) > CLOCKS_APART:
        yield "its clock and this machine's differ: set both by NTP"
    lines = info.decode().splitlines() if isinstance(info, bytes) else []
    facts = dict(line.partition(":")[::2] for line in lines)
    if facts.get("maxmemory", "0") != "0" and facts.get("maxmemory_policy", "").startswith("allkeys"):
        yield "it may push out what was spent: set maxmemory-policy to volatile-lru"
    if facts.get("aof_enabled") == "0":
        yield "it has no append-only file: after a crash it forgets what was spent since its last snapshot"
