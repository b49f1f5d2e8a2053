"""What can go wrong, named by its remedy.

    ResearchError                 a reason for the model, a sentence for people
    +-- ConfigError               stop: the operator must change the configuration
    +-- InvalidArgument           the caller must send something else
    +-- UrlRefused                never fetched, never handed to any reader
    +-- Overloaded                this server is full: the caller waits
    +-- ProviderError             one provider failed; `rest_for` says how long to leave it alone
        +-- Transient             may work at once: tried again inside the deadline
        +-- RateLimited           rest n seconds (a block page is one of these)
        +-- QuotaSpent            rest until the plan renews
            +-- BudgetSpent       our own limit: nothing was asked, no key is at fault
        +-- Rejected              off until restart: the operator must look at the key
        +-- BadReply              the adapter is stale: the developer must look
        +-- NoContent             this target gave nothing here: climb to the next rung
        +-- StoreUnavailable      money cannot be counted: metered calls wait, free ones go on

A message is one sentence for the model: what, why, what to do. It never holds a secret, an upstream
body, a resolved address or a stack.
"""

from __future__ import annotations

from enum import StrEnum


class Reason(StrEnum):
    """Stable codes that tools return beside each error text."""

    INVALID_ARGUMENT = "invalid_argument"
    INVALID_URL = "invalid_url"
    ADDRESS_REFUSED = "address_refused"
    DNS_FAILED = "dns_failed"
    UNREACHABLE = "unreachable"
    TLS_FAILED = "tls_failed"
    TIMEOUT = "timeout"
    NOT_FOUND = "not_found"
    GONE = "gone"
    FORBIDDEN = "forbidden"
    BLOCKED = "blocked"
    PAYWALLED = "paywalled"
    NEEDS_JAVASCRIPT = "needs_javascript"
    EMPTY = "empty"
    TOO_LARGE = "too_large"
    UNSUPPORTED_TYPE = "unsupported_type"
    NO_TEXT_LAYER = "no_text_layer"
    NO_TRANSCRIPT = "no_transcript"
    RATE_LIMITED = "rate_limited"
    OUT_OF_CREDITS = "out_of_credits"
    BAD_KEY = "bad_key"
    UPSTREAM_ERROR = "upstream_error"
    INTERNAL_ERROR = "internal_error"
    DEADLINE = "deadline"
    OVERLOADED = "overloaded"
    ROBOTS_DISALLOWED = "robots_disallowed"
    NOT_CONFIGURED = "not_configured"
    CANCELLED = "cancelled"
    SESSION_UNKNOWN = "session_unknown"
    SESSION_EXPIRED = "session_expired"
    SESSION_EVICTED = "session_evicted"


NO_CONNECTION = frozenset({Reason.UNREACHABLE, Reason.TLS_FAILED})
"""Nobody answers under this form of the address; another form may do."""


class ResearchError(Exception):
    """Base of every error this product raises on purpose.

    `reason` is the stable code; `str(error)` the sentence.
    """

    default_reason = Reason.UPSTREAM_ERROR

    def __init__(self, message: str, *, reason: Reason | None = None) -> None:
        super().__init__(message)
        self.reason = reason or self.default_reason


class ConfigError(ResearchError):
    """The configuration is wrong; the program stops with this one sentence."""

    default_reason = Reason.NOT_CONFIGURED


class InvalidArgument(ResearchError):
    """A tool argument breaks a rule; the sentence names value, rule and remedy."""

    default_reason = Reason.INVALID_ARGUMENT


class UrlRefused(ResearchError):
    """The url is malformed or leads to an address nobody may fetch (reason tells which)."""

    default_reason = Reason.ADDRESS_REFUSED


class Overloaded(ResearchError):
    """A queue of this server is full."""

    default_reason = Reason.OVERLOADED


class ProviderError(ResearchError):
    """One provider failed. `rest_for`: seconds to leave it alone; 0 none, None until restart.

    `sent` is False only when it is certain that no request left this machine (unknown name, refused
    connection, failed handshake): then a metered call gets its reservation back.
    """

    default_rest: float | None = 0.0

    def __init__(
        self,
        message: str,
        *,
        reason: Reason | None = None,
        rest_for: float | None = -1.0,
        sent: bool = True,
    ) -> None:
        super().__init__(message, reason=reason)
        self.sent = sent
        self.rest_for = self.default_rest if rest_for == -1.0 else rest_for


class Transient(ProviderError):
    """Connection error, reset, 408, 5xx: once more, then fail over."""


class RateLimited(ProviderError):
    """429 or a block page: rest `rest_for` seconds, fail over at once."""

    default_reason = Reason.RATE_LIMITED
    default_rest = 60.0


class QuotaSpent(ProviderError):
    """Out of credits: rest until the plan renews (a day where the vendor does not say)."""

    default_reason = Reason.OUT_OF_CREDITS
    default_rest = 86_400.0


class BudgetSpent(QuotaSpent):
    """This server's own budget is used up; `rest_for` lasts until it renews, None when it never does.

    Nobody's key is at fault, so no account is parked: a raised budget works at the next start.
    """

    def __init__(self, message: str, *, rest_for: float | None) -> None:
        super().__init__(message, rest_for=rest_for, sent=False)


class Rejected(ProviderError):
    """The key is wrong or may not do this: off until restart or a changed key."""

    default_reason = Reason.BAD_KEY
    default_rest = None


class BadReply(ProviderError):
    """The answer has not the documented shape: the adapter is stale."""


class NoContent(ProviderError):
    """The target gave this reader nothing usable; another reader may do better."""

    default_reason = Reason.EMPTY


class StoreUnavailable(ProviderError):
    """The store cannot count money now: a metered call is not made. Nothing is parked for it.

    Its reason is `overloaded`: this server cannot take the call, the vendor was not asked.
    """

    default_reason = Reason.OVERLOADED

    def __init__(self, message: str) -> None:
        super().__init__(message, sent=False)
