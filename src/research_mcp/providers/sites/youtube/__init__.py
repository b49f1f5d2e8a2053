"""YouTube videos: what is said in them, from the captions."""

from research_mcp.providers.sites.youtube.reader import YouTubeRead

__all__ = ["YouTubeRead"]
