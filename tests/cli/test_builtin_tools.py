"""`research-mcp builtin-tools`: two names in a deny list, nothing else, or nothing at all."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from research_mcp.cli import program

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="needs git: apt-get install git")


def run(action: str, project: Path) -> Result:
    return CliRunner().invoke(program, ["builtin-tools", action, "--project", str(project)])


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "project"
    subprocess.run(["git", "init", "-q", str(root)], check=True, timeout=20)
    return root


@pytest.fixture
def settings(project: Path) -> Path:
    file = project / ".claude" / "settings.json"
    file.parent.mkdir()
    return file


def test_denying_creates_the_file_and_allowing_empties_the_list(project: Path) -> None:
    file = project / ".claude" / "settings.json"
    done = run("deny", project)
    assert (done.exit_code, done.stdout) == (0, f"WebFetch and WebSearch are denied in {file}\n")
    assert json.loads(file.read_text()) == {"permissions": {"deny": ["WebFetch", "WebSearch"]}}
    assert run("status", project).stdout.startswith("WebFetch: denied\nWebSearch: denied\n")
    assert run("allow", project).stdout.startswith("WebFetch and WebSearch are no longer denied")
    assert json.loads(file.read_text()) == {"permissions": {"deny": []}}
    assert [path.name for path in file.parent.iterdir()] == ["settings.json"]


def test_a_folder_deep_inside_the_work_tree_finds_the_projects_file(project: Path) -> None:
    deep = project / "a" / "b"
    deep.mkdir(parents=True)
    assert run("deny", deep).exit_code == 0
    assert (project / ".claude" / "settings.json").exists()


def test_a_linked_work_tree_is_one_of_its_own(project: Path, tmp_path: Path) -> None:
    author = ["-c", "user.name=a", "-c", "user.email=a@example.org"]
    for command in (
        ["commit", "-q", "--allow-empty", "-m", "x"],
        ["worktree", "add", "-q", str(tmp_path / "w")],
    ):
        subprocess.run(["git", *author, "-C", str(project), *command], check=True, timeout=20)
    assert run("deny", tmp_path / "w").exit_code == 0
    assert (tmp_path / "w" / ".claude" / "settings.json").exists()
    assert not (project / ".claude").exists()


def test_other_keys_their_order_and_the_indentation_stay(project: Path, settings: Path) -> None:
    before = (
        '{\n\t"zeta": "ü",\n\t"permissions": {\n\t\t"allow": [\n\t\t\t"Bash(ls)"\n\t\t],\n\t\t"deny": [\n'
        '\t\t\t"WebSearch",\n\t\t\t"WebFetch(domain:x.example)",\n\t\t\t"Read(.env)"\n\t\t]\n\t},\n\t"alpha": 1\n}'
    )
    settings.write_text(before, "utf-8")
    settings.chmod(0o600)
    assert run("deny", project).exit_code == 0
    assert settings.read_text("utf-8") == before.replace('"Read(.env)"', '"Read(.env)",\n\t\t\t"WebFetch"')
    assert settings.stat().st_mode & 0o777 == 0o600
    assert run("allow", project).exit_code == 0
    assert settings.read_text("utf-8") == before.replace('"WebSearch",\n\t\t\t', "")


@pytest.mark.parametrize("action", ["deny", "allow"])
def test_a_second_run_writes_nothing(project: Path, settings: Path, action: str) -> None:
    settings.write_text('{"permissions":{"deny":["WebFetch","WebSearch"]}}')
    run(action, project)
    text = settings.read_text()
    os.utime(settings, (1, 1))
    done = run(action, project)
    assert done.exit_code == 0
    assert "were" in done.stdout
    assert (settings.stat().st_mtime, settings.read_text()) == (1, text)


def test_allowing_without_a_file_creates_none(project: Path) -> None:
    assert run("allow", project).stdout.startswith("WebFetch and WebSearch were not denied")
    assert not (project / ".claude").exists()
    assert "(does not exist)" in run("status", project).stdout


@pytest.mark.parametrize("action", ["deny", "allow", "status"])
def test_outside_a_work_tree_nothing_is_written(tmp_path: Path, action: str) -> None:
    done = run(action, tmp_path)
    assert done.exit_code == 1
    assert "git_root_not_found" in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_gits_own_folder_and_a_missing_one_are_no_work_tree(project: Path) -> None:
    for folder in (project / ".git" / "hooks", project / "missing"):
        assert "git_root_not_found" in run("deny", folder).stderr
    assert not (project / ".claude").exists()


@pytest.mark.parametrize(
    "text",
    [
        '{"permissions": {"deny": ["WebFetch",]}}',
        "[]",
        '{"permissions": []}',
        '{"permissions": {"deny": "WebFetch"}}',
        '{"permissions": {"deny": [1]}}',
        '{"a": 1, "a": 2}',
        '{"a": NaN}',
        "[" * 100_000,
        "",
    ],
    ids=lambda text: text[:20],
)
@pytest.mark.parametrize("action", ["deny", "allow", "status"])
def test_a_file_that_is_not_understood_is_left_alone(
    project: Path, settings: Path, action: str, text: str
) -> None:
    settings.write_text(text)
    done = run(action, project)
    assert done.exit_code == 1
    assert "settings_file_invalid" in done.stderr
    assert settings.read_text() == text


def test_bytes_that_are_no_text_are_left_alone(project: Path, settings: Path) -> None:
    settings.write_bytes(b"\xff\xfe{}")
    assert "settings_file_invalid" in run("deny", project).stderr
    assert settings.read_bytes() == b"\xff\xfe{}"


def test_a_file_that_leads_out_of_the_work_tree_is_not_written(
    project: Path, settings: Path, tmp_path: Path
) -> None:
    elsewhere = tmp_path / "mine.json"
    elsewhere.write_text("{}")
    settings.symlink_to(elsewhere)
    assert "settings_write_failed" in run("deny", project).stderr
    assert elsewhere.read_text() == "{}"


def test_a_link_inside_the_work_tree_stays_a_link(project: Path, settings: Path) -> None:
    (project / "shared.json").write_text("{}")
    settings.symlink_to(project / "shared.json")
    assert run("deny", project).exit_code == 0
    assert settings.is_symlink()
    assert "WebFetch" in (project / "shared.json").read_text()


def test_a_folder_that_cannot_be_made_is_said_so(project: Path) -> None:
    (project / ".claude").write_text("in the way")
    done = run("deny", project)
    assert done.exit_code == 1
    assert "settings_" in done.stderr
    assert (project / ".claude").read_text() == "in the way"


def test_an_unknown_action_is_an_error_and_not_a_status(project: Path) -> None:
    done = run("on", project)
    assert done.exit_code == 2
    assert "No such command 'on'" in done.stderr
    assert not (project / ".claude").exists()
