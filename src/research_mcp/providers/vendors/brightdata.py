"""Bright Data's Web Unlocker: the page itself, past bot checks that stop everybody else.

Docs:   https://docs.brightdata.com/api-reference/rest-api/unlocker/unlock-website
Sends:  POST /request with `zone`, `url`, `format: raw`; the key as Bearer.
Gets:   the page's own body under its own content type, with its status in `x-brd-status-code`.
Quirks: the outer status is 200 as soon as the unlocker was reached: `x-brd-error` and its code in
        `x-brd-error-code` or `x-brd-err-code` say what failed. Its own Markdown keeps menus, so the page
        is extracted here. Slow (5 to 60 s); only successes are billed.
"""

from __future__ import annotations

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, ProviderError, QuotaSpent, Reason, Rejected, Transient
from research_mcp.core.models import Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.wire import Document, Reply, Request
from research_mcp.providers.kit.extracted import page_of
from research_mcp.providers.kit.read import ReadType, declined
from research_mcp.providers.kit.registry import register

_DECLINED = (
    ("premium", Reason.FORBIDDEN, "the site needs the zone's premium option"),
    ("feature_not_active", Reason.FORBIDDEN, "the zone lacks a feature that the site needs"),
    ("robots", Reason.FORBIDDEN, "the zone obeys the site's robots.txt"),
    ("policy_", Reason.FORBIDDEN, "Bright Data's policy closes this site"),
    ("sr_rate_limit", Reason.RATE_LIMITED, "Bright Data throttles this site for its failures"),
)
"""Parts of the codes under which Bright Data does not even try this site."""

_PAGE_FAULTS = (
    ("reject_block", Reason.BLOCKED, "the site blocked the unlocker too"),
    ("resolve_failed", Reason.DNS_FAILED, "the host name cannot be resolved"),
    ("net_err_cert", Reason.TLS_FAILED, "the site's certificate is not valid"),
    ("timeout", Reason.TIMEOUT, "the page took too long"),
    ("http_status", Reason.UPSTREAM_ERROR, "the site answered with an error"),
    ("expect_element", Reason.EMPTY, "the page did not show its content"),
    ("document_load_failed", Reason.UPSTREAM_ERROR, "the page did not load"),
)


@register("read.brightdata", needs=("api_key", "zone"), metered=True)
class BrightDataRead(ReadType):
    """Pages that everything cheaper bounced off, extracted on this machine. `zone` names the unlocker."""

    docs = "https://docs.brightdata.com/api-reference/rest-api/unlocker/unlock-website"
    endpoint = "https://api.brightdata.com/request"
    account = "https://api.brightdata.com/customer/balance"
    unlocker = True
    cap = 60.0
    usd = 0.0015

    def request(self, url: str) -> Request:
        """One POST for the page as the site serves it."""
        body = {"zone": self.means.options.get("zone", ""), "url": url, "format": "raw"}
        return Request("POST", self.endpoint, json={**body})

    def refusal(self, reply: Reply) -> ProviderError | None:
        """The verdict of the headers; without one, the outer status counts."""
        code = _code(reply)
        if reply.status == 407 or code.startswith("407"):
            return Rejected("the zone's credentials were refused (407)")
        if not code:
            return None
        if "client_10100" in code:
            return QuotaSpent("the zone's spending limit is reached (client_10100)")
        for part, reason, why in _DECLINED:
            if part in code:
                return declined(why, reason)
        for part, reason, why in _PAGE_FAULTS:
            if part in code:
                return NoContent(why, reason=reason)
        return Transient("the unlocker failed for a reason of its own")

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The extracted page, judged like one that was fetched from here."""
        reply = await http.send(self.request(job.url), deadline)
        document = Document(
            url=job.url,
            final_url=job.url,
            status=_status(reply),
            headers={name: reply.headers[name] for name in ("content-type",) if name in reply.headers},
            body=reply.body,
        )
        return page_of(self, document, await job.extract(document))


def _code(reply: Reply) -> str:
    """What the error headers say, "" when there is no error."""
    names = ("x-brd-error-code", "x-brd-err-code", "x-brd-error", "x-brd-err-msg")
    return " ".join(filter(None, (reply.headers.get(name, "").strip() for name in names))).casefold()


def _status(reply: Reply) -> int:
    """The page's own status; 200 where it is not stated."""
    stated = reply.headers.get("x-brd-status-code", "").strip()
    return int(stated) if len(stated) == 3 and stated.isascii() and stated.isdigit() else 200
