"""Octen: languages and domains within its lists, errors inside answers."""

from __future__ import annotations

import json

import pytest

from research_mcp.core.errors import BadReply, ProviderError, QuotaSpent, RateLimited, Rejected, Transient
from research_mcp.core.models import Filter, SearchQuery
from research_mcp.core.wire import Reply
from research_mcp.providers.vendors.octen import OctenSearch


def sent(query: SearchQuery) -> dict[str, object]:
    body = OctenSearch().request(query).json
    assert isinstance(body, dict)
    return dict(body)


def refusal(code: object, msg: str = "", status: int = 200) -> ProviderError | None:
    body = json.dumps({"code": code, "msg": msg, "request_id": "q"}).encode()
    return OctenSearch().refusal(Reply(status, body=body))


def test_a_language_that_octen_does_not_have_is_left_out_and_named() -> None:
    query = SearchQuery("x", language="fi")
    assert "language" not in sent(query)
    assert OctenSearch().unapplied(query) == {Filter.LANGUAGE}


def test_domains_past_the_limit_are_left_to_the_merge() -> None:
    domains = tuple(f"d{n}.example" for n in range(1_201))
    query = SearchQuery("x", include_domains=domains, exclude_domains=domains)
    assert sent(query)["include_domains"] == [*domains[:1_200]]
    assert sent(query)["exclude_domains"] == [*domains[:1_200]]
    assert OctenSearch().unapplied(query) == {Filter.INCLUDE_DOMAINS, Filter.EXCLUDE_DOMAINS}


@pytest.mark.parametrize(
    ("code", "msg", "error"),
    [
        (401, "Invalid API key", Rejected),
        (403, "Insufficient balance", QuotaSpent),
        (429, "slow down", RateLimited),
        (400, "bad", BadReply),
        (7, "", Transient),
        ("429", "slow down", RateLimited),
        ("odd", "", Transient),
    ],
)
def test_a_code_other_than_zero_is_an_error_under_200(
    code: object, msg: str, error: type[ProviderError]
) -> None:
    assert isinstance(refusal(code, msg), error)


def test_other_statuses_and_the_code_of_success_are_no_refusal() -> None:
    assert refusal(0) is None
    assert refusal("0") is None
    assert refusal(401, status=401) is None
