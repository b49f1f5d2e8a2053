"""The normal form of a url: one strict reading, so that no two parsers can disagree about the host.

Steps and their order follow from known parser confusions: characters, scheme, authority, Unicode,
userinfo, port, host. Nothing is repaired: what browsers and libraries read differently is refused.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from ipaddress import IPv4Address, IPv6Address, ip_address
from typing import NoReturn
from urllib.parse import urljoin

import idna

from research_mcp.core.errors import Reason, UrlRefused
from research_mcp.net.addresses import Address

MAX_URL = 8_192
MAX_ENCODED = 16_384
MAX_HOST = 253
DEFAULT_PORTS = {"http": 80, "https": 443}

_CONTROL = re.compile("[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
_PARTS = re.compile(r"(https?)://([^/?#\\]*)([^?#]*)(\?[^#]*)?(#.*)?", re.IGNORECASE | re.DOTALL)
_SCHEME = re.compile(r"[a-z][a-z0-9+.-]*:", re.IGNORECASE)
_BRACKETED = re.compile(r"\[([0-9A-Fa-f:.]+)\](?::(.*))?", re.DOTALL)
_LABEL = r"[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?"
_NAME = re.compile(rf"{_LABEL}(?:\.{_LABEL})*")
_NUMERIC = re.compile(r"[0-9]+|0x[0-9a-f]*")
_FORBIDDEN_AFTER_NFKC = frozenset("/\\?#@%[]")
_STRAY_PERCENT = "%(?![0-9A-Fa-f]{2})"
_ENCODE_IN_PATH = re.compile(_STRAY_PERCENT + r"|[^!$%&'()*+,\-./0-9:;=@A-Z\[\]_a-z|~]+")
_ENCODE_IN_QUERY = re.compile(_STRAY_PERCENT + r"|[^!$%&'()*+,\-./0-9:;=?@A-Z\[\\\]^_`a-z{|}~]+")


@dataclass(frozen=True, slots=True)
class Target:
    """A url in normal form with the parts that policy looks at. `address`: the host when it is one.

    `host` is lower-case ASCII, without brackets and trailing dot.
    """

    url: str
    host: str
    port: int
    address: Address | None = None


def normal_form(url: str) -> Target:
    """The one reading of `url`. Raises `UrlRefused` (`invalid_url`).

    Path, query and fragment are percent-encoded once; `.` and `..` segments are resolved.
    """
    _check_characters(url)
    found = _PARTS.fullmatch(url)
    if not found:
        _refuse_scheme(url)
    scheme, authority, path, query, fragment = found.groups(default="")
    if path.startswith("\\"):
        _invalid("a backslash ends its host, which programs read differently")
    if not authority:
        _invalid("there is no host after its //")
    scheme = scheme.lower()
    host, port_text, address = _authority(authority)
    port = _port(port_text, DEFAULT_PORTS[scheme])
    shown_host = f"[{host}]" if isinstance(address, IPv6Address) else host
    shown_port = "" if port == DEFAULT_PORTS[scheme] else f":{port}"
    rest = _path(path) + _query(query) + fragment[:1] + _query(fragment[1:]).replace("`", "%60")
    normal = f"{scheme}://{shown_host}{shown_port}{rest}"
    if len(normal) > MAX_ENCODED:
        _invalid(f"it has {len(normal)} characters once encoded, and {MAX_ENCODED} is the most")
    return Target(normal, host, port, address)


def absolute(base: str, location: str) -> str:
    """Where a redirect from `base` (a normal form) leads, still to be read by `normal_form`.

    Raises `UrlRefused` for a backslash that browsers take for a slash. What `urljoin` would repair in
    silence is passed through, for `normal_form` to refuse.
    """
    if "\\" in location[:2]:
        _invalid("the page redirects to an address that starts with a backslash")
    if _SCHEME.match(location) or _CONTROL.search(location):
        return location
    try:
        return urljoin(base, location)
    except ValueError:
        return location


def host_address(host: str) -> Address | None:
    """The address that a host (without brackets) is, or None for a name."""
    if ":" not in host and not host[-1:].isdigit():
        return None
    try:
        return ip_address(host)
    except ValueError:
        return None


def _invalid(why: str) -> NoReturn:
    """What to do about it stands with the reason, in the texts."""
    raise UrlRefused(f"The url cannot be read: {why}.", reason=Reason.INVALID_URL)


def _check_characters(url: str) -> None:
    if not url:
        _invalid("it is empty")
    if len(url) > MAX_URL:
        _invalid(f"it has {len(url)} characters, and {MAX_URL} is the most")
    if _CONTROL.search(url):
        _invalid("it holds control characters")


def _refuse_scheme(url: str) -> NoReturn:
    found = _SCHEME.match(url)
    if found and found.group().lower() not in ("http:", "https:"):
        _invalid(f"its scheme is {found.group()[:20]!r}")
    _invalid("it does not start with http:// or https://")


def _authority(authority: str) -> tuple[str, str, Address | None]:
    """Host, port text and, for literals, the address."""
    if not authority.isascii():
        _check_unicode(authority)
    if "@" in authority:
        _invalid("it must not carry a user name or a password before its host")
    if authority.startswith("["):
        return _bracketed(authority)
    host, _, port_text = authority.partition(":")
    host = host.lower() if host.isascii() else _to_ascii(host)
    host = host.removesuffix(".")
    if len(host) > MAX_HOST or not _NAME.fullmatch(host):
        _invalid("its host is no valid name (labels of 1 to 63 letters, digits, hyphens; 253 in all)")
    labels = host.split(".")
    if _NUMERIC.fullmatch(labels[-1]):
        return host, port_text, _dotted_quad(host)
    if "xn--" in host:
        _check_punycode(labels)
    return host, port_text, None


def _bracketed(authority: str) -> tuple[str, str, Address]:
    found = _BRACKETED.fullmatch(authority)
    try:
        address = IPv6Address(found.group(1)) if found else None
    except ValueError:
        address = None
    if not found or address is None:
        _invalid("the brackets of its host hold no IPv6 address")
    return str(address), found.group(2) or "", address


def _dotted_quad(host: str) -> IPv4Address:
    try:
        return IPv4Address(host)
    except ValueError:
        _invalid("its host is a number that is no plain IPv4 address like 192.0.2.1")


def _check_unicode(authority: str) -> None:
    folded = unicodedata.normalize("NFKC", authority)
    if _FORBIDDEN_AFTER_NFKC & set(folded) or folded.count(":") != authority.count(":"):
        _invalid("its host holds a character that turns into punctuation of urls")
    if any(unicodedata.category(char) in ("Cf", "Zs", "Zl", "Zp", "Co", "Cn") for char in authority):
        _invalid("its host holds an invisible character or a space")


def _to_ascii(host: str) -> str:
    """UTS 46 mapping without transitional processing, then IDNA 2008, label by label."""
    try:
        mapped = idna.uts46_remap(host, std3_rules=False, transitional=False)
        return ".".join(
            label if label.isascii() else idna.alabel(label).decode("ascii") for label in mapped.split(".")
        )
    except idna.IDNAError:
        _invalid("its host is no valid international name")


def _check_punycode(labels: list[str]) -> None:
    try:
        for label in labels:
            if label.startswith("xn--"):
                idna.ulabel(label)
    except idna.IDNAError:
        _invalid("its host holds an xn-- label that encodes no name")


def _port(text: str, default: int) -> int:
    if not text:
        return default
    if not (text.isascii() and text.isdigit() and len(text) <= 5 and 0 < int(text) < 65_536):
        _invalid("its port is no number from 1 to 65535")
    return int(text)


def _path(path: str) -> str:
    path = _ENCODE_IN_PATH.sub(_percent, path) or "/"
    return _without_dots(path) if "/." in path else path


def _query(text: str) -> str:
    return _ENCODE_IN_QUERY.sub(_percent, text)


def _percent(found: re.Match[str]) -> str:
    return "".join(f"%{octet:02X}" for octet in found.group().encode())


def _without_dots(path: str) -> str:
    """RFC 3986 5.2.4, on a path that starts with a slash."""
    segments = path.split("/")[1:]
    kept: list[str] = []
    for segment in segments:
        if segment == "..":
            del kept[-1:]
        elif segment != ".":
            kept.append(segment)
    if segments[-1] in (".", ".."):
        kept.append("")
    return "/" + "/".join(kept)
