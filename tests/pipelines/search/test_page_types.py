"""What kind of source a result is, by host and path."""

from __future__ import annotations

import pytest

from research_mcp.core.models import PageType
from research_mcp.core.url_key import url_key
from research_mcp.pipelines.search.page_types import page_type


@pytest.mark.parametrize(
    ("url", "type_"),
    [
        ("https://github.com/encode/httpx", "repo"),
        ("https://github.com/encode/httpx/issues/12", "forum"),
        ("https://github.com/encode/httpx/discussions", "forum"),
        ("https://gitlab.com/group/project/-/issues/3", "forum"),
        ("https://github.com/pricing", None),
        ("https://docs.github.com/en/actions", "docs"),
        ("https://huggingface.co/owner/model", "repo"),
        ("https://rubygems.org/gems/rack", None),
        ("https://git.example.org/project", "repo"),
        ("https://arxiv.org/abs/2401.00001", "paper"),
        ("https://www.arxiv.org/pdf/2401.00001v2", "paper"),
        ("https://dx.doi.org/10.1000/182", "paper"),
        ("https://journal.example/doi/full/10.1234/abc.5", "paper"),
        ("https://www.nature.com/articles/s41586-020-2649-2", "paper"),
        ("https://pmc.ncbi.nlm.nih.gov/articles/PMC1/", "paper"),
        ("https://old.reddit.com/r/python/comments/abc/title/", "forum"),
        ("https://unix.stackexchange.com/questions/1/x", "forum"),
        ("https://discuss.example.org/t/how-to/42", "forum"),
        ("https://example.org/t/how-to/42", "forum"),
        ("https://example.org/forum/viewtopic.php?t=3", "forum"),
        ("https://mobile.twitter.com/a/status/1", "social"),
        ("https://chaos.example/@someone/109348573948573", "social"),
        ("https://youtu.be/dQw4w9WgXcQ", "video"),
        ("https://www.bbc.co.uk/news/science-1", "news"),
        ("https://news.example.org/a", "news"),
        ("https://example.org/news/2026/opening", "news"),
        ("https://docs.python.org/3/library/asyncio.html", "docs"),
        ("https://example.readthedocs.io/en/latest/", "docs"),
        ("https://example.com/docs/start", "docs"),
        ("https://www.nasa.gov/tides", "official"),
        ("https://www.gov.uk/tides", "official"),
        ("https://eur-lex.europa.eu/eli/reg/2016/679", "official"),
        ("https://example.com:8443/documents/tides", None),
        ("https://newspaper.example/a", None),
        ("https://docs.example/", None),
        ("https://example.org/", None),
    ],
)
def test_host_and_path_tell_the_type(url: str, type_: str | None) -> None:
    assert page_type(url_key(url)) == (None if type_ is None else PageType(type_))


def test_the_own_site_of_what_is_asked_about_is_official_unless_anybody_publishes_there() -> None:
    assert page_type(url_key("https://docs.python.org/3/"), own=True) is PageType.OFFICIAL
    assert page_type(url_key("https://docs.github.com/en/actions"), own=True) is PageType.OFFICIAL
    assert page_type(url_key("https://github.com/encode/httpx"), own=True) is PageType.REPO
