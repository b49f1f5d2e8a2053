"""The probes of a live check, each around a configured instance."""

from __future__ import annotations

from collections.abc import Iterator
from enum import StrEnum

from research_mcp.bootstrap.instances import Resolved
from research_mcp.bootstrap.providers import Shared, configured
from research_mcp.core.flights import Flights
from research_mcp.core.ports import Probe
from research_mcp.pipelines.proof.probes import (
    AccountProbe,
    EngineProbe,
    MapProbe,
    ModelProbe,
    ReaderProbe,
    RerankProbe,
    Workbench,
)
from research_mcp.providers.kit.account_page import ConfiguredAccountPage, Pages
from research_mcp.providers.kit.answer.configured import ConfiguredAnswer
from research_mcp.providers.kit.engine import ConfiguredEngine
from research_mcp.providers.kit.mapper import ConfiguredMapper
from research_mcp.providers.kit.reader import ConfiguredReader
from research_mcp.providers.kit.registry import REGISTRY
from research_mcp.providers.kit.rerank import ConfiguredReranker


class Spend(StrEnum):
    """How much money a live check may cost: nothing; one call where there is no free page about the
    account; one call for each provider."""

    NOTHING = "nothing"
    LITTLE = "little"
    REAL = "real"


def probes(shared: Shared, bench: Workbench, spend: Spend) -> list[Probe]:
    """A probe for each instance that is on, in order. Readers that their sample does not suit are left
    out: another base url may serve another site."""
    pages: Pages = Flights()
    found = []
    for resolved, real in _real(shared, bench, spend):
        free = spend is not Spend.REAL and real.paid and _has_account(resolved)
        found.append(_account(resolved, real.kind, shared, pages) if free else real)
    return found


def _real(shared: Shared, bench: Workbench, spend: Spend) -> Iterator[tuple[Resolved, Probe]]:
    here = shared.configuration
    for one in here.search:
        yield one, EngineProbe(configured(ConfiguredEngine, one, shared))
    for one in here.read:
        reader = configured(ConfiguredReader, one, shared)
        if reader.accepts(reader.facts.sample):
            yield one, ReaderProbe(reader, bench)
    for one in here.answer:
        yield one, ModelProbe(configured(ConfiguredAnswer, one, shared), spend is Spend.NOTHING)
    for one in here.map:
        yield one, MapProbe(configured(ConfiguredMapper, one, shared), bench)
    if here.reranker:
        yield here.reranker, RerankProbe(configured(ConfiguredReranker, here.reranker, shared))


def _has_account(resolved: Resolved) -> bool:
    """Whether there is a page about the account. Gateways need not have one."""
    return bool(REGISTRY[resolved.instance.type].account) and not resolved.url


def _account(resolved: Resolved, kind: str, shared: Shared, pages: Pages) -> AccountProbe:
    page = configured(ConfiguredAccountPage, resolved, shared)
    page.pages = pages
    return AccountProbe(page, kind)
