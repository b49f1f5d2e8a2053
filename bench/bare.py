"""A server that knows one answer: what the SDK costs by itself.

python bench/bare.py PORT ANSWER.json
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import cast

from mcp.server import MCPServer

from research_mcp.server.tools.schemas import SearchAnswer


def main(port: int, answer: SearchAnswer) -> None:
    """Serve until terminated."""
    server = MCPServer("bare", log_level="WARNING")

    async def web_search(query: str) -> SearchAnswer:
        """The answer, whatever is asked."""
        return answer

    server.tool()(web_search)
    server.run("streamable-http", port=port, stateless_http=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), cast("SearchAnswer", json.loads(Path(sys.argv[2]).read_text())))
