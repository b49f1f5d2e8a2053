"""From a vendor's status and words to an error with a remedy."""

from __future__ import annotations

import pytest

from research_mcp.core.errors import (
    BadReply,
    NoContent,
    ProviderError,
    QuotaSpent,
    RateLimited,
    Reason,
    Rejected,
    Transient,
)
from research_mcp.core.wire import Reply
from research_mcp.net.status import LONGEST_REST, Phrases, error_of, retry_after, says

NOW = 1_790_000_000.0  # Mon, 21 Sep 2026 14:13:20 GMT
PHRASES = Phrases(
    spent=("Not enough credits",),
    rejected=("TOKEN_INVALID",),
    limited=("secondary rate limit",),
    blocked=("are you human",),
)


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_a_good_status_is_no_error_whatever_the_body_says(status: int) -> None:
    assert error_of(Reply(status, body=b"Not enough credits"), NOW, PHRASES) is None


@pytest.mark.parametrize(
    ("status", "kind", "reason", "rest"),
    [
        (300, BadReply, Reason.UPSTREAM_ERROR, 0),
        (301, BadReply, Reason.UPSTREAM_ERROR, 0),
        (400, BadReply, Reason.UPSTREAM_ERROR, 0),
        (401, Rejected, Reason.BAD_KEY, None),
        (402, QuotaSpent, Reason.OUT_OF_CREDITS, 86_400),
        (403, Rejected, Reason.BAD_KEY, None),
        (404, NoContent, Reason.NOT_FOUND, 0),
        (408, Transient, Reason.UPSTREAM_ERROR, 0),
        (410, NoContent, Reason.NOT_FOUND, 0),
        (422, BadReply, Reason.UPSTREAM_ERROR, 0),
        (429, RateLimited, Reason.RATE_LIMITED, 60),
        (432, QuotaSpent, Reason.OUT_OF_CREDITS, 86_400),
        (433, QuotaSpent, Reason.OUT_OF_CREDITS, 86_400),
        (500, Transient, Reason.UPSTREAM_ERROR, 0),
        (503, Transient, Reason.UPSTREAM_ERROR, 0),
        (599, Transient, Reason.UPSTREAM_ERROR, 0),
    ],
)
def test_each_status_has_its_remedy(
    status: int, kind: type[ProviderError], reason: Reason, rest: float | None
) -> None:
    error = error_of(Reply(status, body=b"secret body"), NOW)
    assert type(error) is kind
    assert (error.reason, error.rest_for) == (reason, rest)
    assert str(status) in str(error)
    assert "secret body" not in str(error)


@pytest.mark.parametrize(
    ("status", "body", "kind", "reason"),
    [
        (400, b'{"message": "NOT ENOUGH CREDITS"}', QuotaSpent, Reason.OUT_OF_CREDITS),
        (429, b"not enough credits", QuotaSpent, Reason.OUT_OF_CREDITS),
        (422, b"token_invalid", Rejected, Reason.BAD_KEY),
        (403, b"You hit a secondary rate limit", RateLimited, Reason.RATE_LIMITED),
        (503, b"<p>Are you human?</p>", RateLimited, Reason.BLOCKED),
    ],
)
def test_a_vendors_own_words_decide_before_the_status(
    status: int, body: bytes, kind: type[ProviderError], reason: Reason
) -> None:
    error = error_of(Reply(status, body=body), NOW, PHRASES)
    assert (type(error), error.reason if error else None) == (kind, reason)


@pytest.mark.parametrize("status", [401, 403])
def test_where_no_key_was_sent_none_is_blamed(status: int) -> None:
    error = error_of(Reply(status, body=b"{}"), NOW, keyed=False)
    assert isinstance(error, Rejected)
    assert str(error) == f"it refuses calls without a key (status {status})"
    assert str(error_of(Reply(status, body=b"{}"), NOW)) == f"the key was refused (status {status})"


def test_a_refusal_in_html_is_the_vendors_edge_and_not_the_key() -> None:
    error = error_of(Reply(403, {"content-type": "text/html; charset=utf-8"}, b"<html>"), NOW)
    assert isinstance(error, RateLimited)
    assert error.reason is Reason.BLOCKED


@pytest.mark.parametrize(
    ("stated", "seconds"),
    [
        ("7", 7.0),
        ("1.5", 1.5),
        ("Mon, 21 Sep 2026 14:15:20 GMT", 120.0),
        ("Mon, 21 Sep 2026 14:00:00 GMT", 60.0),
        ("99999999", LONGEST_REST),
        ("Fri, 21 Sep 2029 14:15:20 GMT", LONGEST_REST),
        ("0", 60.0),
        ("", 60.0),
        ("-5", 60.0),
        ("soon", 60.0),
        ("999999999999999999", 60.0),
        ("Mon, 99 Sep 99999 14:15:20 GMT", 60.0),
        ("Mon, 01 Jan 0001 00:00:00 -0000", 60.0),
        ("٧", 60.0),
    ],
)
def test_retry_after_is_read_as_a_number_or_a_date_and_junk_is_a_minute(stated: str, seconds: float) -> None:
    assert retry_after(Reply(429, {"retry-after": stated}), NOW) == pytest.approx(seconds)


def test_a_failing_vendor_that_asks_for_a_pause_gets_it() -> None:
    error = error_of(Reply(503, {"retry-after": "120"}), NOW)
    assert isinstance(error, Transient)
    assert error.rest_for == 120


def test_words_are_looked_for_at_the_start_of_the_body_only() -> None:
    assert says(Reply(400, body=b"x" * 4_000 + b"credits"), ("Credits",))
    assert not says(Reply(400, body=b"x" * 5_000 + b"credits"), ("credits",))
    assert not says(Reply(400, body=b"credits"), ())
