"""Bits of HTML as Markdown: what posts hold, and what nobody should have to bear."""

from __future__ import annotations

import asyncio
import time

import pytest

from research_mcp.providers.kit.fragment import MAX_DEPTH, MOST, fenced, rebased, to_markdown, visible


def converted(html: str, base: str = "https://forum.test/t/1") -> str:
    (text,) = asyncio.run(to_markdown([html], base))
    return text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("plain text ", "plain text"),
        ("fish &amp; chips", "fish & chips"),
        ("one<p>two<p>three", "one\n\ntwo\n\nthree"),
        ("<p>one<br>two <br /> three</p>", "one\ntwo\nthree"),
        ("<h2>Why <b>so</b></h2><p>x</p>", "## Why **so**\n\nx"),
        ("<h3> </h3><p>x</p><p> </p>", "x"),
        ("a <b>bold</b> <em>word</em> <del>gone</del> <b> </b>x", "a **bold** *word* ~~gone~~ x"),
        ("<p><span>a</span> b</p><hr><p>c</p>", "a b\n\n---\n\nc"),
        ("<blockquote><p>q</p><p>r</p></blockquote>s", "> q\n>\n> r\n\ns"),
        ("<blockquote> </blockquote>s", "s"),
        ("<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c"),
        ("<ol><li><p>a</p><pre><code>x\n  y</code></pre></li><li>b</li></ol>", "1. a\n   ```\n   x\n     y\n   ```\n2. b"),
        ('<pre class="lang-py s"><code>if x:\n    y\n</code></pre>', "```py\nif x:\n    y\n```"),
        ('<pre><code class="language-c++">a</code></pre>', "```c++\na\n```"),
        ("<pre>```\nx\n```</pre>", "````\n```\nx\n```\n````"),
        ("use <code>a_b</code> or <code>a`b</code><code> </code>", "use `a_b` or `` a`b ``"),
        ("<table><tr><th>a</th><th>b|c</th></tr><tr><td>1</td></tr></table>", "| a | b\\|c |\n| --- | --- |\n| 1 |  |"),
        ("<table><tr><td><p>framed</p></td></tr></table>", "framed"),
        ('<a href="/u/ann">ann</a>', "[ann](https://forum.test/u/ann)"),
        ('<a href="https://a.test/x(1)">x</a>', "[x](https://a.test/x%281%29)"),
        ('<a href="https://a.test/long/way">https://a.test/lo...</a>', "https://a.test/long/way"),
        ('<a href="mailto:a@b.test">a@b.test</a>', "a@b.test"),
        ('<a href="javascript:alert(1)">x</a> <a>y</a> <a href="//[">z</a> <a href="/q"> </a>w', "x y z w"),
        ('<img src="/i.png" alt="a  kelp"><img src="data:image/png;base64,AA" alt="dot">', "![a kelp](https://forum.test/i.png)dot"),
        ("a<script>b</script><style>c</style><!-- d --><svg><text>e</text></svg>f", "af"),
        ('a<i hidden>b</i><i style="display: none">c</i><ul><li hidden>d</li><li>e</li></ul>', "a\n\n- e"),
        ("<span>a<p>b</p>c</span>", "a b c"),
    ],
)  # fmt: skip
def test_a_fragment_becomes_markdown(html: str, text: str) -> None:
    assert converted(html) == text


def test_several_fragments_keep_their_order() -> None:
    assert asyncio.run(to_markdown(["<p>a</p>", "", "b"])) == ["a", "", "b"]


def test_a_fragment_too_deep_to_walk_is_bare_text() -> None:
    assert converted("<div>" * (MAX_DEPTH + 1) + "deep &amp; <b>down</b>") == "deep &  down"


@pytest.mark.parametrize(
    "html",
    [
        "<li>" * 20_000,
        "<ul><li>" * 10_000,
        "<" * 100_000,
        '<a href="' * 9_000,
        "<i>*</i>" * 9_000,
        "<td>" * 20_000,
    ],
)
def test_hostile_markup_is_cut_and_costs_little(html: str) -> None:
    began = time.process_time()
    assert len(converted(html)) <= 3 * MOST
    assert time.process_time() - began < 2


def test_a_fence_is_longer_than_any_in_the_code() -> None:
    assert fenced("\r\na\r\n````\n\n", "md") == "`````md\na\n````\n`````"


@pytest.mark.parametrize(
    ("written", "seen"),
    [
        ("a <!-- hidden --> b", "a  b"),
        ("<!-- a\r\nb -->\r\nc\r\nd", "c\nd"),
        ("a\n```html\n<!-- shown -->\n```\n<!-- not -->b", "a\n```html\n<!-- shown -->\n```\nb"),
        ("a <!-- never closed", "a <!-- never closed"),
        ("```\n<!-- x -->", "```"),
    ],
)
def test_comments_that_nobody_sees_are_dropped(written: str, seen: str) -> None:
    assert visible(written) == seen


@pytest.mark.parametrize("written", ["<!--" * 50_000, "```\n" * 50_001, "<!---->" * 30_000])
def test_dropping_comments_costs_little(written: str) -> None:
    began = time.process_time()
    visible(written)
    assert time.process_time() - began < 1


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ("[a](docs/a.md)", "[a](https://git.test/o/r/blob/main/sub/docs/a.md)"),
        ("[up](../b.md#top)", "[up](https://git.test/o/r/blob/main/b.md#top)"),
        ("[top](/c.md)", "[top](https://git.test/o/r/blob/main/c.md)"),
        ("[![x](i.png)](l.md)", "[![x](https://git.test/o/r/blob/main/sub/i.png)](https://git.test/o/r/blob/main/sub/l.md)"),
        ("[ref]: d.md", "[ref]: https://git.test/o/r/blob/main/sub/d.md"),
        ("[a](https://x.test/) [b](#here) [c](//x.test/) [d](mailto:a@x.test)",) * 2,
        ("`[a](b.md)` and\n```\n[a](b.md)\n```",) * 2,
        ("[bad](http:[//x)",) * 2,
        ("f(x)[0](y)", "f(x)[0](https://git.test/o/r/blob/main/sub/y)"),
    ],
)  # fmt: skip
def test_relative_links_lead_on_from_where_the_text_stands(written: str, shown: str) -> None:
    blob = "https://git.test/o/r/blob/main/"
    assert rebased(written, f"{blob}sub/README.md", blob) == shown
