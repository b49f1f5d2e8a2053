"""Pages of frames: no text of their own, so what they say to browsers without frames, and the frames."""

from __future__ import annotations

from html import escape

from selectolax.lexbor import LexborHTMLParser

_MOST_FRAMES = 50


def frames_html(tree: LexborHTMLParser) -> str:
    """The text for browsers without frames and a list of links to the frames; "" for other pages."""
    if tree.css_first("frameset") is None:
        return ""
    said = " ".join(node.text(deep=True) for node in tree.css("noframes"))
    items = []
    for node in tree.css("frame[src]")[:_MOST_FRAMES]:
        given = node.attributes
        source = given.get("src") or ""
        name = given.get("title") or given.get("name") or source
        items.append(f'<li><a href="{escape(source)}">{escape(name)}</a></li>')
    return f"{said}<ul>{''.join(items)}</ul>" if items else said
