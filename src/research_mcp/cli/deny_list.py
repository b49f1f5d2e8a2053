"""Claude Code's deny list in a project's `.claude/settings.json`: two names in, two names out.

Nothing else of the file changes, and it is replaced whole or not at all.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path

import click

from research_mcp.core.files import replace_file
from research_mcp.core.wire import JsonValue

TOOLS = ("WebFetch", "WebSearch")
"""The built-in tools that this server takes the place of, by their exact names."""

_INDENT = re.compile(r"^\{\r?\n([ \t]+)\"")
_OPEN_MODE = 0o644


class DenyListError(click.ClickException):
    """Nothing was written. `code` is stable: `git_root_not_found`, `settings_file_invalid` or
    `settings_write_failed`."""

    def __init__(self, code: str, message: str) -> None:
        super().__init__(f"{code}: {message}")
        self.code = code


def work_tree(folder: Path) -> Path:
    """The root of the Git work tree around `folder`. Raises `DenyListError` outside of one."""
    start = folder.resolve()
    for root in (start, *start.parents):
        mark = root / ".git"
        if (mark / "HEAD").is_file() or (mark.is_file() and mark.read_bytes().startswith(b"gitdir:")):
            if start.is_dir() and ".git" not in start.relative_to(root).parts:
                return root
            break
    raise DenyListError(
        "git_root_not_found",
        f"{folder} is not a folder inside a Git work tree: go to the project, or name it with --project",
    )


@dataclass(frozen=True, slots=True)
class DenyList:
    """The deny list of the project at `root`."""

    root: Path

    @property
    def file(self) -> Path:
        """Where Claude Code looks for the project's settings."""
        return self.root / ".claude" / "settings.json"

    def denied(self) -> list[str]:
        """Those of `TOOLS` that are denied. Raises `DenyListError` for a file that is not understood."""
        entries = _deny(self._settings())
        return [name for name in TOOLS if name in entries]

    def deny(self) -> bool:
        """Deny both; True when the file changed."""
        settings = self._settings()
        entries = _deny(settings)
        missing: list[JsonValue] = [name for name in TOOLS if name not in entries]
        return bool(missing) and self._write(settings, [*entries, *missing])

    def allow(self) -> bool:
        """Take both off the list; True when the file changed."""
        settings = self._settings()
        entries = _deny(settings)
        kept = [entry for entry in entries if entry not in TOOLS]
        return kept != entries and self._write(settings, kept)

    def _settings(self) -> dict[str, JsonValue]:
        try:
            text = self.file.read_text("utf-8")
        except FileNotFoundError:
            return {}
        except (OSError, UnicodeDecodeError) as error:
            raise _invalid(self.file, f"cannot be read ({type(error).__name__})") from None
        try:
            value: JsonValue = json.loads(text, object_pairs_hook=_object, parse_constant=_no_number)
        except (ValueError, RecursionError) as error:
            raise _invalid(self.file, f"is not valid JSON ({error})") from None
        if not isinstance(value, dict):
            raise _invalid(self.file, "does not hold a JSON object")
        _check(self.file, value)
        return value

    def _write(self, settings: dict[str, JsonValue], entries: list[JsonValue]) -> bool:
        permissions = settings.setdefault("permissions", {})
        if isinstance(permissions, dict):
            permissions["deny"] = entries
        target = self.file.resolve()
        if not target.is_relative_to(self.root):
            raise DenyListError(
                "settings_write_failed", f"{self.file} leads out of the work tree: nothing was written"
            )
        before = self.file.read_text("utf-8") if self.file.exists() else ""
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
            mode = target.stat().st_mode & 0o777 if target.exists() else _OPEN_MODE
            replace_file(target, _written_like(before, settings), mode)
        except OSError as error:
            raise DenyListError(
                "settings_write_failed", f"{self.file} could not be written ({error.strerror})"
            ) from None
        return True


def _deny(settings: dict[str, JsonValue]) -> list[JsonValue]:
    permissions = settings.get("permissions")
    entries = permissions.get("deny") if isinstance(permissions, dict) else None
    return list(entries) if isinstance(entries, list) else []


def _check(file: Path, settings: dict[str, JsonValue]) -> None:
    permissions = settings.get("permissions", {})
    if not isinstance(permissions, dict):
        raise _invalid(file, "holds permissions that are no object")
    entries = permissions.get("deny", [])
    if not isinstance(entries, list) or not all(isinstance(entry, str) for entry in entries):
        raise _invalid(file, "holds a deny list that is no list of texts")


def _invalid(file: Path, what: str) -> DenyListError:
    return DenyListError("settings_file_invalid", f"{file} {what}: mend it first, it was left as it is")


def _object(pairs: list[tuple[str, JsonValue]]) -> dict[str, JsonValue]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return value


def _no_number(name: str) -> JsonValue:
    raise ValueError(f"{name} is no JSON number")


def _written_like(before: str, settings: dict[str, JsonValue]) -> str:
    """The settings with the indentation and the line end that the file had."""
    indent = found[1] if (found := _INDENT.match(before)) else "  "
    text = json.dumps(settings, ensure_ascii=False, indent=indent)
    return text + ("\n" if not before or before.endswith("\n") else "")
