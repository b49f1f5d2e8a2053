"""Urls by class, each with what a guard must make of it: `refused`, `invalid` or an address to connect to.

The fourth field is what the name server answers for the host.
"""

from __future__ import annotations

from typing import NamedTuple

from tests.net.fakes import PUBLIC, PUBLIC_6

REFUSED, INVALID = "refused", "invalid"


class Case(NamedTuple):
    url: str
    outcome: str
    why: str
    answers: tuple[str, ...] = (PUBLIC,)


def _literals(outcome: str, why: str, *hosts: str) -> list[Case]:
    return [Case(f"http://{host}/x", outcome, why, ()) for host in hosts]


def _names(outcome: str, why: str, *urls: str, answers: tuple[str, ...] = (PUBLIC,)) -> list[Case]:
    return [Case(url, outcome, why, answers) for url in urls]


CASES: list[Case] = [
    *_literals(REFUSED, "special IPv4 block", "0.0.0.0", "10.1.2.3", "100.64.0.9", "127.0.0.1", "127.9.9.9"),
    *_literals(REFUSED, "special IPv4 block", "169.254.1.1", "172.16.9.9", "172.31.0.1", "192.0.0.9"),
    *_literals(REFUSED, "special IPv4 block", "192.0.2.9", "192.88.99.2", "192.168.0.1", "198.18.7.7"),
    *_literals(REFUSED, "special IPv4 block", "198.51.100.1", "203.0.113.1", "224.0.0.251", "240.1.1.1"),
    *_literals(REFUSED, "broadcast", "255.255.255.255"),
    *_literals(REFUSED, "cloud metadata", "169.254.169.254", "169.254.170.2", "100.100.100.200"),
    *_literals(
        REFUSED, "cloud metadata", "192.0.0.192", "168.63.129.16", "[fd00:ec2::254]", "[fd20:ce::254]"
    ),
    *_literals(INVALID, "another spelling of IPv4", "2130706433", "0x7f000001", "0177.0.0.1", "127.1"),
    *_literals(INVALID, "another spelling of IPv4", "127.0.0.01", "0x7f.1", "10.258", "0", "169.254.43518"),
    *_literals(INVALID, "no IPv4 at all", "1.2.3.4.5", "256.1.1.1", "4294967297", "name.0x1", "name.09"),
    *_literals(REFUSED, "trailing dot on a literal", "127.0.0.1."),
    *_literals(
        REFUSED, "special IPv6 block", "[::1]", "[::]", "[fc00::9]", "[fe80::9]", "[fec0::9]", "[ff02::2]"
    ),
    *_literals(
        REFUSED, "special IPv6 block", "[2001:db8::9]", "[3fff::9]", "[100::9]", "[5f00::9]", "[2001:20::9]"
    ),
    *_literals(REFUSED, "IPv4 inside IPv6", "[::ffff:127.0.0.1]", "[::ffff:a9fe:a9fe]", "[::127.0.0.1]"),
    *_literals(REFUSED, "IPv4 inside IPv6", "[::ffff:0:10.0.0.1]", "[64:ff9b::10.0.0.1]", "[2002:7f00:1::]"),
    *_literals(
        REFUSED,
        "Teredo and ISATAP",
        "[2001::9]",
        "[2606:4700::5efe:10.0.0.1]",
        "[2606:4700::200:5efe:a9fe:a9fe]",
    ),
    *_literals(INVALID, "zone id", "[fe80::1%25eth0]", "[fe80::1%eth0]"),
    *_literals(
        INVALID, "IPv6 syntax", "::1", "[::1", "[::1]x", "[127.0.0.1]", "[name]", "[]", "[::ffff:127.1]"
    ),
    *_names(
        INVALID,
        "userinfo",
        "http://example.com@127.0.0.1/",
        "https://user:pw@example.com/",
        "http://a@b@c.com/",
    ),
    *_names(
        INVALID, "slashes", "http:///example.com/", "http:/example.com/", "http:example.com", "//example.com/"
    ),
    *_names(
        INVALID,
        "backslash",
        "http://example.com\\@127.0.0.1/",
        "http:\\\\example.com\\",
        "http:/\\example.com/",
    ),
    *_names(INVALID, "no host", "http://", "http://?q", "http://#f", "http://:80/", "https:///"),
    *_names(INVALID, "no url", "", "   ", "example.com", "127.0.0.1"),
    *_names(
        INVALID,
        "characters of the host",
        "http://exa mple.com/",
        "http://exam<ple.com/",
        "http://{x}.example.com/",
    ),
    *_names(
        INVALID, "labels", "http://a..com/", "http://.example.com/", "http://example.com../", "http://-a.com/"
    ),
    *_names(
        INVALID, "percent in the host", "http://127%2e0%2e0%2e1/", "http://localhos%74/", "http://a%00b.com/"
    ),
    *_names(
        INVALID, "compatibility digits", "http://１２７.0.0.1.5/", "http://①②⑦.0.1/", "http://١٢٧.٠.٠.١/"
    ),
    *_names(REFUSED, "ideographic dots", "http://127。0。0。1/", "http://１２７．０．０．１/"),
    *_names(
        REFUSED,
        "compatibility letters",
        "http://ｌｏｃａｌｈｏｓｔ/",
        "http://ⓛⓞⓒⓐⓛⓗⓞⓢⓣ/",
        "http://localhoſt/",
    ),
    *_names(
        INVALID,
        "invisible characters",
        "http://local\u00adhost.com/",
        "http://exa\u200bmple.com/",
        "http://a\u202e.com/",
    ),
    *_names(
        INVALID,
        "compatibility punctuation",
        "http://a.com／@127.0.0.1/",
        "http://a.com＠127.0.0.1/",
        "http://ex℀mple.com/",
    ),
    *_names(INVALID, "punycode", "http://xn--a.com/", "http://xn--.com/", "https://" + "é" * 60 + ".com/"),
    *_names(
        REFUSED,
        "local names",
        "http://localhost/",
        "http://LOCALHOST./",
        "http://x.localhost/",
        "http://redis/",
    ),
    *_names(
        REFUSED,
        "local names",
        "http://nas.lan/",
        "http://printer.local/",
        "http://db.corp/",
        "http://r.home.arpa/",
    ),
    *_names(
        REFUSED,
        "local names",
        "http://wiki.internal/",
        "http://host.docker.internal/",
        "http://x.test/",
        "http://x.invalid/",
    ),
    *_names(REFUSED, "onion", "http://duckduckgogg42xjoc72x3sjasowoarfbgcmvfimaftt6twagswzczad.onion/"),
    *_names(
        REFUSED,
        "metadata names",
        "http://metadata.google.internal/",
        "http://metadata/",
        "http://metadata.goog/",
    ),
    *_names(REFUSED, "wildcard name", "http://127.0.0.1.nip.io/", answers=("127.0.0.1",)),
    *_names(REFUSED, "one private answer", "http://mixed.example.com/", answers=(PUBLIC, "10.0.0.5")),
    *_names(REFUSED, "one private answer", "http://mixed6.example.com/", answers=(PUBLIC, "fd00::1")),
    *_names(REFUSED, "answer in another form", "http://a.example.com/", answers=("::ffff:127.0.0.1",)),
    *_names(REFUSED, "answer in another form", "http://a.example.com/", answers=("64:ff9b::a9fe:a9fe",)),
    *_names(REFUSED, "answer with a zone", "http://a.example.com/", answers=("fe80::1%lo",)),
    *_names(REFUSED, "answer of a sinkhole", "http://a.example.com/", answers=("0.0.0.0",)),
    *_names(REFUSED, "answer is metadata", "http://a.example.com/", answers=("168.63.129.16",)),
    *_names(
        INVALID,
        "scheme",
        "file:///etc/passwd",
        "ftp://example.com/",
        "gopher://127.0.0.1/",
        "javascript:alert(1)",
    ),
    *_names(
        INVALID, "scheme", "data:text/html,x", "view-source:http://a.com/", "http+unix://x/", "httpx://a.com/"
    ),
    *_names(
        REFUSED, "port", "http://example.com:22/", "http://example.com:6379/", "https://https://example.com/"
    ),
    *_names(
        INVALID,
        "port",
        "http://a.com:0/",
        "http://a.com:65536/",
        "http://a.com:+80/",
        "http://a.com:８０/",
        "http://a.com:80:80/",
    ),
    *_names(
        INVALID,
        "injection",
        "http://a.com/\r\nX: y",
        "http://a.com/a\tb",
        "http://a\n.com/",
        "http://a.com/\x00",
        "http://a.com/\x7f",
    ),
    *_names(
        INVALID,
        "length",
        "https://a.com/?q=" + "a" * 9_000,
        "https://" + "a" * 64 + ".com/",
        "https://a.com/" + "字" * 8_000,
    ),
    *_names(
        PUBLIC,
        "plain",
        "https://example.com/",
        "HTTP://EXAMPLE.COM",
        "https://example.com./",
        "http://example.com:/",
    ),
    *_names(
        PUBLIC, "ports", "https://example.com:443/", "http://example.com:8080/", "https://example.com:8443/"
    ),
    *_names(
        PUBLIC,
        "path and query",
        "https://example.com/a b?q=тест#x",
        "https://example.com/a\\b",
        "https://example.com/%0d%0aX:%20y",
    ),
    *_names(
        PUBLIC,
        "address in the rest",
        "https://example.com/?u=http://127.0.0.1/",
        "https://example.com/@10.0.0.1/",
        "https://example.com/#@10.0.0.1",
    ),
    *_names(
        PUBLIC,
        "look-alikes",
        "https://127.0.0.1.example.com/",
        "https://localhost.example.com/",
        "https://notlocalhost.com/",
    ),
    *_names(
        PUBLIC,
        "look-alikes",
        "https://internal.example.com/",
        "https://163.com/",
        "https://0xdead.com/",
        "https://my_host.example.com/",
    ),
    *_names(
        PUBLIC,
        "international names",
        "https://münchen.de/",
        "https://xn--mnchen-3ya.de/",
        "https://пример.рф/",
        "https://faß.de/",
    ),
    *_names(PUBLIC_6, "IPv6 only", "https://v6.example.com/", answers=(PUBLIC_6,)),
    *[
        Case(f"http://{host}/", host, "next to a special block", ())
        for host in (
            "9.255.255.255",
            "11.0.0.1",
            "100.63.255.255",
            "100.128.0.1",
            "172.15.255.255",
            "172.32.0.1",
            "169.253.255.255",
            "198.17.255.255",
            "198.20.0.1",
            "223.255.255.254",
            "168.63.129.17",
        )
    ],
    Case("https://[2606:4700:4700::1111]/", PUBLIC_6, "public IPv6", ()),
    Case("https://[2001:200::1]/", "2001:200::1", "next to a special IPv6 block", ()),
]


class Chain(NamedTuple):
    """Redirects in turn from https://start.example.com/, and how the fetch must end."""

    locations: tuple[str, ...]
    outcome: str
    connects: tuple[str, ...]


HOPS = {
    "start.example.com": [PUBLIC],
    "hop.example.com": ["151.101.1.69"],
    "inner.example.com": ["192.168.0.10"],
}

CHAINS: list[Chain] = [
    *[
        Chain((location,), outcome, (PUBLIC,))
        for location, outcome in [
            ("http://127.0.0.1/", REFUSED),
            ("http://169.254.169.254/latest/", REFUSED),
            ("http://[::1]/", REFUSED),
            ("//127.0.0.1/", REFUSED),
            ("http://localhost/", REFUSED),
            ("http://searxng:8080/", REFUSED),
            ("http://inner.example.com/", REFUSED),
            ("http://user:pw@hop.example.com/", INVALID),
            ("http://hop.example.com:22/", REFUSED),
            ("http://2130706433/", INVALID),
            ("file:///etc/passwd", INVALID),
            ("gopher://127.0.0.1:6379/_INFO", INVALID),
            ("data:text/html,x", INVALID),
            ("javascript:alert(1)", INVALID),
            ("http://hop.example.com\\@127.0.0.1/", INVALID),
            ("\\\\127.0.0.1\\x", INVALID),
            ("/\\127.0.0.1/", INVALID),
            ("http:/127.0.0.1/", INVALID),
            ("http://127.0.0.1%09/", INVALID),
            ("//[bad/", INVALID),
            ("/a\tb", INVALID),
        ]
    ],
    Chain(("https://hop.example.com/", "http://10.0.0.1/"), REFUSED, (PUBLIC, "151.101.1.69")),
    Chain(
        ("/next", "?page=2", "https://hop.example.com/"),
        "https://hop.example.com/",
        (PUBLIC,) * 3 + ("151.101.1.69",),
    ),
    Chain(
        ("http://hop.example.com/", "https://hop.example.com/", "/final"),
        "https://hop.example.com/final",
        (PUBLIC,) + ("151.101.1.69",) * 3,
    ),
]
