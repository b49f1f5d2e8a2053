"""Jina Reranker, and under another base url any server that takes the same request.

Docs:   https://jina.ai/reranker/
Sends:  POST /v1/rerank with `model`, `query`, `documents`, `top_n`; the key as Bearer.
Gets:   `{"results": [{"index", "relevance_score"}, ...], "usage": {"total_tokens"}}`, best first.
Quirks: its tokens are those of the reader and the search under the same key; `document` comes back as
        an object or a text, so only `index` counts.
"""

from __future__ import annotations

from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.rerank import RerankType
from research_mcp.providers.kit.search import Phrases


@register("rerank.jina", options=("model",), metered=True)
class JinaRerank(RerankType):
    """Scores of a multilingual, listwise model. A key is not needed: an own server may have none."""

    docs = "https://jina.ai/reranker/"
    endpoint = "https://api.jina.ai/v1/rerank"
    model = "jina-reranker-v3.5"
    phrases = Phrases(
        spent=("InsufficientCreditsError", "InsufficientBalanceError"),
        limited=("RateLimitTriggeredError",),
    )
