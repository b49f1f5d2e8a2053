"""YouTube: a video's captions as timestamped paragraphs, without a key.

Docs:   the site's own player; as youtube-transcript-api 1.2 and yt-dlp of 2026 ask it.
Sends:  GET /watch for the page's API key, POST /youtubei/v1/player as the ANDROID client, GET of the
        chosen track. Captions of the web client want a token that only a browser makes.
Quirks: an address that YouTube takes for a bot gets a player answer without captions; captions that
        want a token come back empty, with status 200.
"""

from __future__ import annotations

import re
from typing import ClassVar
from urllib.parse import urljoin

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, Reason
from research_mcp.core.models import Kind, Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.thread import blocks, dotted
from research_mcp.providers.kit.transcript import paragraphs, stamp
from research_mcp.providers.kit.tree import number, text
from research_mcp.providers.kit.videos import youtube_id
from research_mcp.providers.sites.youtube.captions import as_json, cues
from research_mcp.providers.sites.youtube.tracks import Track, best_track
from research_mcp.providers.sites.youtube.verdicts import blocked, refused, unplayable

_STEP = 10.0
"""Seconds for each request."""

_KEY = re.compile(r'"INNERTUBE_API_KEY":\s*"([A-Za-z0-9_-]{1,100})"')
_CONSENT = 'action="https://consent.youtube.com/s"'
_CONSENT_VALUE = re.compile(r'name="v" value="([A-Za-z0-9_.:+-]{1,200})"')
_CAPTCHA = 'class="g-recaptcha"'


@register("read.youtube", options=("client", "client_version", "client_number", "client_user_agent"))
class YouTubeRead(ReadType):
    """A video's captions under its title, channel and description. Its reasons are final."""

    docs = "https://github.com/jdepoix/youtube-transcript-api"
    endpoint = "https://www.youtube.com"
    site = True
    sample = "https://www.youtube.com/watch?v=jNQXAC9IVRw"
    final = True
    cap = 35.0
    passes = frozenset({301, 302, 303, 307, 308, 400, 401, 403, 404, 410, 429})
    headers: ClassVar[dict[str, str]] = {"Accept-Language": "en-US,en;q=0.8"}
    client: ClassVar[str] = "ANDROID"
    client_version: ClassVar[str] = "21.26.364"
    client_number: ClassVar[str] = "3"
    client_user_agent: ClassVar[str] = "com.google.android.youtube/21.26.364 (Linux; U; Android 11) gzip"

    def accepts(self, url: str) -> bool:
        """Addresses of one video, in all their forms."""
        return bool(youtube_id(url))

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The transcript. Raises `RateLimited` (`blocked`) and `NoContent` (`no_transcript`, ...)."""
        video = youtube_id(job.url)
        key = await self._api_key(video, http, deadline)
        player = await self._player(video, key, http, deadline)
        if error := unplayable(player):
            raise error
        track = best_track(player)
        if track is None:
            raise NoContent("the video has no captions", reason=Reason.NO_TRANSCRIPT)
        spoken = paragraphs(cues(await self._captions(track, http, deadline)))
        if not spoken:
            raise NoContent("the video's captions hold no words", reason=Reason.NO_TRANSCRIPT)
        return self._page(job.url, video, player, track, spoken)

    async def _api_key(self, video: str, http: Http, deadline: Deadline) -> str:
        """The key that the watch page hands to its own scripts."""
        page = await self._watch(video, "SOCS=CAI", http, deadline)
        if value := _consent_value(page):
            page = await self._watch(video, f"CONSENT=YES+{value}", http, deadline)
        if _is_wall(page):
            raise blocked()
        found = _KEY.search(page)
        if not found:
            raise BadReply("YouTube's watch page holds no API key")
        return found[1]

    async def _watch(self, video: str, cookie: str, http: Http, deadline: Deadline) -> str:
        params = {"v": video, "hl": "en"}
        request = Request("GET", f"{self.endpoint}/watch", params=params, headers={"Cookie": cookie})
        reply = await http.send(request, deadline.share(_STEP))
        if error := refused(reply):
            raise error
        if 300 <= reply.status < 400:  # the consent page, which lives on a host of its own
            return _CONSENT
        return reply.text

    async def _player(self, video: str, key: str, http: Http, deadline: Deadline) -> JsonValue:
        client: dict[str, JsonValue] = {
            "clientName": self._option("client"),
            "clientVersion": self._option("client_version"),
            "hl": "en",
        }
        if client["clientName"] == "ANDROID":
            client["androidSdkVersion"] = 30
        body: JsonValue = {"context": {"client": client}, "videoId": video}
        headers = {
            "User-Agent": self._option("client_user_agent"),
            "X-YouTube-Client-Name": self._option("client_number"),
            "X-YouTube-Client-Version": self._option("client_version"),
        }
        request = Request(
            "POST", f"{self.endpoint}/youtubei/v1/player", params={"key": key}, headers=headers, json=body
        )
        reply = await http.send(request, deadline.share(_STEP))
        if error := refused(reply):
            raise error
        return reply.json()

    async def _captions(self, track: Track, http: Http, deadline: Deadline) -> Reply:
        url = as_json(urljoin(self.endpoint, track.url))
        if not url.startswith(f"{self.endpoint}/"):
            raise BadReply("YouTube's captions are at an address that is not YouTube's")
        headers = {"User-Agent": self._option("client_user_agent")}
        reply = await http.send(Request("GET", url, headers=headers), deadline.share(_STEP))
        if error := refused(reply):
            raise error
        if not reply.body.strip():
            raise NoContent(
                "YouTube hands the captions only to a browser with a token", reason=Reason.BLOCKED
            )
        return reply

    def _option(self, name: str) -> str:
        return self.means.options.get(name) or str(getattr(self, name))

    def _page(self, url: str, video: str, player: JsonValue, track: Track, spoken: str) -> Page:
        title = text(player, "videoDetails", "title")
        description = text(player, "videoDetails", "shortDescription")
        made = "automatic captions" if track.automatic else "captions"
        name = track.name.removesuffix("(auto-generated)").strip() or track.language or "unknown language"
        return self.page(
            url,
            blocks(
                f"# {title}" if title else "",
                _facts(player),
                f"## Description\n\n{description}" if description else "",
                f"## Transcript ({name}, {made})\n\n{spoken}",
            ),
            final_url=f"{self.endpoint}/watch?v={video}",
            kind=Kind.TRANSCRIPT,
            title=title,
            author=text(player, "videoDetails", "author"),
            date=iso_day(text(player, "microformat", "playerMicroformatRenderer", "publishDate")),
            site="YouTube",
            language=track.language,
        )


def _facts(player: JsonValue) -> str:
    channel = text(player, "videoDetails", "author")
    seconds = number(player, "videoDetails", "lengthSeconds")
    views = number(player, "videoDetails", "viewCount")
    return dotted(
        (
            f"Channel: {channel}" if channel else "",
            f"Length: {stamp(seconds)}" if seconds else "",
            f"Views: {views:,.0f}" if views else "",
        )
    )


def _consent_value(page: str) -> str:
    """What the consent form would send; "" on any other page."""
    if _CONSENT not in page:
        return ""
    found = _CONSENT_VALUE.search(page)
    return found[1] if found else ""


def _is_wall(page: str) -> bool:
    return _CONSENT in page or _CAPTCHA in page
