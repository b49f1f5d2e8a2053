"""Which instances exist, and in what order they are tried.

NAMES of environment variables, never values. Variables unset: the row is off, one log line says
which one is missing. A type, name or option that does not exist stops the start. What each variable
means stands in `variables.py`.
"""

from __future__ import annotations

from typing import TypedDict

from research_mcp.core.instance import Instance


class Vendor(TypedDict):
    """The names that all rows of one vendor share: its key, its address, its proxy, the owner's login, and
    the switch that turns all of them off."""

    api_key_env: str | tuple[str, ...]
    base_url_env: str
    proxy_env: str
    login_env: str
    enabled_env: str


def _vendor(
    key: str | tuple[str, ...] = "", url: str = "", proxy: str = "", login: str = "", switch: str = ""
) -> Vendor:
    return Vendor(
        api_key_env=key or (), base_url_env=url, proxy_env=proxy, login_env=login, enabled_env=switch
    )


KEYLESS = "KEYLESS_TIERS"

BRAVE = _vendor("BRAVE_API_KEY", "BRAVE_API_URL", "BRAVE_PROXY")
TAVILY_KEYS = ("TAVILY_1_API_KEY", "TAVILY_2_API_KEY", "TAVILY_3_API_KEY")
TAVILY_PROXIES = ("TAVILY_1_PROXY", "TAVILY_2_PROXY", "TAVILY_3_PROXY")
TAVILY = _vendor(TAVILY_KEYS, "TAVILY_API_URL", "TAVILY_1_PROXY", switch="TAVILY_ENABLED")
TAVILY_1 = _vendor("TAVILY_1_API_KEY", "TAVILY_API_URL", "TAVILY_1_PROXY", switch="TAVILY_ENABLED")
TAVILY_2 = _vendor("TAVILY_2_API_KEY", "TAVILY_API_URL", "TAVILY_2_PROXY", switch="TAVILY_ENABLED")
TAVILY_3 = _vendor("TAVILY_3_API_KEY", "TAVILY_API_URL", "TAVILY_3_PROXY", switch="TAVILY_ENABLED")
FIRECRAWL = _vendor("FIRECRAWL_API_KEY", "FIRECRAWL_API_URL", "FIRECRAWL_PROXY", switch="FIRECRAWL_ENABLED")
JINA_SEARCH = _vendor("JINA_API_KEY", "JINA_SEARCH_API_URL", "JINA_PROXY")
JINA_READER = _vendor("JINA_API_KEY", "JINA_READER_API_URL", "JINA_PROXY")
JINA_RERANK = _vendor("JINA_API_KEY", "JINA_RERANK_API_URL", "JINA_PROXY")
GROK = _vendor("GROK_API_KEY", "GROK_API_URL", "GROK_PROXY", login="GROK_OAUTH", switch="GROK_ENABLED")
XMLRIVER = _vendor("XMLRIVER_API_KEY", "XMLRIVER_API_URL", "XMLRIVER_PROXY")
PARALLEL = _vendor("PARALLEL_API_KEY", "PARALLEL_API_URL", "PARALLEL_PROXY")
OCTEN = _vendor("OCTEN_API_KEY", "OCTEN_API_URL", "OCTEN_PROXY")
LINKUP = _vendor("LINKUP_API_KEY", "LINKUP_API_URL", "LINKUP_PROXY")
YOUCOM = _vendor("YOUCOM_API_KEY", "YOUCOM_API_URL", "YOUCOM_PROXY")
SERPER = _vendor("SERPER_API_KEY", "SERPER_API_URL", "SERPER_PROXY")
EXA = _vendor("EXA_API_KEY", "EXA_API_URL", "EXA_PROXY", switch="EXA_ENABLED")
PERPLEXITY = _vendor("PERPLEXITY_API_KEY", "PERPLEXITY_API_URL")
KAGI = _vendor("KAGI_API_KEY", "KAGI_API_URL")
OPENALEX = _vendor("OPENALEX_API_KEY", "OPENALEX_API_URL", "OPENALEX_PROXY")
SEMANTIC_SCHOLAR = _vendor("SEMANTIC_SCHOLAR_API_KEY", "SEMANTIC_SCHOLAR_API_URL", "SEMANTIC_SCHOLAR_PROXY")
MARGINALIA = _vendor("MARGINALIA_API_KEY", "MARGINALIA_API_URL")
SUPADATA = _vendor("SUPADATA_API_KEY", "SUPADATA_API_URL", "SUPADATA_PROXY")
INSTAGRAM = _vendor(url="INSTAGRAM_API_URL", proxy="INSTAGRAM_PROXY")
GITHUB = _vendor("GITHUB_TOKEN", "GITHUB_API_URL")
STACKEXCHANGE = _vendor("STACKEXCHANGE_API_KEY", "STACKEXCHANGE_API_URL")
BRIGHTDATA = _vendor("BRIGHTDATA_API_KEY", "BRIGHTDATA_API_URL", "BRIGHTDATA_PROXY")

INSTANCES: tuple[Instance, ...] = (
    # Search: our own hosts, then vendors with a key, then those without, then the reserve.
    Instance("searxng", "search.searxng", url_env="SEARXNG_URL"),
    Instance("duckduckgo", "search.duckduckgo", base_url_env="DUCKDUCKGO_API_URL", unless_env="SEARXNG_URL"),
    Instance("brave", "search.brave", **BRAVE),
    Instance(
        "tavily-search",
        "search.tavily",
        options={"min_score": "TAVILY_MIN_SCORE"},
        key_proxies=TAVILY_PROXIES,
        **TAVILY,
    ),
    Instance("firecrawl-search", "search.firecrawl", **FIRECRAWL),
    Instance("jina-search", "search.jina", **JINA_SEARCH),
    Instance("grok-search", "search.grok", options={"model": "GROK_MODEL"}, **GROK),
    Instance(
        "xmlriver",
        "search.xmlriver_google",
        options={"user": "XMLRIVER_USER_ID", "country": "XMLRIVER_COUNTRY"},
        **XMLRIVER,
    ),
    Instance(
        "xmlriver-yandex",
        "search.xmlriver_yandex",
        options={"user": "XMLRIVER_USER_ID", "region": "XMLRIVER_YANDEX_REGION"},
        **XMLRIVER,
    ),
    Instance("parallel", "search.parallel", **PARALLEL),
    Instance("octen", "search.octen", **OCTEN),
    Instance("linkup", "search.linkup", **LINKUP),
    Instance("youcom", "search.youcom", **YOUCOM),
    Instance("serper", "search.serper", **SERPER),
    Instance("exa", "search.exa", **EXA),
    Instance("perplexity", "search.perplexity", **PERPLEXITY),
    Instance("kagi", "search.kagi", **KAGI),
    Instance("openalex", "search.openalex", optional_api_key=True, **OPENALEX),
    Instance("semantic-scholar", "search.semantic_scholar", optional_api_key=True, **SEMANTIC_SCHOLAR),
    Instance(
        "tavily-keyless",
        "search.tavily_keyless",
        enabled_env="TAVILY_ENABLED",
        base_url_env="TAVILY_API_URL",
        options={"min_score": "TAVILY_MIN_SCORE"},
        unless_env="TAVILY_1_API_KEY",
        listed_in=KEYLESS,
    ),
    Instance(
        "firecrawl-keyless",
        "search.firecrawl_keyless",
        enabled_env="FIRECRAWL_ENABLED",
        base_url_env="FIRECRAWL_API_URL",
        unless_env="FIRECRAWL_API_KEY",
        listed_in=KEYLESS,
    ),
    Instance(
        "exa-keyless",
        "search.exa_keyless",
        enabled_env="EXA_ENABLED",
        base_url_env="EXA_API_URL",
        proxy_env="EXA_PROXY",
        unless_env="EXA_API_KEY",
        listed_in=KEYLESS,
    ),
    Instance(
        "youcom-keyless",
        "search.youcom_keyless",
        base_url_env="YOUCOM_API_URL",
        proxy_env="YOUCOM_PROXY",
        unless_env="YOUCOM_API_KEY",
        listed_in=KEYLESS,
    ),
    Instance("wikipedia", "search.wikipedia", base_url_env="WIKIPEDIA_API_URL"),
    Instance("marginalia", "search.marginalia", optional_api_key=True, **MARGINALIA),
    # Answers
    Instance(
        "grok",
        "answer.grok",
        options={
            "model": "GROK_MODEL",
            "x_search": "GROK_X_SEARCH",
            "x_handles": "GROK_X_HANDLES",
            "x_excluded_handles": "GROK_X_EXCLUDED_HANDLES",
            "flat_filters": "GROK_FLAT_FILTERS",
        },
        **GROK,
    ),
    Instance(
        "openai-compatible",
        "answer.chat",
        api_key_env="OPENAI_COMPATIBLE_API_KEY",
        url_env="OPENAI_COMPATIBLE_API_URL",
        options={"model": "OPENAI_COMPATIBLE_MODEL", "web_search": "OPENAI_COMPATIBLE_WEB_SEARCH"},
    ),
    # Order of results
    Instance(
        "jina-rerank",
        "rerank.jina",
        optional_api_key=True,
        options={"model": "JINA_RERANK_MODEL"},
        **JINA_RERANK,
    ),
    # Maps of sites
    Instance("tavily-map", "map.tavily", key_proxies=TAVILY_PROXIES, **TAVILY),
    Instance("firecrawl-map", "map.firecrawl", **FIRECRAWL),
    Instance("sitemap", "map.sitemap"),
    # Read: sites that have an API, this machine, then remote readers from cheap to expensive.
    Instance(
        "youtube",
        "read.youtube",
        base_url_env="YOUTUBE_API_URL",
        proxy_env="YOUTUBE_PROXY",
        options={
            "client": "YOUTUBE_CLIENT",
            "client_version": "YOUTUBE_CLIENT_VERSION",
            "client_number": "YOUTUBE_CLIENT_NUMBER",
            "client_user_agent": "YOUTUBE_USER_AGENT",
        },
    ),
    Instance("supadata", "read.supadata", **SUPADATA),
    Instance(
        "instagram",
        "read.instagram",
        options={
            "groq_api_key": "GROQ_API_KEY",
            "groq_url": "GROQ_API_URL",
            "groq_proxy": "GROQ_PROXY",
            "groq_model": "GROQ_MODEL",
            "doc_id": "INSTAGRAM_DOC_ID",
            "app_id": "INSTAGRAM_APP_ID",
            "asbd_id": "INSTAGRAM_ASBD_ID",
            "user_agent": "INSTAGRAM_USER_AGENT",
        },
        **INSTAGRAM,
    ),
    Instance(
        "instagram-profile",
        "read.instagram_profile",
        options={"app_id": "INSTAGRAM_APP_ID", "user_agent": "INSTAGRAM_USER_AGENT"},
        **INSTAGRAM,
    ),
    Instance(
        "scholarly",
        "read.scholarly",
        proxy_env="SCHOLARLY_PROXY",
        options={
            "email": "UNPAYWALL_EMAIL",
            "arxiv_url": "ARXIV_API_URL",
            "arxiv_pages_url": "ARXIV_API_URL",
            "ar5iv_url": "ARXIV_API_URL",
            "unpaywall_url": "UNPAYWALL_API_URL",
            "europepmc_url": "EUROPEPMC_API_URL",
        },
    ),
    Instance("github", "read.github", optional_api_key=True, **GITHUB),
    Instance("stackexchange", "read.stackexchange", optional_api_key=True, **STACKEXCHANGE),
    Instance("wikipedia-page", "read.wikipedia", base_url_env="WIKIPEDIA_API_URL"),
    Instance("hackernews", "read.hackernews", base_url_env="HACKERNEWS_API_URL"),
    Instance("reddit", "read.reddit", base_url_env="REDDIT_API_URL"),
    Instance("bluesky", "read.bluesky", base_url_env="BLUESKY_API_URL"),
    Instance("x", "read.x", base_url_env="X_API_URL"),
    Instance("mastodon", "read.mastodon"),
    Instance("discourse", "read.discourse"),
    Instance("trafilatura", "read.direct"),
    Instance(
        "jina",
        "read.jina",
        optional_api_key=True,
        options={"token_budget": "JINA_TOKEN_BUDGET"},
        **JINA_READER,
    ),
    Instance(
        "crawl4ai",
        "read.crawl4ai",
        url_env="CRAWL4AI_URL",
        api_key_env="CRAWL4AI_TOKEN",
        optional_api_key=True,
    ),
    Instance("browser", "read.browser", options={"program": "BROWSER_PATH"}, unless_env="CRAWL4AI_URL"),
    Instance("tavily-1", "read.tavily", **TAVILY_1),
    Instance("tavily-2", "read.tavily", **TAVILY_2),
    Instance("tavily-3", "read.tavily", **TAVILY_3),
    Instance(
        "tavily-read-keyless",
        "read.tavily_keyless",
        enabled_env="TAVILY_ENABLED",
        base_url_env="TAVILY_API_URL",
        unless_env="TAVILY_1_API_KEY",
        listed_in=KEYLESS,
    ),
    Instance("firecrawl", "read.firecrawl", options={"x_urls": "FIRECRAWL_X_URLS"}, **FIRECRAWL),
    Instance(
        "firecrawl-read-keyless",
        "read.firecrawl_keyless",
        enabled_env="FIRECRAWL_ENABLED",
        base_url_env="FIRECRAWL_API_URL",
        unless_env="FIRECRAWL_API_KEY",
        listed_in=KEYLESS,
    ),
    Instance("brightdata", "read.brightdata", options={"zone": "BRIGHTDATA_ZONE"}, **BRIGHTDATA),
    Instance(
        "wayback",
        "read.wayback",
        base_url_env="WAYBACK_API_URL",
        options={"web_url": "WAYBACK_API_URL"},
    ),
)

SEARCH_PIPELINE: tuple[str, ...] = (
    "searxng",
    "duckduckgo",
    "brave",
    "tavily-search",
    "firecrawl-search",
    "jina-search",
    "grok-search",
    "xmlriver",
    "xmlriver-yandex",
    "parallel",
    "octen",
    "linkup",
    "youcom",
    "serper",
    "exa",
    "perplexity",
    "kagi",
    "openalex",
    "semantic-scholar",
    "tavily-keyless",
    "firecrawl-keyless",
    "exa-keyless",
    "youcom-keyless",
    "wikipedia",
    "marginalia",
)
"""Order breaks ties and decides whose copy of a hit is shown."""

ANSWER_PIPELINE: tuple[str, ...] = ("grok", "openai-compatible")
"""The models that `web_answer` asks, each when the one before it failed."""

MAP_PIPELINE: tuple[str, ...] = ("tavily-map", "firecrawl-map", "sitemap")
"""The mappers that `map_site` asks, each when the one before it did not know the site."""

READ_PIPELINE: tuple[str, ...] = (
    "youtube",
    "supadata",
    "instagram",
    "instagram-profile",
    "scholarly",
    "github",
    "stackexchange",
    "wikipedia-page",
    "hackernews",
    "reddit",
    "bluesky",
    "x",
    "mastodon",
    "discourse",
    "trafilatura",
    "jina",
    "crawl4ai",
    "browser",
    "tavily-1",
    "tavily-2",
    "tavily-3",
    "tavily-read-keyless",
    "firecrawl",
    "firecrawl-read-keyless",
    "brightdata",
    "wayback",
)
"""From cheap to expensive: the first sufficient answer wins. Site readers stand first."""
