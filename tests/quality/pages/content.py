"""The parts of a page's text, each as HTML and as what must come out of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from html import escape

from tests.quality.pages.words import Words

HOST = "https://town.example"
CODE = "def tide(hour):\n    if hour > 12:\n        hour -= 12\n    return TABLE[hour]"


@dataclass
class Content:
    """HTML of a text with its plain text and its structure. `links` are (text, absolute target)."""

    html: list[str] = field(default_factory=list)
    gold: list[str] = field(default_factory=list)
    headings: list[tuple[int, str]] = field(default_factory=list)
    items: list[str] = field(default_factory=list)
    links: list[tuple[str, str]] = field(default_factory=list)
    rows: list[tuple[str, ...]] = field(default_factory=list)
    code: list[str] = field(default_factory=list)

    def paragraph(self, text: str, attributes: str = "") -> None:
        """A plain paragraph."""
        self._add(f"<p{attributes}>{escape(text, quote=False)}</p>", text)

    def linked(self, words: Words) -> None:
        """A paragraph with a link in its middle."""
        before, text, after = words.sentence(), words.name(), words.sentence()
        path = "/" + text.lower().replace(" ", "-")
        self.links.append((text, HOST + path))
        html = f'<p>{escape(before, quote=False)} See <a href="{path}">{text}</a> for more. {escape(after, quote=False)}</p>'
        self._add(html, f"{before} See {text} for more. {after}")

    def heading(self, level: int, text: str, sign: str = "") -> None:
        """A heading, with the anchor sign of the system if it has one."""
        self.headings.append((level, text))
        self._add(f'<h{level} id="s{len(self.headings)}">{escape(text, quote=False)}{sign}</h{level}>', text)

    def list(self, items: list[str], tag: str = "ul") -> None:
        """A bullet or numbered list."""
        self.items.extend(items)
        inside = "".join(f"<li>{escape(item, quote=False)}</li>" for item in items)
        self._add(f"<{tag}>{inside}</{tag}>", "\n".join(items))

    def table(self, head: tuple[str, ...], *rows: tuple[str, ...]) -> None:
        """A data table."""
        self.rows.extend((head, *rows))
        top = "".join(f"<th>{cell}</th>" for cell in head)
        body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in row)}</tr>" for row in rows)
        self._add(
            f"<table class='table'><thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>",
            "\n".join(" ".join(row) for row in (head, *rows)),
        )

    def listing(
        self, before: str = '<pre><code class="language-python">', after: str = "</code></pre>"
    ) -> None:
        """A block of code between the tags that a highlighter writes."""
        self.code.append(CODE)
        self._add(f"{before}{escape(CODE, quote=False)}{after}", CODE)

    def raw(self, html: str, *gold: str) -> None:
        """Anything else."""
        self._add(html, *gold)

    def _add(self, html: str, *gold: str) -> None:
        self.html.append(html)
        self.gold.extend(gold)


@dataclass(frozen=True)
class Sample:
    """A page and what must come of it: text, structure, and words that must not appear."""

    name: str
    kind: str
    html: str
    content: Content
    unwanted: tuple[str, ...]
    url: str = f"{HOST}/section/page.html"

    @property
    def gold(self) -> str:
        """The plain text that a reader of the page would copy."""
        return "\n".join(self.content.gold)
