from __future__ import annotations

from collections.abc import Sequence

import pytest

from research_mcp.extract.pdf.read import read_pdf
from tests.extract.pdf_files import WORDS, document

ROWS = [["Port", "Ships", "Depth"], ["Aberdeen", "1204", "9.5"], ["Bergen", "873", "11.0"]]
XS = (100, 250, 400)


def drawn(rows: Sequence[Sequence[str]], xs: Sequence[int] = XS, top: int = 600, size: int = 10) -> bytes:
    """Cells as layout programs draw them: each by itself, at its place."""
    return b"".join(
        b"BT /F1 %d Tf 1 0 0 1 %d %d Tm (%s) Tj ET\n" % (size, x, top - 18 * n, cell.encode())
        for n, row in enumerate(rows)
        for x, cell in zip(xs, row, strict=False)
        if cell
    )


def prose(top: int) -> bytes:
    return b"".join(
        b"BT /F1 10 Tf 1 0 0 1 72 %d Tm (%s) Tj ET\n" % (top - 12 * n, WORDS.encode()) for n in range(4)
    )


def markdown(*pages: bytes) -> str:
    return read_pdf(document([(b"", page) for page in pages]), 10).markdown


def test_cells_side_by_side_become_a_table_between_its_paragraphs() -> None:
    text = markdown(prose(720) + drawn(ROWS) + prose(500))
    grid = "| Port | Ships | Depth |\n| --- | --- | --- |\n| Aberdeen | 1204 | 9.5 |\n| Bergen | 873 | 11.0 |"
    assert f"basin\n\n{grid}\n\nThe harbour" in text


def test_a_row_with_gaps_keeps_its_columns() -> None:
    rows = [*ROWS, ["", "2310", "12.0"], ["Total", "", "10.1"]]
    assert markdown(prose(720) + drawn(rows)).endswith("|  | 2310 | 12.0 |\n| Total |  | 10.1 |")


def test_numbers_set_to_the_right_stay_in_their_column() -> None:
    body = drawn(ROWS) + drawn([["Oslo", "7"]], (100, 270), top=546)
    assert markdown(prose(720) + body).endswith("| Oslo | 7 |  |")


@pytest.mark.parametrize(
    ("rows", "xs"),
    [
        ([["1.", "first things"], ["2.", "second things"], ["3.", "third things"]], (72, 100)),
        ([["Only one", "short pair"], ["of lines", "side by side"]], (72, 300)),
        ([[WORDS[:48], WORDS[20:68]]] * 5, (72, 320)),
    ],
)
def test_what_only_stands_side_by_side_is_no_table(rows: list[list[str]], xs: tuple[int, ...]) -> None:
    text = markdown(prose(720) + drawn(rows, xs))
    assert "| --- |" not in text
    assert all(word in text for row in rows for cell in row for word in cell.split())


@pytest.mark.parametrize("xs", [(175, 325), (100, 102)])
def test_rows_that_do_not_fit_the_columns_make_no_table(xs: tuple[int, ...]) -> None:
    text = markdown(prose(720) + drawn(ROWS) + drawn([["Oslo", "misfit"]], xs, top=546))
    assert "| Oslo" not in text
    assert "Oslo" in text


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        (("渔民们满载而归尽管天气", "预报说会有暴风雨"), "渔民们满载而归尽管天气预报说会有暴风雨"),
        (("天気予報は嵐を告げてい、", "たが子供たちは"), "天気予報は嵐を告げてい、たが子供たちは"),
        (("어부들은 만선으로", "돌아왔다 일기 예보는"), "어부들은 만선으로 돌아왔다 일기 예보는"),
        (("渔民们 said", "预报说会有暴风雨"), "渔民们 said 预报说会有暴风雨"),
    ],
)
def test_lines_of_chinese_and_japanese_join_without_a_space(signs: tuple[str, str], expected: str) -> None:
    """A composite font whose codes are UCS-2, as its ToUnicode table says."""
    table = (
        b"/CIDInit /ProcSet findresource begin begincmap 1 begincodespacerange <0000> <FFFF> endcodespacerange\n"
        b"1 beginbfrange <0000> <FFFF> <0000> endbfrange endcmap end"
    )
    fonts = [
        b"<< /Type /Font /Subtype /Type0 /BaseFont /Song /Encoding /Identity-H /DescendantFonts [7 0 R] /ToUnicode 8 0 R >>",
        b"<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Song /DW 1000 /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> >>",
        (b"", table),
    ]
    page = b"".join(
        b"BT /F9 12 Tf 1 0 0 1 72 %d Tm <%s> Tj ET\n"
        % (700 - 14 * n, line.encode("utf-16-be").hex().encode())
        for n, line in enumerate(signs)
    )
    body = document([(b"", page)], extra=fonts).replace(b"/F3 5 0 R", b"/F9 6 0 R")
    assert read_pdf(body, 10).markdown == expected


def cell(x: int, top: int, *lines: str) -> bytes:
    return b"".join(
        b"BT /F1 10 Tf 1 0 0 1 %d %d Tm (%s) Tj ET\n" % (x, top - 12 * n, line.encode())
        for n, line in enumerate(lines)
    )


WRAPPED = (
    "| Port | Remarks | Depth |\n| --- | --- | --- |\n"
    "| Aberdeen the old harbour | dredged every spring by the harbour board | 9.5 |\n"
    "| Bergen | open | 11.0 |"
)


@pytest.mark.parametrize("drop", [0, 12, 24], ids=["top", "middle", "bottom"])
def test_the_lines_of_a_wrapped_cell_stay_together(drop: int) -> None:
    head = drawn([["Port", "Remarks", "Depth"]])
    first = cell(100, 580 - min(drop, 12), "Aberdeen the", "old harbour")
    wide = cell(250, 580, "dredged every spring", "by the harbour", "board")
    last = cell(100, 540, "Bergen") + cell(250, 540, "open") + cell(400, 540, "11.0")
    text = markdown(prose(720) + head + first + wide + cell(400, 580 - drop, "9.5") + last + prose(500))
    assert f"\n\n{WRAPPED}\n\nThe harbour" in text


def test_heads_too_close_to_tell_apart_stand_above_their_table() -> None:
    head = cell(150, 600, "Harbour") + cell(193, 600, "Vessels") + cell(400, 600, "Depth")
    text = markdown(prose(720) + head + drawn(ROWS[1:], top=580) + drawn([["Cork", "511", "7.5"]], top=544))
    assert "Harbour Vessels Depth\n\n| Aberdeen | 1204 | 9.5 |" in text


def test_values_under_each_other_stay_rows_of_their_own() -> None:
    rows = [
        ["Year", "Quarter", "Ships"],
        ["2024", "Q1", "5"],
        ["", "Q2", "6"],
        ["", "", "7"],
        ["2025", "Q1", "8"],
    ]
    body = b"".join(
        cell(x, 600 - 12 * n, value)
        for n, row in enumerate(rows)
        for x, value in zip(XS, row, strict=True)
        if value
    )
    text = markdown(prose(720) + body)
    assert "5 6" not in text
    assert "6 7" not in text


def test_columns_of_prose_side_by_side_are_no_table() -> None:
    columns = [cell(x, 600, *[WORDS[:40]] * 14) for x in (72, 300)]
    assert "| --- |" not in markdown(prose(720) + b"".join(columns))
