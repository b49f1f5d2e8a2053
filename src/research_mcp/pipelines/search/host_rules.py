"""The owner's file about hosts, one wish a line:

    # what a hash begins is a comment
    raise  docs.python.org
    lower  example.com/blog
    pin    wiki.example.org
    remove spam.example

    [slop list]
    content-farm.example
    *://*.other-farm.example/*

A host covers its subdomains, a path what is below it; the most specific line decides, of equal ones the
last. `[name]` names the list that the lines after it belong to, and the results that they move say so. A
line without a word lowers: whoever pastes a published block list loses no page, since such lists hit
honest sites too.
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterator

from research_mcp.core.errors import ConfigError
from research_mcp.core.url_key import url_key
from research_mcp.pipelines.search.hosts import HostRule, Wish

_WISHES = {wish.name.lower(): wish for wish in Wish}
_NAME = re.compile(r"\[\s*([^\[\]]{1,60}?)\s*\]")
_PLACE = re.compile(
    r"(?:\*?[a-z]{0,10}://)?(?:\*\.)?"
    r"(?P<place>[\w-]{1,63}(?:\.[\w-]{1,63}){1,10}(?:/[^\s*?#]*?)?)"
    r"(?:/\*?|\*)?",
    re.IGNORECASE,
)


def host_rules(text: str, file: str) -> Iterator[HostRule]:
    """The rules in `text`; `file` names it. Raises `ConfigError` that names the first wrong line."""
    source = ""
    for number, line in enumerate(text.splitlines(), 1):
        words = line.partition("#")[0].split()
        if not words:
            continue
        if named := _NAME.fullmatch(" ".join(words)):
            source = named[1]
            continue
        try:
            yield _rule(words, source)
        except ValueError as error:
            raise ConfigError(f"{file}, line {number}: {error}") from None


def _rule(words: list[str], source: str) -> HostRule:
    """Raises `ValueError` with the reason."""
    wish = Wish.LOWER
    if len(words) > 1:
        wish = _wish(words[0])
        words = words[1:]
    if len(words) > 1:
        raise ValueError(f"{words[1]!r} follows the host; write one host a line")
    found = _PLACE.fullmatch(words[0])
    if found is None or not url_key(found["place"]).partition("/")[0]:
        raise ValueError(f"{words[0]!r} is no host; write it like example.com or example.com/path")
    return HostRule(found["place"], wish, source)


def _wish(word: str) -> Wish:
    wish = _WISHES.get(word.lower())
    if wish is None:
        near = difflib.get_close_matches(word.lower(), _WISHES, 1)
        said = f"; did you mean {near[0]}?" if near else ""
        raise ValueError(f"{word!r} is no wish; the wishes are raise, lower, pin and remove{said}")
    return wish
