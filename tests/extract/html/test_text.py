"""Paragraphs, headings, lists, quotations, notes and formulas as Markdown."""

from __future__ import annotations

import pytest

from research_mcp.extract.html.page import convert_whole
from tests.extract.html_pages import block, read


def test_nested_lists_are_indented() -> None:
    html = "<ul><li>Coffee for the crew<ul><li>black and strong</li><li>with milk</li></ul></li><li>Tea for the pilot</li></ul>"
    assert block(
        "- Coffee for the crew", "  - black and strong", "  - with milk", "- Tea for the pilot"
    ) in read(html)


def test_ordered_lists_count_from_their_start() -> None:
    assert block("7. Cast off the lines", "8. Hoist the sail") in read(
        '<ol start="7"><li>Cast off the lines</li><li>Hoist the sail</li></ol>'
    )


def test_an_item_keeps_its_paragraphs_and_code() -> None:
    html = "<ul><li><p>Clean the glass first.</p><p>Use soft cloth.</p><pre>lamp off\nlamp clean</pre></li><li><p>Then rest.</p></li></ul>"
    expected = block(
        "- Clean the glass first.",
        "",
        "  Use soft cloth.",
        "",
        "  ```",
        "  lamp off",
        "  lamp clean",
        "  ```",
    )
    assert expected in read(html)


def test_definitions_follow_their_terms() -> None:
    html = "<dl><dt>Fathom</dt><dd>six feet of water</dd><dt>Knot</dt><dd>a nautical mile an hour</dd></dl>"
    assert block("Fathom", ": six feet of water", "", "Knot", ": a nautical mile an hour") in read(html)


def test_headings_keep_their_level_and_lose_their_anchor_sign() -> None:
    html = (
        '<h2 id="a">Arrivals<a class="headerlink" href="#a">¶</a></h2><p>Nothing came in before the gale was over.</p>'
        '<h3><a href="#b" class="anchor">Link</a>Late ships</h3><p>Two ships waited outside until the morning.</p>'
        '<h4>Reasons <span class="mw-editsection">[<a href="/edit">edit</a>]</span></h4><p>Fog, and a broken lamp.</p>'
    )
    markdown = read(html)
    for line in ("## Arrivals", "### Late ships", "#### Reasons"):
        assert line in markdown.split("\n")


def test_a_quotation_is_marked_in_all_its_paragraphs() -> None:
    assert block("> The sea forgets.", ">", "> We do not.") in read(
        "<blockquote><p>The sea forgets.</p><p>We do not.</p></blockquote>"
    )


def test_emphasis_keeps_the_spaces_around_it() -> None:
    assert "Mind the *swinging* boom and the **wet** deck." in read(
        "<p>Mind the<em> swinging </em>boom and the <strong>wet</strong> deck.</p>"
    )


def test_line_breaks_are_kept() -> None:
    assert "Lamp Society  \nHarbour Road 4  \nNorth Rock" in read(
        "<p>Lamp Society<br>Harbour Road 4<br>North Rock</p>"
    )


@pytest.mark.parametrize(
    "text",
    [
        "Call the max_height_limit option (v1.2) - it is fast &amp; safe, 3 &lt; 4, 2 * 3 * 4.",
        "Pass f(*args, **kwargs) on, or C:\\new_dir\\lamp for [optional] values!",
        "It costs $5 or #6, at 50% off ~ roughly; see key=value|other.",
    ],
)
def test_no_backslash_is_written_without_need(text: str) -> None:
    plain = text.replace("&amp;", "&").replace("&lt;", "<")
    assert plain in read(f"<p>{text}</p>")


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("Write *this* by hand, please, and send it over.", r"Write \*this\* by hand"),
        ("The __init__ method lights the lamp at dusk.", r"The \_\_init\_\_ method"),
        ("Use the &lt;lamp&gt; tag for every single lamp.", r"Use the \<lamp> tag"),
        ("Write [text](target) to make a link in there.", r"Write \[text](target)"),
        ("Write &amp;amp; for the sign in every document.", "Write &amp;amp; for"),
        ("# is the sign of the number in some countries.", r"\# is the sign"),
        ("1986. That year the lamp went electric at last.", r"1986\. That year"),
        ("- said nobody, ever, about this kind of weather.", r"\- said nobody"),
    ],
)
def test_text_that_looks_like_markup_stays_text(html: str, markdown: str) -> None:
    assert markdown in read(f"<p>{html}</p>")


def test_neighbouring_blocks_never_run_together() -> None:
    markdown = read("<div>First line of words<div>second block of words</div>third tail of words</div>")
    assert block("First line of words", "", "second block of words", "", "third tail of words") in markdown


def test_labels_that_only_a_style_sheet_keeps_apart_do_not_run_together() -> None:
    assert "Weight 300 grams" in read(
        "<p>Facts about it: <span>Weight</span><span>300 grams</span> in the box.</p>"
    )


def test_folded_answers_are_kept_with_their_question() -> None:
    markdown = read(
        "<details><summary>How deep is it?</summary><p>It is nine fathoms at the outer mark.</p></details>"
    )
    assert block("**How deep is it?**", "", "It is nine fathoms at the outer mark.") in markdown


def test_notes_are_paired_with_their_signs() -> None:
    html = (
        '<p>The lamp was lit in 1811<sup id="r1"><a href="#fn1">1</a></sup> and never failed since that day.</p>'
        '<ol class="footnotes"><li id="fn1">According to the second log book. <a href="#r1">↩</a></li></ol>'
    )
    markdown = read(html)
    assert "lit in 1811[^1] and never" in markdown
    assert "[^1]: According to the second log book." in markdown
    assert "↩" not in markdown


@pytest.mark.parametrize(
    ("html", "tex"),
    [
        (
            (
                '<span class="katex"><span class="katex-mathml"><math><semantics><mrow><mi>x</mi></mrow><annotation '
                'encoding="application/x-tex">x^2_1</annotation></semantics></math></span><span class="katex-html" '
                'aria-hidden="true">x21</span></span>'
            ),
            "$x^2_1$",
        ),
        (
            '<span class="MathJax_Preview">x</span><script type="math/tex">\\alpha + 1</script>',
            "$\\alpha + 1$",
        ),
        ("<math><mfrac><mi>a</mi><msqrt><mi>b</mi></msqrt></mfrac></math>", "$\\frac{a}{\\sqrt{b}}$"),
        (
            "<math><msubsup><mi>x</mi><mn>1</mn><mn>2</mn></msubsup><mo>=</mo><mroot><mi>y</mi><mn>3</mn></mroot></math>",
            "$x_{1}^{2} = \\sqrt[3]{y}$",
        ),
        ('<math alttext="{\\displaystyle E=mc^{2}}"><mi>E</mi></math>', "$E=mc^{2}$"),
        ('<math display="block"><msup><mi>x</mi><mn>2</mn></msup></math>', "$$x^{2}$$"),
    ],
)
def test_formulas_are_written_as_tex(html: str, tex: str) -> None:
    assert f"The height is {tex} on every day" in read(
        f"<p>The height is {html} on every day of the year.</p>"
    )


def test_raw_tex_is_set_in_dollars_when_the_page_typesets_it() -> None:
    markdown = read(
        "<p>It follows that \\(a_1 * b_1 * c\\) is small here.</p>", '<script src="/MathJax.js"></script>'
    )
    assert "that $a_1 * b_1 * c$ is small" in markdown


def test_an_attribute_of_the_page_cannot_pose_as_a_formula() -> None:
    assert "Plain \\*words\\* here" in read(
        '<p><span formula="inline">Plain *words* here</span> in a sentence.</p>'
    )


def test_quotation_marks_and_powers_are_written_out() -> None:
    markdown = read("<p>They say <q>never again</q> at 10<sup>6</sup> lumens, each year anew.</p>")
    assert "They say “never again” at 10^6 lumens" in markdown


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("E = mc<sup>2</sup>", "E = mc^2"),
        ("10<sup>-6</sup> m", "10^-6 m"),
        ("10<sup>\u22126</sup> m", "10^\u22126 m"),
        ("<i>x</i><sup>2</sup> is", "*x*^2 is"),
        ("5 km<sup>2</sup> wide", "5 km^2 wide"),
        ("(a + b)<sup>n</sup> is", "(a + b)^n is"),
        ("at $19<sup>99</sup> each", "at $19.99 each"),
        ("the 1<sup>st</sup> of", "the 1st of"),
        ("as Smith wrote<sup>2</sup> then", "as Smith wrote2 then"),
        ("H<sub>2</sub>O", "H2O"),
    ],
)
def test_a_raised_number_keeps_its_meaning(html: str, text: str) -> None:
    assert text in read(f"<p>The keeper wrote in his log book: {html}, and closed it for the day.</p>")


def test_two_prices_side_by_side_are_parted() -> None:
    html = '<p>Buy the <s>$140.00 USD</s><span>$98.00 USD</span> lamp or <a href="/oak">Oak Road</a><span>£470,000</span>.</p>'
    markdown = read(html)
    assert "~~$140.00 USD~~ $98.00 USD" in markdown
    assert "/oak) £470,000" in markdown


def test_struck_text_is_marked() -> None:
    assert "It was ~~old~~ new," in read(
        "<p>It was <del>old</del> new, they said in the second log book.</p>"
    )


def test_a_heading_in_a_folded_part_stays_a_heading() -> None:
    html = "<details open><summary><a href='/src'>source</a><h4>light(lamp)</h4></summary><p>Lights it.</p></details>"
    assert "\n\n#### light(lamp)\n\nLights it." in read(html)


@pytest.mark.parametrize("space", ["<span> </span>", '<span class="w">&#160;</span>', "<b>\n</b>"])
def test_a_space_in_an_element_of_its_own_stays_a_space(space: str) -> None:
    html = f"<p>The call is <em>light</em>{space}<span>lamp</span> and no other.</p>"
    assert "The call is *light* lamp and no other." in read(html)


def test_signs_that_link_to_their_own_place_and_ways_back_to_the_top_stay_out() -> None:
    html = (
        '<dl><dt>light(lamp)<a class="headerlink" href="#light">¶</a></dt><dd>Lights it.</dd></dl>'
        '<p>Lit at dusk<a href="#note">*</a>. <a href="#">Back to top</a></p>'
    )
    markdown = read(html)
    assert "light(lamp)\n: Lights it.\n\n" in markdown
    assert "Lit at dusk*." in markdown
    assert "Back to top" not in markdown


def test_labels_of_tabs_do_not_run_together() -> None:
    html = "<div><label>pip</label><label>conda</label></div><div><pre>pip install lamp</pre></div>"
    assert "pip conda" in convert_whole(html)


@pytest.mark.parametrize("name", ["arithmatex", "math inline"])
def test_raw_tex_is_known_by_the_class_that_its_writer_gave_it(name: str) -> None:
    assert "It is $a^2 + b^2$ here." in read(
        f'<p>It is <span class="{name}">\\(a^2 + b^2\\)</span> here.</p>'
    )
