"""Code keeps its lines, its indentation and its language."""

from __future__ import annotations

import pytest

from research_mcp.extract.html.page import convert_whole
from tests.extract.html_pages import read

LAMP = "def light(lamp):\n    if lamp.broken:\n        return None\n    return lamp.on()"


@pytest.mark.parametrize(
    "html",
    [
        f'<pre><code class="language-python">{LAMP}</code></pre>',
        f'<div class="highlight-python notranslate"><div class="highlight"><pre>{LAMP}</pre></div></div>',
        f'<div class="highlight highlight-source-python"><pre>{LAMP}</pre></div>',
        f'<pre class="brush: python">{LAMP}</pre>',
        f'<pre class="sourceCode python"><code>{LAMP}</code></pre>',
        f'<pre data-lang="python">{LAMP}</pre>',
        f'<pre><code class="hljs python">{LAMP}</code></pre>',
    ],
)
def test_a_code_block_keeps_indentation_and_its_stated_language(html: str) -> None:
    assert f"```python\n{LAMP}\n```" in read(html)


@pytest.mark.parametrize(
    "inside",
    [
        "".join(f'<div class="line"><span class="k">{line}</span></div>' for line in LAMP.split("\n")),
        LAMP.replace("\n", "<br>"),
        "".join(
            f'<span class="ln">{number}</span>{line}\n' for number, line in enumerate(LAMP.split("\n"), 1)
        ).replace('class="ln"', 'class="lineno"'),
        f'{LAMP}<button class="copy">Copy</button>',
    ],
)
def test_lines_survive_whatever_a_highlighter_makes_of_them(inside: str) -> None:
    assert f"```\n{LAMP}\n```" in read(f"<pre>{inside}</pre>")


def test_a_gutter_beside_the_code_is_left_out() -> None:
    html = (
        '<table class="highlighttable"><tr><td class="linenos"><div><pre>1\n2\n3\n4</pre></div></td>'
        f'<td class="code"><pre>{LAMP}</pre></td></tr></table>'
    )
    markdown = read(html)
    assert f"```\n{LAMP}\n```" in markdown
    assert "1\n2" not in markdown


def test_a_table_of_numbered_code_lines_becomes_one_block() -> None:
    rows = "".join(
        f'<tr><td class="blob-num" data-line-number="{number}">{number}</td><td class="blob-code">{line}</td></tr>'
        for number, line in enumerate(LAMP.split("\n"), 1)
    )
    assert f"```\n{LAMP}\n```" in read(f'<table class="code-listing">{rows}</table>')


def test_a_fence_is_longer_than_the_backticks_inside() -> None:
    assert "````\nrun ```now```\nthen wait\n````" in read("<pre><code>run ```now```\nthen wait</code></pre>")


def test_the_name_of_a_highlighter_is_no_language() -> None:
    html = f'<div class="codeBlockContainer"><pre class="prism-code language-python thin"><code class="codeBlockLines">{LAMP}</code></pre></div>'
    assert f"```python\n{LAMP}\n```" in read(html)


def test_classes_that_name_no_language_give_none() -> None:
    assert f"```\n{LAMP}\n```" in read(
        f'<pre class="code-block wrapper"><code class="language-none">{LAMP}</code></pre>'
    )


def test_inline_code_stays_in_its_sentence() -> None:
    assert "Set `max_height` to nine metres first." in read(
        "<p>Set <code>max_height</code> to nine metres first.</p>"
    )


def test_inline_code_with_a_backtick_gets_longer_ticks() -> None:
    assert "Type `` a`b `` and wait for the answer." in read(
        "<p>Type <code>a`b</code> and wait for the answer.</p>"
    )


def test_code_is_never_escaped() -> None:
    assert "`a_b_c * <d>`" in read("<p>The value <code>a_b_c * &lt;d&gt;</code> is read once a day.</p>")
    assert "x = *a_b* < <c>" in read("<pre>x = *a_b* &lt; &lt;c&gt;\ny = 2</pre>")


def test_an_empty_code_block_leaves_no_trace() -> None:
    assert "```" not in read("<pre><code>  </code></pre>")


def test_inline_code_in_words_of_their_own_keeps_its_spaces() -> None:
    html = "<p>Run <code><span>pip</span> <span>install</span><br>lamp</code> and <kbd>Alt</kbd><kbd>F4</kbd>.</p>"
    assert "Run `pip install lamp` and `Alt` `F4`." in read(html)


def test_links_inside_inline_code_are_kept() -> None:
    html = (
        '<p>See <code><a href="../mod.html">mod_lamp</a></code> and'
        ' <code>List&lt;<a href="/s">Lamp</a>&gt; <a href="#f">f</a></code>.</p>'
    )
    markdown = read(html)
    assert "See [`mod_lamp`](https://lighthouse.example/keepers/mod.html) and " in markdown
    assert "`List<`[`Lamp`](https://lighthouse.example/s)`> f`." in markdown


def test_linked_code_stays_code_and_a_listing_of_files_is_a_list() -> None:
    code = '<pre>class <a href="a.html">Lamp</a> : <a href="b.html">Light</a> {\n  <a href="c.html">on</a>();\n}</pre>'
    assert "```\nclass Lamp : Light {\n  on();\n}\n```" in read(code)
    files = "".join(f'<a href="{name}">{name}</a>  2024-05-01 10:00  1.2K\n' for name in ("a.txt", "b.txt"))
    assert "- [b.txt](https://lighthouse.example/keepers/guide/b.txt) 2024-05-01" in read(
        f"<pre>{files}</pre>"
    )


def test_code_that_is_only_set_in_is_no_quotation() -> None:
    markdown = read(
        f"<blockquote><pre>{LAMP}</pre></blockquote><blockquote>Said:<pre>a\nb</pre></blockquote>"
    )
    assert f"\n```\n{LAMP}\n```\n" in markdown
    assert "> Said:\n>\n> ```\n> a\n> b\n> ```" in markdown


def test_an_item_of_code_opens_its_fence_on_a_line_of_its_own() -> None:
    assert "1.\n   ```\n   a\n     b\n   ```" in read(
        "<ol><li><pre>a\n  b</pre></li><li>Then wait.</li></ol>"
    )


def test_code_with_a_gutter_under_the_name_of_its_file_keeps_both_apart() -> None:
    html = (
        '<div class="language-python highlight"><table class="highlighttable"><tr><th colspan="2">lamp.py</th></tr>'
        '<tr><td class="linenos"><div><pre><span><a href="#l1">1</a></span>\n<span><a href="#l2">2</a></span></pre></div></td>'
        f'<td class="code"><div><pre><code>{LAMP}</code></pre></div></td></tr></table></div>'
    )
    assert f"lamp.py\n\n```python\n{LAMP}\n```" in read(html)


def test_code_and_lists_that_begin_an_explanation_stand_on_lines_of_their_own() -> None:
    html = "<dl><dt>Lamps</dt><dd><ul><li>large</li><li>small</li></ul></dd><dt>Use</dt><dd><pre>a\n  b</pre></dd></dl>"
    assert "Lamps\n\n  - large\n  - small\n\nUse\n\n  ```\n  a\n    b\n  ```" in convert_whole(html)
