"""XMLRiver: two engines behind one account, errors inside answers, a key in the query string."""

from __future__ import annotations

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import BadReply, ProviderError, QuotaSpent, RateLimited, Rejected, Transient
from research_mcp.core.instance import Secret
from research_mcp.core.models import Filter, SearchQuery, TimeRange
from research_mcp.core.wire import Reply
from research_mcp.providers.kit.base import Means
from research_mcp.providers.vendors.xmlriver import XmlRiverGoogle, XmlRiverYandex
from tests.kit.virtual_time import run
from tests.kit.wire import Wire, search_engine

GOOGLE = XmlRiverGoogle(Means({"user": "1234"}))
YANDEX = XmlRiverYandex(Means({"user": "1234", "region": "213"}))


def reply(inner: str) -> Reply:
    return Reply(200, body=f"<yandexsearch><response>{inner}</response></yandexsearch>".encode())


def results(*docs: str) -> Reply:
    groups = "".join(f"<group><doc>{doc}</doc></group>" for doc in docs)
    return reply(f"<results><grouping>{groups}</grouping></results>")


def test_a_plain_question_names_user_and_words_and_the_key_comes_last() -> None:
    request = GOOGLE.request(SearchQuery("tidal power"))
    assert request.params == {"user": "1234", "query": "tidal power"}
    keyed = GOOGLE.key_place.apply(request, Secret("abc123"))
    assert keyed.params["key"] == "abc123"
    assert "abc123" not in repr(keyed)
    assert "1234" not in repr(keyed)


def test_yandex_is_asked_from_its_region() -> None:
    assert YANDEX.request(SearchQuery("x")).params["lr"] == "213"
    assert YANDEX.request(SearchQuery("x", country="RU")).params["lr"] == "225"
    unknown = SearchQuery("x", country="DE")
    assert YANDEX.request(unknown).params["lr"] == "213"
    assert YANDEX.unapplied(unknown) == {Filter.COUNTRY}


def test_google_takes_countries_by_their_number_and_a_default_one_from_the_owner() -> None:
    at_home = XmlRiverGoogle(Means({"user": "1", "country": "2643"}))
    assert at_home.request(SearchQuery("x")).params["country"] == "2643"
    assert at_home.request(SearchQuery("x", country="US")).params["country"] == "2840"
    unknown = SearchQuery("x", country="XX")
    assert "country" not in GOOGLE.request(unknown).params
    assert GOOGLE.unapplied(unknown) == {Filter.COUNTRY}


def test_a_language_that_yandex_does_not_have_is_left_out_and_named() -> None:
    query = SearchQuery("x", language="ja")
    assert "lang" not in YANDEX.request(query).params
    assert YANDEX.unapplied(query) == {Filter.LANGUAGE}


@pytest.mark.parametrize(
    ("time_range", "sent", "applied"),
    [
        (TimeRange.DAY, "77", True),
        (TimeRange.WEEK, "1", False),
        (TimeRange.MONTH, "2", True),
        (TimeRange.YEAR, None, False),
    ],
)
def test_yandex_takes_two_weeks_for_one_and_knows_no_year(
    time_range: TimeRange, sent: str | None, applied: bool
) -> None:
    query = SearchQuery("x", time_range=time_range)
    assert YANDEX.request(query).params.get("within") == sent
    assert YANDEX.unapplied(query) == (set() if applied else {Filter.TIME_RANGE})


def test_many_domains_leave_the_question_its_words_and_are_named() -> None:
    query = SearchQuery("tidal power", include_domains=tuple(f"long-name-{n}.example" for n in range(40)))
    text = str(GOOGLE.request(query).params["query"])
    assert text.startswith("tidal power (site:long-name-0.example OR ")
    assert len(text) <= 400
    assert len(text.split()) <= 40
    assert GOOGLE.unapplied(query) == {Filter.INCLUDE_DOMAINS}


ERRORS = [
    ('<error code="31">x</error>', Rejected),
    ('<error code="42">x</error>', Rejected),
    ('<error code="45">x</error>', Rejected),
    ('<error code="200">x</error>', QuotaSpent),
    ("<error>No money on the account</error>", QuotaSpent),
    ("<error>Неверный ключ</error>", Rejected),
    ('<error code="110">x</error>', RateLimited),
    ('<error code="111">x</error>', RateLimited),
    ('<error code="115">x</error>', RateLimited),
    ('<error code="201">x</error>', RateLimited),
    ('<error code="20">x</error>', Transient),
    ('<error code="101">x</error>', Transient),
    ('<error code="202">x</error>', Transient),
    ('<error code="500">x</error>', Transient),
    ('<error code="2">x</error>', BadReply),
    ('<error code="103">x</error>', BadReply),
    ("<error>canary</error>", BadReply),
    ('<error code="key=canary">canary</error>', BadReply),
]


@pytest.mark.parametrize(("inner", "kind"), ERRORS)
def test_errors_inside_an_answer_have_their_remedy_and_repeat_nothing(
    inner: str, kind: type[ProviderError]
) -> None:
    with pytest.raises(kind) as caught:
        YANDEX.parse(reply(inner))
    assert "canary" not in str(caught.value)


@pytest.mark.parametrize(
    "inner",
    [
        '<error code="15">Искомая комбинация слов нигде не встречается</error>',
        "<error>Искомая комбинация слов нигде не встречается</error>",
        "<error>nothing found</error>",
        "<error>Для заданного поискового запроса отсутствуют результаты поиска</error>",
        '<found priority="all">0</found><results><grouping/></results>',
    ],
)
def test_nothing_found_is_an_empty_list(inner: str) -> None:
    assert GOOGLE.parse(reply(inner)) == []


def test_highlights_are_part_of_the_text() -> None:
    [hit] = GOOGLE.parse(
        results(
            "<url>https://sea.example/</url><title>A <hlword>tidal <b>mill</b></hlword> &amp; its sea</title>"
        )
    )
    assert hit.title == "A tidal mill & its sea"


def test_the_longer_passage_stands_in_for_empty_ones() -> None:
    [hit] = GOOGLE.parse(
        results(
            "<url>https://sea.example/</url><title>A</title><passages><passage></passage></passages>"
            "<extendedpassage>How <hlword>tides</hlword> turn</extendedpassage>"
        )
    )
    assert hit.snippet == "How tides turn"


def test_results_without_addresses_are_a_changed_answer_not_an_empty_one() -> None:
    for odd in (results("<title>x</title>"), results(), reply(""), Reply(200, body=b"<yandexsearch/>")):
        with pytest.raises(BadReply):
            GOOGLE.parse(odd)


def test_each_engine_sells_its_own_index() -> None:
    assert (GOOGLE.index, YANDEX.index) == ("google", "yandex")


BROKEN = '<yandexsearch><response><error code="500">network</error></response></yandexsearch>'
FOUND = results("<url>https://sea.example/</url><title>A</title>").body.decode()


@pytest.mark.parametrize(
    ("answers", "seconds", "asked", "hits"),
    [
        ([BROKEN, FOUND], 10, 2, 1),
        ([BROKEN, BROKEN, FOUND], 10, 2, None),
        ([BROKEN, FOUND], 1.5, 1, None),
        ([FOUND], 10, 1, 1),
    ],
)
def test_a_fault_of_its_network_is_tried_once_more_within_the_time(
    answers: list[str], seconds: float, asked: int, hits: int | None
) -> None:
    left = list(answers)
    wire = Wire(lambda _: httpx.Response(200, text=left.pop(0)))

    async def main() -> int | None:
        engine = search_engine(XmlRiverGoogle, wire, keys=["k"], options={"user": "1"})
        try:
            return len((await engine.search(SearchQuery("x"), Deadline.after(seconds))).hits)
        except Transient:
            return None

    assert run(main()) == hits
    assert len(wire.sent) == asked
