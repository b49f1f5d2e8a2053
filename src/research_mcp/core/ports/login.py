"""Where the tokens of an owner's login lie."""

from __future__ import annotations

from contextlib import AbstractAsyncContextManager
from typing import Protocol

from research_mcp.core.deadline import Deadline
from research_mcp.core.grant import Grant


class GrantStore(Protocol):
    """One login, shared by all processes of this machine.

    `held` gives None when nobody is logged in. `forget` is True when there was something to forget.
    `alone` keeps every other process and task out, and raises `StoreUnavailable` when they do not leave
    before the deadline. All raise `StoreUnavailable`, with one sentence, for what cannot be read,
    written or trusted.
    """

    @property
    def place(self) -> str: ...

    async def held(self) -> Grant | None: ...

    async def keep(self, grant: Grant) -> None: ...

    async def forget(self) -> bool: ...

    def alone(self, deadline: Deadline) -> AbstractAsyncContextManager[None]: ...
