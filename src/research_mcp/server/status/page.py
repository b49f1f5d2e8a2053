"""The page and the part of it that renews itself, out of templates that escape every value."""

from __future__ import annotations

import hashlib
from base64 import b64encode
from importlib import resources

from jinja2 import DictLoader, Environment, StrictUndefined
from markupsafe import Markup

from research_mcp.observe.overview import Overview
from research_mcp.observe.recent import CALLS
from research_mcp.server.status import words
from research_mcp.server.status.view import Chart, Money, State, groups, total

RELOAD_SECONDS = 30
"""How often browsers without scripts load the page again."""

_TEMPLATES = ("page.html", "fragment.html", "title.html", "body.html")
_FILTERS = (
    *(words.clock, words.moment, words.second, words.when, words.iso, words.span, words.ms),
    *(words.share, words.dollars, words.plural, words.count),
)


class StatusPage:
    """Renders overviews. `policy` is the Content-Security-Policy that lets through what the page brings:
    its own style and script, known by their hashes, and its own figures."""

    def __init__(self) -> None:
        files = resources.files(__package__)
        texts = {name: files.joinpath(name).read_text() for name in _TEMPLATES}
        style, script = (files.joinpath(name).read_text() for name in ("style.css", "script.js"))
        self._environment = Environment(
            loader=DictLoader(texts), autoescape=True, undefined=StrictUndefined, trim_blocks=True
        )
        self._environment.filters.update({one.__name__: one for one in _FILTERS})
        # Both are files of this package: nothing from outside is ever marked as safe.
        self._environment.globals.update(
            style=Markup(style),  # noqa: S704
            script=Markup(script),  # noqa: S704
            reload_seconds=RELOAD_SECONDS,
            calls_kept=CALLS,
        )
        self.policy = (
            f"default-src 'none'; style-src '{_hash(style)}'; script-src '{_hash(script)}'; "
            "connect-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
        )

    def whole(self, now: Overview, *, still: bool = False) -> str:
        """The page; `still` keeps a browser without scripts from loading it again."""
        return self._render("page.html", now, still=still)

    def fragment(self, now: Overview) -> str:
        """What the page puts in its own place every few seconds: title and main part."""
        return self._render("fragment.html", now, still=True)

    def _render(self, name: str, now: Overview, *, still: bool) -> str:
        return self._environment.get_template(name).render(
            now=now,
            state=State.of(now),
            groups=list(groups(now)),
            money=Money.of(now.spending),
            chart=Chart.of(now.minutes),
            total=total(now.minutes),
            still=still,
        )


def _hash(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"
