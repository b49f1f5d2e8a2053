"""The kept part of a page's tree, written as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from itertools import pairwise
from types import MappingProxyType

from lxml.html import HtmlElement

from research_mcp.extract.html import tables
from research_mcp.extract.html.fences import code_text, fence, is_gutter, language_of
from research_mcp.extract.html.footnotes import Footnotes
from research_mcp.extract.html.inline import Inline
from research_mcp.extract.html.keep import Keep
from research_mcp.extract.html.links import Links
from research_mcp.extract.html.tags import BLOCK_TAGS, HEADINGS, LISTS

_MAX_DEPTH = 100
_NOTHING: Mapping[HtmlElement, str] = MappingProxyType({})
_FEWEST_FILES = 2
_CODE_SIGN = re.compile(r"[(){};=*]")  # never beside the name of a file: there are its date and size
_INLINE_CELL = re.compile(r"\s*\n\s*")


def to_markdown(
    keep: Keep, links: Links, *, tex: bool = False, before: Mapping[HtmlElement, str] = _NOTHING
) -> str:
    """Markdown of what `keep` holds, in page order. `before` are lines that introduce an element."""
    return "\n\n".join(_Converter(keep, links, before, tex=tex).blocks(keep.page.root)).strip()


class _Converter:
    def __init__(self, keep: Keep, links: Links, before: Mapping[HtmlElement, str], *, tex: bool) -> None:
        self._keep = keep
        self._before = before
        self._notes = Footnotes(keep)
        self._inline = Inline(keep, links, self._notes, tex=tex)
        self._holders = _block_holders(keep)
        self._depth = 0
        self._cells = 0
        self._hrefs: list[str] = []
        self._writers: dict[str, Callable[[HtmlElement], list[str]]] = {
            **dict.fromkeys(HEADINGS, self._heading),
            **dict.fromkeys(LISTS, self._list),
            **dict.fromkeys(("summary", "caption", "legend"), self._label),
            "pre": self._code,
            "table": self._table,
            "blockquote": self._quote,
            "dl": self._definitions,
            "dt": self._term,
            "dd": self._explanation,
            "li": self._item,
            "a": self._linked_blocks,
        }

    def blocks(self, element: HtmlElement) -> list[str]:
        """The blocks of a container: runs of inline content become paragraphs between its blocks."""
        self._depth += 1
        found = [self._flat(element)] if self._depth > _MAX_DEPTH else self._mixed(element)
        self._depth -= 1
        blocks = [block for block in found if block]
        return [self._before[element], *blocks] if blocks and element in self._before else blocks

    def _mixed(self, element: HtmlElement) -> list[str]:
        out: list[str] = []
        run: list[str] = [self._inline.text(self._keep.text(element))]
        for child in element:
            if child.tag in BLOCK_TAGS or child in self._holders:
                if self._keep.count(child) or child.tag == "figure" or _is_picture(child):
                    out.append(self._paragraph(run))
                    run = []
                    out.extend(self._block(child))
                elif child.tag in BLOCK_TAGS:
                    out.append(self._paragraph(run))
                    run = []
            else:
                self._inline.add(run, child)
            if child.tail:
                run.append(self._inline.text(self._keep.tail(child)) or (" " if child.tail.isspace() else ""))
        out.append(self._paragraph(run))
        return out

    def _paragraph(self, run: list[str]) -> str:
        text = self._inline.finish(run)
        if text and self._hrefs and self._hrefs[-1]:
            text, self._hrefs[-1] = self._inline.linked(text, self._hrefs[-1]), ""
        return text

    def _flat(self, element: HtmlElement) -> str:
        page, (start, stop) = self._keep.page, self._keep.page.spans[element]
        texts = [page.texts[slot] for slot in range(start, stop) if self._keep.chosen[slot]]
        return self._inline.finish([self._inline.text(text + " ") for text in texts])

    def _block(self, element: HtmlElement) -> list[str]:
        if element in self._notes.labels:
            return [_hang(f"[^{self._notes.labels[element]}]: ", "    ", self.blocks(element))]
        write = self._writers.get(element.tag, self.blocks)
        return write(element)

    def _code(self, element: HtmlElement) -> list[str]:
        if listed := self._directory(element):
            return ["\n".join(listed)]
        code = code_text(element)
        return [fence(code, language_of(element))] if code else []

    def _directory(self, element: HtmlElement) -> list[str]:
        """The files of a server's listing, which is set like code but is a list of links."""
        links = [link for link in element.findall("a") if link.get("href")]
        lines = code_text(element).count("\n") + 1
        if len(links) < _FEWEST_FILES or len(links) * 2 < lines or element.find(".//code") is not None:
            return []
        if len(links) > lines or any(_CODE_SIGN.search(self._keep.tail(link)) for link in links):
            return []
        items = []
        for link in links:
            run: list[str] = []
            self._inline.add(run, link)
            run.append(self._inline.text(" " + self._keep.tail(link)))
            items.append(f"- {self._inline.finish(run)}")
        return items

    def _quote(self, element: HtmlElement) -> list[str]:
        blocks = self.blocks(element)
        if all(block.startswith("```") for block in blocks):
            return blocks  # set in, not quoted
        return ["\n".join(f"> {line}".rstrip() for line in "\n\n".join(blocks).split("\n"))]

    def _definitions(self, element: HtmlElement) -> list[str]:
        return ["\n\n".join(self.blocks(element)).replace("\n\n: ", "\n: ")]

    def _term(self, element: HtmlElement) -> list[str]:
        return [" ".join(self.blocks(element))]

    def _explanation(self, element: HtmlElement) -> list[str]:
        blocks = self.blocks(element)
        plain = not blocks or _is_list(blocks[0]) or blocks[0].startswith(("```", "| "))
        return [_hang("  " if plain else ": ", "  ", blocks)] if blocks else []

    def _item(self, element: HtmlElement) -> list[str]:
        """An item outside a list gets a bullet, one with a heading of its own is a section."""
        blocks = self.blocks(element)
        if any(map(_is_heading, blocks)):
            return blocks
        return [_hang("- ", "  ", blocks)] if blocks else []

    def _label(self, element: HtmlElement) -> list[str]:
        blocks = self.blocks(element)
        return blocks if any(map(_is_heading, blocks)) else [_bold(block) for block in blocks]

    def _linked_blocks(self, element: HtmlElement) -> list[str]:
        """A link round whole blocks (a card): its first text carries the target."""
        self._hrefs.append(element.get("href", ""))
        out = self.blocks(element)
        self._hrefs.pop()
        return out

    def _heading(self, element: HtmlElement) -> list[str]:
        inner = self.blocks(element)
        text = " ".join(_plain_start(block) for block in inner)
        text = re.sub(r"^\*\*((?:(?!\*\*).)+)\*\*$", r"\1", text.replace("  \n", " ").replace("\n", " "))
        return [f"{'#' * int(element.tag[1])} {text}"] if text.strip() else []

    def _list(self, element: HtmlElement) -> list[str]:
        if _is_cards(element):
            return self.blocks(element)
        items: list[str] = []
        notes: list[str] = []
        count = _start(element)
        for child in element:
            if not self._keep.count(child):
                count += child.tag == "li"
                continue
            if child in self._notes.labels:
                notes.extend(self._block(child))
                continue
            ordered = element.tag == "ol"
            marker = f"{count}. " if ordered else "- "
            count += 1
            blocks = self._list(child) if child.tag in LISTS else self.blocks(child)
            item = _hang(marker, " " * len(marker), blocks)
            if item.strip() != marker.strip():
                items.append(item)
        loose = any("\n\n" in item for item in items)
        blocks = [("\n\n" if loose else "\n").join(items)] if items else []
        return blocks + notes

    def _table(self, element: HtmlElement) -> list[str]:
        code = self._code_table(element)
        if code:
            return code
        if not tables.is_data(element, self._keep.page):
            return self.blocks(element)
        if self._cells:
            return self._rows(element)
        caption = [block for child in element if child.tag == "caption" for block in self._block(child)]
        lines = tables.grid(element, self._keep, self._cell)
        return [*caption, "\n".join(lines)] if lines else caption

    def _code_table(self, element: HtmlElement) -> list[str]:
        """Code that a highlighter set in a table, with the line numbers in a column of their own."""
        rows = [tables.cells_of(row) for row in tables.rows_of(element)]
        if not rows or not all(1 <= len(cells) <= 3 for cells in rows):
            return []
        blocks = element.findall(".//pre")
        if blocks and len(rows[-1]) == 2 and all(len(cells) == 1 for cells in rows[:-1]):
            code = [block for block in blocks if not is_gutter(block) and not _counts_lines(block)]
            if len(code) == 1 and len(blocks) == 2:
                names = [name for cells in rows[:-1] for name in self.blocks(cells[0])]
                return [*names, fence(code_text(code[0]), language_of(code[0]) or language_of(element))]
            return []
        if len(rows) > 1 and all(len(cells) > 1 and is_gutter(cells[0]) for cells in rows):
            lines = [code_text(cells[-1]) for cells in rows]
            if any(line[:1].isspace() for line in lines) or "code" in element.get("class", ""):
                return [fence("\n".join(lines), language_of(element))]
        return []

    def _rows(self, table: HtmlElement) -> list[str]:
        """A table in a cell of another one, which Markdown does not know: a line for each row."""
        rows = (tables.cells_of(row) for row in tables.rows_of(table) if self._keep.count(row))
        return [", ".join(filter(None, map(self._cell, cells))) for cells in rows]

    def _cell(self, cell: HtmlElement) -> str:
        self._cells += 1
        text = "<br>".join(_one_line(block) for block in self.blocks(cell))
        self._cells -= 1
        return text.replace("\\|", "|").replace("|", "\\|")


def _block_holders(keep: Keep) -> set[HtmlElement]:
    """Inline elements with block elements inside: laid out like blocks."""
    holders: set[HtmlElement] = set()
    for element in keep.page.elements:
        if element.tag in BLOCK_TAGS:
            above = element.getparent()
            while above is not None and above.tag not in BLOCK_TAGS and above not in holders:
                holders.add(above)
                above = above.getparent()
    return holders


def _is_cards(element: HtmlElement) -> bool:
    """True for a list whose items are sections with headings: those say more than bullets."""
    items = [child for child in element if child.tag == "li"]
    return bool(items) and 2 * sum(_has_heading(item) for item in items) > len(items)


def _has_heading(item: HtmlElement) -> bool:
    return next(item.iter(*HEADINGS), None) is not None


def _is_picture(element: HtmlElement) -> bool:
    """A paragraph that may hold nothing but a picture, as Markdown writes them."""
    return element.tag == "p" and element.find(".//img") is not None


def _hang(marker: str, indent: str, blocks: list[str]) -> str:
    """Blocks behind a list marker; what follows the first line is indented under it."""
    if not blocks:
        return marker.rstrip()
    text = f"\n{blocks[0]}" if marker.strip() and blocks[0].startswith("```") else blocks[0]
    for before, block in pairwise(blocks):
        tight = _is_list(block) and not _is_list(before) and "\n\n" not in block
        text += ("\n" if tight else "\n\n") + block
    lines = text.split("\n")
    return "\n".join([(marker + lines[0]).rstrip(), *(indent + line if line else "" for line in lines[1:])])


def _is_list(block: str) -> bool:
    return re.match(r"(?:[-*+]|\d+\.) ", block) is not None


def _is_heading(block: str) -> bool:
    return re.match(r"#{1,6} ", block) is not None


def _bold(block: str) -> str:
    return block if "**" in block or "\n" in block or not block else f"**{block}**"


def _plain_start(block: str) -> str:
    return re.sub(r"^\\(?=[#>+-])|^#{1,6} ", "", re.sub(r"^(\d+)\\([.)])", r"\1\2", block))


def _one_line(block: str) -> str:
    if block.startswith("```"):
        return "<br>".join(f"`{line.strip()}`" for line in block.split("\n")[1:-1] if line.strip())
    return _INLINE_CELL.sub("<br>", block.strip())


def _start(element: HtmlElement) -> int:
    stated = element.get("start", "1")
    return int(stated) if re.fullmatch(r"\d{1,6}", stated) else 1


def _counts_lines(block: HtmlElement) -> bool:
    lines = code_text(block).split()
    return bool(lines) and all(line.isdigit() for line in lines)
