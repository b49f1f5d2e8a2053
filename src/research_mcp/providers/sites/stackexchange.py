"""Stack Exchange: a question with its answers, on every site of the network.

Docs:   https://api.stackexchange.com/docs
Sends:  GET /2.3/questions/{id} and /2.3/questions/{id}/answers with `site` and `filter=withbody`; for the
        address of an answer first /2.3/answers/{id}. No key: 300 requests a day; with one (`key`) 10,000.
Gets:   `{"items": [...], "has_more", "quota_remaining", "backoff"}`; bodies are HTML, titles escaped.
Quirks: a spent quota is a 400 with `throttle_violation` that says for how many seconds; `backoff` asks to
        leave one method alone for that long, after a good answer.
"""

from __future__ import annotations

import html
import re
from urllib.parse import urlsplit

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, ProviderError, RateLimited, Reason
from research_mcp.core.models import Kind, Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.urls import host_of
from research_mcp.core.wire import Reply, Request
from research_mcp.providers.kit.auth import ParamKey
from research_mcp.providers.kit.base import Means
from research_mcp.providers.kit.fields import Fields, object_of
from research_mcp.providers.kit.fragment import to_markdown
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.thread import blocks, counted, dotted, missing, one_line
from research_mcp.providers.kit.tree import at, number, rows, text

MOST = 30
"""Answers of a question."""

THROTTLED_FOR = 3_600.0
LONGEST_PAUSE = 3_600.0


_COM = re.compile(
    r"(?:(?:meta|[a-z]{2}|[a-z]{2}\.meta)\.)?(?:stackoverflow|superuser|serverfault|askubuntu|stackapps)\.com"
)
_OTHER = re.compile(r"(?:meta\.)?mathoverflow\.net")
_NETWORK = re.compile(r"([a-z0-9-]{2,40}(?:\.meta)?|meta\.[a-z0-9-]{2,40})\.stackexchange\.com")
_NO_SITES = frozenset(("api", "chat", "data", "area51", "openid", "blog", "www"))
_QUESTION = re.compile(r"/(?:questions|q)/(\d{1,12})(?:/.*)?")
_ANSWER = re.compile(r"/a/(\d{1,12})(?:/.*)?|/questions/\d{1,12}/[^/]*/(\d{1,12})/?")
_SECONDS = re.compile(r"in (\d{1,6}) second")


@register("read.stackexchange")
class StackExchangeRead(ReadType):
    """A question and its answers, the one that the address names first, then by score."""

    docs = "https://api.stackexchange.com/docs"
    endpoint = "https://api.stackexchange.com/2.3"
    site = True
    sample = "https://stackoverflow.com/questions/11227809"
    cap = 20.0
    key_place = ParamKey("key")

    def __init__(self, means: Means | None = None) -> None:
        super().__init__(means)
        self._left_alone: dict[str, Deadline] = {}

    def accepts(self, url: str) -> bool:
        """`/questions/1`, `/q/1` and `/a/1` on a site of the network."""
        path = urlsplit(url).path
        return bool(_site(url) and (_QUESTION.fullmatch(path) or _ANSWER.fullmatch(path)))

    def refusal(self, reply: Reply) -> ProviderError | None:
        """What the error object in a 400 means."""
        if reply.status != 400 or reply.media_type != "application/json":
            return None
        error = object_of(reply)
        said = text(error, "error_message")
        if text(error, "error_name") == "throttle_violation" or at(error, "error_id") == 502:
            found = _SECONDS.search(said)
            seconds = float(found[1]) if found else THROTTLED_FOR
            return RateLimited(
                "Stack Exchange's quota for this address is used up", rest_for=max(1.0, seconds)
            )
        if "no site found" in said.lower():
            return NoContent("Stack Exchange knows no such site", reason=Reason.NOT_FOUND)
        return None

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The question. Raises `NoContent` (`not_found`) for one that is not there or was deleted."""
        ask = _Api(self._left_alone, _site(job.url), http, deadline)
        path = urlsplit(job.url).path
        linked = _first_group(_ANSWER, path)
        asked = _first_group(_QUESTION, path) or await _question_of(linked, ask)
        found, _ = await ask.items("questions", f"/questions/{asked}")
        if not found:
            raise _not_found()
        answers: list[Fields] = []
        notes: tuple[str, ...] = ()
        try:
            answers, more = await ask.items(
                "answers", f"/questions/{asked}/answers", order="desc", sort="votes"
            )
            notes = _note(len(answers), number(found[0], "answer_count"), more=more)
        except ProviderError as error:
            notes = (missing("the answers", error),)
        answers.sort(key=lambda row: str(at(row, "answer_id")) != linked)
        return await self._page(job.url, found[0], answers, linked, notes)

    async def _page(
        self, url: str, question: Fields, answers: list[Fields], linked: str, notes: tuple[str, ...]
    ) -> Page:
        own, *bodies = await to_markdown([text(row, "body") for row in (question, *answers)], url)
        accepted = str(at(question, "accepted_answer_id"))
        sections = [
            f"## {_head(row, accepted, linked)}\n\n{body}" for row, body in zip(answers, bodies, strict=True)
        ]
        tags = at(question, "tags")
        facts = dotted(
            (
                _score(question),
                f"tags: {', '.join(str(tag) for tag in tags)}" if isinstance(tags, list) and tags else "",
                counted(number(question, "answer_count"), "answer"),
                f"closed: {closed}" if (closed := text(question, "closed_reason")) else "",
            )
        )
        return self.page(
            url,
            blocks(facts, own, *sections),
            final_url=text(question, "link") or url,
            kind=Kind.POST,
            title=one_line(html.unescape(text(question, "title")), 300),
            author=_author(question),
            date=iso_day(at(question, "creation_date")),
            site=host_of(url),
            notes=notes,
        )


class _Api:
    """The API for one read. `left_alone`: methods that asked for a pause, each with its end."""

    def __init__(self, left_alone: dict[str, Deadline], site: str, http: Http, deadline: Deadline) -> None:
        self._left_alone = left_alone
        self._site = site
        self._http = http
        self._deadline = deadline

    async def items(self, method: str, path: str, **params: str) -> tuple[list[Fields], bool]:
        """The items at `path`, and whether there are more. Raises `RateLimited` during a pause."""
        pause = self._left_alone.get(method)
        if pause is not None and not pause.expired:
            raise RateLimited(
                "Stack Exchange asked for a pause between such calls", rest_for=pause.remaining(), sent=False
            )
        asked: dict[str, str | int] = {**params, "site": self._site, "filter": "withbody", "pagesize": MOST}
        answer = object_of(await self._http.send(Request("GET", path, params=asked), self._deadline))
        if not isinstance(at(answer, "items"), list):
            raise BadReply("Stack Exchange sent no list of items")
        if seconds := number(answer, "backoff"):
            self._left_alone[method] = Deadline.after(min(seconds, LONGEST_PAUSE))
        return rows(answer, "items"), at(answer, "has_more") is True


async def _question_of(answer: str, ask: _Api) -> str:
    found, _ = await ask.items("answer", f"/answers/{answer}")
    question = number(found[0], "question_id") if found else None
    if not question:
        raise _not_found()
    return f"{question:.0f}"


def _site(url: str) -> str:
    """The `site` of the API that a host stands for, "" for a host outside the network."""
    host = host_of(url).removeprefix("www.")
    if _COM.fullmatch(host):
        return host.removesuffix(".com")
    if _OTHER.fullmatch(host):
        return host
    found = _NETWORK.fullmatch(host)
    if not found or found[1] in _NO_SITES:
        return ""
    # an older form of the address of a site's own meta
    return f"{found[1][5:]}.meta" if found[1].startswith("meta.") else found[1]


def _first_group(pattern: re.Pattern[str], path: str) -> str:
    found = pattern.fullmatch(path)
    return next((group for group in found.groups() if group), "") if found else ""


def _head(row: Fields, accepted: str, linked: str) -> str:
    answer = str(at(row, "answer_id"))
    return dotted(
        (
            f"Answer by {_author(row) or 'someone'}",
            iso_day(at(row, "creation_date")),
            _score(row),
            "accepted" if answer == accepted or at(row, "is_accepted") is True else "",
            "the one that was linked" if answer == linked else "",
        )
    )


def _score(row: Fields) -> str:
    score = number(row, "score")
    return "" if score is None else f"score {score:.0f}"


def _author(row: Fields) -> str:
    return one_line(html.unescape(text(row, "owner", "display_name")))


def _note(shown: int, total: float | None, *, more: bool) -> tuple[str, ...]:
    if not more:
        return ()
    of = f"{shown} of {total:.0f} answers are" if total else f"only {shown} answers are"
    return (f"{of} shown, the best by score",)


def _not_found() -> NoContent:
    return NoContent("the site has no such question, or it was deleted", reason=Reason.NOT_FOUND)
