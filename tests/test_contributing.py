"""The sample of CONTRIBUTING.md, carried out on a copy of the sources."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
CONFIG = "src/research_mcp/pipeline_config.py"
FIXTURES = "tests/fixtures/search/example"
TEST = "tests/providers/vendors/test_example.py"


def sample() -> dict[str, str]:
    """Each code block that stands under a line with its path alone."""
    blocks = re.findall(
        r"(?m)^`([^`\n]+)`\n\n```\w+\n(.*?)^```$", (ROOT / "CONTRIBUTING.md").read_text(), re.DOTALL
    )
    return dict(blocks)


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of the sources with the four steps done."""
    copy = tmp_path_factory.mktemp("house")
    no_cache = shutil.ignore_patterns("__pycache__")
    for part in ("src", "tests/kit", "tests/providers", "tests/fixtures/search"):
        if (ROOT / part).exists():
            shutil.copytree(ROOT / part, copy / part, ignore=no_cache)
    for part in ("pyproject.toml", "tests/__init__.py"):
        shutil.copy(ROOT / part, copy / part)
    for name, text in sample().items():
        path = copy / name
        if name == CONFIG:
            marker = "INSTANCES: tuple[Instance, ...] = (\n"
            before = path.read_text()
            assert before.count(marker) == 1
            text = before.replace(marker, marker + text)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return copy


def run(house: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=house,
        env={"PATH": os.environ["PATH"], "PYTHONPATH": f"{house / 'src'}", "PYTHONDONTWRITEBYTECODE": "1"},
        capture_output=True,
        text=True,
        timeout=180,
        check=False,
    )


def test_the_guide_shows_a_type_a_row_a_fixture_and_a_test() -> None:
    assert list(sample()) == [
        "src/research_mcp/providers/vendors/example.py",
        CONFIG,
        *(f"{FIXTURES}/{name}.json" for name in ("ok", "ok.expected", "empty", "spent", "meta")),
        TEST,
    ]


@pytest.mark.slow
def test_the_test_of_the_sample_passes(house: Path) -> None:
    done = run(house, "-m", "pytest", "-q", "-p", "no:cacheprovider", TEST)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 passed" in done.stdout


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_the_sample_keeps_the_contract_of_every_engine(house: Path) -> None:
    asked_of_all = ("tests/providers/test_contract.py", "tests/providers/test_prices.py")
    done = run(house, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "example", *asked_of_all)
    assert done.returncode == 0, done.stdout + done.stderr
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed is not None
    assert int(passed[1]) > 25


def test_the_row_of_the_sample_is_on_when_its_key_is_set_and_says_so_when_not(house: Path) -> None:
    code = """
from research_mcp import pipeline_config, providers
from research_mcp.bootstrap.instances import resolve

assert providers.load(()) == []
for env in ({}, {"EXAMPLE_API_KEY": "k"}):
    on, statuses = resolve(pipeline_config.INSTANCES, env)
    (status,) = [status for status in statuses if status.instance.name == "example"]
    print(status.on, "EXAMPLE_API_KEY" in status.why)
"""
    done = run(house, "-c", code)
    assert done.stdout.split("\n")[:2] == ["False True", "True False"], done.stdout + done.stderr


def test_the_sample_passes_lint_and_format(house: Path) -> None:
    ruff = Path(sys.executable).parent / "ruff"
    paths = ["src/research_mcp/providers/vendors/example.py", TEST]
    for command in (["check"], ["format", "--check"]):
        done = subprocess.run(
            [ruff, *command, "--no-cache", *paths],
            cwd=house,
            capture_output=True,
            text=True,
            timeout=50,
            check=False,
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
def test_the_sample_passes_the_strict_type_check(house: Path) -> None:
    done = run(
        house, "-m", "mypy", "--cache-dir", "/dev/null", "src/research_mcp/providers/vendors/example.py"
    )
    assert done.returncode == 0, done.stdout + done.stderr
