"""Instagram as it shows itself to visitors without a login: posts with what is said in them, profiles."""

from research_mcp.providers.sites.instagram.post import InstagramRead
from research_mcp.providers.sites.instagram.profile import InstagramProfileRead

__all__ = ["InstagramProfileRead", "InstagramRead"]
