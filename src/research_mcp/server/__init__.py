"""The MCP endpoint: tools, texts, transport."""
