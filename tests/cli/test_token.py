"""`research-mcp token`."""

from __future__ import annotations

import re

from click.testing import CliRunner

from research_mcp.cli import program
from research_mcp.core.bearer import hashed
from research_mcp.core.instance import Secret


def test_the_printed_hash_belongs_to_the_printed_token() -> None:
    done = CliRunner().invoke(program, ["token"])
    assert done.exit_code == 0
    token = re.search(r"client: (\S{43})\n", done.stdout)
    entry = re.search(r"MCP_BEARER_TOKENS=(\S+)\n", done.stdout)
    assert token is not None
    assert entry is not None
    assert entry[1] == hashed(Secret(token[1]))
    assert "shown once" in done.stderr
