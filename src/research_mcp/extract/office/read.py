"""The door to office documents and e-books: what a reader could get, and why it is not all."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from research_mcp.core.errors import Reason
from research_mcp.core.models import Extracted, Flag, Kind
from research_mcp.extract.office.archive import Archive, Damaged, Locked
from research_mcp.extract.office.docx import read_docx
from research_mcp.extract.office.draft import MOST_TEXT, Draft, Full
from research_mcp.extract.office.epub import read_epub
from research_mcp.extract.office.odf import read_odf
from research_mcp.extract.office.pptx import read_pptx
from research_mcp.extract.office.xlsx import read_xlsx
from research_mcp.extract.processes.stopwatch import OutOfTime, within

_PATIENCE = 0.6
"""Share of the time for reading; the rest is for cleaning what was read."""
_READERS: tuple[tuple[str, str, Callable[[Archive, Draft], None]], ...] = (
    ("wordprocessingml", "Word document", read_docx),
    ("spreadsheetml", "Excel workbook", read_xlsx),
    ("presentationml", "PowerPoint presentation", read_pptx),
    ("opendocument", "OpenDocument file", read_odf),
    ("epub", "e-book", read_epub),
)
_LEGACY = (
    ("EncryptedPackage", "The Office file is locked with a password."),
    ("WordDocument", "The file is a Word document of the old binary format (.doc)"),
    ("Workbook", "The file is an Excel workbook of the old binary format (.xls)"),
    ("PowerPoint Document", "The file is a PowerPoint presentation of the old binary format (.ppt)"),
)
_REMEDY = ", which is not read here: look for a copy as .docx, .xlsx, .pptx or PDF."


def read_office(body: bytes, kind: Kind, media_type: str, seconds: float) -> Extracted:
    """The text of a document. Never raises for content; leaves off before `seconds` are over."""
    what, reader = next((what, reader) for mark, what, reader in _READERS if mark in media_type)
    draft = Draft()
    limit: Reason | None = None
    try:
        with within(seconds * _PATIENCE):
            limit = _read(reader, body, draft)
    except OutOfTime:
        limit, draft.cut = Reason.DEADLINE, "reading it whole takes too long"
    except Locked:
        return _refused(kind, f"The {what} is locked with a password or by its seller.")
    except Damaged:
        return _refused(kind, f"The {what} is damaged, or of a variant that is not read here.")
    facts = Extracted(kind, title=draft.title, author=draft.author, date=draft.date, language=draft.language)
    if draft.empty:
        return _without_text(facts, what, draft.cut, limit)
    return replace(
        facts,
        markdown=draft.markdown(),
        flags=(Flag.TRUNCATED,) if draft.cut else (),
        notes=(*((f"The document is not whole: {draft.cut}.",) if draft.cut else ()), *draft.notes),
    )


def refuse_legacy(body: bytes) -> Extracted | None:
    """Why a compound file (OLE) of an old Office program is not read, None when it is none."""
    for stream, told in _LEGACY:
        if stream.encode("utf-16-le") in body:
            return _refused(Kind.OFFICE, told if told.endswith(".") else told + _REMEDY)
    return None


def _read(reader: Callable[[Archive, Draft], None], body: bytes, draft: Draft) -> Reason | None:
    """Run a reader; the limit that stopped it."""
    archive = Archive(body)
    try:
        reader(archive, draft)
    except Full:
        draft.cut = f"only the first {MOST_TEXT:,} characters are kept"
    except (MemoryError, RecursionError):
        draft.cut = "it is too large or too deeply nested"
    else:
        draft.cut = archive.cut or draft.cut
    return Reason.TOO_LARGE if draft.cut else None


def _without_text(facts: Extracted, what: str, cut: str, limit: Reason | None) -> Extracted:
    if cut:
        return replace(facts, reason=limit, detail=f"The {what} gave no text: {cut}.")
    return replace(facts, reason=Reason.EMPTY, detail=f"The {what} holds no text; it may hold pictures.")


def _refused(kind: Kind, detail: str) -> Extracted:
    return Extracted(kind, reason=Reason.UNSUPPORTED_TYPE, detail=detail)
