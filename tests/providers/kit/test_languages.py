"""Google's codes for languages."""

import pytest

from research_mcp.core.models import SearchQuery
from research_mcp.providers.kit.languages import google_language


@pytest.mark.parametrize(
    ("language", "region", "country", "code"),
    [
        ("", "", "", ""),
        ("de", "", "", "de"),
        ("de", "AT", "", "de"),
        ("zh", "", "", "zh-cn"),
        ("zh", "", "TW", "zh-tw"),
        ("zh", "TW", "US", "zh-tw"),
        ("zh", "CN", "TW", "zh-cn"),
        ("zh", "HK", "", "zh-tw"),
        ("pt", "", "", "pt"),
        ("pt", "BR", "", "pt-br"),
        ("pt", "PT", "", "pt-pt"),
        ("en", "GB", "", "en"),
        ("he", "", "", "iw"),
        ("nb", "", "", "no"),
        ("nn", "", "", "nn"),
        ("xx", "", "", ""),
    ],
)
def test_google_has_codes_of_its_own(language: str, region: str, country: str, code: str) -> None:
    query = SearchQuery("x", language=language, region=region, country=country)
    assert google_language(query) == code
