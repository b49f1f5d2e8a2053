"""Small documents made by hand: each part is written as its standard spells it."""

from __future__ import annotations

import io
import zipfile
from collections.abc import Mapping

from research_mcp.core.models import Extracted
from research_mcp.core.wire import Document
from research_mcp.extract.worker import extract_document

URL = "https://example.org/files/1"
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_R = 'xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"'
_M = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
_A = 'xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"'
_C = 'xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart"'
_S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
_P = 'xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"'
_MC = 'xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
_RELATIONS = "http://schemas.openxmlformats.org/package/2006/relationships"
_KINDS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/"
_ODF = " ".join(
    f'xmlns:{short}="urn:oasis:names:tc:opendocument:xmlns:{long}:1.0"'
    for short, long in (("office", "office"), ("text", "text"), ("table", "table"), ("draw", "drawing"),
                        ("meta", "meta"), ("presentation", "presentation"))
)  # fmt: skip
_LINK = 'xmlns:xlink="http://www.w3.org/1999/xlink"'
_DC = 'xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/"'
_HIDDEN = "state='hidden'"
ODT = "application/vnd.oasis.opendocument.text"
ODS = "application/vnd.oasis.opendocument.spreadsheet"
ODP = "application/vnd.oasis.opendocument.presentation"


def zipped(parts: Mapping[str, str | bytes], *, stored: tuple[str, ...] = ("mimetype",)) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name, content, zipfile.ZIP_STORED if name in stored else None)
    return out.getvalue()


def read(body: bytes, *, seconds: float = 50, url: str = URL, content_type: str = "") -> Extracted:
    headers = {"content-type": content_type} if content_type else {}
    return extract_document(Document(url, url, 200, headers, body), seconds)


def relations(*rows: tuple[str, str, str]) -> str:
    """Rows of id, kind and target; a target with a scheme is outside."""
    lines = (
        f'<Relationship Id="{key}" Type="{_KINDS}{kind}" Target="{target}"'
        + (' TargetMode="External"/>' if ":" in target else "/>")
        for key, kind, target in rows
    )
    return f'<Relationships xmlns="{_RELATIONS}">{"".join(lines)}</Relationships>'


def core(title: str = "", author: str = "", modified: str = "") -> str:
    return (
        f'<cp:coreProperties xmlns:cp="cp" {_DC}><dc:title>{title}</dc:title><dc:creator>{author}</dc:creator>'
        f"<dcterms:created>1999-01-01T00:00:00Z</dcterms:created>"
        f"<dcterms:modified>{modified}</dcterms:modified></cp:coreProperties>"
    )


def docx_parts(body: str, *rows: tuple[str, str, str], **parts: str) -> dict[str, str | bytes]:
    """`parts`: inner XML of styles, numbering, footnotes, endnotes."""
    roots = {"styles": "styles", "numbering": "numbering", "footnotes": "footnotes", "endnotes": "endnotes"}
    known = [(f"x{name}", name, f"{name}.xml") for name in parts]
    return {
        "_rels/.rels": relations(("r1", "officeDocument", "word/document.xml")),
        "word/document.xml": f"<w:document {_W} {_R} {_M} {_MC}><w:body>{body}</w:body></w:document>",
        "word/_rels/document.xml.rels": relations(*rows, *known),
        **{
            f"word/{name}.xml": f"<w:{roots[name]} {_W} {_R}>{xml}</w:{roots[name]}>"
            for name, xml in parts.items()
        },
    }


def docx(body: str, *rows: tuple[str, str, str], **parts: str) -> bytes:
    return zipped(docx_parts(body, *rows, **parts))


def para(text: str, style: str = "", *, look: str = "", properties: str = "") -> str:
    named = f'<w:pStyle w:val="{style}"/>' if style else ""
    return (
        f"<w:p><w:pPr>{named}{properties}</w:pPr><w:r><w:rPr>{look}</w:rPr>"
        f'<w:t xml:space="preserve">{text}</w:t></w:r></w:p>'
    )


def xlsx_parts(sheets: Mapping[str, str], **parts: str) -> dict[str, str | bytes]:
    """`sheets`: inner XML of each worksheet by name; a name that starts with "." is hidden."""
    listed = "".join(
        f'<sheet name="{name.lstrip(".")}" sheetId="{n}" {_HIDDEN * name.startswith(".")} r:id="s{n}"/>'
        for n, name in enumerate(sheets, 1)
    )
    rows = [(f"s{n}", "worksheet", f"worksheets/sheet{n}.xml") for n, _ in enumerate(sheets, 1)]
    made: dict[str, str | bytes] = {
        "_rels/.rels": relations(("r1", "officeDocument", "/xl/workbook.xml")),
        "xl/workbook.xml": f"<workbook {_S} {_R}>{parts.get('book', '')}<sheets>{listed}</sheets></workbook>",
        "xl/_rels/workbook.xml.rels": relations(
            *rows, ("t", "sharedStrings", "sharedStrings.xml"), ("y", "styles", "styles.xml")
        ),
        "xl/sharedStrings.xml": f"<sst {_S}>{parts.get('texts', '')}</sst>",
        "xl/styles.xml": f"<styleSheet {_S}>{parts.get('styles', '')}</styleSheet>",
    }
    for n, xml in enumerate(sheets.values(), 1):
        made[f"xl/worksheets/sheet{n}.xml"] = f"<worksheet {_S} {_R}>{xml}</worksheet>"
        made[f"xl/worksheets/_rels/sheet{n}.xml.rels"] = relations(("h1", "hyperlink", "https://b.example/x"))
    return made


def xlsx(sheets: Mapping[str, str], **parts: str) -> bytes:
    return zipped(xlsx_parts(sheets, **parts))


def text_cell(place: str, text: str) -> str:
    return f'<c r="{place}" t="inlineStr"><is><t>{text}</t></is></c>'


def pptx(*slides: str, notes: str = "", chart: str = "") -> bytes:
    """`slides`: the shapes of each; `notes`: shapes of the first slide's notes page; `chart`: its chart `c1`."""
    listed = "".join(f'<p:sldId id="{255 + n}" r:id="s{n}"/>' for n, _ in enumerate(slides, 1))
    rows = [(f"s{n}", "slide", f"slides/slide{n}.xml") for n, _ in enumerate(slides, 1)]
    made: dict[str, str | bytes] = {
        "_rels/.rels": relations(("r1", "officeDocument", "ppt/presentation.xml")),
        "ppt/presentation.xml": f"<p:presentation {_P} {_R}><p:sldIdLst>{listed}</p:sldIdLst></p:presentation>",
        "ppt/_rels/presentation.xml.rels": relations(*rows),
        "ppt/notesSlides/notesSlide1.xml": _slide("notes", notes),
        "ppt/charts/chart1.xml": f"<c:chartSpace {_C} {_A}><c:chart>{chart}</c:chart></c:chartSpace>",
    }
    for n, shapes in enumerate(slides, 1):
        hidden = shapes.startswith("<!--hidden-->")
        made[f"ppt/slides/slide{n}.xml"] = _slide("sld", shapes, ' show="0"' if hidden else "")
        noted = [("n1", "notesSlide", "../notesSlides/notesSlide1.xml")] if n == 1 and notes else []
        made[f"ppt/slides/_rels/slide{n}.xml.rels"] = relations(
            ("h1", "hyperlink", "https://b.example/x"), ("c1", "chart", "../charts/chart1.xml"), *noted
        )
    return zipped(made)


def _slide(root: str, shapes: str, more: str = "") -> str:
    return (
        f"<p:{root} {_P} {_A} {_R} {_M} {_MC}{more}><p:cSld><p:spTree>{shapes}</p:spTree></p:cSld></p:{root}>"
    )


def shape(paragraphs: str, place: str | None = None) -> str:
    """A shape on a slide; `place` is its placeholder's type."""
    stated = "" if place is None else f'<p:ph type="{place}"/>' if place else "<p:ph/>"
    return (
        f"<p:sp><p:nvSpPr><p:cNvPr id='1' name='x'/><p:nvPr>{stated}</p:nvPr></p:nvSpPr>"
        f"<p:txBody>{paragraphs}</p:txBody></p:sp>"
    )


def line(text: str, properties: str = "", look: str = "") -> str:
    return f"<a:p><a:pPr {properties}/><a:r>{look}<a:t>{text}</a:t></a:r></a:p>"


def odf(content: str, mimetype: str = ODT, **parts: str) -> bytes:
    body = {ODT: "text", ODS: "spreadsheet", ODP: "presentation"}[mimetype]
    return zipped(
        {
            "mimetype": mimetype,
            "content.xml": f"<office:document-content {_ODF} {_LINK}><office:body><office:{body}>{content}"
            f"</office:{body}></office:body></office:document-content>",
            "meta.xml": f"<office:document-meta {_ODF} {_DC}><office:meta>{parts.get('meta', '')}</office:meta>"
            "</office:document-meta>",
            "META-INF/manifest.xml": parts.get("manifest", "<manifest/>"),
        }
    )


def epub_parts(
    chapters: Mapping[str, str], *, metadata: str = "", manifest: str = ""
) -> dict[str, str | bytes]:
    """`chapters`: the body of each by file name, in the order of the spine."""
    items = "".join(f'<item id="{n}" href="{n}" media-type="application/xhtml+xml"/>' for n in chapters)
    spine = "".join(f'<itemref idref="{n}"/>' for n in chapters)
    return {
        "mimetype": "application/epub+zip",
        "META-INF/container.xml": '<container xmlns="c"><rootfiles><rootfile full-path="OEBPS/book.opf"/></rootfiles>'
        "</container>",
        "OEBPS/book.opf": f'<package xmlns="http://www.idpf.org/2007/opf"><metadata {_DC}>{metadata}</metadata>'
        f"<manifest>{items}{manifest}</manifest><spine>{spine}</spine></package>",
        **{
            f"OEBPS/{name}": f'<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><head><title>t</title>'
            f"</head><body>{body}</body></html>"
            for name, body in chapters.items()
        },
    }


def epub(chapters: Mapping[str, str], *, metadata: str = "", manifest: str = "", **more: str) -> bytes:
    return zipped(epub_parts(chapters, metadata=metadata, manifest=manifest) | more)
