"""The documents agree with the program, with each other and with themselves."""

from __future__ import annotations

import base64
import json
import re
import tomllib
from itertools import chain
from pathlib import Path

import pytest

from research_mcp.core.errors import Reason
from research_mcp.server.texts import languages as catalogue

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").glob("*.md")])
README = (ROOT / "README.md").read_text()
TABLE_ROW = re.compile(r"(?m)^\| `([^`]+)` \| (?:`([^`]*)`)?")


def name_of(path: Path) -> str:
    return path.name


def anchors(text: str) -> set[str]:
    """The anchors of a document's headings, as code hosts make them."""
    headings = re.findall(r"(?m)^#{1,4} (.+)$", re.sub(r"(?ms)^```.*?^```", "", text))
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_link_inside_the_project_leads_somewhere(path: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)\s]+)\)", path.read_text()):
        file, _, anchor = target.partition("#")
        linked = (path.parent / file) if file else path
        assert linked.exists(), target
        assert not anchor or anchor in anchors(linked.read_text()), target


@pytest.mark.parametrize("path", DOCUMENTS, ids=name_of)
def test_every_snippet_can_be_pasted(path: Path) -> None:
    for language, snippet in re.findall(r"(?ms)^```(json|toml)\n(.*?)^```", path.read_text()):
        json.loads(snippet) if language == "json" else tomllib.loads(snippet)


def test_the_example_credential_is_what_the_guide_says_it_is() -> None:
    guide = (ROOT / "docs" / "clients.md").read_text()
    (example,) = set(re.findall(r"Basic ([A-Za-z0-9+/=]{8,})", guide))
    assert base64.b64decode(example).decode() in guide


def test_every_reason_is_explained_once_and_no_other() -> None:
    section = README.partition("## When something fails")[2].partition("Before the tools are reached")[0]
    assert [reason for reason, _ in TABLE_ROW.findall(section)] == [reason.value for reason in Reason]


def test_every_tool_stands_in_the_table_of_tools() -> None:
    section = README.partition("## Tools")[2].partition("\n## ")[0]
    listed = {tool for tool, _ in TABLE_ROW.findall(section)}
    assert listed == set(catalogue.load("en").tools)


def test_the_table_of_dependencies_names_what_is_installed_with_its_range() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    extras = project["project"]["optional-dependencies"].values()
    stated = [*project["project"]["dependencies"], *project["dependency-groups"]["dev"], *chain(*extras)]
    wanted = {}
    for line in stated:
        found = re.fullmatch(r"([A-Za-z0-9._-]+)(?:\[[^\]]*\])?(.*)", line)
        assert found is not None, line
        wanted[found[1]] = found[2]
    tables = (ROOT / "docs" / "dependencies.md").read_text()
    assert dict(TABLE_ROW.findall(tables)) == wanted
