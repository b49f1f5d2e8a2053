from __future__ import annotations

import errno
from pathlib import Path

import pytest

from research_mcp.bootstrap import configure
from research_mcp.bootstrap.environment import read_environment
from research_mcp.core.errors import ConfigError
from research_mcp.variables import ALIASES, RETIRED, VARIABLES


@pytest.fixture
def env_file(tmp_path: Path) -> Path:
    return tmp_path / ".env"


def test_process_variables_win_over_the_file(env_file: Path) -> None:
    env_file.write_text("A=file\nB=file\n")
    assert read_environment(env_file, {"A": "process"}).values == {"A": "process", "B": "file"}


def test_blank_variables_are_unset_and_values_trimmed(env_file: Path) -> None:
    assert read_environment(env_file, {"A": "  ", "B": " x "}).values == {"B": "x"}


def test_a_missing_file_is_no_error(env_file: Path) -> None:
    assert read_environment(env_file, {}).values == {}


@pytest.mark.parametrize("encoding", ["latin-1", "utf-16"])
def test_a_file_in_another_encoding_is_one_sentence(env_file: Path, encoding: str) -> None:
    env_file.write_text("A=1\n# café\n", encoding=encoding)
    with pytest.raises(ConfigError, match=r"^\.env is not UTF-8 text: save it in that encoding$"):
        read_environment(env_file, {})


def test_a_file_of_somebody_else_is_one_sentence(env_file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> object:
        raise PermissionError(errno.EACCES, "Permission denied")

    env_file.touch()
    monkeypatch.setattr("builtins.open", refuse)  # root, who runs tests in containers, may read everything
    with pytest.raises(ConfigError, match=r"^\.env cannot be read \(Permission denied\)"):
        read_environment(env_file, {})


def test_files_as_editors_and_shells_write_them_are_understood(env_file: Path) -> None:
    env_file.write_bytes(b"\xef\xbb\xbfexport A='x y'\r\nB = \"z\"  # why\r\nC=a#b\r\nD\r\n")
    assert read_environment(env_file, {}).values == {"A": "x y", "B": "z", "C": "a#b"}


def test_an_alias_stands_for_its_variable(env_file: Path) -> None:
    env = read_environment(env_file, {"OLD_KEY": "k"}, aliases={"OLD_KEY": "NEW_KEY"})
    assert env.values["NEW_KEY"] == "k"
    assert env.warnings == ()


def test_a_conflict_with_an_alias_is_one_warning_that_names_the_winner_and_no_value(env_file: Path) -> None:
    env = read_environment(env_file, {"OLD_KEY": "k1", "NEW_KEY": "k2"}, aliases={"OLD_KEY": "NEW_KEY"})
    assert env.values["NEW_KEY"] == "k2"
    assert env.warnings == ("NEW_KEY and its older name OLD_KEY are both set and differ: NEW_KEY wins",)


def test_an_alias_with_the_same_value_is_silent(env_file: Path) -> None:
    env = read_environment(env_file, {"OLD_KEY": "k", "NEW_KEY": "k"}, aliases={"OLD_KEY": "NEW_KEY"})
    assert env.warnings == ()


def test_a_misspelt_name_in_the_file_is_warned_about(env_file: Path) -> None:
    env_file.write_text("SEACH_TIMEOUT=3\nUNRELATED=1\n")
    env = read_environment(env_file, {}, known=["SEARCH_TIMEOUT"])
    assert env.warnings == (
        "SEACH_TIMEOUT in .env is not a variable of this program: did you mean SEARCH_TIMEOUT?",
    )


def test_values_stay_out_of_the_repr(env_file: Path) -> None:
    assert "s3cret" not in repr(read_environment(env_file, {"KEY": "s3cret"}))


def test_a_name_of_an_earlier_tool_that_means_nothing_here_is_told_what_does(env_file: Path) -> None:
    env = read_environment(env_file, {"GROK_DEBUG": "true"})
    assert env.warnings == ("GROK_DEBUG has no effect here: set LOG_LEVEL=DEBUG",)


@pytest.mark.parametrize(
    ("older", "name"),
    [
        ("TAVILY_API_KEY", "TAVILY_1_API_KEY"),
        ("GROK_SEARCH_API_KEY", "GROK_API_KEY"),
        ("GROK_SEARCH_URL", "GROK_API_URL"),
        ("GROK_SEARCH_MODEL", "GROK_MODEL"),
        ("GROK_SEARCH_WEB_SEARCH", "GROK_ENABLED"),
        ("GROK_SEARCH_X_SEARCH", "GROK_X_SEARCH"),
        ("GROK_SEARCH_FETCH_MAX_CHARS", "READ_PAGE_MAX_CHARS"),
        ("GROK_MCP_ALLOWED_ORIGINS", "MCP_ALLOWED_ORIGINS"),
    ],
)
def test_names_of_the_grok_family_are_understood(env_file: Path, older: str, name: str) -> None:
    assert read_environment(env_file, {older: "x"}).values[name] == "x"


def test_no_name_is_both_understood_and_retired() -> None:
    assert not set(RETIRED) & (set(ALIASES) | set(VARIABLES))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("TAVILY_BUDGET", "TAVILY_SEARCH_BUDGET"),
        ("NOBODY_BUDGET", "EXA_BUDGET"),
    ],
)
def test_a_budget_of_no_instance_is_a_warning_that_names_those_there_are(
    tmp_path: Path, name: str, meant: str
) -> None:
    here = configure(read_environment(tmp_path / "none", {name: "100/month", "OTHER_BUDGET": "tight"}))
    (warning,) = here.warnings
    assert warning.startswith(f"{name} limits nothing")
    assert f"called {meant}" in warning


def test_a_budget_of_an_instance_that_is_off_is_no_oddity(tmp_path: Path) -> None:
    assert configure(read_environment(tmp_path / "none", {"EXA_BUDGET": "100/month"})).warnings == ()
