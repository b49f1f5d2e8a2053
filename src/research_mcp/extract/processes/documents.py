"""Which bodies are documents of many pages: those take longer than a page. Looks at bytes, parses nothing."""

from __future__ import annotations

_HEAD = 1_024
_STARTS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""Archives (Office files, OpenDocument, EPUB) and the compound files of old Office programs."""


def is_document(body: bytes) -> bool:
    """True for PDF, Office files, e-books and notebooks."""
    head = body[:_HEAD]
    before, mark, _ = head.partition(b"%PDF-")
    if mark and b"<" not in before:
        return True
    return head.startswith(_STARTS) or _is_notebook(head.lstrip(b"\xef\xbb\xbf \t\r\n"), body[-_HEAD:])


def _is_notebook(head: bytes, tail: bytes) -> bool:
    return head.startswith(b"{") and (b'"nbformat"' in tail or b'"nbformat"' in head)
