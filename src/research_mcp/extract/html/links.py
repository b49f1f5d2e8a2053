"""Links: absolute, against the page or its <base>, and nothing that runs or carries data."""

from __future__ import annotations

import re
from urllib.parse import urljoin, urlsplit

_SCHEMES = frozenset({"http", "https", "mailto", "ftp"})
_CONTROL = re.compile(r"[\x00-\x1f\x7f]+")
_UNSAFE = str.maketrans({" ": "%20", "<": "%3C", ">": "%3E", '"': "%22", "\\": "%5C", "|": "%7C", "`": "%60"})
_SHOWN_URL = re.compile(
    r"^(?:https?://)?(?:www\.)?([a-z0-9-]+(?:\.[a-z0-9-]+)+)(?:[/:?#]\S*)?$", re.IGNORECASE
)
_FILE_ENDINGS = frozenset(
    {
        "html", "htm", "php", "py", "js", "ts", "md", "json", "txt", "pdf", "zip", "css", "xml", "yml",
        "gz", "bz2", "xz", "zst", "tgz", "tar", "deb", "rpm", "iso", "exe", "dmg", "whl", "jar", "csv", "tsv",
        "png", "jpg", "jpeg", "gif", "svg", "mp3", "doc", "docx", "xls", "xlsx", "ppt", "pptx", "epub",
        "log", "asc", "yaml", "toml", "ini", "cfg", "conf", "sh", "rs", "go", "java", "cpp", "rb",
    }
)  # fmt: skip


class Links:
    """Resolves and writes the links of one page. `page_url` is where it was read."""

    def __init__(self, page_url: str, base: str = "") -> None:
        self._page = page_url
        self._base = _join(page_url, base) or page_url
        self._known: dict[str, str] = {}

    def resolve(self, href: str) -> str:
        """The absolute target; "" for places inside the page and for schemes that are not followed."""
        if href not in self._known:
            self._known[href] = self._resolve(href)
        return self._known[href]

    def _resolve(self, href: str) -> str:
        href = _CONTROL.sub("", href).strip()
        if not href or href.startswith("#"):
            return ""
        target = _join(self._base, href)
        scheme = target.partition(":")[0].lower()
        if scheme not in _SCHEMES or (scheme.startswith("http") and not _host(target)):
            return ""
        target = target.translate(_UNSAFE)
        return target if _balanced(target) else target.replace("(", "%28").replace(")", "%29")

    def render(self, text: str, href: str) -> str:
        """`[text](target)`, or the bare text when there is nowhere to go.

        A text that is itself an address of another host gets the real host behind it. A bare name that
        leads to the page's own host is none: packages of code are named like hosts.
        """
        target = self.resolve(href)
        if not target or not text:
            return text
        shown = _SHOWN_URL.match(text.replace("\\", ""))
        if shown and target.startswith("http") and self._misleads(shown, _host(target)):
            return f"[{text}]({target}) (leads to {_host(target)})"
        return f"[{text}]({target})"

    def _misleads(self, shown: re.Match[str], real: str) -> bool:
        bare = shown.group(1) == shown.string
        return not (bare and real == _host(self._page)) and _differs(shown.group(1), real)


def _join(base: str, href: str) -> str:
    try:
        return urljoin(base, href.strip()) if href else ""
    except ValueError:  # a broken port or bracketed host
        return ""


def _host(url: str) -> str:
    try:
        return (urlsplit(url).hostname or "").removeprefix("www.")
    except ValueError:
        return ""


def _differs(shown: str, real: str) -> bool:
    shown = shown.lower()
    if shown.rpartition(".")[2] in _FILE_ENDINGS:
        return False
    return shown != real and not real.endswith("." + shown) and not shown.endswith("." + real)


def _balanced(url: str) -> bool:
    if "(" not in url and ")" not in url:
        return True
    depth = 0
    for character in url:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0
