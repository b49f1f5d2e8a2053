"""A key's mark tells a changed key, and hardly anything else."""

import re

from research_mcp.core.fingerprint import key_mark
from research_mcp.core.instance import Secret


def test_the_mark_is_the_same_in_every_process() -> None:
    assert key_mark("BRAVE_API_KEY", Secret("BSA-example")) == "b496b7"


def test_another_key_has_another_mark() -> None:
    marks = {key_mark("BRAVE_API_KEY", Secret(f"key-{n}")) for n in range(50)}
    assert len(marks) == 50
    assert all(re.fullmatch("[0-9a-f]{6}", mark) for mark in marks)


def test_one_key_in_two_variables_cannot_be_told() -> None:
    key = Secret("same")
    assert key_mark("BRAVE_API_KEY", key) != key_mark("EXA_API_KEY", key)
