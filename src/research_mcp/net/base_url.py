"""Base urls as operators write them: with a trailing slash, a version suffix, a prefix, or the lot."""

from __future__ import annotations

import re
from urllib.parse import urlsplit

from research_mcp.core.errors import ConfigError

_VERSION = re.compile(r"v\d+(?:beta\d*|alpha\d*)?")
_DEFAULT_PORTS = {"http": 80, "https": 443}

Origin = tuple[str, str, int]


def origin_of(url: str) -> Origin:
    """Scheme, lower-case host and port of an absolute url; empty parts for anything else."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError:
        return "", "", 0
    return parts.scheme, parts.hostname or "", port or _DEFAULT_PORTS.get(parts.scheme, 0)


def check_base(name: str, url: str) -> str:
    """`url` without trailing slashes. Raises `ConfigError`, which names `name` and no secret."""
    scheme, host, _ = origin_of(url)
    if scheme not in _DEFAULT_PORTS or not host or "?" in url or "#" in url or "@" in url:
        raise ConfigError(
            f"the base url of {name} cannot be used: write it like https://api.example.com or "
            "http://gateway:8080/prefix, without query and credentials"
        )
    return url.rstrip("/")


def joined(base: str, endpoint: str, url: str) -> str:
    """The address for a request's `url` (a path, "" or an address under `endpoint`) at `base`.

    `base` stands for scheme, host and prefix of `endpoint`. What both have, be it a version, is not
    doubled: `https://gw/x/v1` and `/v1/search` make `https://gw/x/v1/search`. Other absolute urls stay.
    Raises `ConfigError` for a path when both are empty.
    """
    own = endpoint.rstrip("/")
    if url.startswith(("http://", "https://")):
        if not own or not (url == own or url.startswith((own + "/", own + "?"))):
            return url
        url = url[len(own) :]
    if not base and not own:
        raise ConfigError(f"a request for {url[:60]!r} has no base url to go to")
    if not base or base == own:
        return _appended(own, url)
    path, mark, query = url.partition("?")
    wanted = [*_segments(urlsplit(own).path), *_segments(path)]
    present = _segments(urlsplit(base).path)
    shared = _overlap(present, wanted)
    rest = "/".join(wanted[shared:])
    slash = "/" if path.endswith("/") else ""
    return f"{base}/{rest}{slash}{mark}{query}" if rest else f"{base}{slash}{mark}{query}"


def _appended(base: str, url: str) -> str:
    if not url or url.startswith(("?", "/")):
        return base + url
    return f"{base}/{url}"


def _segments(path: str) -> list[str]:
    stripped = path.strip("/")
    return stripped.split("/") if stripped else []


def _overlap(present: list[str], wanted: list[str]) -> int:
    """How many of the first `wanted` segments `present` already ends with; another version counts."""
    for length in range(min(len(present), len(wanted)), 0, -1):
        if present[-length:] == wanted[:length]:
            return length
    if present and wanted and _VERSION.fullmatch(present[-1]) and _VERSION.fullmatch(wanted[0]):
        return 1
    return 0
