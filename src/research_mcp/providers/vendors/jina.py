"""Jina: Google's results through Jina's API, a reader of pages, and a reranker.

Docs:   https://jina.ai/reader/, https://jina.ai/reranker/
Sends:  GET https://s.jina.ai/ with `q`, `num`, `hl`, `gl`, `site`; the key as Bearer (mandatory);
        `X-Respond-With: no-content`, without which every hit's page is fetched (10 to 30 s).
        GET https://r.jina.ai/ADDRESS, or POST with `url` where a path cannot carry the address; the key,
        if any, as Bearer; `Accept: application/json`; `X-Token-Budget`.
Gets:   `{"code": 200, "data": [{"title", "url", "description", "date"}, ...]}`.
        `{"code": 200, "data": {"title", "url", "content", "publishedTime", "warning", "httpStatus",
        "numPages"}}`, or text with the same facts in front of `Markdown Content:`.
Quirks: nothing found is a 422 `AssertionFailureError`; billed by tokens, 10,000 for each 10 results; no
        filter by age. All that Jina sells shares one balance of tokens.
        A page that the site refused is a good answer with a warning. 402 was seen with credit left, so it
        rests for an hour only. Without a key some sites are closed (451) and some calls (401).
        Optical character recognition takes one page a call and 40 times the tokens; past the last page
        it reads the first one again.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import ClassVar, NamedTuple
from urllib.parse import urlsplit

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import (
    BadReply,
    NoContent,
    ProviderError,
    QuotaSpent,
    RateLimited,
    Reason,
    Rejected,
)
from research_mcp.core.models import Filter, Flag, Kind, Page, SearchQuery
from research_mcp.core.ports import Http, Job
from research_mcp.core.wire import Reply, Request
from research_mcp.providers.kit.base import Means
from research_mcp.providers.kit.fields import count_at, object_of, text_at, web_address
from research_mcp.providers.kit.languages import google_language
from research_mcp.providers.kit.options import COUNT
from research_mcp.providers.kit.read import HttpRead, declined, target_error
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.rerank import RerankType
from research_mcp.providers.kit.search import JsonSearch, Phrases
from research_mcp.providers.kit.shape import Shape, iso_day, plain
from research_mcp.providers.kit.sites import SiteQuery

SEARCH_BASE = "https://s.jina.ai/"
SPENT = ("InsufficientCreditsError", "InsufficientBalanceError")
LIMITED = ("RateLimitTriggeredError",)

READ_BASE = "https://r.jina.ai/"
SPENT_RESTS_FOR = 3_600.0
ANONYMOUS_RESTS_FOR = 600.0

LONG = 4_000
"""Characters from which on a text is the page, whatever Jina warns of."""

SCAN = 400
"""Characters under which a PDF is taken for a scan."""

OCR = "jina-ocr-v1"
OCR_PAGES = 5
"""The most pages of a scan that are read: each costs some 60,000 tokens."""

OCR_FLOOR = 5.0
"""Seconds that a further page of a scan must have left."""

_PLAIN_ADDRESS = re.compile(
    r"https?://[a-z0-9.-]+(?::\d+)?(?:/[A-Za-z0-9._~@,-]+)*/?(?:\?[A-Za-z0-9._~=&-]*)?"
)
"""Addresses that mean the same inside the path of another one."""

_PREAMBLE = re.compile(r"(Title|URL Source|Published Time|Warning|Number of Pages): *(.*)")
_CONTENT = re.compile(r"^Markdown Content:[ \t]*$", re.MULTILINE)
_REFUSED = re.compile(r"returned error (\d{3})")
_WARNINGS = {
    "not yet fully loaded": "Jina read the page before it was fully loaded",
    "cached snapshot": "Jina read a cached copy, up to an hour old",
    "iframe": "parts of the page in frames were not read",
    "shadow dom": "parts of the page in a shadow DOM were not read",
}
_DECLINED = {
    409: (Reason.TOO_LARGE, "the page would cost more than the token budget"),
    413: (Reason.TOO_LARGE, "the file is too large for Jina"),
    451: (Reason.FORBIDDEN, "Jina does not read this site, or only with a key"),
}


@register("search.jina", needs=("api_key",), metered=True)
class JinaSearch(JsonSearch):
    """Titles and snippets of Google's first page."""

    docs = "https://jina.ai/reader/"
    price = "10,000 tokens a search (about $0.0005)"
    usd = 0.0005
    endpoint = SEARCH_BASE
    index = "google"
    prior = 1.0
    max_count = 10
    applies = frozenset({Filter.LANGUAGE, Filter.COUNTRY, Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS})
    site_words = True
    phrases = Phrases(spent=SPENT, limited=LIMITED, empty=("AssertionFailureError",))
    headers: ClassVar[Mapping[str, str]] = {
        "Accept": "application/json",
        "X-Respond-With": "no-content",
    }
    shape = Shape("data", snippet=("description", "content"), date="date")

    def request(self, query: SearchQuery) -> Request:
        """One GET. A single domain has its field, several travel inside the query."""
        params: dict[str, str | int] = {"q": self.worded(query).text, "num": query.limit}
        if language := self.language(query):
            params["hl"] = language
        if query.country:
            params["gl"] = query.country.lower()
        if len(query.include_domains) == 1:
            params["site"] = query.include_domains[0]
        return Request("GET", self.endpoint, params=params)

    def language(self, query: SearchQuery) -> str:
        """Google's code."""
        return google_language(query)

    def worded(self, query: SearchQuery) -> SiteQuery:
        """Without the single domain that has its field."""
        alone = len(query.include_domains) == 1
        return super().worded(replace(query, include_domains=()) if alone else query)

    def refusal(self, reply: Reply) -> ProviderError | None:
        """A rate limit whose time stands in the body alone."""
        return _limited(reply)


@register("rerank.jina", options=("model",), metered=True)
class JinaRerank(RerankType):
    """Jina's reranker; under another base url, any server that takes the common request, key or not."""

    docs = "https://jina.ai/reranker/"
    endpoint = "https://api.jina.ai/v1/rerank"
    model = "jina-reranker-v3.5"
    phrases = Phrases(spent=SPENT, limited=LIMITED)


@register("read.jina", options=("token_budget",), metered=True, rules={"token_budget": COUNT})
class JinaRead(HttpRead):
    """Pages as Jina's browsers see them, with a key or without; scans of PDFs with a key.

    `token_budget`: the most tokens that a page may cost (0 for any); only calls with a key cost some.
    """

    docs = "https://jina.ai/reader/"
    endpoint = READ_BASE
    cap = 30.0
    phrases = Phrases(spent=SPENT, limited=LIMITED)
    headers: ClassVar[Mapping[str, str]] = {"Accept": "application/json", "X-Retain-Images": "alt"}

    def __init__(self, means: Means | None = None) -> None:
        super().__init__(means)
        self._budget = int(self.means.options.get("token_budget", "0")) if self.means.keyed else 0

    def request(self, url: str) -> Request:
        """GET for plain addresses, so that caches on the way may help; else POST."""
        headers = {"X-Token-Budget": str(self._budget)} if self._budget else {}
        if _PLAIN_ADDRESS.fullmatch(url):
            return Request("GET", READ_BASE + url, headers=headers)
        return Request("POST", READ_BASE, headers=headers, json={"url": url})

    def refusal(self, reply: Reply) -> ProviderError | None:
        """What Jina's statuses mean beyond the common table; they are documented one by one."""
        status = reply.status
        if status in _DECLINED:
            reason, why = _DECLINED[status]
            return declined(f"{why} (status {status})", reason)
        if status == 422:
            return NoContent("Jina got nothing from the page (status 422)", reason=Reason.EMPTY)
        if status == 402:
            return QuotaSpent("Jina's balance is spent (status 402)", rest_for=SPENT_RESTS_FOR)
        if status == 400 and b"ParamValidationError" in reply.body:
            return declined("Jina does not take this address (status 400)", Reason.INVALID_URL)
        if status == 401 and b"AuthenticationRequired" in reply.body:
            return RateLimited("Jina asks for a key (status 401)", rest_for=ANONYMOUS_RESTS_FOR)
        return _limited(reply)

    def parse(self, reply: Reply, url: str) -> Page:
        """The page. Raises `NoContent` when Jina warns that it is the site's refusal."""
        return self._page(_checked(_answer(reply)), url)

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The page; of a scan without text the first pages, recognised one by one."""
        if not (self.means.keyed and _is_pdf(job.url)):
            return await super().read(job, http, deadline)
        answer = await self._seen(job.url, http, deadline)
        if len(answer.text.strip()) < SCAN:
            # ends before the deadline does, so that pages already paid for are not lost with it
            ends_first = deadline.share(self.cap, reserve=1.0)
            if scan := await self._scan(job.url, answer.pages, http, ends_first):
                return scan
        if not answer.text.strip():
            raise NoContent("neither text nor legible pages are in it", reason=Reason.NO_TEXT_LAYER)
        return self._page(answer, job.url)

    async def _seen(self, url: str, http: Http, deadline: Deadline) -> _Answer:
        """What a plain reading shows, be it nothing."""
        try:
            reply = await http.send(self.request(url), deadline)
        except NoContent:
            return _Answer("")
        return _checked(_answer(reply))

    async def _scan(self, url: str, pages: int, http: Http, deadline: Deadline) -> Page | None:
        """As many of `pages` (0: unknown) as fit; None when none had text. Raises the key's faults."""
        texts: list[str] = []
        most = min(pages or OCR_PAGES, OCR_PAGES)
        while len(texts) < most and deadline.remaining() >= OCR_FLOOR:
            try:
                text = await self._recognised(url, len(texts) + 1, http, deadline)
            except ProviderError as error:
                if not texts and isinstance(error, Rejected | QuotaSpent | RateLimited):
                    raise
                break
            if texts and text == texts[0]:  # past the end
                pages = len(texts)
                break
            texts.append(text)
        if not any(texts):
            return None
        return self.page(
            url,
            "\n\n".join(filter(None, texts)),
            kind=Kind.PDF,
            flags=() if pages == len(texts) else (Flag.TRUNCATED,),
            notes=(_scan_note(len(texts), pages),),
        )

    async def _recognised(self, url: str, number: int, http: Http, deadline: Deadline) -> str:
        plain_request = self.request(url)
        headers = {**plain_request.headers, "X-Respond-With": OCR, "X-Page": str(number)}
        answer = _answer(await http.send(replace(plain_request, headers=headers), deadline))
        return _checked(answer).text.strip()

    def _page(self, answer: _Answer, url: str) -> Page:
        return self.page(
            url,
            answer.text,
            final_url=web_address(answer.url),
            kind=Kind.PDF if answer.pages or _is_pdf(url) else Kind.HTML,
            title=plain(answer.title, 300),
            date=iso_day(answer.published) if answer.published[:4].isdigit() else "",
            notes=tuple(note for mark, note in _WARNINGS.items() if mark in answer.warning.casefold()),
        )


class _Answer(NamedTuple):
    """What Jina says of a page. `status` is the page's own, 0 when not stated.

    `published` in another form than ISO is the time at which the file last changed on its server.
    """

    text: str
    title: str = ""
    url: str = ""
    published: str = ""
    warning: str = ""
    status: int = 0
    pages: int = 0


def _answer(reply: Reply) -> _Answer:
    """The answer in either form. Raises `BadReply` for any other."""
    if reply.media_type in ("text/plain", "text/markdown"):
        return _from_text(reply.text)
    data = object_of(reply).get("data")
    if not isinstance(data, dict) or not isinstance(data.get("content"), str):
        raise BadReply("no text at 'data.content'")
    return _Answer(
        text=text_at(data, "content"),
        title=text_at(data, "title"),
        url=text_at(data, "url"),
        published=text_at(data, "publishedTime"),
        warning=text_at(data, "warning"),
        status=count_at(data, "httpStatus"),
        pages=count_at(data, "numPages"),
    )


def _from_text(text: str) -> _Answer:
    """Facts in front, up to the first line `Markdown Content:`; a text without them is the page."""
    if text.lstrip()[:9].casefold().startswith(("<!doctype", "<html")):
        raise BadReply("expected Markdown, got HTML")
    content = _CONTENT.search(text)
    if not content or not _PREAMBLE.match(text):
        return _Answer(text)
    said: dict[str, list[str]] = {}
    for line in text[: content.start()].splitlines():
        if found := _PREAMBLE.fullmatch(line.strip()):
            said.setdefault(found[1], []).append(found[2])
    pages = "".join(said.get("Number of Pages", [])[:1])
    return _Answer(
        text=text[content.end() :],
        title="".join(said.get("Title", [])[:1]),
        url="".join(said.get("URL Source", [])[:1]),
        published="".join(said.get("Published Time", [])[:1]),
        warning="\n".join(said.get("Warning", [])),
        pages=int(pages) if re.fullmatch(r"[0-9]{1,6}", pages) else 0,
    )


def _checked(answer: _Answer) -> _Answer:
    """The same answer. Raises `NoContent` when its text is what the site showed instead of the page."""
    found = _REFUSED.search(answer.warning)
    status = answer.status or (int(found[1]) if found else 0)
    whole = len(answer.text) >= LONG
    if (error := target_error(status)) and (status in (404, 410) or not whole):
        raise error
    if "captcha" in answer.warning.casefold() and not whole:
        raise NoContent("the site asks Jina to solve a captcha", reason=Reason.BLOCKED)
    return answer


def _limited(reply: Reply) -> RateLimited | None:
    """A 429 with the seconds that its body asks for; None where a header says so, or nobody."""
    if reply.status != 429 or "retry-after" in reply.headers:
        return None
    try:
        seconds = count_at(object_of(reply), "retryAfter")
    except BadReply:
        return None
    return RateLimited("too many requests (status 429)", rest_for=seconds) if seconds else None


def _is_pdf(url: str) -> bool:
    return urlsplit(url).path.lower().endswith(".pdf")


def _scan_note(read: int, pages: int) -> str:
    rest = "" if read == pages else f" of {pages}" if pages else ", later ones were not read"
    number = "page 1" if read == 1 else f"pages 1 to {read}"
    return f"a scan: {number}{rest} turned into text by a model ({OCR}), which may misread"
