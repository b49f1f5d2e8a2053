"""Which part of GitHub a url stands for. Pure."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import StrEnum
from urllib.parse import quote, unquote, urlsplit

from research_mcp.core.urls import host_of
from research_mcp.providers.kit.fragment import rebased

RAW = "https://raw.githubusercontent.com"

_OWNER = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9-]{0,38})")
_REPO = re.compile(r"[\w.-]{1,100}")
_NUMBER = re.compile(r"[1-9]\d{0,9}")
_NO_OWNERS = frozenset(
    "about account apps codespaces collections contact copilot customer-stories dashboard enterprise events"  # noqa: SIM905
    " explore features github-copilot issues join login logout marketplace mobile new newsroom notifications"
    " organizations orgs partners pricing pulls readme resources search security sessions settings signup"
    " site solutions sponsors stars team topics trending users why-github".split()
)
"""First steps of paths that are GitHub's own pages."""

_LONGEST_REF = 3
"""Steps of a path that a branch's name may take up: `feature/kelp/ropes`."""


class What(StrEnum):
    """Kinds of pages."""

    HOME = "home"
    FILE = "file"
    TREE = "tree"
    ISSUE = "issue"
    PULL = "pull"
    RELEASE = "release"


@dataclass(frozen=True, slots=True)
class Place:
    """One page. `rest`: the number of an issue, a release's path in the API, or `ref/path` as written."""

    owner: str
    repo: str
    what: What
    rest: str = ""

    @property
    def api(self) -> str:
        """The repository's path in the API."""
        return f"/repos/{self.owner}/{self.repo}"

    @property
    def web(self) -> str:
        """The repository's own page."""
        return f"https://github.com/{self.owner}/{self.repo}"

    @property
    def raw(self) -> str:
        """A file as the raw host has it, which knows where the ref ends."""
        return f"{RAW}/{self.owner}/{self.repo}/{self.rest}"

    def leads(self, markdown: str, file: str) -> str:
        """Markdown of `file` (`ref/path`) whose relative links lead to the site's pages."""
        ref = file.partition("/")[0]
        return rebased(markdown, f"{self.web}/blob/{file}", f"{self.web}/blob/{ref}/")

    def splits(self) -> list[tuple[str, str]]:
        """Each way to read `rest` as a ref, which may hold slashes, and a path; the shortest ref first."""
        steps = [step for step in self.rest.split("/") if step]
        least = 1 if self.what is What.FILE else 0  # a file has a name, a directory may be the top
        most = min(_LONGEST_REF, len(steps) - least)
        return [(unquote("/".join(steps[:n])), "/".join(steps[n:])) for n in range(1, most + 1)]


def place_of(url: str) -> Place | None:
    """The place at `url` (a normal form); None for pages that are better read as they are."""
    host, path = host_of(url), urlsplit(url).path
    steps = [step for step in path.split("/") if step]
    if len(steps) < 2 or host not in _FORMS:
        return None
    owner, repo = steps[0], steps[1].removesuffix(".git")
    if not _OWNER.fullmatch(owner) or not _REPO.fullmatch(repo) or repo in (".", ".."):
        return None
    return _FORMS[host](owner, repo, steps[2:])


def _on_site(owner: str, repo: str, steps: list[str]) -> Place | None:
    if owner.lower() in _NO_OWNERS:
        return None
    if not steps:
        return Place(owner, repo, What.HOME)
    kind, rest = steps[0], "/".join(steps[1:])
    if kind in ("blob", "raw", "blame") and len(steps) > 2:
        return Place(owner, repo, What.FILE, rest)
    if kind == "tree" and rest:
        return Place(owner, repo, What.TREE, rest)
    if kind == "issues" and len(steps) == 2 and _NUMBER.fullmatch(rest):
        return Place(owner, repo, What.ISSUE, rest)
    if kind == "pull" and len(steps) > 1 and _NUMBER.fullmatch(steps[1]):
        return Place(owner, repo, What.PULL, steps[1])
    if kind == "releases":
        return _release(owner, repo, steps[1:])
    return None


def _release(owner: str, repo: str, steps: list[str]) -> Place | None:
    if steps == ["latest"]:
        return Place(owner, repo, What.RELEASE, "latest")
    if len(steps) > 1 and steps[0] == "tag":
        tag = quote(unquote("/".join(steps[1:])), safe="")
        return Place(owner, repo, What.RELEASE, f"tags/{tag}")
    return None


def _on_raw(owner: str, repo: str, steps: list[str]) -> Place | None:
    return Place(owner, repo, What.FILE, "/".join(steps)) if len(steps) > 1 else None


_FORMS = {"github.com": _on_site, "www.github.com": _on_site, "raw.githubusercontent.com": _on_raw}
