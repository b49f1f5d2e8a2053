"""Files that are replaced whole or not at all."""

from __future__ import annotations

import os
from pathlib import Path
from stat import S_ISDIR

import pytest

from research_mcp.core.files import replace_file


@pytest.mark.parametrize("mode", [0o600, 0o644])
def test_a_file_is_replaced_with_its_mode_and_nothing_stays_beside_it(tmp_path: Path, mode: int) -> None:
    path = tmp_path / "a.json"
    for text in ("one\n", "zwölf\r\n"):
        replace_file(path, text, mode)
        assert path.read_bytes() == text.encode()
    assert path.stat().st_mode & 0o777 == mode
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.json"]


def test_what_cannot_be_replaced_stays_and_nothing_is_left_behind(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    with pytest.raises(IsADirectoryError):
        replace_file(tmp_path / "folder", "text")
    assert [entry.name for entry in tmp_path.iterdir()] == ["folder"]
    with pytest.raises(FileNotFoundError):
        replace_file(tmp_path / "missing" / "a.json", "text")


def test_the_new_name_is_synced_after_the_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders: list[bool] = []
    monkeypatch.setattr(os, "fsync", lambda handle: folders.append(S_ISDIR(os.fstat(handle).st_mode)))
    replace_file(tmp_path / "a.json", "text")
    assert folders == [False, True]
