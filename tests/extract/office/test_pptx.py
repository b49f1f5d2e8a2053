from __future__ import annotations

from research_mcp.core.errors import Reason
from research_mcp.core.models import Extracted, Kind
from tests.extract.office.files import line, pptx, read, shape, zipped

TITLE = shape(line("Aims"), "title")


def slides(*shapes: str, notes: str = "") -> Extracted:
    result = read(pptx(*shapes, notes=notes))
    assert (result.kind, result.reason) == (Kind.OFFICE, None), result.detail
    return result


def test_slides_stand_under_their_titles_in_their_order() -> None:
    result = slides(
        shape(line("words")) + TITLE, shape(line("One") + line("two"), "ctrTitle"), shape(line("no title"))
    )
    assert result.markdown == ("## Slide 1: Aims\n\nwords\n\n## Slide 2: One two\n\n## Slide 3\n\nno title")
    assert result.title == "Aims"


def test_bodies_are_lists_by_level_and_boxes_are_paragraphs() -> None:
    body = shape(line("a") + line("b", 'lvl="1"') + line("c") + "<a:p/>", "body")
    plain = shape(line("one") + line("two"))
    single = shape(line("alone"), "")
    off = shape("<a:p><a:pPr><a:buNone/></a:pPr><a:r><a:t>off</a:t></a:r></a:p>" + line("on"), "obj")
    signed = shape(
        "<a:p><a:pPr><a:buChar char='x'/></a:pPr><a:r><a:t>x</a:t></a:r><a:br/><a:r><a:t>y</a:t></a:r></a:p>"
    )
    result = slides(TITLE + body + plain + single + off + signed)
    assert result.markdown == (
        "## Slide 1: Aims\n\n- a\n  - b\n- c\n\none\n\ntwo\n\nalone\n\noff\n\n- on\n- x  \n  y"
    )


def test_looks_links_and_formulas_of_a_text_are_kept() -> None:
    body = (
        line("bold", look='<a:rPr b="1"/>') + line("leaning", look='<a:rPr i="1"/>')
        + line("gone", look='<a:rPr strike="sngStrike"/>')
        + line("there", look='<a:rPr><a:hlinkClick r:id="h1"/></a:rPr>')
        + "<a:p><mc:AlternateContent><mc:Choice><m:oMath><m:r><m:t>x</m:t></m:r></m:oMath></mc:Choice>"
        "</mc:AlternateContent></a:p>"
    )  # fmt: skip
    result = slides(shape(body))
    assert (
        result.markdown
        == "## Slide 1\n\n**bold**\n\n*leaning*\n\n~~gone~~\n\n[there](https://b.example/x)\n\n$x$"
    )


def test_tables_pictures_and_groups_are_read_and_furniture_is_not() -> None:
    cell = "<a:tc><a:txBody>{}</a:txBody></a:tc>"
    grid = (
        f"<p:graphicFrame><a:graphic><a:tbl><a:tr>{cell.format(line('a'))}{cell.format(line('b') + line('c'))}</a:tr>"
        f"<a:tr>{cell.format(line('1'))}{cell.format(line('2'))}</a:tr></a:tbl></a:graphic></p:graphicFrame>"
    )
    picture = "<p:pic><p:nvPicPr><p:cNvPr id='1' descr='{}'/></p:nvPicPr></p:pic>"
    group = (
        f"<p:grpSp>{shape(line('grouped'))}{picture.format('A  boat')}{picture.format('boat.png')}</p:grpSp>"
    )
    result = slides(TITLE + grid + group + shape(line("7"), "sldNum") + shape(line("2026"), "dt"))
    assert result.markdown == (
        "## Slide 1: Aims\n\n| a | b<br>c |\n| --- | --- |\n| 1 | 2 |\n\ngrouped\n\n(picture: A boat)"
    )


def test_speaker_notes_follow_their_slide_and_hidden_slides_are_named() -> None:
    notes = shape(line("Say hello.") + line("Go."), "body") + shape(line("3"), "sldNum")
    result = slides(TITLE, "<!--hidden-->" + TITLE, TITLE, notes=notes)
    assert result.markdown == "## Slide 1: Aims\n\nNotes: Say hello.\n\nGo.\n\n## Slide 3: Aims"
    assert result.notes == ("1 hidden slide is left out.",)


def test_a_presentation_of_pictures_holds_no_text() -> None:
    result = read(pptx("<p:pic/>", "<p:pic/>"))
    assert (result.reason, result.markdown) == (Reason.EMPTY, "")
    assert "pictures" in result.detail


def test_a_presentation_without_its_main_part_is_refused() -> None:
    assert read(zipped({"ppt/slides/slide1.xml": "<x/>"})).reason is Reason.UNSUPPORTED_TYPE


def series(name: str, labels: str, values: str) -> str:
    return (
        f"<c:ser><c:tx><c:strRef><c:f>S!$B$1</c:f><c:strCache><c:pt idx='0'><c:v>{name}</c:v></c:pt></c:strCache></c:strRef></c:tx>"
        f"<c:cat><c:strRef><c:strCache>{labels}</c:strCache></c:strRef></c:cat>"
        f"<c:val><c:numRef><c:numCache>{values}</c:numCache></c:numRef></c:val></c:ser>"
    )


def points(*texts: str) -> str:
    return "".join(f"<c:pt idx='{n}'><c:v>{text}</c:v></c:pt>" for n, text in enumerate(texts))


CHART = '<p:graphicFrame><a:graphic><a:graphicData><c:chart xmlns:c="urn:c" r:id="{}"/></a:graphicData></a:graphic></p:graphicFrame>'


def test_a_chart_is_a_table_of_the_values_it_was_drawn_from() -> None:
    years = points("2023", "2024|b")
    share = "<c:formatCode>0.0%</c:formatCode>" + points("0.25", "0.5")
    chart = (
        "<c:title><c:tx><c:rich><a:p><a:r><a:t>Ships seen</a:t></a:r></a:p></c:rich></c:tx></c:title>"
        f"<c:plotArea><c:barChart>{series('North', years, points('12', '0.30000000000000004'))}"
        f"{series('Share', years, share)}</c:barChart><c:lineChart>{series('Late', points('May'), points('3'))}</c:lineChart>"
        "</c:plotArea>"
    )
    result = read(pptx(TITLE + CHART.format("c1"), chart=chart))
    assert result.markdown == (
        "## Slide 1: Aims\n\n**Ships seen**\n\n|  | North | Share |\n| --- | --- | --- |\n| 2023 | 12 | 25.0% |\n"
        "| 2024\\|b | 0.3 | 50.0% |\n\n|  | Late |\n| --- | --- |\n| May | 3 |"
    )


def test_a_chart_without_its_values_says_nothing() -> None:
    empty = "<c:plotArea><c:barChart><c:ser><c:idx val='0'/></c:ser></c:barChart></c:plotArea>"
    assert (
        read(pptx(TITLE + CHART.format("c1") + CHART.format("gone"), chart=empty)).markdown
        == "## Slide 1: Aims"
    )
