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


def test_a_proxy_that_is_no_address_stops_the_start() -> None:
    with pytest.raises(ConfigError, match="MCP_TRUSTED_PROXIES='traefik' is not usable"):
        load({"MCP_TRUSTED_PROXIES": "traefik"})
