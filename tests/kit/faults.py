"""The faults that every provider must bear, whatever it sells, and how requests and errors are compared."""

from __future__ import annotations

import copy
import json
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import parse_qsl

import httpx
import pytest

from research_mcp.core import errors
from research_mcp.core.errors import ProviderError
from tests.kit.wire import KEY, Answer

NEUTRAL = b'{"message": "no"}'

TABLE: dict[int, dict[str, Any]] = {
    400: {"error": "BadReply"},
    401: {"error": "Rejected", "reason": "bad_key", "rest_for": None},
    402: {"error": "QuotaSpent", "reason": "out_of_credits", "rest_for": 86_400},
    403: {"error": "Rejected", "reason": "bad_key", "rest_for": None},
    404: {"error": "BadReply"},
    422: {"error": "BadReply"},
    429: {"error": "RateLimited", "reason": "rate_limited", "rest_for": 60},
    432: {"error": "QuotaSpent", "reason": "out_of_credits"},
    433: {"error": "QuotaSpent", "reason": "out_of_credits"},
    500: {"error": "Transient"},
    502: {"error": "Transient"},
    503: {"error": "Transient"},
    504: {"error": "Transient"},
}
"""What each status means where a vendor does not say otherwise."""

LIMITS = (("7", 7), ("Fri, 15 Jan 2027 08:02:00 GMT", 120), ("soon", 60), ("", 60))
"""What `Retry-After` says, and the seconds that it means."""

LOST = (
    (httpx.ReadTimeout("canary-body"), {"error": "Transient", "reason": "timeout"}),
    (httpx.ConnectTimeout("canary-body"), {"error": "Transient"}),
    (httpx.ConnectError("canary-body"), {"error": "Transient"}),
    (httpx.ReadError("canary-body"), {"error": "Transient"}),
    (httpx.RemoteProtocolError("canary-body"), {"error": "Transient"}),
)
"""Calls that end without an answer."""

ODD_BODIES = (
    b"<!DOCTYPE html><html><body><h1>Gateway</h1></body></html>",
    b"[]",
    b"[1, 2]",
    b"{}",
    b'"text"',
    b"null",
    b"",
    b"\xff\xfe\x00",
    b"{" * 10_000,
    b"<" * 10_000,
)


def refused(status: int) -> httpx.Response:
    """A failure with a body that must not show anywhere."""
    body = b'{"message": "canary-body"}'
    return httpx.Response(status, headers={"content-type": "application/json"}, content=body)


def odd_answers() -> list[httpx.Response]:
    """Good statuses over bodies that no vendor documents."""
    return [
        httpx.Response(200, headers={"content-type": media}, content=body)
        for body in ODD_BODIES
        for media in ("text/html", "application/json", "")
    ]


def flood(request: httpx.Request) -> httpx.Response:
    """Fifty megabytes."""

    async def spaces() -> AsyncIterator[bytes]:
        for _ in range(50):
            yield b" " * 1_000_000

    return httpx.Response(200, content=spaces())


def sent(request: httpx.Request) -> dict[str, Any]:
    """A request as `meta.json` writes it."""
    kind = request.headers.get("content-type", "")
    found: dict[str, Any] = {
        "method": request.method,
        "url": str(request.url.copy_with(query=None, fragment=None)),
        "params": dict(request.url.params.multi_items()),
    }
    if kind.startswith("application/json"):
        found["json"] = json.loads(request.content)
    elif kind.startswith("application/x-www-form-urlencoded"):
        found["form"] = dict(parse_qsl(request.content.decode(), keep_blank_values=True))
    return found


def assert_holds(whole: Any, part: Any, where: str = "request") -> None:
    """Every key of `part` is in `whole` with its value, at any depth."""
    if isinstance(part, dict):
        assert isinstance(whole, dict), where
        for name, value in part.items():
            assert name in whole, f"{where} lacks {name}"
            assert_holds(whole[name], value, f"{where}.{name}")
    elif isinstance(whole, str) and isinstance(part, int):
        assert whole == str(part), where
    else:
        assert whole == part, where


def assert_is(error: object, expected: dict[str, Any]) -> None:
    """`error` is of the kind, with the reason and the rest, that `expected` states, and quiet."""
    assert type(error) is getattr(errors, expected["error"]), error
    assert isinstance(error, ProviderError)
    if "reason" in expected:
        assert error.reason.value == expected["reason"]
    if "rest_for" in expected:
        rest = expected["rest_for"]
        assert error.rest_for == (None if rest is None else pytest.approx(rest, abs=2))
    assert_quiet(str(error))


def assert_quiet(text: str) -> None:
    """An error is one sentence without key, body or markup."""
    assert KEY not in text
    assert "<" not in text
    assert "canary-body" not in text
    assert 0 < len(text) < 300


def changed_bodies(path: Path) -> Iterator[bytes]:
    """The answer with each value replaced by each other type; for other media cut off at many places."""
    whole = path.read_bytes()
    if path.suffix == ".json":
        for value in changed(json.loads(whole)):
            yield json.dumps(value).encode()
    for end in range(0, len(whole), max(1, len(whole) // 60)):
        yield whole[:end]


def changed(value: Any) -> Iterator[Any]:
    """`value` with each of its parts replaced by each other type; of lists the first two items."""
    for place in places(value):
        for other in (None, 0, -1.5, True, "text", [], {}, [None], {"a": 1}):
            yield replaced(value, place, other)


def places(value: Any, place: tuple[str | int, ...] = ()) -> Iterator[tuple[str | int, ...]]:
    yield place
    if isinstance(value, dict):
        for name in value:
            yield from places(value[name], (*place, name))
    elif isinstance(value, list):
        for number, item in enumerate(value[:2]):
            yield from places(item, (*place, number))


def replaced(value: Any, place: tuple[str | int, ...], other: Any) -> Any:
    if not place:
        return other
    changed = copy.deepcopy(value)
    inner = changed
    for step in place[:-1]:
        inner = inner[step]
    inner[place[-1]] = other
    return changed


def lists_in(value: Any) -> Iterator[list[Any]]:
    if isinstance(value, list):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from lists_in(item)


class Asked(Protocol):
    """A registered type with its fixtures, as a contract test's `vendor` fixture gives it."""

    @property
    def meta(self) -> dict[str, Any]: ...

    def outcome(self, answer: Answer | httpx.Response) -> object: ...


class CommonFaults:
    """Tests of every kind of provider. Each contract adds what is odd in an answer of its own kind."""

    def test_each_status_has_its_remedy(self, vendor: Asked) -> None:
        for status, common in TABLE.items():
            expected = vendor.meta.get("faults", {}).get(str(status), common)
            assert_is(vendor.outcome(refused(status)), expected)

    @pytest.mark.parametrize(("stated", "seconds"), LIMITS)
    def test_a_limit_lasts_as_long_as_the_vendor_says(self, vendor: Asked, stated: str, seconds: int) -> None:
        if "429" in vendor.meta.get("faults", {}):
            seconds = vendor.meta["faults"]["429"]["rest_for"]
        answer = httpx.Response(429, headers={"retry-after": stated}, content=NEUTRAL)
        assert_is(vendor.outcome(answer), {"error": "RateLimited", "rest_for": seconds})

    @pytest.mark.parametrize(("fault", "expected"), LOST, ids=lambda value: type(value).__name__)
    def test_a_call_without_an_answer_is_transient(
        self, vendor: Asked, fault: Exception, expected: dict[str, Any]
    ) -> None:
        def answer(request: httpx.Request) -> httpx.Response:
            raise fault

        assert_is(vendor.outcome(answer), expected)

    def test_fifty_megabytes_are_not_read(self, vendor: Asked) -> None:
        assert_is(vendor.outcome(flood), {"error": "BadReply", "reason": "too_large"})
