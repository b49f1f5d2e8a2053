"""The class of a question, told from its words: which specialists join, and whose history counts."""

from __future__ import annotations

import re
from collections.abc import Mapping

from research_mcp.core.models import SearchQuery, TimeRange, Topic

_SIGNS: Mapping[Topic, re.Pattern[str]] = {
    topic: re.compile("|".join(signs), re.IGNORECASE)
    for topic, signs in {
        Topic.SCHOLARLY: (
            r"\b(?:arxiv|pubmed|doi|preprints?|et al|peer[- ]reviewed|citations?)\b",
            r"\b(?:meta-?analys[ei]s|(?:systematic|literature) reviews?|randomi[sz]ed controlled trials?)\b",
            r"\b(?:research|scientific|academic) (?:papers?|articles?)\b",
            r"\bpapers? (?:on|about)\b",
            r"\b10\.\d{4,9}/\S",
            r"\b(?:препринт|метаанализ)",
            r"\b(?:научн\w+ стать|систематическ\w+ обзор)",
        ),
        Topic.CODE: (
            r"\b(?:traceback|stack ?trace|segfault|undefined reference|exception in thread|regex)\b",
            r"\b(?:npm|pip install|github|gitlab|stack ?overflow|source code|api reference|sdk)\b",
            r"\b(?:type|value|key|name|attribute|import|runtime|syntax)error\b",
            r"\w\(\)|::\w|\w\.(?:py|js|ts|rs|go|cpp|java)\b",
        ),
        Topic.NEWS: (
            r"\b(?:news|headlines|breaking|latest on|today|yesterday)\b",
            r"\b(?:новост[ьи]|сегодня|вчера)\b",
        ),
    }.items()
}
_SCHOLARLY_HOSTS = frozenset(("arxiv.org", "doi.org", "pubmed.ncbi.nlm.nih.gov", "semanticscholar.org"))


def topic_of(query: SearchQuery) -> Topic:
    """The topic that the caller named, else the first whose signs the query shows, else general."""
    if query.topic is not None:
        return query.topic
    if not _SCHOLARLY_HOSTS.isdisjoint((*query.include_domains, *query.prefer_domains)):
        return Topic.SCHOLARLY
    for topic, sign in _SIGNS.items():
        if sign.search(query.text):
            return topic
    return Topic.NEWS if query.time_range is TimeRange.DAY else Topic.GENERAL
