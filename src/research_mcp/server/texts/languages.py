"""Which catalogue of texts a language has."""

from __future__ import annotations

from research_mcp.core.errors import ConfigError
from research_mcp.server.texts.en import EN
from research_mcp.server.texts.ru import RU
from research_mcp.server.texts.shape import Texts

CATALOGUES = {"en": EN, "ru": RU}


def load(language: str) -> Texts:
    """The catalogue of `language`. Raises `ConfigError` for one that does not exist."""
    if language not in CATALOGUES:
        known = ", ".join(CATALOGUES)
        raise ConfigError(f"TOOL_LANGUAGE={language!r} has no texts: set one of {known}.")
    return CATALOGUES[language]
