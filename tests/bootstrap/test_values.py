"""A value that cannot be used stops every command with one sentence that names its variable."""

from __future__ import annotations

from pathlib import Path

import pytest

from research_mcp.bootstrap import Configuration, configure, read_environment
from research_mcp.core.errors import ConfigError

NEEDED = {
    "GROK": {"GROK_API_KEY": "k"},
    "OPENAI": {
        "OPENAI_COMPATIBLE_API_KEY": "k",
        "OPENAI_COMPATIBLE_API_URL": "http://relay.test/v1",
        "OPENAI_COMPATIBLE_MODEL": "m",
    },
    "XMLRIVER": {"XMLRIVER_API_KEY": "k", "XMLRIVER_USER_ID": "12"},
    "TAVILY": {"TAVILY_1_API_KEY": "k"},
    "FIRECRAWL": {"FIRECRAWL_API_KEY": "k"},
    "BRAVE": {"BRAVE_API_KEY": "k"},
    "GROQ": {"GROQ_API_KEY": "k"},
}
"""What must be set so that the variables of a vendor are read at all."""


def configured(name: str, value: str) -> Configuration:
    variables = {**NEEDED.get(name.partition("_")[0], {}), name: value}
    return configure(read_environment(Path("no.env"), variables))


@pytest.mark.parametrize(
    ("name", "value", "remedy"),
    [
        ("KEYLESS_TIERS", "brave", "write some of tavily, firecrawl, exa, youcom, or all"),
        ("KEYLESS_TIERS", "tavily exa", "write some of tavily"),
        ("JINA_TOKEN_BUDGET", "x", "write digits like 100000, or 0 for any"),
        ("JINA_TOKEN_BUDGET", "-1", "write digits"),
        ("JINA_TOKEN_BUDGET", "1.5", "write digits"),
        ("JINA_TOKEN_BUDGET", "\u0661", "write digits"),
        ("TAVILY_MIN_SCORE", "much", "write a number from 0"),
        ("TAVILY_MIN_SCORE", "2", "write a number from 0"),
        ("TAVILY_MIN_SCORE", "-1", "write a number from 0"),
        ("TAVILY_MIN_SCORE", "nan", "write a number from 0"),
        ("GROK_X_SEARCH", "maybe", "set on or off"),
        ("GROK_FLAT_FILTERS", "maybe", "set on or off"),
        ("GROK_X_HANDLES", "a b c d e f g h i j k", "at most 10 names"),
        ("GROK_X_HANDLES", "https://x.com/xai", "names of accounts"),
        ("GROK_X_EXCLUDED_HANDLES", "a-b", "names of accounts"),
        ("OPENAI_COMPATIBLE_WEB_SEARCH", "maybe", "set on or off"),
        ("FIRECRAWL_X_URLS", "maybe", "set on or off"),
        ("XMLRIVER_COUNTRY", "US", "write the number alone"),
        ("XMLRIVER_YANDEX_REGION", "Moscow", "write the number alone"),
        ("UNPAYWALL_EMAIL", "me", "write one e-mail address"),
        ("OTEL_EXPORTER_OTLP_ENDPOINT", "collector:4318", "write the collector's address"),
    ],
)
def test_a_value_of_another_kind_is_named_with_its_remedy(name: str, value: str, remedy: str) -> None:
    with pytest.raises(ConfigError) as stopped:
        configured(name, value)
    message = str(stopped.value)
    assert name in message
    assert remedy in message
    assert "\n" not in message


def test_a_number_that_may_be_a_key_in_the_wrong_place_is_not_repeated() -> None:
    with pytest.raises(
        ConfigError, match="XMLRIVER_USER_ID is not usable: write the number alone"
    ) as stopped:
        configured("XMLRIVER_USER_ID", "CANARY")
    assert "CANARY" not in str(stopped.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("BRAVE_API_URL", "nonsense"),
        ("SEARXNG_URL", "localhost:8080"),
        ("BRAVE_PROXY", "ftp://me:CANARY@proxy.test"),
        ("TAVILY_1_PROXY", "CANARY"),
        ("GROQ_API_URL", "CANARY"),
        ("GROQ_PROXY", "CANARY"),
        ("WAYBACK_API_URL", "https://me:CANARY@archive.test"),
    ],
)
def test_an_address_that_leads_nowhere_is_told_by_its_variable_without_the_value(
    name: str, value: str
) -> None:
    with pytest.raises(ConfigError, match=f"^{name}: .*write it like") as stopped:
        configured(name, value)
    assert "CANARY" not in str(stopped.value)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("KEYLESS_TIERS", "Tavily; exa"),
        ("JINA_TOKEN_BUDGET", "500"),
        ("TAVILY_MIN_SCORE", "0.5"),
        ("GROK_X_SEARCH", "True"),
        ("GROK_X_HANDLES", "@xai, nasa"),
        ("XMLRIVER_COUNTRY", "2840"),
        ("UNPAYWALL_EMAIL", "me@mail.example.org"),
        ("BRAVE_PROXY", "socks5h://me:word@proxy.test:1080"),
        ("GROQ_API_URL", "http://127.0.0.1:9/v1"),
    ],
)
def test_values_of_the_right_kind_are_taken_without_a_word(name: str, value: str) -> None:
    assert configured(name, value).warnings == ()
