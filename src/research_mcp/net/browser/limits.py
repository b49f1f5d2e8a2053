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

    It has `settle` seconds to grow quiet once its own text is there, and as many again while it shows
    less than `little` characters, looked at every `look` seconds. `text` is the most of its tree,
    `requests` what it may load.
    """

    settle: float = 5.0
    little: int = 400
    look: float = 0.25
    text: int = 5_000_000
    requests: int = 400


@dataclass(frozen=True, slots=True)
class BrowserLimits:
    """For the browser: the path of its `program`, whether it has its own `sandbox`, the `memory` of all
    its processes together, `pages` at a time, `pages_each` until a fresh browser takes its place, and
    `idle` seconds until one without a page is closed. `user_agent` names this product to sites."""

    program: str
    user_agent: str
    sandbox: bool = True
    memory: int = 1_000_000_000
    pages: int = 2
    pages_each: int = 100
    idle: float = 60.0
    visit: VisitLimits = field(default_factory=VisitLimits)
    proxy: ProxyLimits = field(default_factory=ProxyLimits)
