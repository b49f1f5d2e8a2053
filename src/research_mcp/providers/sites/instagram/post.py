"""Instagram posts: the caption, and what is said in their videos.

Docs:   the site's own pages, as yt-dlp and FxEmbed of 2026 read them.
Sends:  GET /p/{code}/, whose scripts carry the post; where they do not, the page's own GraphQL query.
        Videos are heard through Groq when it has a key.
Quirks: a redirect to the login or start page is a block of this address. Query ids and headers change
        every few weeks: all of them are options.
"""

from __future__ import annotations

from typing import ClassVar

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, ProviderError, Reason
from research_mcp.core.models import Kind, Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.wire import JsonValue, Request
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.thread import blocks, dotted
from research_mcp.providers.sites.instagram.addresses import post_code, post_url
from research_mcp.providers.sites.instagram.answers import STEP, InstagramType, embedded, refused
from research_mcp.providers.sites.instagram.graphql import PostQuery
from research_mcp.providers.sites.instagram.media import Clip, Post, media_in, post_of
from research_mcp.providers.sites.instagram.speech import GROQ, Speech, heard

_MOST_CLIPS = 3
"""Videos of one post that are heard."""


@register(
    "read.instagram",
    options=(
        "doc_id",
        "app_id",
        "asbd_id",
        "user_agent",
        "groq_model",
        "groq_url",
        "groq_proxy",
        "groq_api_key",
    ),
)
class InstagramRead(InstagramType):
    """A post's caption, transcript and first comments."""

    docs = "https://github.com/yt-dlp/yt-dlp"
    sample = "https://www.instagram.com/p/BsOGulcndj-/"
    legs: ClassVar = {"groq": GROQ}
    doc_id: ClassVar[str] = "27130156389949648"
    asbd_id: ClassVar[str] = "359341"
    groq_model: ClassVar[str] = "whisper-large-v3-turbo"

    def accepts(self, url: str) -> bool:
        """Addresses of one post, reel or video, be its user named before it or not."""
        return bool(post_code(url))

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The post. Raises `RateLimited` (`blocked`) and `NoContent` (`forbidden`, `not_found`, ...)."""
        code = post_code(job.url)
        post = post_of(await self._media(code, http, deadline))
        spoken: list[Speech] = []
        notes: list[str] = []
        for clip in post.clips[:_MOST_CLIPS]:
            try:
                spoken.append(await self._heard(clip, http, deadline))
            except ProviderError as error:
                notes.append(f"no transcript of the video: {error}")
        words = [speech for speech in spoken if speech.words]
        if not words and not post.caption:
            why = notes[0] if notes else "the post has no words: no caption and no speech"
            raise NoContent(why, reason=Reason.NO_TRANSCRIPT if post.clips else Reason.EMPTY)
        return self._page(job.url, code, post, words, tuple(dict.fromkeys(notes)))

    async def _media(self, code: str, http: Http, deadline: Deadline) -> JsonValue:
        page = await http.send(
            Request("GET", post_url(code), headers=self.as_browser()), deadline.share(STEP)
        )
        if error := refused(page, code):
            raise error
        media = media_in(embedded(page.text))
        if media is not None:
            return media
        query = PostQuery(
            code,
            self.option("doc_id"),
            self.option("asbd_id"),
            self.as_script(post_url(code)),
            self.as_browser(),
        )
        return await query.media(page, http, deadline)

    async def _heard(self, clip: Clip, http: Http, deadline: Deadline) -> Speech:
        if clip.silent:
            raise NoContent("it has no sound", reason=Reason.NO_TRANSCRIPT)
        if "groq" not in self.means.keyed_legs:
            raise NoContent("speech to text needs a key for Groq", reason=Reason.NOT_CONFIGURED)
        speech = await heard(clip, self.option("groq_model"), http, deadline)
        if not speech.words:
            raise NoContent("nobody speaks in it", reason=Reason.NO_TRANSCRIPT)
        return speech

    def _page(self, url: str, code: str, post: Post, spoken: list[Speech], notes: tuple[str, ...]) -> Page:
        title = f"{post.name} (@{post.user})" if post.name else f"@{post.user}"
        title = f"{title} on Instagram" if post.user else "Instagram post"
        heard_here = [
            f"## Transcript ({speech.language})\n\n{speech.words}"
            if speech.language
            else f"## Transcript\n\n{speech.words}"
            for speech in spoken
        ]
        comments = "\n".join(f"- @{user}: {' '.join(said.split())}" for user, said in post.comments)
        return self.page(
            url,
            blocks(
                f"# {title}",
                dotted((post.date, *post.counts)),
                post.caption,
                *heard_here,
                f"## Comments\n\n{comments}" if comments else "",
            ),
            final_url=post_url(code),
            kind=Kind.POST,
            title=title,
            author=post.name or post.user,
            date=post.date,
            site="Instagram",
            notes=notes,
        )
