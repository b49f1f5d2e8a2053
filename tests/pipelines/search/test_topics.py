"""The class of a question."""

from __future__ import annotations

import pytest

from research_mcp.core.models import SearchQuery, TimeRange, Topic
from research_mcp.pipelines.search.topics import topic_of


@pytest.mark.parametrize(
    ("text", "topic"),
    [
        ("best tide clock", Topic.GENERAL),
        ("paper towels near me", Topic.GENERAL),
        ("wallpaper on white walls", Topic.GENERAL),
        ("tide prediction systematic review", Topic.SCHOLARLY),
        ("papers on tidal turbines", Topic.SCHOLARLY),
        ("arXiv 2401.01234", Topic.SCHOLARLY),
        ("10.5555/tide.7", Topic.SCHOLARLY),
        ("научные статьи о приливах", Topic.SCHOLARLY),
        ("asyncio TypeError: object is not awaitable", Topic.CODE),
        ("what does sort() return", Topic.CODE),
        ("std::vector growth", Topic.CODE),
        ("npm peer dependency", Topic.CODE),
        ("harbour bridge news", Topic.NEWS),
        ("новости порта", Topic.NEWS),
    ],
)
def test_the_words_tell_the_topic(text: str, topic: Topic) -> None:
    assert topic_of(SearchQuery(text)) is topic


def test_what_the_caller_says_comes_first() -> None:
    assert topic_of(SearchQuery("harbour news", topic=Topic.CODE)) is Topic.CODE


def test_filters_tell_it_too() -> None:
    assert topic_of(SearchQuery("tides", include_domains=("arxiv.org",))) is Topic.SCHOLARLY
    assert topic_of(SearchQuery("tides", prefer_domains=("arxiv.org",))) is Topic.SCHOLARLY
    assert topic_of(SearchQuery("tides", time_range=TimeRange.DAY)) is Topic.NEWS
    assert topic_of(SearchQuery("tides", time_range=TimeRange.YEAR)) is Topic.GENERAL
