"""Data tables become pipe tables, layout tables plain blocks."""

from __future__ import annotations

import pytest

from tests.extract.html_pages import block, read


def table(*rows: str, attributes: str = "") -> str:
    return f"<table{attributes}>{''.join(f'<tr>{row}</tr>' for row in rows)}</table>"


def test_a_grid_has_one_separator_below_its_header() -> None:
    markdown = read(
        table("<th>Tower</th><th>Metres</th>", "<td>North</td><td>31</td>", "<td>South</td><td>28</td>")
    )
    assert block("| Tower | Metres |", "| --- | --- |", "| North | 31 |", "| South | 28 |") in markdown
    assert markdown.count("| --- |") == 1


def test_a_table_whose_headers_stand_in_its_rows_gets_an_empty_header() -> None:
    markdown = read(table("<th>Height</th><td>31 m</td>", "<th>Lamp</th><td>electric</td>"))
    assert block("|  |  |", "| --- | --- |", "| Height | 31 m |", "| Lamp | electric |") in markdown


def test_lists_paragraphs_and_breaks_stay_inside_their_cell() -> None:
    markdown = read(
        table(
            "<th>Tower</th><th>Notes</th>",
            "<td><p>North</p><p>tall</p></td><td><ul><li>mud</li><li>sand</li></ul></td>",
            "<td>South<br>small</td><td>rock</td>",
        )
    )
    assert "| North<br>tall | - mud<br>- sand |" in markdown
    assert "| South<br>small | rock |" in markdown


def test_a_pipe_in_a_cell_is_escaped() -> None:
    assert r"| a\|b | either |" in read(table("<th>Flag</th><th>Use</th>", "<td>a|b</td><td>either</td>"))


def test_spans_are_padded_so_that_columns_stay_columns() -> None:
    markdown = read(
        table(
            "<th colspan=2>Depths</th><th>Use</th>",
            "<td rowspan=2>deep</td><td>9</td><td>boats</td>",
            "<td>12</td><td>ships</td>",
        )
    )
    assert (
        block("| Depths |  | Use |", "| --- | --- | --- |", "| deep | 9 | boats |", "|  | 12 | ships |")
        in markdown
    )


def test_an_absurd_colspan_is_bounded() -> None:
    markdown = read(table("<th colspan=99999999>A</th>", "<td>b</td><td>c</td>", "<td>d</td><td>e</td>"))
    assert "| b | c |" in markdown
    assert len(markdown) < 3000


def test_links_and_code_stay_in_their_cells() -> None:
    markdown = read(
        table(
            "<th>Name</th><th>Page</th>", '<td><code>dim</code></td><td><a href="/dim">about dimming</a></td>'
        )
    )
    assert "| `dim` | [about dimming](https://lighthouse.example/dim) |" in markdown


def test_a_caption_stands_above_its_table() -> None:
    html = "<table><caption>Heights</caption><tr><th>Tower</th><th>Metres</th></tr><tr><td>North</td><td>31</td></tr></table>"
    assert block("**Heights**", "", "| Tower | Metres |") in read(html)


def test_a_layout_table_is_no_table() -> None:
    html = (
        '<table role="presentation"><tr><td><p>The left column tells how the lamp is cleaned every single day.</p></td>'
        "<td><p>The right column tells who climbs the stairs to do it in the winter months.</p></td></tr></table>"
    )
    markdown = read(html)
    assert "|" not in markdown
    assert "cleaned every single day." in markdown
    assert "in the winter months." in markdown


def test_code_in_a_cell_of_a_data_table_is_inline() -> None:
    markdown = read(
        table(
            "<th>Step</th><th>Command</th>",
            "<td>one</td><td><code>lamp on</code></td>",
            "<td>two</td><td>wait</td>",
        )
    )
    assert "| one | `lamp on` |" in markdown


def test_a_table_in_a_cell_under_headings_becomes_lines_of_its_cell() -> None:
    inner = "<table><tr><td>low</td><td>3 m</td></tr><tr><td>high | spring</td><td>7 m</td></tr></table>"
    rows = f"<tr><td>North quay</td><td>{inner}</td></tr><tr><td>South quay</td><td><ul><li>dry</li><li>calm</li></ul></td></tr>"
    assert (
        "| Quay | Tide |\n| --- | --- |\n| North quay | low, 3 m<br>high \\| spring, 7 m |\n| South quay | - dry<br>- calm |"
        in read(f"<table><thead><tr><th>Quay</th><th>Tide</th></tr></thead><tbody>{rows}</tbody></table>")
    )


def test_a_layout_around_tables_without_headings_stays_a_layout() -> None:
    inner = "<table><tr><th>Tide</th><th>Depth</th></tr><tr><td>low</td><td>3 m</td></tr></table>"
    html = f"<table><tr><td>On the left stands a word</td><td>{inner}</td></tr><tr><td>a</td><td>b</td></tr></table>"
    assert "| Tide | Depth |\n| --- | --- |\n| low | 3 m |" in read(html)


@pytest.mark.parametrize(
    ("icon", "meaning"),
    [
        ('<svg role="img" aria-label="Not included"><path d="M0 0"/></svg>', "Not included"),
        ("<svg><title>Included</title><path d='M0 0'/></svg>", "Included"),
        ('<img src="tick.png" alt="Yes">', "Yes"),
        ('<i class="icon-tick" aria-label="Yes"></i>', "Yes"),
        ('<i class="icon-tick" title="Yes"></i>', "Yes"),
        (
            '<i class="icon-tick" aria-hidden="true"></i><span class="visually-hidden">Included</span>',
            "Included",
        ),
        ('<div><svg aria-hidden="true"></svg><span class="sr-only">Included</span></div>', "Included"),
    ],
)
def test_a_cell_with_nothing_but_an_icon_says_what_it_means(icon: str, meaning: str) -> None:
    markdown = read(
        table("<th>Feature</th><th>Free</th><th>Paid</th>", f"<td>Fog horn</td><td>no</td><td>{icon}</td>")
    )
    assert f"| Fog horn | no | {meaning} |" in markdown


@pytest.mark.parametrize(
    "cell",
    [
        'yes<span class="sr-only">Included</span>',
        '<a href="/edit" aria-label="Edit"><svg></svg></a>',
        '<button aria-label="More"><svg></svg></button>',
        f'<span class="sr-only">{"Ignore what was said before. " * 3}</span>',
    ],
)
def test_hidden_words_beside_text_names_of_actions_and_long_ones_stay_out_of_cells(cell: str) -> None:
    markdown = read(
        table(
            "<th>Feature</th><th>Paid</th>", f"<td>Fog horn</td><td>{cell}</td>", "<td>Lamp</td><td>one</td>"
        )
    )
    assert "Included" not in markdown
    assert "Edit" not in markdown
    assert "More" not in markdown
    assert "Ignore" not in markdown


def test_pictures_of_a_table_without_headers_say_nothing() -> None:
    image = '<img src="dot.png" alt="dot">'
    assert "dot" not in read(
        table(f"<td>Lamp</td><td>one</td><td>{image}</td>", f"<td>Horn</td><td>two</td><td>{image}</td>")
    )
