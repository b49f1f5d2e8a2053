"""Models that search by themselves: the base of their types, and an instance of one.

A type is a pure request builder; `ConfiguredAnswer` puts keys, money, the status table, the tolerant
reading of replies and the parting of prose and sources around it. Further tries are the way out's:
build its client with `CallLimits(retried=RETRIED)`.
"""

from __future__ import annotations

import asyncio
import datetime as dt
import re
from abc import abstractmethod
from collections.abc import Iterable
from dataclasses import replace
from functools import cached_property
from typing import ClassVar
from urllib.parse import urlsplit

from research_mcp.core.answers import AnswerFacts, Citation, ModelAnswer, Question
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, ProviderError, Reason, Transient
from research_mcp.core.instance import Account
from research_mcp.core.url_key import url_key
from research_mcp.core.wire import Reply, Request
from research_mcp.core.zones import zone_of
from research_mcp.net.status import error_of
from research_mcp.providers.kit.answer.links import PLAIN_MARK
from research_mcp.providers.kit.answer.models import KnownModels
from research_mcp.providers.kit.answer.reply import names_unknown_model, read_reply, words_of
from research_mcp.providers.kit.answer.shapes import Stated
from research_mcp.providers.kit.answer.stream import LAST_EVENTS
from research_mcp.providers.kit.answer.text import Parted, part
from research_mcp.providers.kit.base import ProviderType
from research_mcp.providers.kit.configured import ConfiguredType

RETRIED = frozenset({408, 500, 502, 503, 504, *range(520, 525)})
"""Statuses of a call for an answer after which a further try makes sense, Cloudflare's own included."""

_ENDPOINTS = re.compile(r"/+(?:chat/completions|responses|models)/*$|/+$")
_PARTED_APART = 50_000
"""Characters from which a text is parted in a thread of its own, so that other calls go on."""

_REFUSAL = re.compile(
    r"\W{0,4}(?:i['’]?m sorry|i am sorry|sorry|unfortunately)?[,. ]{0,3}(?:but )?"
    r"i (?:can['’]?t|cannot|can not|won['’]?t|am (?:not able|unable) to) "
    r"(?:help|assist|comply|provide|fulfil|answer|do that|discuss)",
    re.IGNORECASE,
)


def api_root(base_url: str) -> str:
    """The root of an API whose operator named the root, `/v1` or a whole endpoint.

    Other base urls stay as they are, so that every base url may pass through here.
    """
    before = ""
    while base_url != before:
        before, base_url = base_url, _ENDPOINTS.sub("", base_url.strip())
    return base_url


class AnswerType(ProviderType):
    """A model behind an API. `request` is pure.

    `endpoint` is the root under which requests go; `label` stands in the provenance of its sources;
    `setting` is the variable that names the model, for the sentence about an unknown one.
    """

    label: ClassVar[str] = ""
    default_model: ClassVar[str] = ""
    setting: ClassVar[str] = ""

    @property
    def model(self) -> str:
        """The operator's model, else the default."""
        return self.means.options.get("model", "").strip() or self.default_model

    @abstractmethod
    def request(self, question: Question, now: dt.datetime) -> Request:
        """The call for `question`, asked at `now` (UTC)."""

    def warnings(self, question: Question) -> tuple[str, ...]:
        """What of `question` the request could not carry: `code: sentence`."""
        return ()

    def searched(self, stated: Stated, parted: Parted) -> bool:
        """Whether the reply shows that the web was searched, and not only remembered."""
        return stated.searched or bool(stated.citations) or parted.numbered


class ConfiguredAnswer(ConfiguredType[AnswerType]):
    """One row of the configuration as the answer pipeline sees it (`core.ports.AnswerModel`)."""

    @cached_property
    def facts(self) -> AnswerFacts:
        """What the answer pipeline may know of it."""
        return AnswerFacts(self.name, self._type.label, self.metered, self._type.model)

    @cached_property
    def _models(self) -> KnownModels:
        return KnownModels(f"{self._type.endpoint}/models", self._clock)

    async def answer(self, question: Question, deadline: Deadline) -> ModelAnswer:
        """Ask with the first key that works. Raises `ProviderError` for every failure."""
        now = dt.datetime.fromtimestamp(self._clock.now(), dt.UTC)
        request = replace(self._type.request(question, now), ends=LAST_EVENTS)
        stated = await self._ring.use(lambda account: self._ask(request, account, deadline))
        if len(stated.text) > _PARTED_APART:
            parted = await asyncio.to_thread(part, stated.text)
        else:
            parted = part(stated.text)
        return self._answered(question, stated, parted)

    async def models(self, deadline: Deadline) -> tuple[str, ...]:
        """The models that the provider lists. Raises `ProviderError`."""
        return await self._ring.use(
            lambda account: self._models.fetch(self._http, lambda r: self._type.signed(r, account), deadline)
        )

    def _answered(self, question: Question, stated: Stated, parted: Parted) -> ModelAnswer:
        citations = _counted(parted.content, _joined(stated.citations, parted))
        warnings = [*self._type.warnings(question), *parted.warnings]
        if stated.broken:
            warnings.append(f"broken_events: {stated.broken} events of the reply could not be read")
        if _REFUSAL.match(parted.content):
            warnings.append("possible_refusal: the model may have refused to answer")
        return ModelAnswer(
            text=parted.content,
            citations=citations,
            searched=self._type.searched(stated, parted),
            partial=stated.partial or ("reasoning" if parted.cut_off else ""),
            refusal=stated.refusal.strip(),
            model=stated.model or self._type.model,
            warnings=tuple(warnings),
        )

    async def _ask(self, request: Request, account: Account, deadline: Deadline) -> Stated:
        try:
            async with self._metering.call(account, self._http) as http:
                reply = await http.send(self._type.signed(request, account), deadline)
            if names_unknown_model(reply):
                raise await self._unknown_model(account, deadline)
            if error := self._error(reply):
                raise error
            return read_reply(reply)
        except ProviderError as error:
            if account.key:  # providers quote what they refuse
                error.args = (str(error).replace(account.key.reveal(), "***"),)
            raise

    def _error(self, reply: Reply) -> ProviderError | None:
        error = error_of(reply, self._clock.now(), self._type.phrases)
        if error is None:
            return None
        if isinstance(error, NoContent):
            error = BadReply(f"the gateway has no such endpoint (status {reply.status}): check its address")
        sentence = str(error)
        if isinstance(error, Transient) or reply.tries > 1:
            sentence += f" after {reply.tries} {'attempt' if reply.tries == 1 else 'attempts'}"
        if told := words_of(reply):
            sentence += f"; it says: {told}"
        return type(error)(sentence, reason=error.reason, rest_for=error.rest_for)

    async def _unknown_model(self, account: Account, deadline: Deadline) -> ProviderError:
        known = await self._models.known(self._http, lambda r: self._type.signed(r, account), deadline)
        names = f"it lists {', '.join(known)}" if known else "its list of models could not be read"
        return BadReply(
            f"the provider does not know the model {self._type.model!r}; {names}. "
            f"The operator must set {self._type.setting} to one of its models",
            reason=Reason.NOT_CONFIGURED,
        )


def instructions(now: dt.datetime, zone: str = "") -> str:
    """What every model is told: to search, to cite, to admit; and what time it is, in UTC and in `zone`."""
    there = zone_of(zone)
    local = f" For the user it is {now.astimezone(there):%Y-%m-%d %H:%M (%A)} in {zone}." if there else ""
    return (
        "Answer the user's question from current web search results. Search the web before you answer, "
        "cite the pages that each statement rests on, and say plainly what you could not find out. "
        f"The current time is {now:%Y-%m-%d %H:%M} UTC ({now:%A}).{local}"
    )


def asked(
    question: Question, now: dt.datetime, *, only: Iterable[str] = (), never: Iterable[str] = ()
) -> str:
    """The question with its limits in words: age, and the domains that no filter carries."""
    parts = [question.text]
    if question.recency_days:
        since = (now - dt.timedelta(days=question.recency_days)).date()
        parts.append(f"Use sources of the last {question.recency_days} days, published since {since}.")
    if only := tuple(only):
        parts.append(f"Use only pages of these domains: {', '.join(only)}.")
    if never := tuple(never):
        parts.append(f"Use no pages of these domains: {', '.join(never)}.")
    return "\n\n".join(parts)


def is_host(base_url: str, domain: str) -> bool:
    """Whether a base url leads to `domain` or below it."""
    host = urlsplit(base_url).hostname or ""
    return host == domain or host.endswith("." + domain)


def _joined(stated: Iterable[Citation], parted: Parted) -> tuple[Citation, ...]:
    """Each page once, with all that is known of it. What the text counts stands first."""
    order = [*parted.sources, *stated] if parted.marked else [*stated, *parted.sources]
    found: dict[str, Citation] = {}
    for citation in order:
        key = url_key(citation.url)
        before = found.get(key, replace(citation, cited=False))
        found[key] = Citation(
            before.url,
            before.title or citation.title,
            before.snippet or citation.snippet,
            before.date or citation.date,
            before.cited or citation.cited,
        )
    return tuple(found.values())


def _counted(text: str, citations: tuple[Citation, ...]) -> tuple[Citation, ...]:
    """The citations, those that the text counts marked as cited."""
    named = {int(match[0].strip("[]")) for match in PLAIN_MARK.finditer(text)}
    return tuple(
        replace(citation, cited=citation.cited or place in named)
        for place, citation in enumerate(citations, start=1)
    )
