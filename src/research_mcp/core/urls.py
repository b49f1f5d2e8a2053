"""Urls and domains as people write them. Nothing here decides what may be fetched: `net.guard` does."""

from __future__ import annotations

import re
import unicodedata
from urllib.parse import urljoin, urlsplit

MAX_REFRESH_DELAY = 5.0
"""Seconds: a page that refreshes later than this is meant to be read first."""

_LONGEST = 16_384
_LONGEST_LABEL = 63
_MARKDOWN_LINK = re.compile(
    r"!?\[[^\[\]]*\]\(\s*<?"
    r"([^\s()<>]*(?:\([^\s()<>]*\)[^\s()<>]*)*)"  # one level of brackets, as in `/wiki/A_(b)`
    r">?(?:\s[^()]*)?\)"
)
_PORT_AND_END = r"(?::\d{1,5})?(?=[/?#]|$)"
_BARE_HOST = re.compile(
    r"(?:(?:[^\W_](?:[\w-]*\w)?\.)+[^\W\d_][\w-]*\w\.?"
    r"|localhost"
    r"|(?:\d{1,3}\.){3}\d{1,3}"
    r"|\[[0-9a-fA-F:.]+\])" + _PORT_AND_END
)
_PAPER = re.compile(
    r"(?:(?:doi:|info:doi/)\s*)?(?P<doi>10\.\d{4,9}/\S+)"
    r"|arxiv:\s*(?P<arxiv>\d{4}\.\d{4,5}(?:v\d+)?|[a-z-]+(?:\.[A-Z]{2})?/\d{7}(?:v\d+)?)",
    re.IGNORECASE,
)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_OPENING = {")": "(", "]": "[", "}": "{", ">": "<", "”": "“", "»": "«", "’": "‘"} | {c: c for c in "\"'`*_"}
_PROSE_END = ".,;:…"
_ABBREVIATION = re.compile(r"[_.][A-Z][a-z]{0,2}\.$")
_DELAY = re.compile(r"\d{1,4}(?:\.\d{0,3})?|\.\d{1,3}")
_CREDENTIALS = re.compile(r"//[^/?#\s]+@")


def pasted_candidates(text: str) -> tuple[str, ...]:
    """The url in `text` as people paste it, and its `http://` twin where `https://` was guessed: try in turn.

    Understood: space, brackets and quotes around, `<url>`, a Markdown link, the full stop or bracket
    of the sentence that it stood in. The DOI or arXiv number of a paper (`doi:10.1000/x`, `arXiv:2401.01234`)
    is its address. What is no url comes back trimmed, for the guard to refuse.
    """
    url = _unwrapped(text)
    if paper := _PAPER.fullmatch(url):
        return (
            f"https://doi.org/{paper['doi']}" if paper["doi"] else f"https://arxiv.org/abs/{paper['arxiv']}",
        )
    if _BARE_HOST.match(url):
        return f"https://{url}", f"http://{url}"
    return (url,)


def host_of(url: str) -> str:
    """The host in lower-case ASCII without port, brackets and trailing dot; "" when there is none."""
    try:
        host = (urlsplit(url).hostname or "").rstrip(".")
    except ValueError:
        return ""
    return host if host.isascii() else ascii_host(unicodedata.normalize("NFKC", host).lower())


def ascii_host(host: str) -> str:
    """`host` (folded, lower case) with its international labels in punycode.

    A label too long for any name stays as it is: coding it takes the square of its length.
    """
    return ".".join(
        label
        if label.isascii() or len(label) > _LONGEST_LABEL
        else "xn--" + label.encode("punycode").decode()
        for label in host.split(".")
    )


def without_credentials(text: str) -> str:
    """`text` with the user name and password of every url in it masked: for logs and messages."""
    return _CREDENTIALS.sub("//***@", text)


def within_domain(host: str, domain: str) -> bool:
    """True when `host` is `domain` or below it. Both in the form of `host_of` and `normal_domain`."""
    return bool(domain) and (host == domain or host.endswith("." + domain))


def normal_domain(text: str) -> str:
    """The bare lower-case host of a domain argument; "" when `text` names none.

    `https://www.Example.com/x`, `*.example.com`, `.example.com` and `example.com` are all
    `example.com`: a domain covers its subdomains, so that `www.` would only narrow it.
    """
    rest = _unwrapped(text)
    if not _SCHEME.match(rest) or _BARE_HOST.match(rest):
        rest = "https://" + rest.removeprefix("//").removeprefix("*").removeprefix(".")
    host = host_of(rest)
    if host.startswith("www.") and host.count(".") >= 2:
        host = host.removeprefix("www.")
    return host if re.fullmatch(r"[\w.:-]+", host) else ""


def refresh_target(value: str, base: str) -> str:
    """Where a `Refresh` header or meta refresh sends its visitors within 5 s, absolute; else "".

    `value` is like `0; url=/next`, quoted or not. The result is as unchecked as any link of a page.
    """
    value = value[:_LONGEST].strip()
    delay = _DELAY.match(value)
    if not delay or float(delay.group()) > MAX_REFRESH_DELAY:
        return ""
    rest = value[delay.end() :]
    target = rest.lstrip().lstrip(";,").lstrip()
    if not target or target == rest:  # nothing there, or nothing between it and the number
        return ""
    name, equals, stated = target.partition("=")
    if equals and name.strip().lower() == "url":
        target = stated.lstrip()
    if target[:1] in ("'", '"'):
        target = target[1:].partition(target[0])[0]
    try:
        return urljoin(base, target) if target else ""
    except ValueError:
        return ""


def _unwrapped(text: str) -> str:
    url = text.strip()
    if len(url) > _LONGEST:
        return url
    if link := _MARKDOWN_LINK.fullmatch(url.rstrip(_PROSE_END)):
        return link.group(1)
    before = ""
    while url != before:
        before, url = url, _less_wrapped(url)
    return url


def _less_wrapped(url: str) -> str:
    """`url` without the outermost pair around it, or the prose at its end; itself when it has none."""
    closing = url[-1:]
    opening = _OPENING.get(closing, "")
    if opening and url[0] == opening and len(url) > 2:
        return url if _BARE_HOST.match(url) else url[1:-1].strip()
    if opening and _is_surplus(url, opening, closing):
        return url[:-1]
    if _ABBREVIATION.search(url[-6:]):
        return url  # `/wiki/Apple_Inc.` ends in a full stop of its own
    return url.rstrip(_PROSE_END).rstrip()


def _is_surplus(url: str, opening: str, closing: str) -> bool:
    """True when `closing` at the end closes what the sentence opened, not what the url did."""
    if opening == closing:
        return closing not in "*_"
    return url.count(closing) > url.count(opening)
