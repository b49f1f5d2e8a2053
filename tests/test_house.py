"""The house keeps its own rules: sizes, one fact in one place, no work at import."""

from __future__ import annotations

import ast
import itertools
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from research_mcp import pipeline_config
from research_mcp.bootstrap.instances import ordered, resolve
from research_mcp.bootstrap.manual import env_example, readme_with_tables
from research_mcp.core.instance import Instance
from research_mcp.providers import load
from research_mcp.providers.kit.registry import REGISTRY, ProviderKind
from research_mcp.variables import VARIABLES

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "research_mcp"
MODULES = sorted(SOURCE.rglob("*.py"))
LONGEST_MODULE = 400
LONGEST_FUNCTION = 50


def relative(path: Path) -> str:
    return str(path.relative_to(ROOT))


def functions(path: Path) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            yield node


@pytest.mark.parametrize("path", MODULES, ids=relative)
def test_no_module_is_over_400_lines_and_no_function_over_50(path: Path) -> None:
    assert len(path.read_text().splitlines()) <= LONGEST_MODULE
    long = [
        f"{node.name}: {node.end_lineno - node.lineno + 1} lines"
        for node in functions(path)
        if node.end_lineno is not None and node.end_lineno - node.lineno + 1 > LONGEST_FUNCTION
    ]
    assert not long


def is_broad(handler: ast.ExceptHandler) -> bool:
    """Catches everything and does not pass it on."""
    caught = "Exception" if handler.type is None else ast.unparse(handler.type)
    passes_on = isinstance(handler.body[-1], ast.Raise) and handler.body[-1].exc is None
    return caught in ("Exception", "BaseException") and not passes_on


def test_broad_excepts_stand_only_where_the_design_allows_them() -> None:
    allowed = {
        "pipelines/guarded.py",  # the one guard around a provider call
        "server/tools/calls.py",  # the server's edge
        "extract/processes/serving.py",  # a worker's edge: the pool logs what it tells
        "server/http/health.py",  # a probe always answers
        "providers/__init__.py",  # a stranger's package at import
    }
    found = {
        str(path.relative_to(SOURCE))
        for path in MODULES
        for node in ast.walk(ast.parse(path.read_text()))
        if isinstance(node, ast.ExceptHandler) and is_broad(node)
    }
    assert found <= allowed


def test_importing_every_module_does_no_work_and_needs_no_environment() -> None:
    names = [
        ".".join(path.relative_to(SOURCE.parent).with_suffix("").parts).removesuffix(".__init__")
        for path in MODULES
        if path.stem != "__main__"
    ]
    code = f"import importlib\nfor name in {names!r}: importlib.import_module(name)\n"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        env={},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


def test_every_row_resolves_with_an_empty_environment() -> None:
    load(())
    on, statuses = resolve(pipeline_config.INSTANCES, {})
    assert {"duckduckgo", "trafilatura"} <= set(on)
    assert [status.instance.name for status in statuses] == [row.name for row in pipeline_config.INSTANCES]


def test_every_instance_stands_in_the_pipeline_of_its_kind() -> None:
    load(())
    kinds = {row.name: REGISTRY[row.type].spec.kind for row in pipeline_config.INSTANCES}
    search = ordered(
        pipeline_config.SEARCH_PIPELINE, pipeline_config.INSTANCES, ProviderKind.SEARCH, "SEARCH_PIPELINE"
    )
    read = ordered(
        pipeline_config.READ_PIPELINE, pipeline_config.INSTANCES, ProviderKind.READ, "READ_PIPELINE"
    )
    answer = ordered(
        pipeline_config.ANSWER_PIPELINE, pipeline_config.INSTANCES, ProviderKind.ANSWER, "ANSWER_PIPELINE"
    )
    mappers = ordered(
        pipeline_config.MAP_PIPELINE, pipeline_config.INSTANCES, ProviderKind.MAP, "MAP_PIPELINE"
    )
    placed = {*search, *read, *answer, *mappers}
    assert placed == {name for name, kind in kinds.items() if kind is not ProviderKind.RERANK}


def variables_of(row: Instance) -> list[str]:
    """Every variable that a row names."""
    named = [
        row.unless_env,
        row.listed_in,
        row.enabled_env,
        row.login_env,
        *row.key_names,
        row.url_env,
        row.base_url_env,
        row.proxy_env,
        *row.key_proxies,
        *row.options.values(),
    ]
    return [name for name in named if name]


def test_every_variable_of_a_row_is_explained_once_and_no_other() -> None:
    named = {name for row in pipeline_config.INSTANCES for name in variables_of(row)}
    assert set(VARIABLES) == named


def test_env_example_is_what_the_program_prints() -> None:
    assert (ROOT / ".env.example").read_text() == env_example()


def test_the_readme_tables_are_what_the_program_prints() -> None:
    text = (ROOT / "README.md").read_text()
    assert readme_with_tables(text) == text


USABLE = {"URL": "https://service.example", "TIERS": "all"}
"""Values for variables, by the end of their name."""
ROW = re.compile(r"^\| `(?P<name>[a-z0-9-]+)` \| (?P<needs>nothing|`[A-Z0-9_]+`[^|]*) \|", re.MULTILINE)


@pytest.mark.parametrize(("name", "needs"), ROW.findall((ROOT / "README.md").read_text()))
def test_an_instance_is_on_with_what_the_readme_says_it_needs_and_off_with_less(
    name: str, needs: str
) -> None:
    load(())
    rows = [row for row in pipeline_config.INSTANCES if row.name == name]
    groups = [re.findall(r"`(\w+)`", group) for group in needs.split(", ") if needs != "nothing"]
    for chosen in itertools.product(*groups):
        values = {each: USABLE.get(each.rpartition("_")[2], "1") for each in chosen}
        assert name in resolve(rows, values)[0]
        for each in chosen:
            assert name not in resolve(rows, {n: v for n, v in values.items() if n != each})[0]


def test_every_search_type_has_a_fixture_folder() -> None:
    load(())
    missing = [
        name
        for name in REGISTRY
        if name.startswith("search.")
        and not (ROOT / "tests" / "fixtures" / "search" / name.removeprefix("search.")).is_dir()
    ]
    assert not missing
