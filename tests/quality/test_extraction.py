"""The floor under extraction: pages of seven kinds keep their text, their structure and their links."""

from __future__ import annotations

from statistics import fmean

import pytest

from research_mcp.extract.html.page import convert_html
from tests.quality.measure import structure, word_f1, wrong_links
from tests.quality.pages.content import Sample
from tests.quality.pages.kinds import KINDS, samples

TEXT_FLOOR = {
    "article": 0.97,
    "documentation": 0.95,
    "service": 0.95,
    "forum": 0.92,
    "product": 0.92,
    "listing": 0.95,
    "collection": 0.92,
}
STRUCTURE_FLOOR = {"headings": 0.95, "items": 0.95, "links": 0.95, "rows": 0.95, "code": 0.95}
WORST_PAGE = 0.75


@pytest.fixture(scope="module")
def pages() -> list[tuple[Sample, str]]:
    return [(sample, convert_html(sample.html, sample.url).markdown) for sample in samples()]


def test_there_are_six_pages_of_each_of_seven_kinds(pages: list[tuple[Sample, str]]) -> None:
    assert {kind: sum(sample.kind == kind for sample, _ in pages) for kind in KINDS} == dict.fromkeys(
        TEXT_FLOOR, 6
    )


@pytest.mark.parametrize("kind", TEXT_FLOOR)
def test_the_text_of_each_kind_is_found(kind: str, pages: list[tuple[Sample, str]]) -> None:
    scores = {sample.name: word_f1(sample.gold, text) for sample, text in pages if sample.kind == kind}
    assert fmean(scores.values()) >= TEXT_FLOOR[kind], scores
    assert min(scores.values()) >= WORST_PAGE, scores


@pytest.mark.parametrize("part", STRUCTURE_FLOOR)
def test_structure_is_kept(part: str, pages: list[tuple[Sample, str]]) -> None:
    counts = {sample.name: structure(sample, text)[part] for sample, text in pages}
    hits, wanted = (sum(count[index] for count in counts.values()) for index in (0, 1))
    assert hits / wanted >= STRUCTURE_FLOOR[part], {
        name: count for name, count in counts.items() if count[0] < count[1]
    }


def test_no_link_leads_elsewhere(pages: list[tuple[Sample, str]]) -> None:
    assert {sample.name: wrong for sample, text in pages if (wrong := wrong_links(sample, text))} == {}


def test_furniture_stays_out(pages: list[tuple[Sample, str]]) -> None:
    found = {
        sample.name: [text for text in sample.unwanted if text in markdown] for sample, markdown in pages
    }
    kept = sum(len(texts) for texts in found.values())
    assert kept <= 0.02 * sum(len(sample.unwanted) for sample, _ in pages), {
        k: v for k, v in found.items() if v
    }


def test_no_paragraph_comes_twice(pages: list[tuple[Sample, str]]) -> None:
    for sample, markdown in pages:
        for text in sample.content.gold:
            if len(text) > 120 and "\n" not in text:
                assert markdown.count(text) <= 1, sample.name
