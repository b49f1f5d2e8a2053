"""Bodies unpacked within bounds: a few hundred octets of brotli can hold a gigabyte.

One `Content-Encoding` layer is undone, in slices whose output is limited. Output stops at the cap,
and at a hundredfold expansion once it is past the first megabyte.
"""

from __future__ import annotations

import zlib
from abc import ABC, abstractmethod

import brotli  # type: ignore[import-untyped]
import zstandard

from research_mcp.core.errors import NoContent, Reason

ACCEPT_ENCODING = "gzip, br, zstd"
MAX_RATIO = 100
RATIO_FREE = 1_000_000
"""Octets that may unpack at any ratio."""

_DAMAGED = (zlib.error, brotli.error, zstandard.ZstdError)
_BROTLI_SLICE = 512
_ZSTD_SLICE = 64  # a block of 4 octets can hold 128 KB
_ZSTD_WINDOW = 8 << 20
_GZIP_MAGIC = b"\x1f\x8b"


class Decoder(ABC):
    """Undoes one encoding. `complete`: it is at its own end; `damaged`: what came is none of it."""

    complete = False
    damaged = False

    def feed(self, data: bytes, room: int) -> bytes:
        """The next plain octets, at most about `room` of them: what is dropped is past the cap."""
        out = bytearray()
        try:
            self._unpack(data, room, out)
        except _DAMAGED:
            self.damaged = True
        return bytes(out)

    @abstractmethod
    def _unpack(self, data: bytes, room: int, out: bytearray) -> None:
        """Append to `out`. Raises one of `_DAMAGED`; what was appended before stays."""


class Identity(Decoder):
    """Nothing to undo."""

    complete = True

    def _unpack(self, data: bytes, room: int, out: bytearray) -> None:
        out += data[:room]


class Gzip(Decoder):
    """One member after another, as `cat a.gz b.gz` makes them; what follows the last is ignored."""

    def __init__(self) -> None:
        self._member = zlib.decompressobj(31)
        self._rest = b""

    def _unpack(self, data: bytes, room: int, out: bytearray) -> None:
        data = self._rest + data
        self._rest = b""
        while data and len(out) < room:
            if self.complete:
                if len(data) < len(_GZIP_MAGIC):
                    self._rest = data
                    return
                if not data.startswith(_GZIP_MAGIC):
                    return
                self._member = zlib.decompressobj(31)
            out += self._member.decompress(data, room - len(out))
            self.complete = self._member.eof
            data = self._member.unused_data if self.complete else self._member.unconsumed_tail


class Deflate(Decoder):
    """zlib as the standard says, or raw deflate as many servers send it."""

    def __init__(self) -> None:
        self._stream = zlib.decompressobj()
        self._begun = False

    def _unpack(self, data: bytes, room: int, out: bytearray) -> None:
        if not self._begun:
            self._begun = True
            if data[0] & 0x0F != zlib.DEFLATED:
                self._stream = zlib.decompressobj(-zlib.MAX_WBITS)
        if not self.complete:
            out += self._stream.decompress(data, room)
            self.complete = self._stream.eof


class Brotli(Decoder):
    """Fed in slices, so that damage costs no more than the slice that it is in."""

    def __init__(self) -> None:
        self._stream = brotli.Decompressor()

    def _unpack(self, data: bytes, room: int, out: bytearray) -> None:
        for start in range(0, len(data), _BROTLI_SLICE):
            if self.complete or len(out) >= room:
                return
            piece = data[start : start + _BROTLI_SLICE]
            out += self._stream.process(piece, output_buffer_limit=room - len(out))
            self.complete = bool(self._stream.is_finished())


class Zstd(Decoder):
    """Frame after frame. A window over 8 MB is refused, as RFC 9659 lets a client do."""

    def __init__(self) -> None:
        self._decompressor = zstandard.ZstdDecompressor(max_window_size=_ZSTD_WINDOW)
        self._frame = self._decompressor.decompressobj()

    def _unpack(self, data: bytes, room: int, out: bytearray) -> None:
        for start in range(0, len(data), _ZSTD_SLICE):
            piece = data[start : start + _ZSTD_SLICE]
            while piece and len(out) < room:
                if self.complete:
                    self._frame = self._decompressor.decompressobj()
                out += self._frame.decompress(piece)
                self.complete = self._frame.eof
                piece = self._frame.unused_data if self.complete else b""


_DECODERS: dict[str, type[Decoder]] = {
    "gzip": Gzip,
    "x-gzip": Gzip,
    "deflate": Deflate,
    "br": Brotli,
    "zstd": Zstd,
}


def decoder_for(content_encoding: str) -> Decoder:
    """The decoder that a `Content-Encoding` header asks for; unknown words mean none.

    Raises `NoContent` (`unsupported_type`) for more than one layer.
    """
    layers = [word for part in content_encoding.split(",") if (word := part.strip().lower()) in _DECODERS]
    if len(layers) > 1:
        raise NoContent(
            f"the answer is compressed {len(layers)} times over, which only attacks do",
            reason=Reason.UNSUPPORTED_TYPE,
        )
    return _DECODERS[layers[0]]() if layers else Identity()


class Body:
    """A body as it arrives. `stopped` says why nothing more is taken, "" while more may come.

    `data` never exceeds the cap; `full` says that the cap stopped it, `broken` that the host did not send
    all of it. `wire`: octets as sent.
    """

    def __init__(self, content_encoding: str, cap: int) -> None:
        self._decoder = decoder_for(content_encoding)
        self._undecoded = bytearray()
        self._cap = cap
        self.data = bytearray()
        self.wire = 0
        self.stopped = ""
        self.full = False
        self.broken = False

    def add(self, chunk: bytes) -> None:
        """Take what came over the wire; sets `stopped` when this was the last that is wanted."""
        if not chunk or self.stopped:
            return
        self.wire += len(chunk)
        self.data += self._decoder.feed(chunk, self._room())
        if not self.data:
            self._undecoded += chunk
        if self._decoder.damaged:
            self._give_up()
        self._judge()

    def limit(self, cap: int) -> None:
        """Change the cap, now that it is known what the body is."""
        self._cap = cap
        self._judge()

    def end(self) -> None:
        """The wire is at its end: an encoding that is not at its own is said to be cut."""
        if not self.stopped and self.wire and not self._decoder.complete:
            self.break_off("the compressed data ends early")

    def break_off(self, why: str) -> None:
        """Nothing more will come, though there is more of it."""
        self.stopped, self.broken = why, True

    def _room(self) -> int:
        return max(1, self._cap + 1 - len(self.data))

    def _give_up(self) -> None:
        """Plain text under the name of an encoding is read as it is; damage after a good end is ignored."""
        if self.data:
            if not self._decoder.complete:
                self.break_off("the compressed data is damaged")
        else:
            self._decoder = Identity()
            self.data += self._undecoded[: self._room()]

    def _judge(self) -> None:
        if len(self.data) > self._cap or self.wire > self._cap:
            del self.data[self._cap :]
            self.full = True
            self.stopped = f"cut at {size_text(self._cap)}"
        elif len(self.data) > max(RATIO_FREE, MAX_RATIO * self.wire):
            self.stopped = f"it unpacks to more than {MAX_RATIO} times its size"


def size_text(octets: int) -> str:
    """`25 MB` or `64 KB`."""
    return f"{octets / 1_000_000:g} MB" if octets >= 1_000_000 else f"{octets / 1_000:g} KB"
