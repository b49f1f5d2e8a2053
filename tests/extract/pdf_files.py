"""PDF files written by hand: honest ones, and ones made to hang, blow up or confuse a reader."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from io import BytesIO

from pypdf import PdfReader, PdfWriter

Object = bytes | tuple[bytes, bytes]
"""A plain object, or a dictionary's inside and the bytes of its stream."""

FONTS = b"/Font << /F1 3 0 R /F2 4 0 R /F3 5 0 R >>"
WORDS = "The harbour office keeps a daily log of every vessel that enters the basin"


def pdf(objects: Sequence[Object], trailer: bytes = b"") -> bytes:
    """A file of numbered objects (from 1); the first is the catalog."""
    out = bytearray(b"%PDF-1.7\n")
    offsets = []
    for number, item in enumerate(objects, 1):
        offsets.append(len(out))
        if isinstance(item, tuple):
            head, stream = item
            body = b"<< %s /Length %d >>\nstream\n%s\nendstream" % (head, len(stream), stream)
        else:
            body = item
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for offset in offsets:
        out += b"%010d 00000 n \n" % offset
    out += b"trailer << /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF" % (
        len(objects) + 1,
        trailer,
        start,
    )
    return bytes(out)


def font(name: bytes) -> bytes:
    return b"<< /Type /Font /Subtype /Type1 /BaseFont /%s /Encoding /WinAnsiEncoding >>" % name


def document(contents: Sequence[Object], *, trailer: bytes = b"", extra: Sequence[Object] = ()) -> bytes:
    """Pages with these content streams; objects 3 to 5 are Helvetica, its bold and Courier."""
    first = 6 + len(extra)
    kids = b" ".join(b"%d 0 R" % (first + 2 * n) for n in range(len(contents)))
    objects: list[Object] = [
        b"<< /Type /Catalog /Pages 2 0 R /Lang (en) >>",
        b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, len(contents)),
        font(b"Helvetica"),
        font(b"Helvetica-Bold"),
        font(b"Courier"),
        *extra,
    ]
    for number, content in enumerate(contents):
        place = first + 2 * number + 1
        objects.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << %s >> /Contents %d 0 R >>"
            % (FONTS, place)
        )
        objects.append(content if isinstance(content, tuple) else (b"", content))
    return pdf(objects, trailer)


def text(lines: Sequence[tuple[float, str, float, str]]) -> bytes:
    """A content stream of lines: size, font, height on the page, words."""
    drawn = [f"BT /{name} {size} Tf 72 {y} Td ({words}) Tj ET" for size, name, y, words in lines]
    return "\n".join(drawn).encode("cp1252")


def report() -> bytes:
    """A title, a running head, headings, paragraphs with a hyphen, a list and code on three pages."""
    pages = []
    for number, name in enumerate(("ship", "crew", "cargo"), 1):
        lines: list[tuple[float, str, float, str]] = [(8, "F1", 770, f"Harbour report, page {number}")]
        if number == 1:
            lines.append((24, "F2", 740, "The Harbour Report"))
        lines += [
            (16, "F2", 690, f"Part {number} of the log"),
            (11, "F1", 660, WORDS + ", and the clerks com-"),
            (11, "F1", 646, f"pare it with the tide tables of pier {number} before the bell rings at"),
            (11, "F1", 632, "noon."),
            (11, "F1", 600, "A second paragraph stands apart by a gap that nobody can miss at all."),
            (11, "F1", 570, "• first item of the list"),
            (11, "F1", 556, "• second item of the list"),
            (10, "F3", 520, f"def log\\({name}\\):"),
            (10, "F3", 508, f"    return {name}.name"),
        ]
        pages.append(text(lines))
    info = (b"<< /Title (Harbour Report 2026) /Author (Ada Quay) >>",)
    return document(pages, trailer=b"/Info 6 0 R", extra=info)


def locked(password: str) -> bytes:
    writer = PdfWriter(clone_from=PdfReader(BytesIO(report())))
    writer.encrypt(password, owner_password="owner", algorithm="RC4-128")
    out = BytesIO()
    writer.write(out)
    return out.getvalue()


def flate(data: bytes, times: int = 1) -> tuple[bytes, bytes]:
    for _ in range(times):
        data = zlib.compress(data, 9)
    return b"/Filter [%s]" % b" ".join([b"/FlateDecode"] * times), data


def _page(content: Object, extra: Sequence[Object] = ()) -> bytes:
    return document([text([(12, "F1", 700, WORDS)]), content], extra=extra)


def reused(pages: int) -> bytes:
    kids = b" ".join([b"6 0 R"] * pages)
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [%s] /Count %d >>" % (kids, pages),
            font(b"Helvetica"),
            font(b"Helvetica-Bold"),
            font(b"Courier"),
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << %s >> /Contents 7 0 R >>"
            % FONTS,
            (b"", text([(12, "F1", 700 - 9 * n, WORDS) for n in range(8)])),
        ]
    )


def _form_calling_itself() -> bytes:
    form = (
        b"/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>",
        b"/X Do /X Do",
    )
    content = b"/X Do " + text([(12, "F1", 700, WORDS)])
    made = document([content], extra=[form])
    return made.replace(b"/Resources << /Font", b"/Resources << /XObject << /X 6 0 R >> /Font")


def _pages_in_a_circle() -> bytes:
    return pdf(
        [
            b"<< /Type /Catalog /Pages 2 0 R >>",
            b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
            b"<< /Type /Pages /Kids [2 0 R 3 0 R] /Count 2 /Parent 2 0 R >>",
        ]
    )


def _fan_out() -> bytes:
    objects: list[Object] = [b"<< /Type /Catalog /Pages 2 0 R >>"]
    for number in range(2, 12):
        kids = b" ".join([b"%d 0 R" % (number + 1)] * 10)
        objects.append(b"<< /Type /Pages /Kids [%s] /Count 10000000000 >>" % kids)
    objects.append(b"<< /Type /Page /MediaBox [0 0 9 9] >>")
    return pdf(objects)


def _to_unicode(lines: bytes) -> bytes:
    cmap = b"/CIDInit /ProcSet findresource begin begincmap\n" + lines + b"\nendcmap end"
    made = document([text([(12, "F1", 700, WORDS)])], extra=[(b"", cmap)])
    return made.replace(
        b"/BaseFont /Helvetica /Encoding", b"/ToUnicode 6 0 R /BaseFont /Helvetica /Encoding", 1
    )


HOSTILE: dict[str, Callable[[], bytes]] = {
    "empty": lambda: b"%PDF-1.7\n",
    "garbage": lambda: b"%PDF-1.4\n" + bytes(range(256)) * 400,
    "header only, then zeros": lambda: b"%PDF-1.4\n" + bytes(200_000),
    "cut in the middle": lambda: report()[: len(report()) // 2],
    "no cross references": lambda: report().replace(b"startxref", b"startXref").replace(b"xref\n", b"xxxx\n"),
    "wrong offsets": lambda: report().replace(b"00000 n", b"00000 f"),
    "junk before the header": lambda: b"junk\n" * 50 + report(),
    "one page 20,000 times": lambda: reused(20_000),
    "pages in a circle": _pages_in_a_circle,
    "ten to the tenth pages": _fan_out,
    "huge count": lambda: report().replace(b"/Count 3", b"/Count 999999999"),
    "huge size": lambda: report().replace(b"/Size 1", b"/Size 99999999991"),
    "form that calls itself": _form_calling_itself,
    "a million operators": lambda: _page(flate(b"BT /F1 9 Tf " + b"(a) Tj " * 1_000_000 + b"ET")),
    "operators, plain": lambda: _page(b"BT /F1 9 Tf " + b"(a) Tj " * 200_000 + b"ET"),
    "saved states": lambda: _page(flate(b"q " * 450_000)),
    "spaces": lambda: _page(flate(b" " * 74_000_000)),
    "filters on filters": lambda: _page(flate(b"\0" * 10_000_000, times=6)),
    "sixty filters": lambda: _page((b"/Filter [%s]" % b" ".join([b"/FlateDecode"] * 60), b"x")),
    "zeros in ascii85": lambda: _page((b"/Filter /ASCII85Decode", b"z" * 1_000_000 + b"~>")),
    "broken flate": lambda: _page((b"/Filter /FlateDecode", b"x\x9c" + bytes(range(256)) * 100)),
    "runs": lambda: _page((b"/Filter /RunLengthDecode", b"\x81 " * 1_000_000 + b"\x80")),
    "lzw": lambda: _page((b"/Filter /LZWDecode", b"\x80\x0b\x60\x50\x22\x0c" * 20_000)),
    "unknown filter": lambda: _page((b"/Filter /NoSuchDecode", b"abc")),
    "long string": lambda: _page(b"BT /F1 9 Tf (" + b"a" * 1_000_000 + b") Tj ET"),
    "deep arrays": lambda: _page(b"[" * 50_000 + b"]" * 50_000 + b" TJ"),
    "deep dictionaries": lambda: _page(b"/A " + b"<< /A " * 20_000 + b">>" * 20_000 + b" BDC"),
    "image without an end": lambda: _page(b"BI /W 9 /H 9 ID " + b"\0\1\2" * 100_000),
    "endless font map": lambda: _to_unicode(b"1 beginbfrange\n<0000> <ffffffff> <0041>\nendbfrange"),
    "many font maps": lambda: _to_unicode(
        b"100 beginbfrange\n" + b"<0000> <ffff> <0041>\n" * 300 + b"endbfrange"
    ),
    "no font": lambda: _page(b"BT /F9 9 Tf (lost words) Tj ET"),
    "font size of infinity": lambda: _page(b"BT /F1 1e400 Tf 1e400 0 0 1e400 1e400 1e400 Tm (words) Tj ET"),
    "not a number": lambda: _page(b"BT /F1 nan Tf nan nan Td (words) Tj ET"),
}
