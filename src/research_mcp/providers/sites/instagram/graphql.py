"""The second way to a post: the query that Instagram's own page sends for visitors without a login."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, Reason
from research_mcp.core.ports import Http
from research_mcp.core.wire import JsonValue, Reply, Request
from research_mcp.providers.kit.tree import number, rows, text
from research_mcp.providers.sites.instagram.addresses import SITE, number_of, post_url
from research_mcp.providers.sites.instagram.answers import STEP, as_json, blocked, embedded, refused
from research_mcp.providers.sites.instagram.media import media_in

_QUERY = "PolarisLoggedOutDesktopWWWPostRootContentQuery"
_TOKEN = re.compile(r'"LSD",\[\],\{"token":"([A-Za-z0-9_-]{1,100})"')
_SETTINGS = re.compile(r'id="__eqmc"[^<>]{0,300}>(\{[^<]{1,20000}\})<')
_COOKIES = re.compile(r"(?:^|[,;\s])(csrftoken|mid|ig_did)=([A-Za-z0-9_.:-]{1,200})")
_NOT_FOUND = 4_630_001
_LIMITED = 1_675_004


@dataclass(frozen=True, slots=True)
class Visit:
    """What a page hands to a visitor for further requests: a token and cookies."""

    token: str
    cookies: dict[str, str]

    @classmethod
    def of(cls, reply: Reply) -> Visit:
        """The token and cookies of a page, "" and none where it has none."""
        page = reply.text
        token = found[1] if (found := _TOKEN.search(page)) else _setting(page)
        return cls(token, dict(_COOKIES.findall(reply.headers.get("set-cookie", ""))))


@dataclass(frozen=True, slots=True)
class PostQuery:
    """The query for one post: what rots comes from options. `headers` are those of a script."""

    code: str
    doc_id: str
    asbd_id: str
    headers: dict[str, str]
    browser: dict[str, str]

    async def media(self, page: Reply, http: Http, deadline: Deadline) -> JsonValue:
        """The post's description, asked for as a visitor of `page`. Raises `ProviderError`."""
        visit = Visit.of(page)
        if not visit.token:
            start = await http.send(Request("GET", f"{SITE}/", headers=self.browser), deadline.share(STEP))
            if error := refused(start, ""):
                raise error
            visit = Visit.of(start)
        if not visit.token:
            raise BadReply("Instagram's page holds neither the post nor a token to ask for it")
        return _media(await self._asked(visit, http, deadline))

    async def _asked(self, visit: Visit, http: Http, deadline: Deadline) -> JsonValue:
        headers = self._headers(visit)
        ruling = f"{SITE}/api/v1/web/get_ruling_for_content/"
        params = {"content_type": "MEDIA", "target_id": number_of(self.code)}
        as_json(await _sent(Request("GET", ruling, params=params, headers=headers), http, deadline))
        form = {
            "lsd": visit.token,
            "fb_api_caller_class": "RelayModern",
            "fb_api_req_friendly_name": _QUERY,
            "server_timestamps": "true",
            "variables": json.dumps({"media_id": number_of(self.code)}),
            "doc_id": self.doc_id,
        }
        return as_json(
            await _sent(Request("POST", f"{SITE}/api/graphql", headers=headers, form=form), http, deadline)
        )

    def _headers(self, visit: Visit) -> dict[str, str]:
        headers = {
            **self.headers,
            "Referer": post_url(self.code),
            "X-ASBD-ID": self.asbd_id,
            "X-FB-Friendly-Name": _QUERY,
            "X-FB-LSD": visit.token,
        }
        if visit.cookies:
            headers["Cookie"] = "; ".join(f"{name}={value}" for name, value in visit.cookies.items())
        if token := visit.cookies.get("csrftoken"):
            headers["X-CSRFToken"] = token
        return headers


async def _sent(request: Request, http: Http, deadline: Deadline) -> Reply:
    reply = await http.send(request, deadline.share(STEP))
    if error := refused(reply, "/api/"):
        raise error
    return reply


def _media(answer: JsonValue) -> JsonValue:
    media = media_in([answer])
    if media is not None:
        return media
    codes = {number(error, "code") for error in rows(answer, "errors")}
    if _LIMITED in codes:
        raise blocked()
    if codes and _NOT_FOUND not in codes:
        raise BadReply("Instagram does not know the query any more; set a newer document id")
    raise NoContent("Instagram has no such post, or hides it", reason=Reason.NOT_FOUND)


def _setting(page: str) -> str:
    found = _SETTINGS.search(page)
    if not found:
        return ""
    return next((text(value, "l") for value in embedded(f"<script data-sjs>{found[1]}</script>")), "")
