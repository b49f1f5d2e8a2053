from __future__ import annotations

from research_mcp.core.errors import Reason
from research_mcp.core.models import Flag, Kind
from tests.extract.office.files import ODP, ODS, odf, read


def markdown(content: str, *kind: str) -> str:
    result = read(odf(content, *kind))
    assert (result.kind, result.reason) == (Kind.OFFICE, None), result.detail
    return result.markdown


def p(text: str, style: str = "") -> str:
    return f'<text:p text:style-name="{style}">{text}</text:p>'


def test_a_text_keeps_headings_links_lists_notes_and_breaks() -> None:
    content = (
        p("Plan", "Title") + '<text:h text:outline-level="2">Aims</text:h><text:h/>'
        + p('One<text:s text:c="2"/><text:span>two</text:span><text:tab/>'
            '<text:a xlink:href="https://b.example/x">there</text:a><text:line-break/>end'
            '<text:note><text:note-citation>1</text:note-citation><text:note-body>' + p("a note") + "</text:note-body></text:note>.")
        + f"<text:list><text:list-item>{p('a')}<text:list><text:list-item>{p('b')}</text:list-item></text:list>"
          f"</text:list-item><text:list-item>{p('c')}</text:list-item></text:list>"
        + p("Wise.", "Quotations") + f"<text:section>{p('inside')}</text:section>"
        + f"<text:tracked-changes>{p('old')}</text:tracked-changes>"
        + p(f"boxed<draw:frame><draw:text-box>{p('in a box')}</draw:text-box></draw:frame>")
    )  # fmt: skip
    assert markdown(content) == (
        "# Plan\n\n## Aims\n\nOne two [there](https://b.example/x)  \nend[^1].\n\n- a\n  - b\n- c\n\n> Wise.\n\n"
        "inside\n\nboxed\n\nin a box\n\n[^1]: a note"
    )


def test_facts_are_stated_and_the_first_heading_is_a_title_otherwise() -> None:
    meta = (
        "<dc:title>Plan</dc:title><dc:creator>Ada</dc:creator>"
        "<meta:creation-date>2026-01-02T03:04</meta:creation-date><dc:language>de-DE</dc:language>"
    )
    result = read(odf(p("x"), meta=meta))
    assert (result.title, result.author, result.date, result.language) == (
        "Plan",
        "Ada",
        "2026-01-02",
        "de-DE",
    )
    assert read(odf('<text:h text:outline-level="1">Head</text:h>')).title == "Head"


def test_sheets_become_tables_and_repeated_cells_stay_bounded() -> None:
    cell = "<table:table-cell>{}</table:table-cell>"
    rows = (
        f"<table:table-row>{cell.format(p('a'))}{cell.format(p('b'))}"
        '<table:table-cell table:number-columns-repeated="16000"/></table:table-row>'
        f'<table:table-header-rows><table:table-row table:number-rows-repeated="2">{cell.format(p("1"))}{cell.format(p("2"))}'
        "</table:table-row></table:table-header-rows>"
        '<table:table-row table:number-rows-repeated="1048000"><table:table-cell/></table:table-row>'
    )
    assert markdown(f'<table:table table:name="S">{rows}</table:table>', ODS) == (
        "## S\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n| 1 | 2 |"
    )


def test_rows_that_are_repeated_without_end_are_cut() -> None:
    row = f'<table:table-row table:number-rows-repeated="1048576"><table:table-cell>{p("x")}</table:table-cell></table:table-row>'
    result = read(odf(f'<table:table table:name="S">{row}{row}</table:table>', ODS))
    assert result.markdown.count("x") == 5_000
    assert Flag.TRUNCATED in result.flags
    assert "of the table “S” only the first 5,000 rows" in result.notes[0]


def test_slides_are_numbered_and_carry_their_notes() -> None:
    frame = "<draw:frame><draw:text-box>{}</draw:text-box></draw:frame>"
    content = (
        f"<draw:page>{frame.format(p('Aims'))}<presentation:notes>{frame.format(p('Say hello.'))}</presentation:notes>"
        f"</draw:page><draw:page>{frame.format('<text:list><text:list-item>' + p('a') + '</text:list-item></text:list>')}"
        "</draw:page>"
    )
    assert markdown(content, ODP) == "## Slide 1\n\nAims\n\nNotes: Say hello.\n\n## Slide 2\n\n- a"


def test_a_locked_file_and_one_without_content_are_refused() -> None:
    locked = read(odf(p("x"), manifest="<manifest><encryption-data/></manifest>"))
    assert (locked.reason, "locked" in locked.detail) == (Reason.UNSUPPORTED_TYPE, True)
    assert read(odf("")).reason is Reason.EMPTY
