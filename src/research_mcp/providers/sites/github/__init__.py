"""GitHub: repositories, files, directories, issues, pull requests and releases."""

from research_mcp.providers.sites.github.reader import GitHubRead

__all__ = ["GitHubRead"]
