"""Which instances exist, in what order they are tried, and what their variables mean.

NAMES of environment variables, never values. Variables unset: the row is off, one log line says
which one is missing. A type, name or option that does not exist stops the start.
"""

from __future__ import annotations

from collections.abc import Mapping

from research_mcp.core.instance import Instance

TAVILY_KEYS = ("TAVILY_1_API_KEY", "TAVILY_2_API_KEY", "TAVILY_3_API_KEY")
KEYLESS = "KEYLESS_TIERS"

INSTANCES: tuple[Instance, ...] = (
    # Search: our own hosts, then vendors with a key, then those without, then the reserve.
    Instance("searxng", "search.searxng", url_env="SEARXNG_URL"),
    Instance("duckduckgo", "search.duckduckgo", base_url_env="DUCKDUCKGO_API_URL", unless_env="SEARXNG_URL"),
    Instance(
        "brave",
        "search.brave",
        api_key_env="BRAVE_API_KEY",
        base_url_env="BRAVE_API_URL",
        proxy_env="BRAVE_PROXY",
    ),
    Instance(
        "tavily-search",
        "search.tavily",
        api_key_env=TAVILY_KEYS,
        base_url_env="TAVILY_API_URL",
        proxy_env="TAVILY_1_PROXY",
    ),
    Instance(
        "firecrawl-search",
        "search.firecrawl",
        api_key_env="FIRECRAWL_API_KEY",
        base_url_env="FIRECRAWL_API_URL",
        proxy_env="FIRECRAWL_PROXY",
    ),
    Instance(
        "jina-search",
        "search.jina",
        api_key_env="JINA_API_KEY",
        base_url_env="JINA_SEARCH_API_URL",
        proxy_env="JINA_PROXY",
    ),
    Instance(
        "serper",
        "search.serper",
        api_key_env="SERPER_API_KEY",
        base_url_env="SERPER_API_URL",
        proxy_env="SERPER_PROXY",
    ),
    Instance(
        "exa", "search.exa", api_key_env="EXA_API_KEY", base_url_env="EXA_API_URL", proxy_env="EXA_PROXY"
    ),
    Instance(
        "perplexity", "search.perplexity", api_key_env="PERPLEXITY_API_KEY", base_url_env="PERPLEXITY_API_URL"
    ),
    Instance("kagi", "search.kagi", api_key_env="KAGI_API_KEY", base_url_env="KAGI_API_URL"),
    Instance(
        "tavily-keyless",
        "search.tavily_keyless",
        base_url_env="TAVILY_API_URL",
        unless_env="TAVILY_1_API_KEY",
        listed_in=KEYLESS,
    ),
    Instance(
        "firecrawl-keyless",
        "search.firecrawl_keyless",
        base_url_env="FIRECRAWL_API_URL",
        unless_env="FIRECRAWL_API_KEY",
        listed_in=KEYLESS,
    ),
    # Read
    Instance("trafilatura", "read.direct"),
)

SEARCH_PIPELINE: tuple[str, ...] = (
    "searxng",
    "duckduckgo",
    "brave",
    "tavily-search",
    "firecrawl-search",
    "jina-search",
    "serper",
    "exa",
    "perplexity",
    "kagi",
    "tavily-keyless",
    "firecrawl-keyless",
)
"""Order breaks ties and decides whose copy of a hit is shown."""

READ_PIPELINE: tuple[str, ...] = ("trafilatura",)
"""From cheap to expensive: the first sufficient answer wins. Site readers stand first."""

ALIASES: Mapping[str, str] = {"TAVILY_API_KEY": "TAVILY_1_API_KEY"}
"""Names of earlier tools, each with the variable it stands for."""

_ANOTHER = "Another address for this vendor's API: a gateway, a self-hosted copy, a test."
_PROXY = "Proxy for calls to this vendor: `socks5://`, `socks5h://` or `http://`."

VARIABLES: Mapping[str, str] = {
    "SEARXNG_URL": "Address of your SearXNG; its `search.formats` must list `json`. Replaces DuckDuckGo.",
    "DUCKDUCKGO_API_URL": "Another address for DuckDuckGo's page without scripts (a gateway, a test).",
    "BRAVE_API_KEY": "Key of the Brave Search API.",
    "BRAVE_API_URL": _ANOTHER,
    "BRAVE_PROXY": _PROXY,
    "TAVILY_1_API_KEY": "First key of Tavily (search and reading).",
    "TAVILY_2_API_KEY": "Second key of Tavily: used when the first is spent or refused.",
    "TAVILY_3_API_KEY": "Third key of Tavily.",
    "TAVILY_API_URL": _ANOTHER,
    "TAVILY_1_PROXY": "Proxy for Tavily's search and its first reader.",
    "FIRECRAWL_API_KEY": "Key of Firecrawl; a self-hosted copy without accounts takes any value.",
    "FIRECRAWL_API_URL": "Address of a self-hosted Firecrawl or a gateway; `/v1` at its end selects that version.",
    "FIRECRAWL_PROXY": _PROXY,
    "JINA_API_KEY": "Key of Jina (search, reading, ordering of results).",
    "JINA_SEARCH_API_URL": _ANOTHER,
    "JINA_PROXY": _PROXY,
    "SERPER_API_KEY": "Key of Serper (Google's results).",
    "SERPER_API_URL": _ANOTHER,
    "SERPER_PROXY": _PROXY,
    "EXA_API_KEY": "Key of Exa.",
    "EXA_API_URL": _ANOTHER,
    "EXA_PROXY": _PROXY,
    "PERPLEXITY_API_KEY": "Key of the Perplexity Search API.",
    "PERPLEXITY_API_URL": _ANOTHER,
    "KAGI_API_KEY": "Key of the Kagi Search API.",
    "KAGI_API_URL": _ANOTHER,
    "KEYLESS_TIERS": "Vendors whose tier without a key may be used, such as `tavily,firecrawl`, or `all`; "
    "your questions then go to them.",
}
"""One sentence for each variable that a row names; printed into `.env.example` and the README."""
