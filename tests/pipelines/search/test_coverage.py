"""Words and term coverage."""

from __future__ import annotations

import pytest

from research_mcp.core.models import Hit
from research_mcp.pipelines.search.coverage import coverage, off_topic, positions
from research_mcp.pipelines.search.scripts import in_script_of
from research_mcp.pipelines.search.words import query_words, raw_words, words


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("tides", "tide"),
        ("ferries", "ferry"),
        ("Café", "cafe"),
        ("walking", "walked"),
        ("приливы", "прилив"),
        ("станций", "станции"),
    ],
)
def test_forms_of_one_word_meet(one: str, other: str) -> None:
    assert words(one) & words(other)


def test_unspaced_scripts_become_pairs_and_single_characters() -> None:
    assert words("潮汐发电") == {"潮", "汐", "发", "电", "潮汐", "汐发", "发电"}
    assert query_words("潮汐发电") == {"潮汐", "汐发", "发电"}
    assert query_words("潮") == {"潮"}
    assert words("iPhone15价格") >= {"iphone15", "价格"}


def test_one_foreign_letter_changes_no_other_word() -> None:
    text = " ".join(f"{chr(code)}a1{chr(code)}B-c_d" for code in range(128))
    assert len(raw_words(text)) > 128
    assert raw_words(f"{text} é") == [*raw_words(text), "é"]
    assert words(f"{text} 潮") == words(text) | {"潮"}


def test_a_query_keeps_its_words_and_drops_the_small_ones() -> None:
    assert query_words("what is the mill") == {"mill"}
    assert query_words("как это по приливу") == {"прилив"}
    assert query_words("the who") == set()


def test_a_word_counts_more_in_the_title_and_once() -> None:
    asked = query_words("tide mill")
    assert coverage(asked, "Tide mill", "tide mill") == 1.0
    assert coverage(asked, "", "A tide and a mill") == pytest.approx(0.6)
    assert coverage(asked, "Mill", "tide") == pytest.approx(0.8)
    assert coverage(set(), "Mill", "") == 0.0


def test_equal_scores_share_the_best_place() -> None:
    assert positions([0.2, 0.9, 0.9, 0.1]) == [3, 1, 1, 4]
    assert positions([]) == []


@pytest.mark.parametrize(
    ("query", "title", "url", "off"),
    [
        ("zzqwxjk1234", "Cheap flights", "https://air.test/", True),
        ("tide mill", "Cheap flights", "https://air.test/", True),
        ("tide mill", "Cheap flights", "https://air.test/tide-mills", False),
        ("recieve", "How to receive post", "https://post.test/", False),
        ("kernel", "Microkernels", "https://os.test/", False),
        ("潮汐", "Tidal power", "https://sea.test/", False),
        ("tidal", "潮汐发电", "https://sea.test/", True),
        ("???", "Cheap flights", "https://air.test/", False),
    ],
)
def test_a_list_is_off_topic_only_on_clear_evidence(query: str, title: str, url: str, *, off: bool) -> None:
    assert off_topic(query, [Hit(title, url)]) is off


def test_an_empty_list_is_not_off_topic() -> None:
    assert off_topic("tide", []) is False


@pytest.mark.parametrize(
    ("language", "text", "fits"),
    [
        ("", "что угодно", True),
        ("ru", "Приливная станция", True),
        ("ru", "Tidal power", False),
        ("de", "Gezeitenkraftwerk", True),
        ("ja", "潮汐発電とは", True),
        ("ko", "조력 발전", True),
        ("ko", "ひらがな", False),
        ("sr", "Plimna elektrana", True),
        ("en", "12 345", True),
    ],
)
def test_scripts_tell_languages_apart_as_far_as_they_can(language: str, text: str, *, fits: bool) -> None:
    assert in_script_of(language, text) is fits
