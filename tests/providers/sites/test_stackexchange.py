"""Stack Exchange: the question and its answers, and the quota that everybody without a key shares."""

from __future__ import annotations

import asyncio

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, NoContent, RateLimited, Reason, Transient
from research_mcp.core.models import Kind
from research_mcp.pipelines.read.job import ProbeLimits, ReadJob
from research_mcp.providers.sites.stackexchange import StackExchangeRead
from tests.kit.sites import Desk, fixture
from tests.kit.virtual_time import run
from tests.kit.wire import KEY

URL = "https://stackoverflow.com/questions/101/how-to-sort-kelp"
API = "GET https://api.stackexchange.com/2.3"
QUESTION, ANSWERS = f"{API}/questions/101", f"{API}/questions/101/answers"


def desk(question: object = None, answers: object = None, **more: object) -> Desk:
    lines = {
        QUESTION: question or fixture("stackexchange/question.json"),
        ANSWERS: answers or fixture("stackexchange/answers.json"),
        f"{API}/answers/202": fixture("stackexchange/answer.json"),
    }
    return Desk(StackExchangeRead, lines, **more)


@pytest.mark.parametrize(
    ("host", "site"),
    [
        ("stackoverflow.com", "stackoverflow"),
        ("www.stackoverflow.com", "stackoverflow"),
        ("pt.stackoverflow.com", "pt.stackoverflow"),
        ("meta.stackoverflow.com", "meta.stackoverflow"),
        ("es.meta.stackoverflow.com", "es.meta.stackoverflow"),
        ("superuser.com", "superuser"),
        ("meta.superuser.com", "meta.superuser"),
        ("serverfault.com", "serverfault"),
        ("askubuntu.com", "askubuntu"),
        ("stackapps.com", "stackapps"),
        ("mathoverflow.net", "mathoverflow.net"),
        ("math.stackexchange.com", "math"),
        ("math.meta.stackexchange.com", "math.meta"),
        ("meta.math.stackexchange.com", "math.meta"),
        ("meta.stackexchange.com", "meta"),
    ],
)
def test_every_host_of_the_network_has_its_site(host: str, site: str) -> None:
    found = desk()
    found.page(f"https://{host}/questions/101")
    assert {request.url.params["site"] for request in found.sent} == {site}
    assert {request.url.params["filter"] for request in found.sent} == {"withbody"}


@pytest.mark.parametrize(
    "path", ["questions/101", "questions/101/slug?a=b#c", "q/101", "q/101/7", "questions/101/"]
)
def test_each_form_of_a_questions_address_is_taken(path: str) -> None:
    found = desk()
    found.page(f"https://stackoverflow.com/{path}")
    assert found.lines() == [QUESTION, ANSWERS]


@pytest.mark.parametrize(
    "url",
    [
        "https://stackoverflow.com/",
        "https://stackoverflow.com/questions",
        "https://stackoverflow.com/questions/tagged/python",
        "https://stackoverflow.com/questions/101x",
        "https://stackoverflow.com/users/101/ann",
        "https://chat.stackexchange.com/questions/1",
        "https://api.stackexchange.com/questions/1",
        "https://stackexchange.com/questions/1",
        "https://stackoverflow.com.evil.test/questions/1",
        "https://notstackoverflow.com/questions/1",
        "https://stackoverflow.blog/a/1",
    ],
)
def test_other_addresses_are_left_to_others(url: str) -> None:
    assert not StackExchangeRead().accepts(url)


def test_a_question_comes_with_its_answers_by_score() -> None:
    page = desk().page(URL)
    assert (page.title, page.author, page.date) == ("How to sort kelp & dulse?", "Ann O'Hara", "2026-08-01")
    assert (page.kind, page.site, page.final_url) == (Kind.POST, "stackoverflow.com", URL)
    assert page.notes == ("2 of 2 answers are shown, the best by score",)
    assert page.markdown == (
        "score 42 · tags: python, sorting · 2 answers\n\n"
        "I have a `list`:\n\n```py\nkelp = [3, 1]\nfor k in kelp:\n    print(k)\n```\n\n"
        "## Answer by bob · 2026-08-01 · score 50\n\nUse `sorted(kelp)`.\n\n"
        "## Answer by user9 · 2026-08-02 · score -1 · accepted\n\n1. Sort.\n2. Print."
    )


@pytest.mark.parametrize(
    ("path", "calls"),
    [("a/202/7", 3), ("a/202", 3), ("questions/101/slug/202", 2), ("questions/101/s/202#202", 2)],
)
def test_the_answer_that_was_linked_comes_first(path: str, calls: int) -> None:
    found = desk()
    page = found.page(f"https://stackoverflow.com/{path}")
    assert page.markdown.index("the one that was linked") < page.markdown.index("Answer by bob")
    assert len(found.sent) == calls


def test_a_key_goes_where_the_api_wants_it() -> None:
    found = desk(keys=[KEY])
    found.page(URL)
    assert [request.url.params["key"] for request in found.sent] == [KEY, KEY]


def test_another_base_url_is_asked_instead() -> None:
    found = Desk(
        StackExchangeRead,
        {
            "GET http://gw.test/2.3/questions/101": fixture("stackexchange/question.json"),
            "GET http://gw.test/2.3/questions/101/answers": fixture("stackexchange/answers.json"),
        },
        urls={"": "http://gw.test/"},
    )
    assert found.page(URL).author == "Ann O'Hara"


def test_a_question_that_is_not_there_is_not_found() -> None:
    empty = httpx.Response(200, json={"items": [], "has_more": False})
    assert desk(empty).error(URL).reason is Reason.NOT_FOUND
    found = Desk(StackExchangeRead, {f"{API}/answers/9": empty})
    assert found.error("https://stackoverflow.com/a/9").reason is Reason.NOT_FOUND


def test_answers_that_fail_leave_the_question() -> None:
    page = desk(answers=fixture("stackexchange/throttled.json", 400)).page(URL)
    assert page.markdown.endswith("```")
    assert page.notes == (
        "the answers could not be read (rate_limited): Stack Exchange's quota for this address is used up",
    )


def test_a_pause_that_the_api_asks_for_is_kept() -> None:
    found = desk()

    async def main() -> tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]]:
        async def notes() -> tuple[str, ...]:
            deadline = Deadline.after(45)
            async with ReadJob((URL,), found.fetcher, found.extractor, deadline, ProbeLimits()) as job:
                return (await found.reader.read(job, deadline)).notes

        first, second = await notes(), await notes()
        await asyncio.sleep(10)
        return first, second, await notes()

    first, second, third = run(main())
    assert first == third
    assert second == (
        "the answers could not be read (rate_limited): Stack Exchange asked for a pause between such calls",
    )
    assert found.lines() == [QUESTION, ANSWERS, QUESTION, QUESTION, ANSWERS]


def test_a_spent_quota_rests_as_long_as_it_says() -> None:
    error = desk(fixture("stackexchange/throttled.json", 400)).error(URL)
    assert (type(error), error.rest_for) == (RateLimited, 71_234.0)
    silent = httpx.Response(400, json={"error_id": 502, "error_name": "throttle_violation"})
    assert desk(silent).error(URL).rest_for == 3_600.0


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (fixture("stackexchange/no_site.json", 400), NoContent, Reason.NOT_FOUND),
        (httpx.Response(400, json={"error_id": 400, "error_message": "ids"}), BadReply, None),
        (httpx.Response(400, content=b"<html>"), BadReply, None),
        (httpx.Response(429), RateLimited, None),
        (httpx.Response(503), Transient, None),
        (httpx.ReadTimeout("slow"), Transient, Reason.TIMEOUT),
        (httpx.Response(200, content=b"<html>"), BadReply, None),
        (httpx.Response(200, json=[]), BadReply, None),
        (httpx.Response(200, json={"items": {}}), BadReply, None),
    ],
    ids=["no site", "400", "400 html", "429", "503", "timeout", "html", "list", "no items"],
)
def test_each_fault_has_its_remedy(answer: object, kind: type[Exception], reason: Reason | None) -> None:
    error = desk(answer).error(URL)
    assert type(error) is kind
    assert reason in (None, error.reason)
