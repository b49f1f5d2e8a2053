"""crawl4ai: a self-hosted browser that turns pages into Markdown.

Docs:   https://docs.crawl4ai.com/core/self-hosting/
Sends:  POST /md with `url`, `f` (`fit` or `raw`), `c` ("0": fresh); the token, if any, as Bearer.
Gets:   `{"url", "filter": "fit", "markdown": "...", "success": true}`, the same from 0.7 to 0.9.
Quirks: `fit` is empty or nearly so on short pages, so that `raw` is asked then; older servers ignore the
        token, 0.9 does not start on a network without one. A failed page is a 500; why is told by 0.7
        and 0.8 only. It refuses private addresses itself unless told otherwise.
"""

from __future__ import annotations

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, ProviderError, Reason
from research_mcp.core.models import Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.wire import Reply, Request
from research_mcp.providers.kit.fields import object_of, says, text_at
from research_mcp.providers.kit.read import HttpRead, declined
from research_mcp.providers.kit.registry import register

NEARLY_EMPTY = 400
"""Characters under which `fit` may have taken the page for boilerplate."""

_PAGE_FAULTS = (
    (("err_name_not_resolved",), Reason.DNS_FAILED, "the host name cannot be resolved"),
    (("err_cert", "err_ssl"), Reason.TLS_FAILED, "the site's certificate is not valid"),
    (("err_connection", "err_address"), Reason.UNREACHABLE, "the site accepts no connection"),
    (("anti-bot", "antibot", "captcha"), Reason.BLOCKED, "the site answered with a bot check"),
)
"""Chromium's and crawl4ai's words for what is the page's fault, where a server still tells them."""


@register("read.crawl4ai", needs=("url",))
class Crawl4aiRead(HttpRead):
    """The main text as crawl4ai's filter sees it, or the whole page where that leaves next to nothing."""

    docs = "https://docs.crawl4ai.com/core/self-hosting/"
    from_here = True
    cap = 30.0

    def request(self, url: str) -> Request:
        """The filtered text, fresh from the site."""
        return self._asking(url, "fit")

    def refusal(self, reply: Reply) -> ProviderError | None:
        """What a server tells about the page under the statuses of its own faults."""
        if reply.status == 400 and says(reply, ("ssrf",)):
            return declined("crawl4ai does not fetch this address (status 400)", Reason.ADDRESS_REFUSED)
        if reply.status < 500:
            return None
        for words, reason, why in _PAGE_FAULTS:
            if says(reply, words):
                return NoContent(f"{why} (status {reply.status})", reason=reason)
        return None

    def parse(self, reply: Reply, url: str) -> Page:
        """The text. Raises `NoContent` when the server says that it failed, or found none."""
        value = object_of(reply)
        if value.get("success") is False:
            raise NoContent("crawl4ai could not read the page", reason=Reason.EMPTY)
        if not isinstance(value.get("markdown"), str):
            raise BadReply("no text at 'markdown'")
        return self.page(url, text_at(value, "markdown"))

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The filtered text, or the raw one when that is longer and the filter left next to nothing."""
        url = job.url
        fit = await self._text(self.request(url), http, url, deadline)
        if fit and len(fit.markdown) >= NEARLY_EMPTY:
            return fit
        try:
            raw = self.parse(await http.send(self._asking(url, "raw"), deadline), url)
        except ProviderError:
            if fit:
                return fit
            raise
        return raw if not fit or len(raw.markdown) > len(fit.markdown) else fit

    async def _text(self, request: Request, http: Http, url: str, deadline: Deadline) -> Page | None:
        """The page in the answer, None for an empty one."""
        reply = await http.send(request, deadline)
        try:
            return self.parse(reply, url)
        except NoContent:
            return None

    def _asking(self, url: str, form: str) -> Request:
        return Request("POST", "/md", json={"url": url, "f": form, "c": "0"})
