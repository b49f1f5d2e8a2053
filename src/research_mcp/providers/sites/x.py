"""X: one post, through the embedding that the site offers to everybody.

Docs:   https://docs.x.com/x-for-websites/oembed-api
Sends:  GET https://publish.twitter.com/oembed with `url`, `omit_script=1`, `dnt=1`. No key.
Gets:   `{"url", "author_name", "author_url", "html", "type": "rich"}`; the HTML is a quote of the post.
Quirks: 404 is a deleted post, 403 a protected account; long posts are cut; there are no replies.
"""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, ProviderError, Reason
from research_mcp.core.models import Kind, Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.urls import host_of
from research_mcp.core.wire import Reply, Request
from research_mcp.providers.kit import markup
from research_mcp.providers.kit.fields import Fields, object_of
from research_mcp.providers.kit.fragment import to_markdown
from research_mcp.providers.kit.keyless import closed
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.thread import one_line
from research_mcp.providers.kit.tree import text

_HOSTS = frozenset(
    f"{prefix}{site}" for site in ("x.com", "twitter.com") for prefix in ("", "www.", "mobile.", "m.")
)
_POST = re.compile(r"/(?:i/web|i|(?P<user>\w{1,20}))/status(?:es)?/(?P<id>\d{1,20})(?:/.*)?")
_QUOTED = re.compile(r"<p\b[^<>]*>(.*?)</p>", re.DOTALL)
_LANGUAGE = re.compile(r'<p\b[^<>]{0,200}\blang="([a-z]{2,3})"')


@register("read.x")
class XRead(ReadType):
    """The text of one post, with its author and day."""

    docs = "https://docs.x.com/x-for-websites/oembed-api"
    endpoint = "https://publish.twitter.com/oembed"
    site = True
    sample = "https://x.com/jack/status/20"
    cap = 15.0

    def accepts(self, url: str) -> bool:
        """`x.com/ann/status/1`, on twitter.com too."""
        return bool(_address(url))

    def refusal(self, reply: Reply) -> ProviderError | None:
        """A 404 is a post that was deleted; nobody has a key that a 403 could mean."""
        if reply.status == 404:
            return NoContent("the post was deleted, or never was", reason=Reason.GONE)
        return closed(reply)

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The post. Raises `NoContent` (`gone`, `forbidden`)."""
        params: dict[str, str | int] = {"url": _address(job.url), "omit_script": 1, "dnt": 1}
        answer = object_of(await http.send(Request("GET", params=params), deadline))
        quote = text(answer, "html")
        said = _QUOTED.search(quote)
        if not said:
            raise BadReply("X sent an embedding without the post's text")
        (body,) = await to_markdown([said[1]])
        author = _author(answer)
        language = _LANGUAGE.search(quote)
        return self.page(
            job.url,
            body,
            final_url=_address(job.url),
            kind=Kind.POST,
            title=f"Post by {author}" if author else "Post on X",
            author=author,
            date=_day(quote),
            site="X",
            language=language[1] if language else "",
            notes=("X shows this post alone: its end may be cut when it is long, and replies are missing",),
        )


def _address(url: str) -> str:
    """The post's own address, "" for anything but a post."""
    found = _POST.fullmatch(urlsplit(url).path)
    if host_of(url) not in _HOSTS or not found:
        return ""
    return f"https://twitter.com/{found['user'] or 'i'}/status/{found['id']}"


def _author(answer: Fields) -> str:
    handle = urlsplit(text(answer, "author_url")).path.strip("/")
    return " ".join(
        part for part in (one_line(text(answer, "author_name")), f"(@{handle})" if handle else "") if part
    )


def _day(quote: str) -> str:
    """The date is the text of the last link."""
    links = markup.page(Reply(200, body=quote.encode("utf-8", "replace"))).all("a")
    return iso_day(links[-1].text) if links else ""
