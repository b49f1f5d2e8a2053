"""Which post or profile an Instagram url stands for, and how Instagram numbers posts."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from urllib.parse import parse_qs, quote, urlsplit

from research_mcp.core.urls import host_of

SITE = "https://www.instagram.com"
_HOSTS = frozenset({"instagram.com", "www.instagram.com", "m.instagram.com"})
_POSTS = frozenset({"p", "reel", "reels", "tv"})
_CODE = re.compile(r"[A-Za-z0-9_-]{5,64}")
_USER = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.]{0,28}[A-Za-z0-9_])?")
_CURSOR = re.compile(r"[A-Za-z0-9_=+/.-]{1,500}")
_RESERVED = re.compile(
    "about|accounts|api|ar|archive|challenge|creators|data|developer|directory|direct|emails|explore|graphql"
    "|legal|lite|locations|nametag|oauth|p|press|privacy|reel|reels|session|share|stories|tags|terms|tv|web"
    "|your_activity"
)
_ALPHABET = string.ascii_uppercase + string.ascii_lowercase + string.digits + "-_"
_PUBLIC = 28
"""Longer codes end in the secret of a private share."""


@dataclass(frozen=True, slots=True)
class Profile:
    """A profile, from the post after `cursor` on."""

    user: str
    cursor: str = ""


def post_code(url: str) -> str:
    """The code of the post at `url` (a normal form), be a user named before it or not; "" for none."""
    parts = _parts(url)
    if len(parts) == 3 and _is_user(parts[0]):
        parts = parts[1:]
    if len(parts) == 2 and parts[0] in _POSTS and _CODE.fullmatch(parts[1]):
        return parts[1] if len(parts[1]) <= _PUBLIC else parts[1][:-_PUBLIC]
    return ""


def profile_of(url: str) -> Profile | None:
    """The profile at `url` (a normal form), None for anything else."""
    parts = _parts(url)
    if len(parts) != 1 or not _is_user(parts[0]):
        return None
    cursor = next(iter(parse_qs(urlsplit(url).query).get("max_id", [])), "")
    return Profile(parts[0].lower(), cursor if _CURSOR.fullmatch(cursor) else "")


def next_page(user: str, cursor: str) -> str:
    """The address of the profile's posts after `cursor`, for this reader."""
    return f"{SITE}/{user}/?max_id={quote(cursor, safe='')}"


def post_url(code: str) -> str:
    """The address of a post."""
    return f"{SITE}/p/{code}/"


def number_of(code: str) -> str:
    """The number that a code stands for: base 64, the most significant digit first."""
    number = 0
    for letter in code:
        number = number * 64 + _ALPHABET.index(letter)
    return str(number)


def _is_user(name: str) -> bool:
    return bool(_USER.fullmatch(name)) and not _RESERVED.fullmatch(name.lower())


def _parts(url: str) -> list[str]:
    if host_of(url) not in _HOSTS:
        return []
    return urlsplit(url).path.strip("/").split("/")
