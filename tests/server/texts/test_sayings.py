"""Sentences of the layers below reach the model in its language."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

import research_mcp
from research_mcp.core.errors import Reason
from research_mcp.core.models import Attempt, EngineState, ReadFailure
from research_mcp.pipelines.read.verdict import sentence
from research_mcp.server.render.page import failure_text
from research_mcp.server.render.voice import Voice
from research_mcp.server.texts.languages import load
from research_mcp.server.texts.sayings import LONGEST, sayings
from research_mcp.server.texts.sayings_ru import SAYINGS_RU

HOUSE = Path(research_mcp.__file__).parent
_VALUE = "\0"
_MAKERS = frozenset(
    {"UrlRefused", "NoContent", "Transient", "BadReply", "InvalidArgument", "_invalid", "_refused", "NotFree"}
)


def form(node: ast.expr) -> str:
    """A sentence in the source with its values left open; "" for what is none."""
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return opened(node.value)
    if isinstance(node, ast.JoinedStr):
        return bare(
            "".join(str(part.value) if isinstance(part, ast.Constant) else _VALUE for part in node.values)
        )
    return ""


def opened(template: str) -> str:
    return bare(re.sub(r"\{\w+\}", _VALUE, template))


def bare(sentence: str) -> str:
    return re.sub(f"{_VALUE}+", _VALUE, sentence).removesuffix(".")


@cache
def trees() -> dict[str, ast.Module]:
    layers = ("core", "net", "store", "pipelines", "providers", "extract")
    files = (file for layer in layers for file in sorted((HOUSE / layer).rglob("*.py")))
    return {file.relative_to(HOUSE).as_posix(): ast.parse(file.read_text()) for file in files}


@cache
def sentences() -> frozenset[str]:
    nodes = (node for tree in trees().values() for node in ast.walk(tree) if isinstance(node, ast.expr))
    return frozenset(filter(None, map(form, nodes)))


def raised() -> Iterator[tuple[str, str]]:
    """What the pipelines, the guard and the normal form say when something fails."""
    for file, tree in trees().items():
        if not file.startswith("pipelines/") and file not in ("net/guard.py", "net/normal.py"):
            continue
        if file.startswith("pipelines/proof/"):
            continue  # a command's words, not the model's
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _MAKERS:
                yield from ((file, said) for said in map(form, node.args) if said)


UNANSWERED = tuple(
    state.value.replace("_", " ")
    for state in EngineState
    if state not in (EngineState.OK, EngineState.RESTING, EngineState.SKIPPED)  # those are never asked
)

# What is put together from parts that are forms of their own.
_JOINED = (
    "removed {count} {results} {cause}",
    "{filter} not applied by {names} (enforced on the merged list)",
    "rerank: failed ({reason}): {error}; the merged order stays",
    "rerank: failed ({reason}); the merged order stays",
    "search_failed: {error}",
    *(f"{moved} by {{source}}" for moved in ("pinned", "raised", "lowered")),
    "query cut to {count} characters: {names}",
    "count clamped to {count}: {names}",
    "{engine}: {count} results",
    *(f"{{engine}}: {state}" for state in UNANSWERED),
)


@pytest.mark.parametrize("english", [english for english in SAYINGS_RU if english not in _JOINED])
def test_each_sentence_is_one_that_a_layer_below_makes(english: str) -> None:
    told = opened(english)
    assert told in sentences() or told.removeprefix(f"{_VALUE} ") in sentences()


def test_whatever_pipelines_and_the_guard_say_of_a_failure_has_russian_words() -> None:
    known = {opened(english) for english in SAYINGS_RU}
    assert sorted({(file, said) for file, said in raised() if said not in known}) == []


@pytest.mark.parametrize("reason", Reason)
def test_why_a_page_could_not_be_read_has_russian_words(reason: Reason) -> None:
    english = sentence("https://e.org/a", reason, "the site fails")
    assert sayings("ru")(english) != english


@pytest.mark.parametrize("english", SAYINGS_RU)
def test_no_value_is_lost_or_invented(english: str) -> None:
    fields = set(re.findall(r"\{(\w+)\}", english))
    told = set(re.findall(r"\{(\w+)\}", SAYINGS_RU[english]))
    assert told <= fields
    assert fields - told <= {"results", "cause", "what"}


@pytest.mark.parametrize(
    ("english", "russian"),
    [
        ("example.org has no such page.", "На example.org нет такой страницы."),
        (
            "The url cannot be read: its scheme is 'ftp:'.",
            "Адрес не разобрать: его схема 'ftp:'.",
        ),
        (
            "it failed too often, last: duckduckgo did not answer in time",
            "слишком много сбоев, последний: duckduckgo: ответа вовремя нет",
        ),
        (
            "3 of 8 results without a stated date: they may be older than the week",
            "без указанной даты 3 из 8: они могут быть старше срока week",
        ),
        ("removed 1 result on exclude_domains", "убрано результатов: 1 (из exclude_domains)"),
        (
            "country not applied by exa, kagi (enforced on the merged list)",
            "country не применяют exa, kagi (учтено в общем списке)",
        ),
        (
            "rerank: failed (timeout): no answer within 4 s; the merged order stays",
            "переупорядочить не удалось (timeout): нет ответа за 4 с; порядок остался общим",
        ),
        (
            "rerank: failed (bad_key); the merged order stays",
            "переупорядочить не удалось (bad_key); порядок остался общим",
        ),
        ("search_failed: the search failed: odd", "search_failed: поиск не удался: odd"),
        ("The document is not whole: cut at 10 MB.", "Документ не весь: обрезан на 10 MB."),
        ("2 hidden sheets are left out.", "скрытых частей пропущено: 2."),
        (
            "query cut to 299 characters: brave, exa",
            "запрос урезан, символов осталось 299: brave, exa",
        ),
        ("asking brave, kagi", "спрошены brave, kagi"),
        ("read https://e.org/a", "прочитано: https://e.org/a"),
        ("It is not valid JSON: shown as it came.", "Это неправильный JSON: показан как есть."),
        (
            "The page redirects elsewhere. The url cannot be read: its scheme is 'ftp:'.",
            "Страница перенаправляет на другой адрес. Адрес не разобрать: его схема 'ftp:'.",
        ),
        ("could not read https://e.org/a", "не прочитано: https://e.org/a"),
        ("expected a list at 'data.web', got dict.", "вместо списка в 'data.web' пришло dict."),
        ("the video has no captions", "у видео нет субтитров"),
        ("the browser gave the page up.", "браузер бросил страницу."),
        ("brave: 10 results", "brave: результатов 10"),
        ("brave: rate limited", "brave: превышен предел запросов"),
        (
            "this server's budget store did not answer before the deadline",
            "учёт расходов этого сервера не ответил до конца срока",
        ),
        ("a vendor's own words", "a vendor's own words"),
        ("lack of funds today", "lack of funds today"),
        ("", ""),
    ],
)
def test_a_known_sentence_is_told_in_russian_with_its_values(english: str, russian: str) -> None:
    assert sayings("ru")(english) == russian
    assert sayings("en")(english) == english


def test_an_outage_of_the_store_is_told_in_russian_with_its_cause() -> None:
    told = sayings("ru")(
        "this server's budget store cannot be used (the disk is full): metered providers pause until it works "
        "again"
    )
    assert told == (
        "учёт расходов этого сервера недоступен (диск полон): платные поставщики ждут, пока он не заработает"
    )


@pytest.mark.parametrize("state", UNANSWERED)
def test_what_became_of_an_engine_is_told_in_russian_while_a_search_runs(state: str) -> None:
    assert re.fullmatch(r"brave: [а-яё ]+", sayings("ru")(f"brave: {state}"))


def test_what_is_mostly_somebody_elses_words_is_left_alone() -> None:
    long = f"the search failed: {'x' * LONGEST}"
    assert sayings("ru")(long) == long


def test_a_failed_page_is_russian_but_for_its_reasons() -> None:
    failed = ReadFailure(
        "https://e.org/",
        Reason.TIMEOUT,
        "e.org did not answer in time, and no other reader got the page.",
        (Attempt("jina", Reason.TIMEOUT, "no answer in 25 s"),),
    )
    text = failure_text(failed, Voice(load("ru"), 0.0))
    assert "(timeout): e.org не ответил вовремя" in text
    assert "jina timeout: нет ответа за 25 с" in text
