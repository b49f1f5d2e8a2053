"""The seams of the house: what one part needs of another, as protocols.

Pipelines and providers never import each other or the network; `bootstrap` hands each what stands
here. Tests hand in fakes of the same shape.
"""

from research_mcp.core.ports.answer import Answerer, AnswerModel, AnswerStore, ChosenModel
from research_mcp.core.ports.calls import Clock, Progress, no_progress
from research_mcp.core.ports.checks import AccountPage, Probe
from research_mcp.core.ports.login import GrantStore
from research_mcp.core.ports.network import Browser, Http, PageFetcher, Robots, RobotsRule
from research_mcp.core.ports.read import (
    BatchReader,
    Extractor,
    Job,
    PageReader,
    Reader,
    ReaderFacts,
    TextJudge,
)
from research_mcp.core.ports.search import EngineFacts, Reranker, SearchEngine, Searcher
from research_mcp.core.ports.sitemap import LinkFinder, Mapper, MapperFacts, Opened, Site, SiteMapper
from research_mcp.core.ports.state import (
    Agreements,
    Cache,
    Confirmed,
    Meter,
    Paces,
    Parking,
    Reservation,
    Rest,
    Spent,
    StoreHealth,
    Usage,
)

__all__ = [
    "AccountPage",
    "Agreements",
    "AnswerModel",
    "AnswerStore",
    "Answerer",
    "BatchReader",
    "Browser",
    "Cache",
    "ChosenModel",
    "Clock",
    "Confirmed",
    "EngineFacts",
    "Extractor",
    "GrantStore",
    "Http",
    "Job",
    "LinkFinder",
    "Mapper",
    "MapperFacts",
    "Meter",
    "Opened",
    "Paces",
    "PageFetcher",
    "PageReader",
    "Parking",
    "Probe",
    "Progress",
    "Reader",
    "ReaderFacts",
    "Reranker",
    "Reservation",
    "Rest",
    "Robots",
    "RobotsRule",
    "SearchEngine",
    "Searcher",
    "Site",
    "SiteMapper",
    "Spent",
    "StoreHealth",
    "TextJudge",
    "Usage",
    "no_progress",
]
