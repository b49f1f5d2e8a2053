"""The only reader of the environment: process variables over `.env`, blanks unset, aliases resolved."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from dotenv import dotenv_values

from research_mcp.core.errors import ConfigError
from research_mcp.settings import BLANK_COUNTS
from research_mcp.variables import ALIASES, RETIRED


@dataclass(frozen=True, slots=True)
class Environment:
    """Variables that are set and say something, and what was odd about them. Values stay out of the repr."""

    values: Mapping[str, str] = field(repr=False)
    warnings: tuple[str, ...] = ()


def read_environment(
    env_file: Path | None = None,
    process: Mapping[str, str] | None = None,
    known: Iterable[str] = (),
    aliases: Mapping[str, str] = ALIASES,
) -> Environment:
    """The process environment over `.env` in the working folder.

    `known`: the names this program understands; a name of `.env` that is close to one of them but
    none gets a warning, since a misspelt variable would otherwise be silence. Raises `ConfigError` for
    a file that cannot be read.
    """
    path = env_file or Path(".env")
    from_file = _file(path) if path.is_file() else {}
    merged = {**from_file, **(os.environ if process is None else process)}
    values = {name: value.strip() for name, value in merged.items() if value.strip() or name in BLANK_COUNTS}
    warnings = [*_misspelt(from_file, set(known) | set(aliases) | set(RETIRED), path.name)]
    for alias, name in aliases.items():
        if alias not in values:
            continue
        if values.setdefault(name, values[alias]) != values[alias]:
            warnings.append(f"{name} and its older name {alias} are both set and differ: {name} wins")
    warnings += [f"{name} has no effect here: {why}" for name, why in RETIRED.items() if name in values]
    return Environment(values, tuple(warnings))


def _file(path: Path) -> dict[str, str]:
    try:
        return {name: value or "" for name, value in dotenv_values(path).items()}
    except UnicodeDecodeError:
        raise ConfigError(f"{path.name} is not UTF-8 text: save it in that encoding") from None
    except OSError as error:
        raise ConfigError(
            f"{path.name} cannot be read ({error.strerror}): let this user read it, or remove it"
        ) from None


def _misspelt(names: Iterable[str], known: set[str], file: str) -> Iterable[str]:
    for name in names:
        if known and name not in known and (near := difflib.get_close_matches(name, known, 1, 0.85)):
            yield f"{name} in {file} is not a variable of this program: did you mean {near[0]}?"
