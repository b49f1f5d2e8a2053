"""PDF to Markdown with pypdf, page by page: what was read before a limit hit is kept.

pypdf's own limits are narrowed to what a page of text needs; a page that breaks them is left out and
named. Time and memory are held by the worker's process.
"""

from __future__ import annotations

import io
import re
import struct
import time
import zlib
from dataclasses import dataclass, field

from pypdf import Configuration, PdfReader, apply_configuration
from pypdf.errors import DependencyError, PyPdfError

from research_mcp.core.errors import Reason
from research_mcp.extract.pdf.table import Line
from research_mcp.extract.pdf.text import LineReader, to_markdown
from research_mcp.extract.processes.stopwatch import OutOfTime, within

MOST_PAGES = 300
MOST_TEXT = 2_000_000
_TEXT_ON_A_PAGE = 12
"""Letters on an average page; fewer are stamps on scanned pages."""
_GARBLED = 0.3
_NARROWED = Configuration(
    zlib_maximum_output_length=16_000_000,
    lzw_maximum_output_length=16_000_000,
    run_length_maximum_output_length=16_000_000,
    brotli_maximum_output_length=16_000_000,
    jbig2_maximum_output_length=1_000_000,
    array_based_stream_maximum_output_length=16_000_000,
    image_maximum_buffer_size=1_000_000,
    stream_decoding_work_maximum_length=64_000_000,
    stream_parsing_work_maximum_count=400_000,
    page_tree_maximum_page_entries=500_000,
    xform_maximum_invocations_per_extraction=1_000,
    jbig2dec_binary=None,
)
# "Broken PDF files might cause other exceptions", says pypdf: these were seen.
_FAULTS = (
    PyPdfError,
    DependencyError,
    ArithmeticError,
    AssertionError,
    AttributeError,
    LookupError,
    NotImplementedError,
    OSError,
    RecursionError,
    TypeError,
    ValueError,
    struct.error,
    zlib.error,
)
_NO_NAME = re.compile(
    r"(?:microsoft \w+ - |untitled|\(?(?:anonymous|unspecified)\)?$|document\d*$"
    r"|\S+\.(?:docx?|pdf|tex|dvi|indd|qxd)$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Pdf:
    """A PDF as Markdown, or the reason there is no text. `cut` says why it is not whole."""

    markdown: str = field(default="", repr=False)
    title: str = ""
    author: str = ""
    language: str = ""
    reason: Reason | None = None
    detail: str = ""
    cut: str = ""
    notes: tuple[str, ...] = ()


def read_pdf(body: bytes, seconds: float) -> Pdf:
    """The text of a PDF. Never raises for content; leaves off before `seconds` are over."""
    ends = time.monotonic() + seconds * 0.85
    with apply_configuration(_NARROWED):
        try:
            with within(seconds * 0.6):
                reader = PdfReader(io.BytesIO(body))
                if reader.is_encrypted and not reader.decrypt(""):
                    detail = "The PDF is locked with a password."
                    return Pdf(reason=Reason.UNSUPPORTED_TYPE, detail=detail)
                count = len(reader.pages)
        except OutOfTime:
            return Pdf(reason=Reason.DEADLINE, detail="The PDF takes too long to open.")
        except (MemoryError, *_FAULTS):
            return Pdf(reason=Reason.UNSUPPORTED_TYPE, detail="The PDF is damaged or made to be unreadable.")
        return _Book(reader, count, ends).read()


class _Book:
    """One open PDF and what was read of it."""

    def __init__(self, reader: PdfReader, count: int, ends: float) -> None:
        self._reader = reader
        self._count = count
        self._ends = ends
        self._pages: list[list[Line]] = []
        self._failed: list[int] = []

    def read(self) -> Pdf:
        cut = self._read_pages()
        title, author, language = self._stated()
        if reason := self._no_text():
            return Pdf("", title, author, language, Reason.NO_TEXT_LAYER, reason)
        text = to_markdown(self._pages)
        notes: tuple[str, ...] = ()
        if self._failed:
            named = ", ".join(map(str, self._failed[:10])) + (" ..." if len(self._failed) > 10 else "")
            notes = (f"Pages that could not be read: {named}.",)
        return Pdf(text.markdown, title or text.title, author, language, cut=cut, notes=notes)

    def _read_pages(self) -> str:
        """Read pages until a limit hits; the limit's name."""
        size = 0
        for index in range(min(self._count, MOST_PAGES)):
            left = self._ends - time.monotonic()
            if left <= 0 or size > MOST_TEXT:
                limit = "time" if left <= 0 else "size"
                return f"Pages 1 to {index} of {self._count} were read before the {limit} limit."
            lines = LineReader()
            try:
                with within(left):
                    self._reader.pages[index].extract_text(visitor_text=lines.take)
            except (OutOfTime, MemoryError):
                self._pages.append(lines.done())
                return f"Pages 1 to {index + 1} of {self._count} were read before a limit, the last in part."
            except _FAULTS:
                self._failed.append(index + 1)
            self._pages.append(lines.done())
            size += sum(len(line.text) for line in self._pages[-1])
        if self._count > MOST_PAGES:
            return f"Pages 1 to {MOST_PAGES} of {self._count} were read."
        return ""

    def _no_text(self) -> str:
        """Why there is no text to speak of, "" when there is."""
        text = "".join(line.text for page in self._pages for line in page)
        letters = sum(map(str.isalnum, text))
        if letters < _TEXT_ON_A_PAGE * max(1, len(self._pages)):
            if self._failed and not letters:
                return "None of the PDF's pages could be read."
            return "The PDF has no text layer: its pages are pictures."
        broken = sum("\ue000" <= letter <= "\uf8ff" or letter == "\ufffd" for letter in text)
        if broken > _GARBLED * len(text):
            return "The PDF's text cannot be decoded: its fonts do not say which letters they draw."
        return ""

    def _stated(self) -> tuple[str, str, str]:
        """Title, author and language as the document states them."""
        try:
            with within(1.0):
                facts = self._reader.metadata
                title, author = (facts.title, facts.author) if facts is not None else (None, None)
                language = self._reader.root_object.get("/Lang", "")
        except (OutOfTime, MemoryError, *_FAULTS):
            return "", "", ""
        named = (str(fact or "").strip() for fact in (title, author))
        title, author = ("" if _NO_NAME.match(name) else name for name in named)
        return title, author, str(language)[:20]
