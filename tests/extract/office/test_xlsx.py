from __future__ import annotations

import pytest

from research_mcp.core.errors import Reason
from research_mcp.core.models import Flag, Kind
from tests.extract.office.files import core, read, text_cell, xlsx, xlsx_parts, zipped


def sheet(*rows: str, before: str = "", after: str = "") -> str:
    lines = "".join(f'<row r="{n}">{cells}</row>' for n, cells in enumerate(rows, 1))
    return f"{before}<sheetData>{lines}</sheetData>{after}"


def markdown(xml: str, **parts: str) -> str:
    result = read(xlsx({"S": xml}, **parts))
    assert (result.kind, result.reason) == (Kind.OFFICE, None), result.detail
    return result.markdown.removeprefix("## S").strip()


def test_sheets_become_tables_under_their_names_and_hidden_ones_are_named() -> None:
    one = sheet(
        text_cell("A1", "Item") + text_cell("B1", "Note"), text_cell("A2", "a|b") + text_cell("B2", "*x*")
    )
    body = xlsx({"Prices": one, ".Secret": one, ".More": one, "Next": sheet(text_cell("B2", "alone"))})
    result = read(body)
    assert (
        result.markdown
        == "## Prices\n\n| Item | Note |\n| --- | --- |\n| a\\|b | \\*x\\* |\n\n## Next\n\nalone"
    )
    assert result.notes == ("2 hidden sheets are left out.",)


def test_a_workbook_states_its_facts() -> None:
    parts = xlsx_parts({"S": sheet(text_cell("A1", "x"))})
    result = read(zipped(parts | {"docProps/core.xml": core("Prices", "Ada", "2026-02-03")}))
    assert (result.title, result.author, result.date) == ("Prices", "Ada", "2026-02-03")


STYLES = (
    '<numFmts><numFmt numFmtId="164" formatCode="yyyy\\-mm"/><numFmt numFmtId="165" formatCode="0.0%"/>'
    '<numFmt numFmtId="166" formatCode="[h]:mm:ss"/><numFmt numFmtId="167" formatCode="#,##0.00 &quot;day&quot;"/>'
    '<numFmt numFmtId="168" formatCode="mmm"/></numFmts><cellXfs>'
    + "".join(f'<xf numFmtId="{n}"/>' for n in (0, 14, 9, 10, 20, 22, 164, 165, 166, 167, 168))
    + "</cellXfs>"
)


@pytest.mark.parametrize(
    ("style", "value", "expected"),
    [
        (0, "12", "12"),
        (0, "0.30000000000000004", "0.3"),
        (0, "1E3", "1000"),
        (0, "12345678901234567890", "12345678901234567890"),
        (0, "-1.50", "-1.5"),
        (0, "words", "words"),
        (1, "46082", "2026-03-01"),
        (1, "59", "1900-02-28"),
        (1, "61", "1900-03-01"),
        (1, "0.5", "12:00"),
        (1, "-1.5", "-1.5"),
        (1, "99999999", "99999999"),
        (2, "0.125", "12%"),
        (3, "0.125", "12.50%"),
        (4, "0.604178", "14:30:01"),
        (5, "46082.604166667", "2026-03-01 14:30"),
        (6, "46082", "2026-03-01"),
        (7, "0.125", "12.5%"),
        (8, "1.5", "36:00"),
        (9, "1234.5", "1234.5"),
        (10, "46082", "2026-03-01"),
        (99, "7", "7"),
    ],
)
def test_numbers_are_shown_as_their_cells_show_them(style: int, value: str, expected: str) -> None:
    assert markdown(sheet(f'<c r="A1" s="{style}"><v>{value}</v></c>'), styles=STYLES) == expected


@pytest.mark.parametrize(
    ("value", "expected"), [("0", "1904-01-01"), ("44620", "2026-03-01"), ("2958465", "2958465")]
)
def test_workbooks_may_count_from_1904(value: str, expected: str) -> None:
    book = '<workbookPr date1904="1"/>'
    assert markdown(sheet(f'<c r="A1" s="1"><v>{value}</v></c>'), styles=STYLES, book=book) == expected


@pytest.mark.parametrize(
    ("cell", "expected"),
    [
        ('<c r="A1" t="s"><v>0</v></c>', "whole"),
        ('<c r="A1" t="s"><v>1</v></c>', "東京"),
        ('<c r="A1" t="s"><v>9</v></c><c r="B1"><v>1</v></c>', "1"),
        ('<c r="A1" t="b"><v>1</v></c>', "TRUE"),
        ('<c r="A1" t="e"><v>#DIV/0!</v></c>', "#DIV/0!"),
        ('<c r="A1" t="str"><f>A2</f><v>made</v></c>', "made"),
        ('<c r="A1"><f>SUM(B1:B2)</f><v>41</v></c>', "41"),
        ('<c r="A1"><f>SUM(B1:B2)</f></c>', "=SUM(B1:B2)"),
        ('<c><v>5</v></c>', "5"),
    ],
)  # fmt: skip
def test_each_kind_of_cell_gives_its_last_value(cell: str, expected: str) -> None:
    texts = "<si><r><t>wh</t></r><r><t>ole</t></r></si><si><t>東京</t><rPh><t>トウキョウ</t></rPh></si>"
    assert markdown(sheet(cell), texts=texts) == expected


def test_empty_rows_part_tables_and_lines_of_one_cell_are_captions() -> None:
    pair = text_cell("A1", "a") + text_cell("D1", "b")
    xml = sheet(text_cell("A1", "Title"), pair, pair, "", pair, pair)
    grid = "| a | b |\n| --- | --- |\n| a | b |"
    assert markdown(xml) == f"Title\n\n{grid}\n\n{grid}"


def test_links_of_cells_are_kept() -> None:
    xml = sheet(text_cell("A1", "x") + text_cell("B1", "y"), after='<hyperlinks><hyperlink ref="B1:B1" r:id="h1"/>'
                '<hyperlink ref="C9" r:id="h1"/><hyperlink ref="?" r:id="h1"/></hyperlinks>')  # fmt: skip
    assert markdown(xml) == "| x | [y](https://b.example/x) |\n| --- | --- |"


def test_hidden_rows_and_columns_are_left_out_and_counted() -> None:
    cells = text_cell("A1", "a") + text_cell("B1", "secret") + text_cell("C1", "c")
    xml = (
        '<cols><col min="1" max="1"/><col min="2" max="2" hidden="1"/></cols><sheetData>'
        f'<row r="1">{cells}</row><row r="2" hidden="1">{text_cell("A2", "secret")}</row>'
        f'<row r="3" hidden="1">{text_cell("A3", "secret")}</row></sheetData>'
    )
    result = read(xlsx({"S": xml}))
    assert result.markdown == "## S\n\n| a | c |\n| --- | --- |"
    assert result.notes == (
        "2 hidden rows are left out of the sheet “S”.",
        "1 hidden column is left out of the sheet “S”.",
    )


def test_long_and_wide_sheets_are_cut_and_say_so() -> None:
    rows = "".join(
        f'<row r="{n}"><c r="A{n}"><v>{n}</v></c><c r="B{n}"><v>0</v></c></row>' for n in range(1, 5_200)
    )
    result = read(xlsx({"Long": f"<sheetData>{rows}</sheetData>"}))
    assert result.markdown.count("\n| ") == 5_001 - 1 + 1
    assert Flag.TRUNCATED in result.flags
    assert "of the sheet “Long” only the first 5,000 rows are shown" in result.notes[0]
    wide = "".join(f"<c><v>{n}</v></c>" for n in range(1, 120))
    result = read(xlsx({"Wide": sheet(wide, wide)}))
    assert "| 100 |" in result.markdown
    assert "101" not in result.markdown
    assert "only the first 100 columns are shown" in result.notes[0]


def test_more_sheets_than_anyone_reads_are_cut() -> None:
    result = read(xlsx({f"S{n}": sheet(text_cell("A1", "x")) for n in range(103)}))
    assert result.markdown.count("## ") == 100
    assert "only the first 100 of 103 sheets are shown" in result.notes[0]


def test_a_workbook_without_cells_is_empty() -> None:
    result = read(xlsx({"S": sheet(), "T": ""}))
    assert (result.reason, result.markdown) == (Reason.EMPTY, "")


def test_a_binary_workbook_is_refused() -> None:
    result = read(zipped({"xl/workbook.bin": b"\x83\x01\x00"}))
    assert (result.kind, result.reason) == (Kind.OFFICE, Reason.UNSUPPORTED_TYPE)
    assert "Excel workbook" in result.detail


def test_a_damaged_sheet_gives_the_rows_before_the_damage() -> None:
    parts = xlsx_parts({"S": sheet(text_cell("A1", "a") + text_cell("B1", "b"))})
    xml = str(parts["xl/worksheets/sheet1.xml"])
    parts["xl/worksheets/sheet1.xml"] = xml[: xml.index("</sheetData>")] + '<row r="2"><c r="A2"'
    assert "| a | b |" in read(zipped(parts)).markdown
