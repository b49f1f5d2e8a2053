"""Bodies unpacked within bounds."""

from __future__ import annotations

import gzip
import time
import tracemalloc
import zlib

import brotli
import pytest
import zstandard

from research_mcp.core.errors import NoContent, Reason
from research_mcp.net.decode import Body, size_text

TEXT = b"".join(b"<p>line %d of the page</p>\n" % number for number in range(3_000))
CAP = 10_000_000


def deflated(data: bytes, bits: int) -> bytes:
    packer = zlib.compressobj(wbits=bits)
    return packer.compress(data) + packer.flush()


PACKED = {
    "gzip": gzip.compress(TEXT),
    "x-gzip": gzip.compress(TEXT),
    "deflate": deflated(TEXT, 15),
    "Deflate": deflated(TEXT, -15),
    "br": brotli.compress(TEXT),
    "zstd": zstandard.ZstdCompressor().compress(TEXT),
    "": TEXT,
    "identity": TEXT,
    "UTF-8": TEXT,
    "  GZip , identity": gzip.compress(TEXT),
}


def unpacked(encoding: str, data: bytes, piece: int = 65_536, cap: int = CAP) -> Body:
    body = Body(encoding, cap)
    for start in range(0, len(data), piece):
        body.add(data[start : start + piece])
        if body.stopped:
            break
    body.end()
    return body


@pytest.mark.parametrize("piece", [1, 7, 65_536])
@pytest.mark.parametrize("encoding", PACKED)
def test_every_encoding_is_undone_however_it_is_cut(encoding: str, piece: int):
    body = unpacked(encoding, PACKED[encoding], piece)
    assert bytes(body.data) == TEXT
    assert (body.stopped, body.full) == ("", False)
    assert body.wire == len(PACKED[encoding])


@pytest.mark.parametrize("piece", [1, 65_536])
def test_members_and_frames_one_after_another_are_one_body(piece: int):
    frame = zstandard.ZstdCompressor().compress
    assert (
        bytes(unpacked("gzip", gzip.compress(b"a" * 99) + gzip.compress(b"b"), piece).data)
        == b"a" * 99 + b"b"
    )
    assert bytes(unpacked("zstd", frame(b"a") + frame(b"b") + frame(b"c"), piece).data) == b"abc"


@pytest.mark.parametrize("piece", [1, 65_536])
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "zstd"])
def test_what_follows_a_good_end_is_ignored(encoding: str, piece: int):
    body = unpacked(encoding, PACKED[encoding] + b"trailing garbage", piece)
    assert bytes(body.data) == TEXT
    assert body.stopped == ""


def test_what_follows_a_good_end_of_brotli_is_ignored():
    body = unpacked("br", PACKED["br"] + b"trailing garbage", 1)
    assert (bytes(body.data), body.stopped) == (TEXT, "")


def test_a_second_gzip_member_that_is_damaged_leaves_the_first():
    body = unpacked("gzip", gzip.compress(b"first") + b"\x1f\x8b" + b"\xff" * 20)
    assert bytes(body.data) == b"first"


LONG = b"".join(zlib.crc32(b"%d" % number).to_bytes(4, "big") for number in range(200_000))
PACK = {
    "gzip": gzip.compress,
    "deflate": zlib.compress,
    "br": lambda data: brotli.compress(data, quality=4),
    "zstd": zstandard.ZstdCompressor().compress,
}


@pytest.mark.parametrize("encoding", PACK)
def test_a_body_that_ends_early_is_kept_and_marked(encoding: str):
    packed = PACK[encoding](LONG)
    body = unpacked(encoding, packed[: len(packed) * 3 // 4], 4_096)
    assert body.stopped == "the compressed data ends early"
    assert body.broken
    assert len(body.data) > 100_000
    assert LONG.startswith(bytes(body.data))


@pytest.mark.parametrize("encoding", PACK)
def test_damage_in_the_middle_keeps_what_came_before(encoding: str):
    packed = PACK[encoding](LONG)
    body = unpacked(encoding, packed[: len(packed) // 2] + b"\xff" * 500_000, 4_096)
    assert body.stopped
    assert LONG[:100_000] == bytes(body.data[:100_000])


@pytest.mark.parametrize("piece", [1, 65_536])
@pytest.mark.parametrize("encoding", ["gzip", "deflate", "br", "zstd"])
def test_plain_text_under_a_wrong_label_is_read_as_it_is(encoding: str, piece: int):
    plain = b"<!doctype html><p>not compressed at all</p>"
    body = unpacked(encoding, plain, piece)
    assert bytes(body.data) == plain
    assert body.stopped == ""


@pytest.mark.parametrize("encoding", ["gzip, gzip", "br,gzip", "gzip, identity, zstd"])
def test_more_than_one_layer_is_refused(encoding: str):
    with pytest.raises(NoContent) as refusal:
        Body(encoding, CAP)
    assert refusal.value.reason is Reason.UNSUPPORTED_TYPE


def gzip_bomb() -> bytes:
    """1,000 MB of zeros in a megabyte, without packing them all."""
    packer = zlib.compressobj(wbits=31)
    head = packer.compress(bytes(10_000_000)) + packer.flush(zlib.Z_FULL_FLUSH)
    again = packer.compress(bytes(10_000_000)) + packer.flush(zlib.Z_FULL_FLUSH)
    return head + again * 99


BOMBS = {
    "gzip": gzip_bomb,
    "deflate": lambda: zlib.compress(bytes(100_000_000), 9),
    "br": lambda: brotli.compress(bytes(200_000_000), quality=5),
    "zstd": lambda: zstandard.ZstdCompressor().compress(bytes(100_000_000)) * 10,
}


@pytest.mark.parametrize("encoding", BOMBS)
def test_a_bomb_is_cut_in_no_time_and_little_memory(encoding: str):
    bomb = BOMBS[encoding]()
    tracemalloc.start()
    try:
        begun = time.process_time()
        body = unpacked(encoding, bomb)
        took = time.process_time() - begun
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert len(body.data) <= CAP
    assert body.stopped
    assert took < 1
    assert peak < 40_000_000


def test_expansion_over_a_hundredfold_ends_the_body_after_the_first_megabyte():
    body = unpacked("gzip", gzip.compress(bytes(8_000_000)), 200)
    assert body.stopped == "it unpacks to more than 100 times its size"
    assert 1_000_000 < len(body.data) < 2_000_000


def test_text_that_packs_well_is_no_bomb():
    data = b"<tr><td>0</td><td>0</td></tr>\n" * 30_000
    body = unpacked("gzip", gzip.compress(data), 512)
    assert bytes(body.data) == data
    assert body.stopped == ""


@pytest.mark.parametrize("encoding", ["", "gzip"])
def test_the_cap_holds_for_what_is_unpacked_and_for_what_is_sent(encoding: str):
    data = PACKED[encoding]
    body = unpacked(encoding, data, 500, cap=50_000)
    assert bytes(body.data) == TEXT[:50_000]
    assert (body.stopped, body.full) == ("cut at 50 KB", True)
    empty_blocks = zlib.compressobj(wbits=-15)
    wire = (
        b"".join(empty_blocks.flush(zlib.Z_FULL_FLUSH) for _ in range(10)) + b"\x00\x00\x00\xff\xff" * 20_000
    )
    assert unpacked("deflate", wire, cap=50_000).full


def test_a_cap_that_turns_out_smaller_cuts_what_came_already():
    body = Body("", CAP)
    body.add(TEXT)
    body.limit(1_000)
    assert (bytes(body.data), body.stopped) == (TEXT[:1_000], "cut at 1 KB")
    body.add(b"more")
    assert len(body.data) == 1_000


def test_an_empty_body_under_an_encoding_is_empty():
    body = Body("gzip", CAP)
    body.end()
    assert (bytes(body.data), body.stopped) == (b"", "")


def test_sizes_are_written_for_people():
    assert [size_text(octets) for octets in (25_000_000, 64_000, 2_500_000)] == ["25 MB", "64 KB", "2.5 MB"]
