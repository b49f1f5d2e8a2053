"""Wikipedia: an article of any language, by its API.

Docs:   https://www.mediawiki.org/wiki/API:REST_API/Reference#Get_HTML
Sends:  GET https://{language}.wikipedia.org/w/rest.php/v1/page/{title}/html. No key; the user agent must
        name a contact.
Gets:   the article as Parsoid's HTML, without the site around it; a redirect for an alias (307).
Quirks: a title that does not exist is a 404 in JSON. Too many requests are a 429, a user agent that it
        does not like a 403: both rest. A base url stands for one wiki, which is taken for the English one.
"""

from __future__ import annotations

import re
from dataclasses import replace
from urllib.parse import parse_qs, quote, unquote, urlsplit

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ProviderError, RateLimited, Reason
from research_mcp.core.models import Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.urls import host_of
from research_mcp.core.wire import Document, Reply, Request
from research_mcp.providers.kit.extracted import page_of
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register

HOST = "en.wikipedia.org"
_LANGUAGE = re.compile(r"(?:([a-z][a-z0-9-]{1,15})\.)?(?:m\.)?wikipedia\.org")
_ENGLISH = frozenset(("", "www", "en"))
_NO_ARTICLES = ("special:", "media:")
_OTHER_VIEWS = frozenset(("action", "oldid", "diff", "curid", "printable"))
_ANSWERED = re.compile(r"/page/([^/]+)/html$")
_REFERENCE = re.compile(rb"<sup\b[^<>]{0,500}\breference\b[^<>]{0,500}>.{0,1000}?</sup>", re.DOTALL)
"""The number of a footnote: an article has hundreds, each a link as long as a line."""

_IN_PATHS = "/:(),!*'@;"
_REFUSED_FOR = 600.0


@register("read.wikipedia")
class WikipediaRead(ReadType):
    """The article itself, without navigation, edit links and the like."""

    docs = "https://www.mediawiki.org/wiki/API:REST_API/Reference#Get_HTML"
    endpoint = f"https://{HOST}/w/rest.php/v1"
    site = True
    sample = "https://en.wikipedia.org/wiki/Tide"
    cap = 25.0

    def accepts(self, url: str) -> bool:
        """`/wiki/Title` on a language's host, the mobile one too, in its present version."""
        language, title = _article(url)
        return bool(title) and (language == "en" or not self.means.base_url)

    def refusal(self, reply: Reply) -> ProviderError | None:
        """Nobody has a key here: a 401 or 403 is for the user agent or the address."""
        if reply.status in (401, 403):
            return RateLimited("Wikipedia refuses this client", reason=Reason.BLOCKED, rest_for=_REFUSED_FOR)
        return None

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The article. Raises `NoContent` (`not_found`)."""
        language, title = _article(job.url)
        # quoted whole: a slash in a title is no step of the path
        url = f"{self.endpoint}/page/{quote(title, safe='')}/html".replace(HOST, f"{language}.wikipedia.org")
        reply = await http.send(Request("GET", url, headers={"Accept": "text/html"}), deadline)
        title = _title(reply.url) or title
        final = f"https://{language}.wikipedia.org/wiki/{quote(title, safe=_IN_PATHS)}"
        body = _REFERENCE.sub(b"", reply.body)
        document = Document(job.url, final, reply.status, reply.headers, body)
        page = page_of(self, document, await job.extract(document))
        return replace(
            page,
            title=page.title or title.replace("_", " "),
            site=page.site or "Wikipedia",
            language=page.language or language,
        )


def _article(url: str) -> tuple[str, str]:
    """Language and title of an article (underscores for spaces), two "" for anything else."""
    parts = urlsplit(url)
    host = _LANGUAGE.fullmatch(host_of(url))
    query = parse_qs(parts.query)
    if not host or _OTHER_VIEWS & query.keys():
        return "", ""
    title = ""
    if parts.path.startswith("/wiki/"):
        title = unquote(parts.path.removeprefix("/wiki/"))
    elif parts.path == "/w/index.php":
        title = next(iter(query.get("title", [])), "")
    title = "_".join(title.split())
    if not title or title.lower().startswith(_NO_ARTICLES):
        return "", ""
    language = host[1] or ""
    return ("en" if language in _ENGLISH else language), title


def _title(url: str) -> str:
    """The title that was answered, after redirects."""
    found = _ANSWERED.search(urlsplit(url).path)
    return unquote(found[1]) if found else ""
