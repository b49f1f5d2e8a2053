from __future__ import annotations

import time

import pytest
from selectolax.lexbor import LexborHTMLParser

from research_mcp.core.models import Flag
from research_mcp.extract.hidden.drop import HiddenReport, strip_hidden
from research_mcp.extract.html.page import convert_html
from tests.extract.hidden_cases import ARTICLE, HIDDEN, SECRET, SEEN, VISIBLE, page, ruled, styled

URL = "https://docs.example.org/log.html"


def stripped(html: str) -> tuple[str, HiddenReport]:
    tree = LexborHTMLParser(html)
    report = strip_hidden(tree)
    return tree.html or "", report


@pytest.mark.parametrize("name", HIDDEN)
def test_what_a_visitor_cannot_see_does_not_reach_the_reader(name: str) -> None:
    markdown = convert_html(HIDDEN[name], URL).markdown
    assert "Zq7" not in markdown
    assert "Paragraph 5" in markdown


@pytest.mark.parametrize("name", VISIBLE)
def test_what_a_visitor_can_see_or_open_stays(name: str) -> None:
    html, _ = stripped(VISIBLE[name])
    assert SEEN in html


@pytest.mark.parametrize(
    "name", ["details", "tab panel", "folded answer with a button", "shadow root", "white on a picture"]
)
def test_what_can_be_opened_is_in_the_text(name: str) -> None:
    assert SEEN in convert_html(VISIBLE[name], URL).markdown


def test_the_sets_are_as_large_as_promised() -> None:
    assert len(HIDDEN) >= 43
    assert len(VISIBLE) >= 4


@pytest.mark.parametrize(
    "element",
    [
        '<button aria-controls="d"></button><div id="d" role="dialog" hidden>%s</div>',
        '<button aria-controls="d"></button><nav id="d" hidden>%s</nav>',
        '<div class="faq"><div class="popup" style="display:none">%s</div></div>',
        '<table bgcolor="#000000"><tr><td style="color:#000">%s</td></tr></table>',
        '<div style="background:#123456"><i style="color:#123456">%s</i></div>',
    ],
)
def test_what_opens_over_the_page_or_cannot_be_read_is_no_content(element: str) -> None:
    assert SECRET not in stripped(page(element % SECRET))[0]


def test_an_empty_shadow_root_and_an_empty_template_do_no_harm() -> None:
    html, _ = stripped(page('<template shadowrootmode="open"></template><template id="B:0"></template>'))
    assert html.count("Paragraph 3") == 2


def test_a_page_that_fades_its_whole_text_in_is_kept_with_a_flag() -> None:
    html, report = stripped(page(f'<div style="opacity:0;transition:opacity 1s">{ARTICLE}{ARTICLE}</div>'))
    assert html.count("Paragraph 3") == 4
    assert report.flags == (Flag.FADED_KEPT,)


def test_hidden_text_inside_a_faded_page_still_goes() -> None:
    html, report = stripped(page(f'<div style="opacity:0">{ARTICLE}{ARTICLE}<p hidden>{SECRET}</p></div>'))
    assert SECRET not in html
    assert report.faded_kept


def test_odd_ways_of_hiding_are_flagged_and_common_ones_are_not() -> None:
    odd = stripped(styled("font-size:0").replace(SECRET, SECRET * 3))[1]
    assert odd.flags == (Flag.HIDDEN_TEXT,)
    common = stripped(page(f'<div style="display:none">{SECRET * 3}</div>'))[1]
    assert common.flags == ()
    assert sum(common.removed.values()) > 100


def test_scripts_and_noscript_are_left_to_the_converter() -> None:
    html, _ = stripped(page('<noscript><p>Plain words</p></noscript><script id="d">{"a":1}</script>'))
    assert "Plain words" in html
    assert '{"a":1}' in html


def test_formulas_behind_drawn_ones_stay() -> None:
    html, _ = stripped(page('<span style="display:none"><math alttext="a^2"><mi>a</mi></math></span>'))
    assert "<math" in html


def test_a_page_is_never_emptied_by_a_rule_for_its_body() -> None:
    html, _ = stripped(page("", "<style>body{visibility:hidden} html{opacity:0} main{display:none}</style>"))
    assert html.count("Paragraph 2") == 2


@pytest.mark.parametrize(
    "rule",
    [
        ".note:hover{display:none}",
        ".note{display:none}.open .note{display:block}",
        ".note{display:none}.note.is-open{display:flex}",
        ".other{display:none}",
        "@media print{.note{display:none}}",
        "@media (min-width:2000px){.note{display:none}}",
        "@keyframes x{from{opacity:0}} .note{animation:x 1s}",
        "@supports (display:grid){.note{color:#333}}",
        ".note{color:#fff;background:#06c}",
        ".note::after{display:none}",
        "..{display:none}} .note{} }{",
        ".-1{display:none} .note{overflow:hidden;filter:opacity(x)}",
        ".note{color:#fff}p{background:url(sea.jpg)}",
    ],
)
def test_rules_that_do_not_hide_for_good_hide_nothing(rule: str) -> None:
    assert SECRET in stripped(ruled(rule))[0]


@pytest.mark.parametrize(
    "rule",
    [
        "@media all{.note{display:none}}",
        "@media only screen and (max-width:1400px){.note{visibility:hidden}}",
        "@layer base{.note{display:none}}",
        ".note{color:#333}.note{position:absolute;left:-9999px}",
        "article > .note{font-size:0}",
        "p.note,p.more{display:none}",
        "/* x */ .note /* y */ { /* z */ display : none }",
        ".note{color:#ffffff}",
        ".note{color:#000}body{background:#000}",
        ".note{display:none!important;display:block}",
        "p:is(.x){color:#fff} .x:unknown-thing({color:#fff} .note{color:#fff}",
    ],
)
def test_rules_that_hide_on_a_desktop_screen_hide(rule: str) -> None:
    assert SECRET not in stripped(ruled(rule))[0]


@pytest.mark.parametrize(
    "style",
    [
        "opacity:0.5", "font-size:11px", "position:absolute;left:10px", "text-indent:2em", "color:#333",
        "transform:scale(0.9)", "transform:translate(-50%,-50%)", "clip-path:inset(0)", "height:auto;overflow:hidden",
        "clip:rect(0,100px,100px,0);position:absolute", "background:#eee;color:#111", "visibility:visible",
        "transform:rotate(45deg) scale(0)", "display:block", "color:rgba(0,0,0,.8)", "margin-left:-40px",
        "clip-path:polygon(0 0,100% 0,100% 100%)", "filter:opacity(.9)", "nonsense", "color", ";;;", "font:16px serif",
    ],
)  # fmt: skip
def test_ordinary_styles_hide_nothing(style: str) -> None:
    assert SECRET in stripped(styled(style))[0]


@pytest.mark.parametrize(
    "piece",
    [
        '<div style="display:none">x</div>', '<p style="color:#fff">x</p>', "<div hidden>x</div>", '<p class="a b c">x</p>',
        '<span class="sr-only">x</span>', "<svg><g></g></svg>", "<template>x</template>",
    ],
)  # fmt: skip
def test_the_pass_is_quick_on_large_pages(piece: str) -> None:
    sheet = "<style>" + "".join(f".a{n}{{display:none}}.b{n}{{color:red}}" for n in range(500)) + "</style>"
    tree = LexborHTMLParser(page(piece * (300_000 // len(piece)), sheet))
    started = time.process_time()
    strip_hidden(tree)
    assert time.process_time() - started < 2.0


def test_large_style_sheets_are_quick_too() -> None:
    for rule in (".a{display:none}", "@media x{", "}", "a,b,c,", ".n{color:red;background:", "/*"):
        tree = LexborHTMLParser(
            page("<p class='a n'>x</p>", f"<style>{rule * (300_000 // len(rule))}</style>")
        )
        started = time.process_time()
        strip_hidden(tree)
        assert time.process_time() - started < 2.0, rule


@pytest.mark.parametrize(
    "selector",
    ["a > " * 14 + "a:hover", ".n" + " > > " * 12 + "é", ".n" + "[" * 60_000, ".n:is" + "(:is" * 20_000],
)
def test_a_selector_made_to_hang_does_not(selector: str) -> None:
    sheet = f"<style>{selector}{{display:none}}{selector}{{display:block}}.n{{display:none}}</style>"
    tree = LexborHTMLParser(page("<p class=n>x</p>", sheet))
    started = time.process_time()
    strip_hidden(tree)
    assert time.process_time() - started < 1.0


def test_a_number_of_five_thousand_digits_in_a_media_query_holds_nowhere() -> None:
    assert SECRET in stripped(ruled(f"@media (min-width:{'9' * 5_000}px){{.note{{display:none}}}}"))[0]
