"""Links are absolute, harmless, and show where they really lead."""

from __future__ import annotations

import pytest

from research_mcp.extract.html.page import convert_html
from tests.extract.html_pages import URL, article, read


@pytest.mark.parametrize(
    ("href", "target"),
    [
        ("../start/first.html", "https://lighthouse.example/keepers/start/first.html"),
        ("/tower", "https://lighthouse.example/tower"),
        ("//cdn.example/x", "https://cdn.example/x"),
        ("?page=2", "https://lighthouse.example/keepers/guide/page.html?page=2"),
        ("https://other.example/a_(b)", "https://other.example/a_(b)"),
        ("https://other.example/a b", "https://other.example/a%20b"),
        ("https://other.example/a)b", "https://other.example/a%29b"),
        ("mailto:keeper@lighthouse.example", "mailto:keeper@lighthouse.example"),
        (" /spaced\n ", "https://lighthouse.example/spaced"),
    ],
)
def test_a_link_is_absolute_and_safe_to_write(href: str, target: str) -> None:
    assert f"Read [the next chapter]({target}) before the boat leaves." in read(
        f'<p>Read <a href="{href}">the next chapter</a> before the boat leaves.</p>'
    )


def test_the_base_of_the_page_is_used() -> None:
    markdown = read(
        '<p>Read <a href="next.html">the next chapter</a> tonight.</p>', '<base href="/library/v2/">'
    )
    assert "[the next chapter](https://lighthouse.example/library/v2/next.html)" in markdown


@pytest.mark.parametrize(
    "href",
    [
        "javascript:alert(1)",
        "JaVaScRiPt:alert(1)",
        "java\tscript:alert(1)",
        "data:text/html,x",
        "vbscript:x",
        "#below",
        "",
        "http://[bad",
    ],
)
def test_targets_that_run_carry_data_or_stay_on_the_page_leave_plain_text(href: str) -> None:
    markdown = read(f'<p>Read <a href="{href}">the next chapter</a> before the boat leaves.</p>')
    assert "Read the next chapter before the boat leaves." in markdown


def test_a_text_that_is_an_address_of_another_host_shows_both() -> None:
    markdown = read(
        '<p>Sign in at <a href="https://evil.example/in">https://bank.example/login</a> to pay.</p>'
    )
    assert "[https://bank.example/login](https://evil.example/in) (leads to evil.example)" in markdown


def test_a_text_that_is_the_same_address_is_left_alone() -> None:
    markdown = read(
        '<p>It stands at <a href="https://www.bank.example/login">bank.example/login</a> for all.</p>'
    )
    assert "leads to" not in markdown


def test_a_card_inside_a_link_gives_its_heading_the_target() -> None:
    cards = "".join(
        f'<a class="card" href="/c/{number}"><h3>Course {number} on lamps</h3><p>What number {number} teaches.</p></a>'
        for number in range(1, 7)
    )
    html = f"<html><head><title>Courses</title></head><body><main><h1>Courses</h1><div>{cards}</div></main></body></html>"
    markdown = convert_html(html, URL).markdown
    assert "### [Course 4 on lamps](https://lighthouse.example/c/4)" in markdown
    assert "What number 4 teaches." in markdown


def test_no_address_of_an_image_is_written() -> None:
    html = '<figure><img src="https://img.example/a.png?secret=1" alt="The tower at dusk"><figcaption>Dusk, seen from the boat in May.</figcaption></figure>'
    markdown = read(html)
    assert "![The tower at dusk]()" in markdown
    assert "img.example" not in markdown


def test_a_picture_in_a_paragraph_of_its_own_is_its_words() -> None:
    html = '<p>The tower stands on the cape since 1887.</p><p><img src="a.png" alt="The tower at dusk"></p><p>It is lit.</p>'
    assert "since 1887.\n\n![The tower at dusk]()\n\nIt is lit." in read(html)


def test_links_that_stand_side_by_side_do_not_run_together() -> None:
    assert "[One](https://lighthouse.example/1) [Two](https://lighthouse.example/2)" in read(
        '<p>There are further chapters in the book: <a href="/1">One</a><a href="/2">Two</a>, all short.</p>'
    )


def test_the_same_page_gives_the_same_text_twice() -> None:
    page = article("<ul><li>One thing to know about lamps</li><li>Another thing to know about them</li></ul>")
    assert convert_html(page, URL) == convert_html(page, URL)


def test_a_place_with_a_name_is_no_link_even_where_it_is_never_closed() -> None:
    rows = "".join(
        f"<tr><td>{oil}</td><td>{hours}</td></tr>" for oil, hours in (("Oil", 2), ("Whale", 6), ("Seed", 9))
    )
    markdown = read(f'<div><a id="t1"/><p>Table 1. Oils</p><div><table>{rows}</table></div></div>')
    assert "| Whale | 6 |" in markdown


def test_a_package_of_code_that_is_named_like_a_host_is_none() -> None:
    markdown = read(
        '<p>The lamp is driven by <a href="../../org/kit/io/summary.html">org.kit.io</a> and by nothing else at all.</p>'
    )
    assert "[org.kit.io](https://lighthouse.example/org/kit/io/summary.html) and by" in markdown


def test_a_path_below_another_host_is_told_even_where_the_link_stays_here() -> None:
    markdown = read('<p>Pay the keeper at <a href="/out">bank.example/login</a> before the boat leaves.</p>')
    assert "[bank.example/login](https://lighthouse.example/out) (leads to lighthouse.example)" in markdown
