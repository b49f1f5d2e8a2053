"""Facts about a page only as the page states them."""

from __future__ import annotations

import json

import pytest

from research_mcp.extract.html.metadata import iso_date
from tests.extract.html_pages import article, result


def linked(**data: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(data)}</script>'


def test_meta_elements_are_read() -> None:
    page = result(
        article(
            "",
            '<meta property="og:title" content="A year on the rock"><meta name="author" content="Ada Keeper">'
            '<meta property="article:published_time" content="2026-03-04T05:06:07Z">'
            '<meta property="og:site_name" content="Lamp Society">',
        )
    )
    assert (page.title, page.author, page.date, page.site, page.language) == (
        "A year on the rock", "Ada Keeper", "2026-03-04", "Lamp Society", "en",
    )  # fmt: skip


def test_linked_data_is_read() -> None:
    page = result(
        article(
            "",
            linked(
                **{"@type": "NewsArticle"},
                headline="Storm &amp; calm",
                author=[{"name": "Ada Keeper"}, {"name": "Bo Rower"}],
                datePublished="2026-03-04",
                publisher={"name": "Lamp Daily"},
            ),
        )
    )
    assert (page.title, page.author, page.date, page.site) == (
        "Storm & calm", "Ada Keeper, Bo Rower", "2026-03-04", "Lamp Daily",
    )  # fmt: skip


def test_microdata_and_a_lone_time_are_read() -> None:
    page = result(
        article(
            '<p>By <a rel="author" href="/ada">Ada Keeper</a>, <time datetime="2026-03-04">in spring</time></p>'
        )
    )
    assert (page.author, page.date) == ("Ada Keeper", "2026-03-04")


def test_nothing_is_guessed() -> None:
    page = result(
        article("<p>Written on 4 March 2026 by Ada Keeper, and copyright 2019 to 2026 by the society.</p>")
    )
    assert (page.author, page.date, page.site) == ("", "", "")


def test_times_of_several_things_date_nothing() -> None:
    assert (
        result(
            article('<p><time datetime="2026-03-04">a</time><time datetime="2026-03-05">b</time></p>')
        ).date
        == ""
    )


def test_an_address_is_no_author() -> None:
    page = result(article("", '<meta property="article:author" content="https://social.example/ada">'))
    assert page.author == ""


@pytest.mark.parametrize(
    ("stated", "day"),
    [
        ("2026-03-04", "2026-03-04"),
        ("20260304", "2026-03-04"),
        ("2026/3/4", "2026-03-04"),
        ("2026-03-04 10:00", "2026-03-04"),
        ("Wed, 04 Mar 2026 10:00:00 +0100", "2026-03-04"),
        ("2026-13-04", ""),
        ("yesterday", ""),
        ("03/04/2026", ""),
        ("", ""),
    ],
)
def test_only_full_dates_in_known_forms_count(stated: str, day: str) -> None:
    assert iso_date(stated) == day


@pytest.mark.parametrize(
    ("attributes", "language"),
    [
        ('lang="DE"', "de"),
        ('lang="pt_br"', "pt-BR"),
        ('lang="zh-hans-cn"', "zh-Hans-CN"),
        ('lang="x"', ""),
        ("", ""),
    ],
)
def test_the_stated_language_is_normalised(attributes: str, language: str) -> None:
    assert result(f"<html {attributes}><body><p>Some text in here.</p></body></html>").language == language
