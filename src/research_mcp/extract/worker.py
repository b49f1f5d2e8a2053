"""What a worker does with a document: find out what it is, read it, judge it, clean it.

Runs only in the pool's processes (`pool` names `extract_document` as its entry): everything here
may hang, crash or eat memory on hostile bytes.
"""

from __future__ import annotations

import re
from dataclasses import replace
from html import unescape

from research_mcp.core.errors import Reason
from research_mcp.core.hygiene import MANY, clean, clean_line
from research_mcp.core.models import Extracted, Flag, Kind
from research_mcp.core.urls import refresh_target
from research_mcp.core.wire import Document
from research_mcp.extract import plain
from research_mcp.extract.charset import decode
from research_mcp.extract.feeds import JSON_FEED, Feed, feed, json_feed
from research_mcp.extract.gates import shape_of, tame
from research_mcp.extract.hidden.linear import plain_text
from research_mcp.extract.html.page import HtmlResult, convert_html
from research_mcp.extract.notebook import read_notebook
from research_mcp.extract.office.read import read_office, refuse_legacy
from research_mcp.extract.pdf.read import read_pdf
from research_mcp.extract.processes.stopwatch import OutOfTime, within
from research_mcp.extract.sniff import NOTEBOOK, OLE, ZIP, Sniffed, is_table, sniff_bytes, sniff_text
from research_mcp.extract.tokens import attributes
from research_mcp.extract.verdicts.quality import Evidence, judge, judge_document

MOST_TEXT = 2_000_000
"""Characters of Markdown that leave a worker."""
_NEXT_TO_NOTHING = 200
_PATIENCE = 0.6
"""Share of the time after which a page's tree is given up for its plain text."""
_HEAD = 200_000
_READ_KINDS = frozenset(Kind) - {Kind.IMAGE, Kind.BINARY}
_META = re.compile(r"<meta\b([^>]{1,2000})>", re.IGNORECASE)


def extract_document(document: Document, seconds: float) -> Extracted:
    """The text of a document, or the reason there is none. `seconds` is when the worker is killed."""
    sniffed = sniff_bytes(document)
    if sniffed is not None:
        return _finished(_of_bytes(document, sniffed, seconds), document)
    decoded = decode(document.body, document.headers.get("content-type", ""), cut=bool(document.truncated))
    sniffed = sniff_text(decoded.text, document)
    if sniffed.kind is Kind.HTML:
        extracted = _of_html(decoded.text, document, seconds)
    elif sniffed.kind is Kind.IMAGE:
        extracted = _unsupported(document, sniffed)
    else:
        extracted = _of_text(decoded.text, document, sniffed, seconds)
    if decoded.note:
        extracted = replace(extracted, notes=(*extracted.notes, decoded.note))
    return _finished(extracted, document)


def _of_bytes(document: Document, sniffed: Sniffed, seconds: float) -> Extracted:
    if verdict := judge_document(_evidence(document)):
        return Extracted(sniffed.kind, reason=verdict.reason, detail=verdict.detail)
    if sniffed.kind in (Kind.OFFICE, Kind.EPUB):
        return read_office(document.body, sniffed.kind, sniffed.media_type, seconds)
    if sniffed.media_type == OLE and (refusal := refuse_legacy(document.body)):
        return refusal
    if sniffed.kind is not Kind.PDF:
        return _unsupported(document, sniffed)
    pdf = read_pdf(document.body, seconds)
    if (
        document.truncated and pdf.reason is Reason.UNSUPPORTED_TYPE
    ):  # the places of its parts stand at the end
        return _cut_off(document, Kind.PDF)
    return Extracted(
        Kind.PDF,
        pdf.markdown,
        title=pdf.title,
        author=pdf.author,
        language=pdf.language,
        reason=pdf.reason,
        detail=pdf.detail,
        flags=(Flag.TRUNCATED,) if pdf.cut else (),
        notes=(*((pdf.cut,) if pdf.cut else ()), *pdf.notes),
    )


def _of_text(text: str, document: Document, sniffed: Sniffed, seconds: float) -> Extracted:
    if verdict := judge_document(_evidence(document)):
        return Extracted(sniffed.kind, reason=verdict.reason, detail=verdict.detail)
    try:
        with within(seconds * _PATIENCE):
            read = _read_feed(text, document, sniffed)
    except OutOfTime:
        read = Feed("", cut="the feed could not be taken apart in time: shown as it came")
    if read.markdown:
        facts = Extracted(Kind.FEED, title=read.title, date=read.date, language=read.language)
        markdown, cut = read.markdown, read.cut
    else:
        simple = _read_simple(text, document, sniffed)
        facts = Extracted(sniffed.kind, title=simple.title)
        markdown, cut = simple.markdown, simple.cut or read.cut
    if not markdown.strip():
        return replace(facts, reason=Reason.EMPTY, detail="The document is empty.")
    notes = (f"{cut[0].upper()}{cut[1:]}.",) if cut else ()
    return replace(facts, markdown=markdown, notes=notes)


def _read_feed(text: str, document: Document, sniffed: Sniffed) -> Feed:
    if sniffed.kind is Kind.JSON and JSON_FEED in text[:_NEXT_TO_NOTHING]:
        return json_feed(text, document.final_url)
    return feed(text, document.final_url) if sniffed.kind is Kind.FEED else Feed("")


def _read_simple(text: str, document: Document, sniffed: Sniffed) -> plain.Plain:
    if sniffed.media_type == NOTEBOOK:
        return notebook if (notebook := read_notebook(text)).markdown else plain.json_text(text)
    if sniffed.kind is Kind.MARKDOWN:
        return plain.markdown(text)
    if sniffed.kind is Kind.JSON:
        return plain.json_text(text)
    if is_table(document):
        return plain.table(text, tabs=document.media_type.endswith("tab-separated-values"))
    return plain.text(text)


def _of_html(html: str, document: Document, seconds: float) -> Extracted:
    try:
        result, notes = _converted(html, document.final_url, seconds * _PATIENCE)
    except OutOfTime:
        return Extracted(
            Kind.HTML, reason=Reason.DEADLINE, detail="The page could not be taken apart in time."
        )
    text = clean(result.markdown)
    verdict = judge(
        replace(
            _evidence(document),
            html=html,
            text=text.text,
            title=result.title,
            shown=result.text_chars,
            scripts=result.script_count,
            rescued=result.rescued,
        )
    )
    return Extracted(
        Kind.HTML,
        result.markdown if verdict.keep else "",
        title=result.title,
        author=result.author,
        date=result.date,
        site=result.site,
        language=result.language,
        reason=verdict.reason,
        detail=verdict.detail,
        flags=(*result.flags, *verdict.flags),
        notes=(*notes, *result.notes, *verdict.notes),
        refresh_to=_refresh(html, document) if len(text.text) < _NEXT_TO_NOTHING else "",
    )


def _converted(html: str, url: str, seconds: float) -> tuple[HtmlResult, tuple[str, ...]]:
    """The page as Markdown; its plain text where a tree would take too long.

    Raises what stopped the tree when there is no plain text: that the page is empty would be a guess.
    """
    shape = shape_of(html)
    stopped: BaseException | None = None
    if not shape.hopeless:
        try:
            with within(seconds):
                return convert_html(tame(html, shape), url), ()
        except (OutOfTime, RecursionError, MemoryError) as stop:
            stopped = stop
    rest = plain_text(html)
    if stopped and not rest.text.strip():
        raise stopped
    flags = (Flag.TRUNCATED,) if rest.cut else ()
    note = "The page is too large or too tangled to parse: its words only, without links and headings."
    result = HtmlResult(rest.text, rest.title, flags=flags, text_chars=len(rest.text))
    return result, (note,)


def _refresh(html: str, document: Document) -> str:
    """Where a meta refresh leads, "" when there is none or it leads back here."""
    for found in _META.finditer(html[:_HEAD]):
        given = attributes(found[1])
        if given.get("http-equiv", "").lower() == "refresh":
            target = refresh_target(unescape(given.get("content", "")), document.final_url)
            return "" if target == document.final_url else target
    return ""


def _unsupported(document: Document, sniffed: Sniffed) -> Extracted:
    if document.truncated and sniffed.media_type == ZIP:  # its table of contents stands at the end
        return _cut_off(document, sniffed.kind)
    size = f"{sniffed.media_type}, {len(document.body):,} bytes"
    return Extracted(
        sniffed.kind,
        reason=Reason.UNSUPPORTED_TYPE,
        detail=f"The url leads to a file without readable text: {size}.",
    )


def _cut_off(document: Document, kind: Kind) -> Extracted:
    detail = f"The file cannot be opened: {document.truncated}."
    return Extracted(
        kind, reason=Reason.UPSTREAM_ERROR if document.broken else Reason.TOO_LARGE, detail=detail
    )


def _evidence(document: Document) -> Evidence:
    return Evidence(document.url, document.final_url, document.status, document.headers)


def _finished(extracted: Extracted, document: Document) -> Extracted:
    """Clean characters, one line for each fact, a hard cap, and a note for what is missing."""
    cleaned = clean(extracted.markdown)
    text, flags, notes = cleaned.text, list(extracted.flags), list(extracted.notes)
    if cleaned.removed >= MANY:
        flags.append(Flag.ODD_CHARACTERS)
        notes.append(f"{cleaned.removed:,} invisible characters were removed.")
    if document.caveat and extracted.kind in _READ_KINDS and extracted.reason is None:
        flags.append(document.caveat)
        notes.append(f"The document is not whole: {document.truncated}.")
    if len(text) > MOST_TEXT:
        text = text[:MOST_TEXT]
        flags.append(Flag.TRUNCATED)
        notes.append(f"Only the first {MOST_TEXT:,} characters are kept.")
    return replace(
        extracted,
        markdown=text,
        title=clean_line(extracted.title),
        author=clean_line(extracted.author),
        date=clean_line(extracted.date, 40),
        site=clean_line(extracted.site, 100),
        language=clean_line(extracted.language, 20),
        flags=tuple(dict.fromkeys(flags)),
        notes=tuple(clean_line(note, 500) for note in notes),
    )
