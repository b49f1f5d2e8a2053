"""Result links that only carry the real address: known redirectors, opened without a request."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Mapping
from urllib.parse import SplitResult, parse_qs, unquote, urlsplit

_MOST_LAYERS = 3
_GOOGLE = re.compile(r"(?:[a-z0-9-]+\.)*google\.[a-z]{2,3}(?:\.[a-z]{2})?")
_YAHOO_TARGET = re.compile(r"/RU=([^/]+)/")
_AMP_CACHE_PATH = re.compile(r"/[a-z]/(s/)?(.+)")
_AMP_VIEWER = re.compile(r"/amp/(s/)?([\w.-]+\.[\w-]+(?:/.*)?)")

Query = Mapping[str, list[str]]
Opener = Callable[[SplitResult, Query], str]


def unwrap(url: str) -> str:
    """The address inside a known redirector (at most three layers), or `url` as it is."""
    for _ in range(_MOST_LAYERS):
        target = _target(url)
        if not target.startswith(("http://", "https://")):
            return url
        url = target
    return url


def _target(url: str) -> str:
    try:
        parts = urlsplit(url)
        host = (parts.hostname or "").lower().removeprefix("www.")
        opener = _OPENERS.get(host) or (_google if _GOOGLE.fullmatch(host) else None)
        if opener is None:
            opener = next((_BELOW[end] for end in _BELOW if host.endswith(end)), None)
        return opener(parts, parse_qs(parts.query)) if opener else ""
    except ValueError:  # a malformed address, or one whose coded target is none
        return ""


def _first(query: Query, *names: str) -> str:
    return next((query[name][0] for name in names if name in query), "")


def _google(parts: SplitResult, query: Query) -> str:
    if parts.path in ("/url", "/imgres"):
        return _first(query, "q", "url", "imgrefurl")
    return _inner(_AMP_VIEWER.fullmatch(parts.path), parts.query)


def _amp_cache(parts: SplitResult, _query: Query) -> str:
    return _inner(_AMP_CACHE_PATH.fullmatch(parts.path), parts.query)


def _inner(found: re.Match[str] | None, query: str) -> str:
    """The address in the path of an AMP host: a mark for https, then host and path."""
    if not found:
        return ""
    scheme = "https://" if found.group(1) else "http://"
    return scheme + found.group(2) + (f"?{query}" if query else "")


def _bing(parts: SplitResult, query: Query) -> str:
    coded = _first(query, "u")
    if not parts.path.startswith("/ck/a") or not coded.startswith("a1"):
        return ""
    coded = coded[2:]
    return base64.urlsafe_b64decode(coded + "=" * (-len(coded) % 4)).decode("utf-8")


def _yahoo(parts: SplitResult, _query: Query) -> str:
    found = _YAHOO_TARGET.search(parts.path)
    return unquote(found.group(1)) if found else ""


def _at(path: str, *names: str) -> Opener:
    def opener(parts: SplitResult, query: Query) -> str:
        return _first(query, *names) if parts.path.startswith(path) else ""

    return opener


def _bare_query(parts: SplitResult, _query: Query) -> str:
    return unquote(parts.query)


_BELOW: Mapping[str, Opener] = {
    ".cdn.ampproject.org": _amp_cache,
    ".safelinks.protection.outlook.com": _at("/", "url"),
}
_OPENERS: Mapping[str, Opener] = {
    **dict.fromkeys(("duckduckgo.com", "html.duckduckgo.com", "lite.duckduckgo.com"), _at("/l/", "uddg")),
    **dict.fromkeys(("bing.com", "cn.bing.com"), _bing),
    "r.search.yahoo.com": _yahoo,
    **dict.fromkeys(
        ("facebook.com", "l.facebook.com", "lm.facebook.com", "l.messenger.com"), _at("/l.php", "u")
    ),
    **dict.fromkeys(("l.instagram.com", "l.threads.net", "l.threads.com"), _at("/", "u")),
    **dict.fromkeys(("vk.com", "away.vk.com"), _at("/away.php", "to")),
    "exit.sc": _at("/", "url"),
    "href.li": _bare_query,
    "slack-redir.net": _at("/link", "url"),
    "t.umblr.com": _at("/redirect", "z"),
    **dict.fromkeys(("link.zhihu.com", "link.juejin.cn"), _at("/", "target")),
    "douban.com": _at("/link2", "url"),
    "youtube.com": _at("/redirect", "q"),
    "out.reddit.com": _at("/", "url"),
    "steamcommunity.com": _at("/linkfilter", "url", "u"),
    "linkedin.com": _at("/redir/redirect", "url"),
    "cdn.ampproject.org": _amp_cache,
}
