"""Bearer tokens of this server: how they are made, and how the configuration may state them.

An entry of `MCP_BEARER_TOKENS` is a token, or `sha256:` and the 64 hex digits of one, so that who
reads the configuration cannot use it.
"""

from __future__ import annotations

import hashlib
import re
import secrets
from collections.abc import Iterable, Iterator

from research_mcp.core.errors import ConfigError
from research_mcp.core.instance import Secret

HASHED = "sha256:"
EASY = 16
"""Characters below which a token may be guessed."""

_HEX = re.compile(r"[0-9a-fA-F]{64}")
_RANDOM_OCTETS = 32


def new_token() -> Secret:
    """A token of 256 random bits, 43 characters that every header carries."""
    return Secret(secrets.token_urlsafe(_RANDOM_OCTETS))


def hashed(token: Secret) -> str:
    """The entry that stands for `token` without telling it."""
    return HASHED + digest(token.reveal().encode()).hex()


def digest(token: bytes) -> bytes:
    """What is compared in the place of a token, the same length for all."""
    return hashlib.sha256(token).digest()


def digests(entries: Iterable[Secret]) -> tuple[bytes, ...]:
    """The digests that `entries` stand for. Raises `ConfigError`, which tells no token."""
    return tuple(_digest(place, entry.reveal()) for place, entry in enumerate(entries, start=1))


def easy_tokens(entries: Iterable[Secret]) -> Iterator[str]:
    """A warning for each plain token that is too short."""
    for place, entry in enumerate(entries, start=1):
        if len(entry.reveal()) < EASY:
            yield (
                f"token {place} of MCP_BEARER_TOKENS has fewer than {EASY} characters and may be guessed: "
                "`research-mcp token` makes a long one"
            )


def _digest(place: int, entry: str) -> bytes:
    if not entry.startswith(HASHED):
        return digest(entry.encode())
    stated = entry.removeprefix(HASHED).strip()
    if not _HEX.fullmatch(stated):
        raise ConfigError(
            f"entry {place} of MCP_BEARER_TOKENS is not usable: after sha256: stand the 64 hex digits of a "
            "token's SHA-256, as `research-mcp token` prints them"
        )
    return bytes.fromhex(stated)
