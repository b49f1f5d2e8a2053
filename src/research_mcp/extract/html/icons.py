"""Cells of tables that show nothing but an icon say what the icon is stated to mean.

The words stand where nobody sees them, so only short ones count, and only in a cell without other text.
"""

from __future__ import annotations

from selectolax.lexbor import LexborHTMLParser, LexborNode

from research_mcp.extract.hidden.drop import UNSEEN

MOST = 40
"""Characters of what an icon may mean; a longer text is none."""
_UNSHOWN = f"svg,{UNSEEN}"
_SIGNS = ("svg", "img[alt]", "[aria-label]", "i[title]", UNSEEN)
_ICONS = ",".join(f"{cell} {sign}" for cell in ("td", "th") for sign in ",".join(_SIGNS).split(","))
_ACTIONS = frozenset({"a", "button", "label"})


def name_icons(tree: LexborHTMLParser) -> None:
    """Replace the icon in each cell of a table with headers that holds nothing else by its meaning.

    To be done before hidden text is dropped: the meaning is often hidden from sight.
    """
    headed = _headed(tree)
    if not headed:
        return
    done: set[int] = set()
    for icon in tree.css(_ICONS):
        cell = _cell_of(icon)
        if cell is None or cell.mem_id in done:
            continue
        meaning = _meaning(icon)
        if 0 < len(meaning) <= MOST:
            done.add(cell.mem_id)
            if not _shows_text(cell) and _table_of(cell) in headed:
                icon.replace_with(meaning)


def _cell_of(icon: LexborNode) -> LexborNode | None:
    """The cell around an icon; `None` for one that is a link or a button: that names what it does."""
    node: LexborNode | None = icon
    while node is not None and node.tag not in ("td", "th"):
        if node.tag in _ACTIONS or node.attributes.get("role") == "button":
            return None
        node = node.parent
    return node


def _meaning(icon: LexborNode) -> str:
    given = icon.attributes
    title = icon.css_first("title") if icon.tag == "svg" else None
    inside = icon.text() if icon.tag not in ("svg", "img") else title.text() if title is not None else ""
    stated = given.get("aria-label") or given.get("alt") or inside or given.get("title") or ""
    return " ".join(stated.split())


def _shows_text(cell: LexborNode) -> bool:
    unshown = "".join(node.text() for node in cell.css(_UNSHOWN))
    return "".join(cell.text().split()) != "".join(unshown.split())


def _headed(tree: LexborHTMLParser) -> set[int]:
    """The tables with headers: others may be layouts, and their pictures decoration."""
    return {_table_of(header) for header in tree.css("th")} - {0}


def _table_of(cell: LexborNode) -> int:
    """The identity of the table around a cell; 0 for none."""
    node: LexborNode | None = cell
    while node is not None and node.tag != "table":
        node = node.parent
    return 0 if node is None else node.mem_id
