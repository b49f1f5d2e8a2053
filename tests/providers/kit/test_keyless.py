"""What anybody's door says: closed, later, or no such door."""

from __future__ import annotations

import asyncio

import pytest

from research_mcp.core.errors import NoContent, Reason
from research_mcp.core.models import Extracted
from research_mcp.core.wire import Document, JsonValue, Reply
from research_mcp.providers.kit.keyless import closed, seconds_until, site_json
from tests.kit.reading import document

JSON = {"content-type": "application/json"}


class Asked:
    """A `core.ports.Job` whose site answers once."""

    url = "https://forum.test/t/x/1"

    def __init__(self, answer: Document) -> None:
        self.answer = answer

    async def document(self) -> Document:
        raise AssertionError

    async def extracted(self) -> Extracted:
        raise AssertionError

    async def fetch(self, url: str, *, accept: str = "") -> Document:
        assert accept == "application/json"
        return self.answer

    async def extract(self, document: Document) -> Extracted:
        raise AssertionError


def asked(body: str, status: int = 200, truncated: str = "") -> JsonValue:
    answer = document("https://forum.test/t/1.json", body, status, truncated=truncated)
    return asyncio.run(site_json(Asked(answer), "https://forum.test/t/1.json", "Discourse"))


@pytest.mark.parametrize(
    ("reply", "reason"),
    [
        (Reply(401, JSON), Reason.FORBIDDEN),
        (Reply(403, JSON), Reason.FORBIDDEN),
        (Reply(410, JSON), Reason.GONE),
        (Reply(451, JSON), Reason.FORBIDDEN),
        (Reply(403, {"content-type": "text/html"}), None),
        (Reply(404, JSON), None),
        (Reply(429, JSON), None),
        (Reply(200, JSON), None),
    ],
)
def test_a_closed_page_is_no_bad_key(reply: Reply, reason: Reason | None) -> None:
    error = closed(reply)
    assert (error and error.reason) == reason


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"date": "Fri, 15 Jan 2027 08:00:00 GMT", "reset": "1800000060"}, 60.0),
        ({"date": "Fri, 15 Jan 2027 08:00:00 GMT", "reset": "1700000000"}, 1.0),
        ({"date": "Fri, 15 Jan 2027 08:00:00 GMT", "reset": "9999999999"}, 86_400.0),
        ({"date": "Fri, 15 Jan 2027 08:00:00 GMT", "reset": "soon"}, 7.0),
        ({"date": "Fri, 15 Jan 2027 08:00:00 GMT"}, 7.0),
        ({"date": "today", "reset": "1800000060"}, 7.0),
        ({"reset": "1800000060"}, 7.0),
    ],
)
def test_a_reset_is_counted_from_the_answers_own_date(headers: dict[str, str], seconds: float) -> None:
    assert seconds_until(Reply(403, headers), "reset", 7.0) == seconds


def test_the_sites_json_is_handed_over() -> None:
    assert asked('{"a": [1]}') == {"a": [1]}


def test_an_answer_that_the_site_did_not_finish_is_its_failure() -> None:
    answer = document("https://forum.test/t/1.json", '{"a": 1}', truncated="it broke off", broken=True)
    with pytest.raises(NoContent) as caught:
        asyncio.run(site_json(Asked(answer), "https://forum.test/t/1.json", "Discourse"))
    assert caught.value.reason is Reason.UPSTREAM_ERROR


@pytest.mark.parametrize(
    ("body", "status", "truncated", "reason"),
    [
        ("<html>Welcome</html>", 200, "", Reason.EMPTY),
        ("<html>Not found</html>", 404, "", Reason.EMPTY),
        ('{"error": "Record not found"}', 404, "", Reason.NOT_FOUND),
        ('{"error": "login"}', 401, "", Reason.FORBIDDEN),
        ('{"error": "slow"}', 429, "", Reason.RATE_LIMITED),
        ('{"a": 1}', 200, "the connection broke off", Reason.TOO_LARGE),
    ],
)
def test_a_site_without_the_software_says_nothing_of_the_page(
    body: str, status: int, truncated: str, reason: Reason
) -> None:
    with pytest.raises(NoContent) as caught:
        asked(body, status, truncated)
    assert caught.value.reason is reason
