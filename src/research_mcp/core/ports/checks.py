"""One smallest call to one provider."""

from __future__ import annotations

from typing import Protocol

from research_mcp.core.checks import Proof
from research_mcp.core.deadline import Deadline


class AccountPage(Protocol):
    """A vendor's page about the account behind a key, free of charge. `ask` raises `ProviderError`."""

    @property
    def name(self) -> str: ...

    async def ask(self, deadline: Deadline) -> None: ...


class Probe(Protocol):
    """A call that shows whether a provider is of use.

    `paid`: it may cost money. `pace`: least seconds between two calls. `run` raises `ResearchError`.
    """

    @property
    def kind(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def paid(self) -> bool: ...

    @property
    def pace(self) -> float: ...

    async def run(self, deadline: Deadline) -> list[Proof]: ...
