"""Pages as the web has them: frames, listings of files, task lists, old tables, odd markup."""

from __future__ import annotations

import pytest

from tests.extract.html_pages import FIRST, LAST, URL, article, block, read, result


def test_a_page_of_frames_leads_to_its_frames() -> None:
    page = (
        '<html><head><title>Old site</title></head><frameset cols="20%,80%"><frame src="menu.html" name="menu">'
        '<frame src="/main.html" title="The log"><noframes><p>See <a href="log.html">the log</a>.</p></noframes></frameset></html>'
    )
    assert result(page).markdown == block(
        "See [the log](https://lighthouse.example/keepers/guide/log.html).",
        "",
        "- [menu](https://lighthouse.example/keepers/guide/menu.html)",
        "- [The log](https://lighthouse.example/main.html)",
    )


def test_a_listing_of_files_is_a_list_of_links() -> None:
    page = (
        '<html><title>Index of /pub</title><body><h1>Index of /pub</h1><hr><pre><a href="../">../</a>\n'
        '<a href="a.tar.gz">a.tar.gz</a>   01-Jan-2024 10:00  12345\n<a href="b.csv">b.csv</a>  02-Jan-2024 10:00  99\n</pre>'
    )
    assert result(page, "https://files.example/pub/").markdown == block(
        "# Index of /pub",
        "",
        "- [../](https://files.example/)",
        "- [a.tar.gz](https://files.example/pub/a.tar.gz) 01-Jan-2024 10:00 12345",
        "- [b.csv](https://files.example/pub/b.csv) 02-Jan-2024 10:00 99",
    )


def test_code_with_a_link_or_two_stays_code() -> None:
    code = '<pre><code>import <a href="/os">os</a>\nimport <a href="/re">re</a></code></pre><pre>a\nb <a href="/c">c</a>\nd\ne</pre>'
    markdown = read(code)
    assert "```\nimport os\nimport re\n```" in markdown
    assert "```\na\nb c\nd\ne\n```" in markdown


def test_a_task_list_says_what_is_done() -> None:
    box = '<li class="task-list-item"><input type="checkbox" disabled {}> {}</li>'
    markdown = read(f"<ul>{box.format('checked', 'Wind the clock')}{box.format('', 'Trim the wick')}</ul>")
    assert "- [x] Wind the clock\n- [ ] Trim the wick" in markdown


def test_boxes_that_a_visitor_may_tick_say_nothing() -> None:
    markdown = read(
        '<ul><li><input type="checkbox"> Wind the clock</li><li><input type="checkbox"> Trim it</li></ul>'
    )
    assert "[ ]" not in markdown


def test_a_heading_that_has_nothing_of_the_title_stays() -> None:
    page = article("").replace("<title>Keeping the lamp", "<title>Lighthouse Society")
    assert result(page).markdown.startswith("# A year on the rock\n")


def test_xhtml_with_cdata_is_read_without_its_scripts() -> None:
    page = (
        '<?xml version="1.0"?><!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1">'
        '<html xmlns="http://www.w3.org/1999/xhtml"><head><title>Log</title><script type="text/javascript">//<![CDATA[\n'
        f'if(a<b)document.write("<p>bad</p>");//]]></script></head><body>{FIRST}{LAST}<p>1 &lt; 2 &amp; more</p></body></html>'
    )
    markdown = result(page).markdown
    assert markdown.endswith("1 < 2 & more")
    assert "bad" not in markdown
    assert "CDATA" not in markdown


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        pytest.param(
            "<table><tr><th>Port</th><th>Notes</th></tr><tr><td>Alder</td><td><ul><li>mud</li><li>a|b</li></ul></td></tr></table>",
            "| Port | Notes |\n| --- | --- |\n| Alder | - mud<br>- a\\|b |",
            id="a list in a cell",
        ),
        pytest.param(
            "<ul><li>one<ol><li>two<ul><li>three</li></ul></li></ol></li></ul>",
            "- one\n  1. two\n     - three",
            id="lists in lists",
        ),
        pytest.param(
            "<dl><dt>Fathom</dt><dd>six feet</dd><dd>a unit</dd></dl>",
            "Fathom\n: six feet\n: a unit",
            id="definitions",
        ),
        pytest.param(
            '<p>Let <math alttext="x^{2}"><msup><mi>x</mi><mn>2</mn></msup></math> be the depth.</p>',
            "Let $x^{2}$ be the depth.",
            id="a formula of arXiv",
        ),
        pytest.param(
            "<table class='infobox'><tr><th colspan=2>Port</th></tr><tr><th>Depth</th><td>12 m</td></tr>"
            "<tr><th>Opened</th><td>1898</td></tr></table><p>The port was opened by the mayor.</p>",
            "| Depth | 12 m |\n| Opened | 1898 |",
            id="a box of facts",
        ),
        pytest.param(
            '<blockquote><p>"We are glad," said the mayor.</p></blockquote><p>She left at noon.</p>',
            '> "We are glad," said the mayor.\n\nShe left at noon.',
            id="a quotation",
        ),
        pytest.param(
            "<p><strong>ANNA:</strong> <span>00:01</span> So it began.</p><p><strong>BEN:</strong> <span>00:02</span> It did.</p>",
            "**ANNA:** 00:01 So it began.\n\n**BEN:** 00:02 It did.",
            id="a transcript",
        ),
    ],
)
def test_structure_of_many_kinds_is_kept(body: str, expected: str) -> None:
    assert expected in read(body)


def test_scripts_from_right_to_left_and_without_spaces_stay_as_they_are() -> None:
    arabic = "يحتفظ مكتب الميناء بسجل يومي لكل سفينة تدخل الحوض ويقارن الموظفون السجل بجداول المد."
    japanese = "港湾事務所は、入港するすべての船の記録を毎日つけています。職員は正午前に潮汐表と照合します。"
    markdown = result(article(f"<p dir='rtl'>{arabic}</p><p>{japanese}</p>"), URL).markdown
    assert arabic in markdown
    assert japanese in markdown
