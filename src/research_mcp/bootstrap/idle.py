"""What is set without effect: its owner believes that it does something."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Iterator, Mapping

from research_mcp import pipeline_config
from research_mcp.bootstrap.instances import PACE, WEIGHT, Resolved, is_on
from research_mcp.bootstrap.values import vendor_of
from research_mcp.core.budget import BUDGET, is_budget
from research_mcp.core.instance import Instance
from research_mcp.providers.kit.registry import REGISTRY, ProviderKind, TypeSpec
from research_mcp.settings import Settings

RERANKING = "SEARCH_RERANK_ENABLED"


def idle(
    on: Mapping[str, Resolved], reranker: Resolved | None, settings: Settings, values: Mapping[str, str]
) -> Iterator[str]:
    """A warning for each variable that is set and changes nothing."""
    yield from _logins(on.values(), values)
    yield from _budgets(values)
    yield from _of_nobody(WEIGHT, "weighs", values)
    yield from _of_nobody(PACE, "slows", values)
    if settings.search_rerank_enabled and reranker is None:
        rows = [row for row in pipeline_config.INSTANCES if _spec(row).kind is ProviderKind.RERANK]
        names = [name for row in rows for name in (*row.key_names, row.base_url_env)]
        yield f"{RERANKING} has no effect without a reranker: set {' or '.join(names)}"


def _logins(instances: Iterable[Resolved], values: Mapping[str, str]) -> Iterator[str]:
    """A switch without effect, once."""
    rows = [one.instance for one in instances if not one.by_login and is_on(one.instance.login_env, values)]
    for switch, key in {row.login_env: row.key_names[0] for row in rows}.items():
        yield f"{key} is set and wins: {switch} has no effect"


def _budgets(values: Mapping[str, str]) -> Iterator[str]:
    """Budgets of nobody: their owner believes that money is limited where it is not."""
    rows = {row.own_variable(BUDGET): row for row in pipeline_config.INSTANCES}
    billed = [name for name, row in rows.items() if _spec(row).metered]
    for name, value in values.items():
        if not name.endswith(f"_{BUDGET}") or name in billed or not is_budget(value):
            continue
        if name in rows:
            yield f"{name} limits nothing, since calls of {rows[name].name} cost nothing"
            continue
        vendor = name.removesuffix(BUDGET)
        meant = ", ".join(row for row in billed if row.startswith(vendor)) or "EXA_BUDGET"
        yield f"{name} limits nothing, since no instance has this name: budgets are called {meant}"


def _of_nobody(ending: str, verb: str, values: Mapping[str, str]) -> Iterator[str]:
    """Weights and paces of nobody. A name that is like no instance's belongs to another program."""
    rows = [row for row in pipeline_config.INSTANCES if _spec(row).kind is ProviderKind.SEARCH]
    known = [row.own_variable(ending) for row in rows]
    vendors = {vendor_of(row).upper(): row.own_variable(ending) for row in reversed(rows)}
    for name in values:
        if not name.endswith(f"_{ending}") or name in known:
            continue
        near = difflib.get_close_matches(name, known, 1, 0.85) or [vendors.get(name.partition("_")[0], "")]
        if near[0]:
            yield f"{name} {verb} nothing, since no search engine has this name: did you mean {near[0]}?"


def _spec(row: Instance) -> TypeSpec:
    return REGISTRY[row.type].spec
