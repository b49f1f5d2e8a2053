"""How much a browser and each of its pages may take. Octets and seconds."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class ProxyLimits:
    """For one page: octets in both directions, connections at a time, octets sent with one request."""

    octets: int = 25_000_000
    connections: int = 64
    upload: int = 1_000_000
    connect: float = 5.0


@dataclass(frozen=True, slots=True)
class VisitLimits:
    """For one page: seconds, characters, requests.

    It has `load` seconds until its own text is there, `settle` seconds to grow quiet, and as many again
    while it shows less than `little` characters, looked at every `look` seconds. Then it is read as it
    stands. `text` is the most of its tree, `requests` what it may load.
    """

    load: float = 10.0
    settle: float = 5.0
    little: int = 400
    look: float = 0.25
    text: int = 5_000_000
    requests: int = 400


@dataclass(frozen=True, slots=True)
class BrowserLimits:
    """For the browser: the path of its `program`, whether it has its own `sandbox`, the `memory` of all
    its processes together, `pages` at a time, `pages_each` until a fresh browser takes its place, and
    `idle` seconds until one without a page is closed. `user_agent` names this product to sites;
    `trusted_keys` are public keys (SHA-256, Base64) to trust beside the browser's own authorities."""

    program: str
    user_agent: str
    sandbox: bool = True
    memory: int = 1_000_000_000
    pages: int = 2
    pages_each: int = 100
    idle: float = 60.0
    trusted_keys: tuple[str, ...] = ()
    visit: VisitLimits = field(default_factory=VisitLimits)
    proxy: ProxyLimits = field(default_factory=ProxyLimits)
