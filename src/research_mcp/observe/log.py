"""Logging: readable lines on stderr, JSON lines in a rotated file, secrets taken out of both.

Everything that logs through the standard library (uvicorn, the SDK, our own modules) ends here too.
stdout stays empty, so that nothing can disturb a client that reads it.
"""

from __future__ import annotations

import json
import logging
import os
import sys
import traceback
from contextlib import suppress
from typing import TYPE_CHECKING

from loguru import logger

from research_mcp.core.errors import ConfigError
from research_mcp.observe.events import CacheLook, Charge, Event, Parked, ProviderCall, ToolCall
from research_mcp.observe.redact import Redactor, one_line

if TYPE_CHECKING:
    from collections.abc import Callable

    from loguru import Logger, Message, Record

_QUIET = ("httpx", "httpcore", "mcp", "sse_starlette", "uvicorn", "asyncio", "trafilatura", "pypdf")
"""Loggers that print urls, keys in urls, or what is known already."""


_UNWRITTEN = (OSError, ValueError)
"""What a full disk or a closed stream raises."""


class _Intercept(logging.Handler):
    """Hands standard-library records to loguru through `write`."""

    def __init__(self, write: Callable[[Logger, str | int, str], None]) -> None:
        super().__init__()
        self._write = write

    def emit(self, record: logging.LogRecord) -> None:
        level = record.levelname if record.levelname in logging.getLevelNamesMapping() else record.levelno
        entry = logger.opt(exception=record.exc_info).bind(source=record.name)
        self._write(entry, level, record.getMessage())


class Log:
    """The configured sinks. `emit` is what producers of events get.

    Logging never raises: what cannot be written is lost. A file that cannot be opened leaves
    stderr alone, with a warning there; one that fails later is tried again with each line, and told of
    once. Raises `ConfigError` for a rotation or retention that cannot be understood.
    """

    def __init__(self, *, level: str, file: str, rotation: str, retention: str, redact: Redactor) -> None:
        self._redact = redact
        self._failing = False
        logger.remove()
        logger.add(self._to_stderr, level=level, format="{message}", catch=True)
        self._least = logger.level(level).no
        if file:
            self._add_file(file, level, rotation, retention)
        logging.basicConfig(handlers=[_Intercept(self._write)], level=level, force=True)
        for name in _QUIET:
            logging.getLogger(name).setLevel(logging.WARNING)

    def _add_file(self, file: str, level: str, rotation: str, retention: str) -> None:
        check_rotation(rotation, retention)
        try:
            logger.add(
                file,
                level=level,
                format=self._json_format,
                rotation=rotation,
                retention=retention,
                encoding="utf-8",
                enqueue=False,
                catch=False,  # loguru's own report of a failure shows the record before secrets are taken out
                watch=True,
                opener=_owners_alone,
            )
        except (OSError, ValueError, KeyError) as error:  # a name with braces is a template
            why = error.strerror if isinstance(error, OSError) else error
            logger.warning("LOG_FILE {} cannot be written ({}): the log goes to stderr alone", file, why)

    def emit(self, event: Event) -> None:
        """One line per tool call and per key that stops working; all else only at DEBUG."""
        level = _level(event)
        if logger.level(level).no < self._least:
            return
        fields = {name: value for name in event.__slots__ if (value := getattr(event, name)) not in ("", 0)}
        self._write(logger.bind(fields=fields), level, _phrase(event))

    def _write(self, entry: Logger, level: str | int, text: str) -> None:
        """To both sinks; stderr comes first and has the line when the file fails."""
        try:
            entry.log(level, "{}", text)
        except _UNWRITTEN as error:
            if not self._failing:
                why = error.strerror if isinstance(error, OSError) else error
                self._say(f"LOG_FILE cannot be written ({why}): its lines are on stderr alone until it can\n")
            self._failing = True
        else:
            self._failing = False

    def _to_stderr(self, message: Message) -> None:
        record = message.record
        line = f"{record['time']:YYYY-MM-DD HH:mm:ss.SSS} {record['level'].name:<7} {self._text(record)}"
        self._say(line + "\n" + self._trace(record))

    def _say(self, text: str) -> None:
        with suppress(*_UNWRITTEN):  # no thread may die of its log
            sys.stderr.write(text)

    def _json_format(self, record: Record) -> str:
        entry: dict[str, object] = {
            "time": record["time"].isoformat(),
            "level": record["level"].name,
            "message": self._clean(record["message"]),
        }
        entry.update(
            {
                name: self._clean(v) if isinstance(v, str) else v
                for name, v in record["extra"].get("fields", {}).items()
            }
        )
        if trace := self._trace(record):
            entry["trace"] = trace
        record["extra"]["line"] = json.dumps(entry, ensure_ascii=False)
        return "{extra[line]}\n"

    def _text(self, record: Record) -> str:
        fields = record["extra"].get("fields")
        if not fields:
            return self._clean(record["message"], 2_000)
        shown = (f"{name}={self._field(value)}" for name, value in fields.items())
        return " ".join(shown)

    def _field(self, value: object) -> str:
        if isinstance(value, int | float):
            return str(value)
        text = self._clean(str(value))
        plain = text.isascii() and text.replace("_", "").replace("-", "").replace(".", "").isalnum()
        return text if plain else json.dumps(text, ensure_ascii=False)

    def _clean(self, text: str, limit: int = 500) -> str:
        return one_line(self._redact(text), limit)

    def _trace(self, record: Record) -> str:
        error = record["exception"]
        if error is None or error.value is None:
            return ""
        lines = traceback.format_exception(error.type, error.value, error.traceback)
        return self._redact("".join(lines))


def _owners_alone(path: str, flags: int) -> int:
    """Queries and addresses are in the log: a file that is begun here is nobody else's to read."""
    return os.open(path, flags, 0o600)


def check_rotation(rotation: str, retention: str) -> None:
    """Raises `ConfigError` for a rotation or retention that cannot be understood. Opens no file."""
    try:
        if retention.startswith("-"):
            raise ValueError(retention)
        logger.remove(logger.add("unopened.log", rotation=rotation, retention=retention, delay=True))
    except (ValueError, OverflowError):
        raise ConfigError(
            f"LOG_ROTATION={rotation!r} or LOG_RETENTION={retention!r} is not usable: write a size or "
            "time such as '10 MB' or '1 week', and how long files are kept such as '14 days'"
        ) from None


def _level(event: Event) -> str:
    if isinstance(event, ToolCall):
        return "INFO" if event.outcome in ("ok", "partial") else "WARNING"
    return "WARNING" if isinstance(event, Parked) else "DEBUG"


def _phrase(event: Event) -> str:
    match event:
        case ToolCall(tool=name, outcome=outcome):
            return f"tool {name}: {outcome}"
        case ProviderCall(instance=name, outcome=outcome):
            return f"provider {name}: {outcome}"
        case Charge(instance=name, units=units):
            return f"charge {name}: {units}"
        case Parked(account=name, reason=reason):
            return f"key {name} rests: {reason}"
        case CacheLook(cache=name, hit=hit):
            return f"cache {name}: {'hit' if hit else 'miss'}"
