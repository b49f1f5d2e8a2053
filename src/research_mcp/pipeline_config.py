"""Which instances exist, and in what order they are tried.

NAMES of environment variables, never values. Variables unset: the row is off, one log line says
which one is missing. A type, name or option that does not exist stops the start. What each variable
means stands in `variables.py`.
"""

from __future__ import annotations

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
        options={"min_score": "TAVILY_MIN_SCORE"},
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
        "grok-search",
        "search.grok",
        api_key_env="GROK_API_KEY",
        base_url_env="GROK_API_URL",
        proxy_env="GROK_PROXY",
        options={"model": "GROK_MODEL"},
    ),
    Instance(
        "xmlriver",
        "search.xmlriver_google",
        api_key_env="XMLRIVER_API_KEY",
        base_url_env="XMLRIVER_API_URL",
        proxy_env="XMLRIVER_PROXY",
        options={"user": "XMLRIVER_USER_ID", "country": "XMLRIVER_COUNTRY"},
    ),
    Instance(
        "xmlriver-yandex",
        "search.xmlriver_yandex",
        api_key_env="XMLRIVER_API_KEY",
        base_url_env="XMLRIVER_API_URL",
        proxy_env="XMLRIVER_PROXY",
        options={"user": "XMLRIVER_USER_ID", "region": "XMLRIVER_YANDEX_REGION"},
    ),
    Instance(
        "parallel",
        "search.parallel",
        api_key_env="PARALLEL_API_KEY",
        base_url_env="PARALLEL_API_URL",
        proxy_env="PARALLEL_PROXY",
    ),
    Instance(
        "octen",
        "search.octen",
        api_key_env="OCTEN_API_KEY",
        base_url_env="OCTEN_API_URL",
        proxy_env="OCTEN_PROXY",
    ),
    Instance(
        "linkup",
        "search.linkup",
        api_key_env="LINKUP_API_KEY",
        base_url_env="LINKUP_API_URL",
        proxy_env="LINKUP_PROXY",
    ),
    Instance(
        "youcom",
        "search.youcom",
        api_key_env="YOUCOM_API_KEY",
        base_url_env="YOUCOM_API_URL",
        proxy_env="YOUCOM_PROXY",
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
        "openalex",
        "search.openalex",
        api_key_env="OPENALEX_API_KEY",
        optional_api_key=True,
        base_url_env="OPENALEX_API_URL",
        proxy_env="OPENALEX_PROXY",
    ),
    Instance(
        "semantic-scholar",
        "search.semantic_scholar",
        api_key_env="SEMANTIC_SCHOLAR_API_KEY",
        optional_api_key=True,
        base_url_env="SEMANTIC_SCHOLAR_API_URL",
        proxy_env="SEMANTIC_SCHOLAR_PROXY",
    ),
    Instance(
        "tavily-keyless",
        "search.tavily_keyless",
        base_url_env="TAVILY_API_URL",
        options={"min_score": "TAVILY_MIN_SCORE"},
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
    Instance(
        "youcom-keyless",
        "search.youcom_keyless",
        proxy_env="YOUCOM_PROXY",
        unless_env="YOUCOM_API_KEY",
        listed_in=KEYLESS,
    ),
    Instance("wikipedia", "search.wikipedia", base_url_env="WIKIPEDIA_API_URL"),
    Instance(
        "marginalia",
        "search.marginalia",
        api_key_env="MARGINALIA_API_KEY",
        optional_api_key=True,
        base_url_env="MARGINALIA_API_URL",
    ),
    # Answers
    Instance(
        "grok",
        "answer.grok",
        api_key_env="GROK_API_KEY",
        base_url_env="GROK_API_URL",
        proxy_env="GROK_PROXY",
        options={
            "model": "GROK_MODEL",
            "x_search": "GROK_X_SEARCH",
            "x_handles": "GROK_X_HANDLES",
            "x_excluded_handles": "GROK_X_EXCLUDED_HANDLES",
            "flat_filters": "GROK_FLAT_FILTERS",
        },
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
        api_key_env="JINA_API_KEY",
        optional_api_key=True,
        base_url_env="JINA_RERANK_API_URL",
        proxy_env="JINA_PROXY",
        options={"model": "JINA_RERANK_MODEL"},
    ),
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
    Instance(
        "supadata",
        "read.supadata",
        api_key_env="SUPADATA_API_KEY",
        base_url_env="SUPADATA_API_URL",
        proxy_env="SUPADATA_PROXY",
    ),
    Instance(
        "instagram",
        "read.instagram",
        base_url_env="INSTAGRAM_API_URL",
        proxy_env="INSTAGRAM_PROXY",
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
    ),
    Instance(
        "instagram-profile",
        "read.instagram_profile",
        base_url_env="INSTAGRAM_API_URL",
        proxy_env="INSTAGRAM_PROXY",
        options={"app_id": "INSTAGRAM_APP_ID", "user_agent": "INSTAGRAM_USER_AGENT"},
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
    Instance(
        "github",
        "read.github",
        api_key_env="GITHUB_TOKEN",
        optional_api_key=True,
        base_url_env="GITHUB_API_URL",
    ),
    Instance(
        "stackexchange",
        "read.stackexchange",
        api_key_env="STACKEXCHANGE_API_KEY",
        optional_api_key=True,
        base_url_env="STACKEXCHANGE_API_URL",
    ),
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
        api_key_env="JINA_API_KEY",
        optional_api_key=True,
        base_url_env="JINA_READER_API_URL",
        proxy_env="JINA_PROXY",
        options={"token_budget": "JINA_TOKEN_BUDGET"},
    ),
    Instance(
        "crawl4ai",
        "read.crawl4ai",
        url_env="CRAWL4AI_URL",
        api_key_env="CRAWL4AI_TOKEN",
        optional_api_key=True,
    ),
    *(
        Instance(
            f"tavily-{number}",
            "read.tavily",
            api_key_env=key,
            base_url_env="TAVILY_API_URL",
            proxy_env=f"TAVILY_{number}_PROXY",
        )
        for number, key in enumerate(TAVILY_KEYS, 1)
    ),
    Instance(
        "tavily-read-keyless",
        "read.tavily_keyless",
        base_url_env="TAVILY_API_URL",
        unless_env="TAVILY_1_API_KEY",
        listed_in=KEYLESS,
    ),
    Instance(
        "firecrawl",
        "read.firecrawl",
        api_key_env="FIRECRAWL_API_KEY",
        base_url_env="FIRECRAWL_API_URL",
        proxy_env="FIRECRAWL_PROXY",
        options={"x_urls": "FIRECRAWL_X_URLS"},
    ),
    Instance(
        "firecrawl-read-keyless",
        "read.firecrawl_keyless",
        base_url_env="FIRECRAWL_API_URL",
        unless_env="FIRECRAWL_API_KEY",
        listed_in=KEYLESS,
    ),
    Instance(
        "brightdata",
        "read.brightdata",
        api_key_env="BRIGHTDATA_API_KEY",
        base_url_env="BRIGHTDATA_API_URL",
        proxy_env="BRIGHTDATA_PROXY",
        options={"zone": "BRIGHTDATA_ZONE"},
    ),
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
    "youcom-keyless",
    "wikipedia",
    "marginalia",
)
"""Order breaks ties and decides whose copy of a hit is shown."""

ANSWER_PIPELINE: tuple[str, ...] = ("grok", "openai-compatible")
"""The models that `web_answer` asks, each when the one before it failed."""

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
