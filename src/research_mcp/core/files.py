"""Files that are replaced whole or not at all."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def replace_file(path: Path, text: str, mode: int = 0o600) -> None:
    """Put `text` in the place of the file at `path`; readers see the old one or the new one. Durable.

    Raises `OSError`, and leaves nothing behind then.
    """
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")  # its owner's alone
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        Path(name).chmod(mode)
        Path(name).replace(path)
        _sync_folder(path.parent)
    except OSError:
        with suppress(OSError):
            Path(name).unlink()
        raise


def _sync_folder(folder: Path) -> None:
    """The new name reaches the disk too, where a power cut could bring the old file back.

    Not every system lets a folder be opened or synced; the file itself is safe then all the same.
    """
    with suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
