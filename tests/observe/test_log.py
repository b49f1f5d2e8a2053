from __future__ import annotations

import errno
import io
import json
import logging
import sys
from pathlib import Path

import pytest

from research_mcp.core.errors import ConfigError
from research_mcp.observe.events import ProviderCall, ToolCall
from research_mcp.observe.log import Log
from research_mcp.observe.redact import Redactor

SECRET = "tvly-canary-0001"


def make(file: Path | str, level: str = "INFO") -> Log:
    return Log(level=level, file=str(file), rotation="1 MB", retention="1 day", redact=Redactor([SECRET]))


def records(file: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in file.read_text().splitlines()]


def test_a_tool_call_is_one_line_on_stderr_and_one_json_record(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "deep" / "log.jsonl"
    make(file).emit(ToolCall("web_search", "tidal energy", "ok", by="duckduckgo", count=8, ms=120))
    out = capsys.readouterr()
    assert out.out == ""
    assert out.err.count("\n") == 1
    assert 'tool=web_search target="tidal energy" outcome=ok by=duckduckgo count=8 ms=120' in out.err
    assert [(r["tool"], r["target"], r["ms"], r["level"]) for r in records(file)] == [
        ("web_search", "tidal energy", 120, "INFO")
    ]


def test_hostile_targets_cannot_forge_lines_or_colour_the_terminal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "log.jsonl"
    evil = "http://x/\r\n2026 INFO tool=read_page outcome=ok\x1b[2J" + "A" * 1_000_000
    make(file).emit(ToolCall("read_page", evil, "ok"))
    assert capsys.readouterr().err.count("\n") == 1
    (record,) = records(file)
    assert len(str(record["target"])) <= 500
    assert "\x1b" not in file.read_text()


def test_secrets_are_taken_out_of_messages_fields_and_tracebacks(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "log.jsonl"
    log = make(file)
    log.emit(ToolCall("read_page", f"http://x/?k={SECRET}", "error", detail=f"said {SECRET}"))
    try:
        raise ValueError(f"key {SECRET}")
    except ValueError:
        logging.getLogger("research_mcp.pipelines").exception("crashed with %s", SECRET)
    text = file.read_text() + capsys.readouterr().err
    assert SECRET not in text
    assert "***" in text
    assert "Traceback" in text
    assert len(records(file)) == 2


def test_braces_and_tags_in_a_message_are_plain_text(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    make(file)
    logging.getLogger("x").warning("{not} a <red>format</red> {0}")
    assert records(file)[0]["message"] == "{not} a <red>format</red> {0}"


def test_provider_calls_are_shown_only_at_debug(tmp_path: Path) -> None:
    quiet, chatty = tmp_path / "q.jsonl", tmp_path / "c.jsonl"
    make(quiet).emit(ProviderCall("duckduckgo", "search", "ok"))
    assert quiet.read_text() == ""
    make(chatty, "DEBUG").emit(ProviderCall("duckduckgo", "search", "ok"))
    assert records(chatty)[0]["instance"] == "duckduckgo"


def test_http_libraries_do_not_log_urls(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    make(file)
    logging.getLogger("httpx").info("HTTP Request: GET http://x/?key=abc")
    assert file.read_text() == ""


def test_an_empty_file_name_logs_to_stderr_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    make("").emit(ToolCall("read_page", "http://x/", "ok"))
    assert list(tmp_path.iterdir()) == []
    assert "read_page" in capsys.readouterr().err


def test_a_file_that_cannot_be_written_leaves_stderr_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    in_the_way = tmp_path / "data"
    in_the_way.write_text("no folder")
    make(in_the_way / "log.jsonl").emit(ToolCall("read_page", "https://sea.example/", "ok"))
    warning, line = capsys.readouterr().err.splitlines()
    assert f"LOG_FILE {in_the_way / 'log.jsonl'} cannot be written" in warning
    assert "tool=read_page" in line


def test_the_log_is_its_owners_alone_also_after_a_rotation(tmp_path: Path) -> None:
    file = str(tmp_path / "log.jsonl")
    log = Log(level="INFO", file=file, rotation="2 KB", retention="1 day", redact=Redactor())
    for _ in range(5):
        log.emit(ToolCall("web_search", "x" * 500, "ok", detail="y" * 500))
    found = list(tmp_path.iterdir())
    assert len(found) > 1
    assert {file.stat().st_mode & 0o777 for file in found} == {0o600}


def test_a_log_that_cannot_be_written_any_more_tells_stderr_no_secret(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "logs"
    file = folder / "log.jsonl"
    log = make(file)
    file.unlink()
    folder.rmdir()
    folder.touch()  # nothing can be begun in it any more
    log.emit(ToolCall("web_search", "x", "failed", detail=f"key {SECRET}"))
    logging.getLogger("some.library").warning("key %s", SECRET)
    said = capsys.readouterr().err
    assert SECRET not in said
    assert said.count("key ***") == 2
    assert said.count("LOG_FILE cannot be written") == 1
    folder.unlink()
    log.emit(ToolCall("web_search", "once there is room", "ok"))
    assert [r["target"] for r in records(file)] == ["once there is room"]


def test_a_log_that_was_removed_or_moved_away_is_begun_anew(tmp_path: Path) -> None:
    file = tmp_path / "log.jsonl"
    log = make(file)
    log.emit(ToolCall("web_search", "first", "ok"))
    file.rename(tmp_path / "log.jsonl.1")
    log.emit(ToolCall("web_search", "second", "ok"))
    assert [r["target"] for r in records(file)] == ["second"]
    file.unlink()
    log.emit(ToolCall("web_search", "third", "ok"))
    assert [r["target"] for r in records(file)] == ["third"]
    assert file.stat().st_mode & 0o777 == 0o600


@pytest.mark.parametrize(
    ("rotation", "retention"),
    [("banana", "1 day"), ("1 MB", "a while"), ("1 MB", "-1 day"), ("1 MB", "99999999999999999 years")],
)
def test_a_rotation_that_nobody_understands_is_one_sentence_that_names_the_variables(
    tmp_path: Path, rotation: str, retention: str
) -> None:
    with pytest.raises(ConfigError, match=f"LOG_ROTATION='{rotation}' or LOG_RETENTION='{retention}'"):
        Log(
            level="INFO",
            file=str(tmp_path / "log"),
            rotation=rotation,
            retention=retention,
            redact=Redactor([]),
        )


@pytest.mark.parametrize("name", ["{day}.log", "{", "a\0b"])
def test_a_file_name_that_is_none_leaves_stderr_alone(name: str, capsys: pytest.CaptureFixture[str]) -> None:
    make(name)
    assert "cannot be written" in capsys.readouterr().err


class FullDisk(io.StringIO):
    """A stream on a disk that has no room."""

    def write(self, text: str) -> int:
        raise OSError(errno.EFBIG, "File too large")


def test_a_log_that_cannot_be_written_stops_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    log = Log(level="DEBUG", file="", rotation="1 MB", retention="1 day", redact=Redactor([]))
    monkeypatch.setattr(sys, "stderr", FullDisk())
    log.emit(ToolCall("web_search", "tides", "ok"))
    logging.getLogger("research_mcp.store").error("the store cannot be used")
