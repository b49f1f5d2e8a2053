"""research-mcp: every search engine and page reader behind one MCP endpoint."""

__version__ = "0.1.0"
