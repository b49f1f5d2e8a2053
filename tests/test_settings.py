from __future__ import annotations

import pytest

from research_mcp.core.errors import ConfigError, Reason
from research_mcp.settings import Settings, load


def test_an_empty_environment_gives_the_defaults() -> None:
    assert load({}) == Settings()
    assert load({}).mcp_port == 8000


def test_blank_values_count_as_unset() -> None:
    assert load({"MCP_PORT": "  ", "ROBOTS": ""}) == Settings()


def test_lists_take_commas_semicolons_new_lines_and_full_width_commas() -> None:
    assert load({"TOOLS": "web_search, read_page;read_pages\nmap_site，x"}).tools == (
        "web_search",
        "read_page",
        "read_pages",
        "map_site",
        "x",
    )


@pytest.mark.parametrize("text", ["true", "1", "yes", "on", "True"])
def test_switches_take_the_usual_spellings(text: str) -> None:
    assert load({"ALLOW_PRIVATE_NETWORK": text}).allow_private_network is True


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("MCP_PORT", "http"),
        ("MCP_PORT", "70000"),
        ("SEARCH_TIMEOUT", "0"),
        ("SEARCH_TIMEOUT", "600"),
        ("ROBOTS", "maybe"),
        ("TOOL_LANGUAGE", "de"),
        ("ALLOW_PRIVATE_NETWORK", "perhaps"),
        ("RETRIES", "99"),
    ],
)
def test_a_wrong_value_is_one_sentence_with_name_value_and_default(name: str, value: str) -> None:
    with pytest.raises(ConfigError) as caught:
        load({name: value})
    message = str(caught.value)
    assert message.startswith(f"{name}={value!r} is not usable: ")
    assert "The default is" in message
    assert "\n" not in message
    assert "pydantic" not in message
    assert caught.value.reason is Reason.NOT_CONFIGURED


def test_variables_of_others_are_left_alone() -> None:
    assert load({"PATH": "/bin", "HOME": "/root"}) == Settings()


@pytest.mark.parametrize("proxies", ["10.0.0.5, 172.16.0.0/12", "*", "fd00::/8"])
def test_trusted_proxies_are_addresses_networks_or_all(proxies: str) -> None:
    assert len(load({"MCP_TRUSTED_PROXIES": proxies}).mcp_trusted_proxies) == proxies.count(",") + 1


@pytest.mark.parametrize(
    ("name", "value", "why"),
    [
        ("MCP_ALLOWED_HOSTS", "http://a/b", "'http://a/b' is no host name: write names alone"),
        ("MCP_ALLOWED_HOSTS", "*.example.org", "is no host name"),
        ("MCP_ALLOWED_HOSTS", "mcp.example.org/mcp", "is no host name"),
        ("MCP_ALLOWED_ORIGINS", "http://a.test/page", "is no origin: write scheme and host"),
        ("MCP_ALLOWED_ORIGINS", "ftp://a.test", "is no origin"),
        (
            "MCP_TRUSTED_PROXIES",
            "traefik",
            "MCP_TRUSTED_PROXIES='traefik' is not usable: 'traefik' does not appear to be",
        ),
        ("SEARCH_CACHE_TTL", "inf", "less than or equal to 2592000"),
        ("READ_CACHE_TTL", "nan", "READ_CACHE_TTL='nan' is not usable"),
        ("FALLBACK_MIN_CHARS", "9999999", "less than or equal to 100000"),
    ],
)
def test_what_could_have_no_good_effect_stops_the_start(name: str, value: str, why: str) -> None:
    with pytest.raises(ConfigError) as stopped:
        load({name: value})
    assert why in str(stopped.value)


@pytest.mark.parametrize("text", ["*", "mcp.example.org", "a.test:8000, B.test:*", "[::1]:80", "localhost/"])
def test_hosts_are_names_with_or_without_a_port(text: str) -> None:
    assert load({"MCP_ALLOWED_HOSTS": text}).mcp_allowed_hosts
    assert load({"MCP_ALLOWED_ORIGINS": text}).mcp_allowed_origins


@pytest.mark.parametrize("text", ["https://app.test", "http://localhost:6274", "http://localhost:*"])
def test_origins_may_state_a_scheme(text: str) -> None:
    assert load({"MCP_ALLOWED_ORIGINS": text}).mcp_allowed_origins == (text,)


def test_an_empty_log_file_means_none() -> None:
    assert load({"LOG_FILE": ""}).log_file == ""
