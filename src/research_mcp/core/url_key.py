"""One key per page: two urls with the same key are certain to show the same thing.

The key is only compared. It is never shown and never fetched, so it may drop what identity does not
need: scheme, `www.`, tracking, session ids. Where a rule could join two pages it is left out; such
twins are found by their text later. Site rules stand in `url_sites`, redirectors in `url_wrappers`.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from urllib.parse import SplitResult, quote_from_bytes, unquote_to_bytes, urlsplit

from research_mcp.core.url_sites import Place, desktop_host, is_article, is_noise, place_of
from research_mcp.core.url_wrappers import unwrap
from research_mcp.core.urls import ascii_host

_BARE_HOST = re.compile(r"[\w.-]+\.[a-z]{2,}(?:[/:?#]|$)", re.IGNORECASE)
_DEFAULT_PORTS = {"http": 80, "https": 443}
_LONGEST_HOST = 253
"""Characters of any name; a longer one would cost the square of its labels for each part of a query."""

_DEFAULT_DOCUMENT = re.compile(r"/(?:index|default)\.(?:html?|php|aspx?|jsp|shtml|cfm)$", re.IGNORECASE)
_SESSION_IN_PATH = re.compile(r";jsessionid=[^/;]*", re.IGNORECASE)
_ESCAPE = re.compile(r"%[0-9A-Fa-f]{2}")
_PLAIN_PATH = re.compile(r"[A-Za-z0-9\-._~/!$&'()*+,;=:@]*")
_UNESCAPED_IN_PATH = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~:@!$'()*,")
_PATH_SAFE = "/!$&'()*+,;=:@-._~%"
_QUERY_SAFE = "-._~/:,@!$'()*"
_AMP_SUFFIX = re.compile(r"(.*/[^/]+)/amp(?:/|\.html)?", re.IGNORECASE)
_AMP_EXTENSION = re.compile(r"(.*)\.amp(?:\.html)?", re.IGNORECASE)


@lru_cache(maxsize=8_192)
def url_key(url: str) -> str:
    """The identity of the page behind `url`; for what is no web address, the trimmed text itself."""
    text = unwrap(_absolute(url))
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        return text
    name = parts.hostname or ""
    if parts.scheme not in _DEFAULT_PORTS or not 0 < len(name) <= _LONGEST_HOST:
        return text
    host = _host(name)
    fragment = _route(parts.fragment)
    place = place_of(Place(host, _path(parts.path), _items(parts, host)))
    place = _without_amp(place)
    path = place.path if place.items else _DEFAULT_DOCUMENT.sub("/", place.path)
    path = path.rstrip("/") or "/"
    suffix = "" if port in (None, _DEFAULT_PORTS[parts.scheme]) else f":{port}"
    # equal names keep their order, which may matter
    items = sorted(place.items, key=lambda item: item[0])
    query = "&".join(f"{name}={value}" if value else name for name, value in items)
    return f"{place.host}{suffix}{path}{'?' + query if query else ''}{fragment}"


def _absolute(url: str) -> str:
    text = re.sub(r"[\t\r\n]", "", url.strip())
    if text.startswith("//"):
        return "https:" + text
    if "://" not in text[:12] and _BARE_HOST.match(text):
        return "https://" + text
    return text


def _host(name: str) -> str:
    if ":" in name:
        return f"[{name.lower()}]"
    host = (
        unicodedata.normalize("NFKC", name).lower().replace("\u3002", ".").replace("\u00ad", "").rstrip(".")
    )
    if not host.isascii():
        host = ascii_host(host)
    if host.startswith("www.") and host.count(".") >= 2:
        host = host[4:]
    return desktop_host(host)


def _path(path: str) -> str:
    path = _SESSION_IN_PATH.sub("", path or "/")
    if not _PLAIN_PATH.fullmatch(path):
        path = _ESCAPE.sub(_escape, quote_from_bytes(path.encode("utf-8", "surrogatepass"), safe=_PATH_SAFE))
    return _without_dots(path) if "/." in path else path


def _escape(found: re.Match[str]) -> str:
    char = chr(int(found.group()[1:], 16))
    return char if char in _UNESCAPED_IN_PATH else found.group().upper()


def _without_dots(path: str) -> str:
    kept: list[str] = []
    for segment in path.split("/"):
        if segment == "..":
            del kept[max(1, len(kept) - 1) :]
        elif segment != ".":
            kept.append(segment)
    return "/".join(kept) or "/"


def _items(parts: SplitResult, host: str) -> tuple[tuple[str, str], ...]:
    items = []
    for raw in parts.query.split("&"):
        name, _, value = raw.partition("=")
        name, value = _component(name), _component(value)
        if name and not is_noise(host, name, value):
            items.append((name, value))
    return tuple(items)


def _component(text: str) -> str:
    if text.isalnum() and text.isascii():
        return text
    return quote_from_bytes(unquote_to_bytes(text.replace("+", " ")), safe=_QUERY_SAFE)


def _route(fragment: str) -> str:
    """A client-side route selects the page; anchors and text fragments do not."""
    stem = fragment.partition(":~:")[0]
    return f"#{stem}" if stem.startswith(("!", "/")) and len(stem) > 1 else ""


def _without_amp(place: Place) -> Place:
    """The article behind its AMP twin; `/amp` anywhere else is a page of its own."""
    found = _AMP_SUFFIX.fullmatch(place.path)
    if found and is_article(found.group(1)):
        return place._replace(path=found.group(1))
    found = _AMP_EXTENSION.fullmatch(place.path)
    if found and is_article(found.group(1)):
        return place._replace(path=found.group(1))
    if place.host.startswith("amp.") and place.host.count(".") >= 2 and is_article(place.path):
        return place._replace(host=place.host[4:])
    return place
