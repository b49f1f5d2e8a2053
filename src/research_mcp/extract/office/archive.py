"""The archive around a document, read with bounds whatever its directory claims.

A member of 194 KB may unpack to 200 MB. So members are read in small steps against one budget, only
those that are asked for, and what was read before a limit is kept. Archives inside are never opened.
"""

from __future__ import annotations

import io
import struct
import zipfile
import zlib

MOST_DECODED = 20_000_000
"""Bytes that all members together may unpack to."""
MOST_MEMBERS = 2_000
MOST_LISTED = 20_000
"""Entries of a directory; reading more of them would take seconds."""
MOST_RATIO = 100
_ENTRY = b"PK\x01\x02"
_RATIO_FROM = 1_000_000
_STEP = 65_536
_METHODS = frozenset({zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED})
"""The only ones that documents use, and that zipfile unpacks in bounded steps."""
FAULTS = (
    zipfile.BadZipFile,
    EOFError,
    NotImplementedError,
    OSError,
    RuntimeError,
    ValueError,
    struct.error,
    zlib.error,
)
"""What zipfile raises for broken archives."""


class Damaged(Exception):
    """The archive cannot be opened."""


class Locked(Exception):
    """A member is encrypted."""


def opened(body: bytes) -> zipfile.ZipFile:
    """A zip file with its directory read. Raises `Damaged`, also for one that lists very many files."""
    if body.count(_ENTRY) > MOST_LISTED:
        raise Damaged
    try:
        return zipfile.ZipFile(io.BytesIO(body))
    except FAULTS:
        raise Damaged from None


class Archive:
    """The members of one archive. `cut` says what was left out, "" when all went well."""

    def __init__(self, body: bytes) -> None:
        """Raises `Damaged`."""
        self._zip = opened(body)
        infos = self._zip.infolist()
        self._members = {_key(info.filename): info for info in infos[:MOST_MEMBERS]}
        self._left = MOST_DECODED
        self.cut = ""
        if len(infos) > MOST_MEMBERS:
            self.cut = f"only {MOST_MEMBERS:,} of the {len(infos):,} files in the archive were looked at"

    def has(self, name: str) -> bool:
        """True when there is such a member. Case does not count."""
        return _key(name) in self._members

    def read(self, name: str) -> bytes:
        """A member, as far as the limits allow; empty when there is none. Raises `Locked`, `Damaged`."""
        info = self._members.get(_key(name))
        if info is None:
            return b""
        if info.flag_bits & 1:
            raise Locked
        if info.compress_type not in _METHODS:
            raise Damaged
        data = bytearray()
        try:
            with self._zip.open(info) as member:
                while not self._over(info, len(data)) and (chunk := member.read(_STEP)):
                    data += chunk
                    self._left -= len(chunk)
        except FAULTS:
            if not data:
                raise Damaged from None
            self.cut = self.cut or f"the part {name[:80]} of the file is damaged"
        return bytes(data)

    def _over(self, info: zipfile.ZipInfo, size: int) -> bool:
        """Whether a limit is reached, and its name kept."""
        if self._left <= 0:
            self.cut = f"the file unpacks to more than {MOST_DECODED // 1_000_000} MB"
        elif size > _RATIO_FROM and size > MOST_RATIO * max(info.compress_size, 1):
            self.cut = f"the file unpacks to more than {MOST_RATIO} times its size"
        else:
            return False
        return True


def _key(name: str) -> str:
    return name.replace("\\", "/").lstrip("/").lower()
