"""What Instagram answers to visitors without a login: the data in its pages, and its ways to refuse."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import ClassVar
from urllib.parse import urlsplit

from research_mcp.core.errors import BadReply, NoContent, ProviderError, RateLimited, Reason
from research_mcp.core.wire import JsonValue, Reply
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.tree import at
from research_mcp.providers.sites.instagram.addresses import SITE

REST = 300.0
"""Seconds to leave Instagram alone after it turned this address away."""

STEP = 15.0
"""Seconds for each request."""

_LOGIN_TITLE = "<title>Login \u2022 Instagram"
_GUARD = "for (;;);"


class InstagramType(ReadType):
    """What both Instagram readers share: the site, how they show themselves, what rots."""

    endpoint = SITE
    site = True
    cap = 40.0
    passes = frozenset({301, 302, 303, 307, 308, 400, 401, 403, 404, 410, 429})
    app_id: ClassVar[str] = "936619743392459"
    user_agent: ClassVar[str] = (
        "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
        "Chrome/139.0.0.0 Safari/537.36"
    )

    def option(self, name: str) -> str:
        """The operator's value of an option, else the class's."""
        return self.means.options.get(name) or str(getattr(self, name))

    def as_browser(self) -> dict[str, str]:
        """The headers of a browser that opens a page."""
        return {
            "User-Agent": self.option("user_agent"),
            "Accept": "text/html,application/xhtml+xml;q=0.9,*/*;q=0.8",
            "Accept-Language": "en-US,en;q=0.9",
            "Sec-Fetch-Dest": "document",
            "Sec-Fetch-Mode": "navigate",
            "Sec-Fetch-Site": "none",
        }

    def as_script(self, referer: str) -> dict[str, str]:
        """The headers of a script of the site's own pages."""
        return {
            "User-Agent": self.option("user_agent"),
            "Accept": "*/*",
            "Accept-Language": "en-US,en;q=0.9",
            "X-IG-App-ID": self.option("app_id"),
            "X-IG-WWW-Claim": "0",
            "X-Requested-With": "XMLHttpRequest",
            "Origin": SITE,
            "Referer": referer,
            "Sec-Fetch-Dest": "empty",
            "Sec-Fetch-Mode": "cors",
            "Sec-Fetch-Site": "same-origin",
        }


def blocked() -> RateLimited:
    """This address is turned away: nothing is known about the post or profile."""
    return RateLimited(
        "Instagram turns this server's address away; it needs a proxy or some minutes of rest",
        reason=Reason.BLOCKED,
        rest_for=REST,
    )


def refused(reply: Reply, wanted: str) -> ProviderError | None:
    """Why an answer is not what was asked for, None when it may be looked into.

    `wanted` is what the address of a good answer still holds: a redirect to the login page or to the
    start page has lost it.
    """
    path = urlsplit(reply.url).path
    if "/accounts/login" in path or wanted not in path:
        return blocked()
    if reply.status in (404, 410):
        return NoContent("Instagram has no such page", reason=Reason.NOT_FOUND)
    if reply.status in (401, 403, 429) or reply.status // 100 == 3 or _LOGIN_TITLE in reply.text[:20_000]:
        return blocked()
    return None


def as_json(reply: Reply) -> JsonValue:
    """The JSON of a script's answer. Raises `BadReply` for anything else, and what a refusal means.

    A page instead of JSON is how Instagram refuses what is no browser.
    """
    if reply.body.lstrip()[:1] == b"<":
        raise NoContent("Instagram shows a page instead of data to what is no browser", reason=Reason.BLOCKED)
    try:
        value: JsonValue = json.loads(reply.text.strip().removeprefix(_GUARD))
    except (ValueError, RecursionError):
        raise BadReply(f"expected JSON from Instagram, got {len(reply.body)} bytes") from None
    if at(value, "require_login") is True:
        raise blocked()
    return value


def embedded(page: str) -> Iterator[JsonValue]:
    """The data that a page carries for its own scripts: each `<script data-sjs>`."""
    end = 0
    while (start := page.find("<script", end)) >= 0:
        opened = page.find(">", start)
        end = page.find("</script>", opened)
        if opened < 0 or end < 0:
            return
        if "data-sjs" in page[start:opened]:
            try:
                yield json.loads(page[opened + 1 : end])
            except (ValueError, RecursionError):
                continue
