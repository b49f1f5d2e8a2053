"""Which YouTube video a url stands for: several readers and vendors take the same ones."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

from research_mcp.core.urls import host_of

_HOSTS = frozenset({"youtube.com", "www.youtube.com", "m.youtube.com", "music.youtube.com"})
_EMBEDDING = frozenset({"youtube-nocookie.com", "www.youtube-nocookie.com"})
_ID = re.compile(r"[A-Za-z0-9_-]{11}")
_PATHS = frozenset({"shorts", "live", "embed", "v", "e"})
_NO_VIDEOS = frozenset({"videoseries", "live_stream"})
"""What stands in the place of an id in the address of an embedded list or channel."""


def youtube_id(url: str) -> str:
    """The id of the video at `url` (a normal form), "" when it is none: a channel, a list, a search."""
    host = host_of(url)
    parts = urlsplit(url)
    first, _, rest = parts.path.strip("/").partition("/")
    found = ""
    if host in ("youtu.be", "www.youtu.be"):
        found = first
    elif host in _HOSTS and first == "watch" and not rest:
        found = next(iter(parse_qs(parts.query).get("v", [])), "")
    elif (host in _HOSTS and first in _PATHS) or (host in _EMBEDDING and first == "embed"):
        found = rest.partition("/")[0]
    return found if _ID.fullmatch(found) and found not in _NO_VIDEOS else ""
