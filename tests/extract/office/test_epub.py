from __future__ import annotations

from research_mcp.core.errors import Reason
from research_mcp.core.models import Flag, Kind
from tests.extract.office.files import epub, epub_parts, read, zipped

PROSE = "<p>The clerks keep the log in the cellar, and nobody reads it.</p>"


def test_chapters_follow_the_spine_and_the_book_states_its_facts() -> None:
    metadata = (
        "<dc:title>The Log</dc:title><dc:creator>Ada Quay</dc:creator><dc:creator>Bo Pier</dc:creator>"
        "<dc:date>2026</dc:date><dc:language>en</dc:language>"
    )
    result = read(
        epub(
            {"b.xhtml": f"<h1>First</h1>{PROSE}", "a.xhtml": f"<h2>Second</h2>{PROSE}<ul><li>one</li></ul>"},
            metadata=metadata,
        )
    )
    assert (result.kind, result.reason) == (Kind.EPUB, None)
    assert (result.title, result.author, result.date, result.language) == (
        "The Log",
        "Ada Quay, Bo Pier",
        "2026",
        "en",
    )
    prose = PROSE[3:-4]
    assert result.markdown == f"# First\n\n{prose}\n\n## Second\n\n{prose}\n\n- one"


def test_short_chapters_and_dedications_are_kept_whole() -> None:
    assert read(
        epub({"a.xhtml": "<p>For Bo.</p>", "b.xhtml": f"<nav><p>aside</p></nav>{PROSE}"})
    ).markdown.startswith("For Bo.")


def test_a_chapter_without_a_heading_gets_its_name_from_the_contents() -> None:
    nav = '<item id="nav" href="nav.xhtml" properties="nav" media-type="application/xhtml+xml"/>'
    ncx = '<item id="ncx" href="toc.ncx" media-type="application/x-dtbncx+xml"/>'
    parts = epub_parts({"a.xhtml": PROSE, "b.xhtml": PROSE}, manifest=nav + ncx)
    parts["OEBPS/nav.xhtml"] = (
        '<html><nav><a href="a.xhtml#top">The Cellar</a><a href="x">none</a></nav></html>'
    )
    parts["OEBPS/toc.ncx"] = (
        '<ncx><navMap><navPoint><navLabel><text>The Attic</text></navLabel><content src="b.xhtml"/></navPoint></navMap></ncx>'
    )
    prose = PROSE[3:-4]
    assert read(zipped(parts)).markdown == f"## The Cellar\n\n{prose}\n\n## The Attic\n\n{prose}"


def test_links_into_the_book_are_text_and_links_out_of_it_stay() -> None:
    body = '<p>See <a href="b.xhtml#x">there</a> or <a href="https://b.example/x">the web</a>.</p>'
    assert read(epub({"a.xhtml": body})).markdown == "See there or [the web](https://b.example/x)."


def test_notes_are_counted_for_each_chapter() -> None:
    body = '<p>Word<a href="#fn1">1</a> here.</p><div class="footnotes"><p id="fn1">A note.</p></div>'
    text = read(epub({"a.xhtml": body, "b.xhtml": body})).markdown
    assert "Word[^1] here." in text
    assert "Word[^2-1] here." in text
    assert "[^2-1]: A note." in text


def test_a_chapter_that_would_hang_a_parser_is_read_as_words() -> None:
    parts = epub_parts({"a.xhtml": "<h1>First</h1>" + PROSE + "<i></i>" * 160_000 + "<p>last words</p>"})
    result = read(zipped(parts, stored=("OEBPS/a.xhtml",)))
    assert "nobody reads it" in result.markdown
    assert "last words" in result.markdown


def test_a_fragment_without_a_body_and_a_missing_chapter_do_no_harm() -> None:
    parts = epub_parts({"a.xhtml": "", "b.xhtml": PROSE})
    parts["OEBPS/a.xhtml"] = "<p>bare</p>"
    assert read(zipped(parts)).markdown.startswith("bare\n\nThe clerks")
    del parts["OEBPS/a.xhtml"]
    assert read(zipped(parts)).markdown.startswith("The clerks")


def test_a_book_locked_by_its_seller_is_refused_and_scrambled_fonts_are_not() -> None:
    lock = "<encryption><EncryptedData><CipherData><CipherReference URI='{}'/></CipherData></EncryptedData></encryption>"
    parts = epub_parts({"a b.xhtml": PROSE})
    assert read(zipped(parts | {"META-INF/encryption.xml": lock.format("OEBPS/f.otf")})).reason is None
    locked = read(zipped(parts | {"META-INF/encryption.xml": lock.format("OEBPS/a%20b.xhtml")}))
    assert (locked.kind, locked.reason) == (Kind.EPUB, Reason.UNSUPPORTED_TYPE)
    assert "locked" in locked.detail


def test_a_book_without_its_package_is_refused() -> None:
    assert (
        read(zipped({"mimetype": "application/epub+zip", "a.xhtml": PROSE})).reason is Reason.UNSUPPORTED_TYPE
    )


def test_a_book_of_many_long_chapters_is_cut_in_time_and_says_so() -> None:
    chapter = f"<h1>Chapter</h1>{PROSE * 3_000}"
    book = epub({f"{n}.xhtml": chapter for n in range(60)})
    for seconds in (2, 4, 8, 16):  # a busy machine may need the first of them for one chapter
        result = read(book, seconds=seconds)
        if result.reason is None:
            break
    assert Flag.TRUNCATED in result.flags
    assert result.markdown.count("# Chapter") >= 1
