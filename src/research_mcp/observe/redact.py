"""Known secrets, and characters that forge log lines, are taken out of every text that leaves."""

from __future__ import annotations

import re
from collections.abc import Iterable
from urllib.parse import quote, quote_plus

from research_mcp.core.urls import without_credentials

_SHORTEST = 4
"""Shorter values would blank out ordinary words; no vendor's key is this short."""

_SECRET_PARAMETER = re.compile(
    r"(?i)(?<=[?&;#])([\w.-]{0,40}?(?:token|secret|passw(?:or)?d|signature|credential|api[_-]?key)|key|sig|auth)"
    r"=[^&;#\s]+"
)
"""A parameter of a url whose name says that its value opens something: signed links, keys of an API."""


class Redactor:
    """Replaces each known secret, plain or percent-encoded, by `***`."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        forms = {
            form
            for secret in secrets
            if len(secret) >= _SHORTEST
            for form in (secret, quote(secret, safe=""), quote_plus(secret))
        }
        self._forms = sorted(forms, key=len, reverse=True)

    def __call__(self, text: str) -> str:
        """`text` without any of the secrets."""
        for form in self._forms:
            if form in text:
                text = text.replace(form, "***")
        return text

    def __repr__(self) -> str:
        return f"Redactor({len(self._forms)} forms)"


def one_line(text: str, limit: int = 500) -> str:
    """`text` cut to `limit` characters, credentials of urls masked, control characters as spaces."""
    masked = _SECRET_PARAMETER.sub(r"\1=***", without_credentials(text)[: 2 * limit])
    return "".join(c if c.isprintable() else " " for c in masked[:limit])
