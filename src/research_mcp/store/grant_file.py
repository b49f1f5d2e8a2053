"""A login's tokens in one file that only its owner can read, replaced whole, changed by one at a time."""

from __future__ import annotations

import asyncio
import fcntl
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import StoreUnavailable
from research_mcp.core.files import replace_file
from research_mcp.core.grant import Grant
from research_mcp.core.instance import Secret
from research_mcp.core.wire import JsonValue

_LOOKS_AGAIN = 0.02
"""Seconds between two looks at a lock that somebody else holds."""

_OTHERS = 0o077


class GrantFile:
    """A `core.ports.GrantStore`. Folders that it creates are the owner's alone; others stay as they are."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = path.with_name(f"{path.name}.lock")

    @property
    def place(self) -> str:
        """The file."""
        return str(self._path)

    async def held(self) -> Grant | None:
        """The grant in the file; None without a file."""
        return await asyncio.to_thread(self._read)

    async def keep(self, grant: Grant) -> None:
        """Put `grant` in the place of the one before, so that a crash leaves one of the two."""
        await asyncio.to_thread(self._write, grant)

    async def forget(self) -> bool:
        """Delete the file."""
        return await asyncio.to_thread(self._delete)

    @asynccontextmanager
    async def alone(self, deadline: Deadline) -> AsyncIterator[None]:
        """Hold the lock file, which stays behind: removing it would let two in at once."""
        handle = self._opened()
        try:
            while not self._locked(handle):
                if deadline.remaining() <= _LOOKS_AGAIN:
                    raise StoreUnavailable(f"another process keeps {self._path} locked")
                await asyncio.sleep(_LOOKS_AGAIN)
            yield
        finally:
            os.close(handle)

    def _opened(self) -> int:
        try:
            _make(self._path.parent)
            return os.open(self._lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        except OSError as error:
            raise self._failed("locked", error) from None

    def _locked(self, handle: int) -> bool:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        except OSError as error:  # some network file systems have no locks
            raise self._failed("locked", error) from None
        return True

    def _read(self) -> Grant | None:
        try:
            with self._path.open("rb") as file:
                mode = os.fstat(file.fileno()).st_mode
                text = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._failed("read", error) from None
        if mode & _OTHERS:
            raise StoreUnavailable(f"others on this machine can read {self._path}: chmod 600 it")
        try:
            return _grant(json.loads(text))
        except (ValueError, KeyError, TypeError, RecursionError):
            raise StoreUnavailable(f"{self._path} holds no login: log in again") from None

    def _write(self, grant: Grant) -> None:
        try:
            _make(self._path.parent)
            replace_file(self._path, json.dumps(_stated(grant), indent=1))
        except OSError as error:
            raise self._failed("written", error) from None

    def _delete(self) -> bool:
        try:
            self._path.unlink()
        except FileNotFoundError:
            return False
        except OSError as error:
            raise self._failed("deleted", error) from None
        return True

    def _failed(self, done: str, error: OSError) -> StoreUnavailable:
        return StoreUnavailable(f"{self._path} cannot be {done} ({error.strerror})")


def _make(folder: Path) -> None:
    if folder.is_dir():
        return
    _make(folder.parent)
    folder.mkdir(mode=0o700, exist_ok=True)


def _stated(grant: Grant) -> dict[str, JsonValue]:
    return {
        "access_token": grant.access.reveal(),
        "refresh_token": grant.refresh.reveal() if grant.refresh else None,
        "client_id": grant.client_id,
        "token_endpoint": grant.token_endpoint,
        "last_refresh": grant.issued_at,
        "expires_at": grant.expires_at,
        "id": grant.id,
    }


def _grant(value: dict[str, JsonValue]) -> Grant:
    """Files of earlier tools have no client, no end, and the moment as text."""
    refresh, ends = value["refresh_token"], value.get("expires_at")
    return Grant(
        access=Secret(_text(value["access_token"])),
        refresh=None if refresh is None else Secret(_text(refresh)),
        client_id=_text(value["client_id"]) if "client_id" in value else "",
        token_endpoint=_text(value["token_endpoint"]),
        issued_at=_number(value["last_refresh"]),
        expires_at=None if ends is None else _number(ends),
        id=str(value.get("id", "")),
    )


def _text(value: JsonValue) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError("a text is missing")
    return value


def _number(value: JsonValue) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise TypeError("a number is missing")
    return float(value)
