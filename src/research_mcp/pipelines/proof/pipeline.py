"""A live check of all providers: one call each, all at once, under one deadline."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

from research_mcp.core.checks import Check, Point, Proof, Verdict
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import (
    NO_CONNECTION,
    BudgetSpent,
    QuotaSpent,
    Reason,
    Rejected,
    ResearchError,
)
from research_mcp.core.models import EngineState
from research_mcp.core.ports import Probe
from research_mcp.pipelines.guarded import guarded
from research_mcp.pipelines.turns import NotFree, Turn, Turns, has_left

_A_MOMENT = 5.0
"""Seconds that a pace is waited for."""

_NOT_REACHED = NO_CONNECTION | {Reason.DNS_FAILED}


class Prover:
    """Asks providers as the pipelines do: whoever rests is not asked, and who fails is parked.

    `keyed` names those that have a key. With `free`, nothing is asked that may cost money.
    """

    def __init__(self, turns: Turns, *, keyed: frozenset[str] = frozenset(), free: bool = False) -> None:
        self._turns = turns
        self._keyed = keyed
        self._free = free

    async def prove(self, probes: Sequence[Probe], deadline: Deadline) -> list[Check]:
        """A check for each probe, in order. Ends at the deadline and raises nothing but cancellation."""
        return list(await asyncio.gather(*(self._prove(probe, deadline) for probe in probes)))

    async def _prove(self, probe: Probe, deadline: Deadline) -> Check:
        if self._free and probe.paid:
            detail = "not asked: the call may cost money"
            return Check(probe.kind, probe.name, Verdict.SKIPPED, detail=detail)
        turn = Turn(probe.name, probe.pace)
        if why := await self._not_free(turn, deadline):
            return _left_alone(probe, why)
        loop = asyncio.get_running_loop()
        started = loop.time()
        try:
            proofs = await guarded(probe.name, _within(probe, deadline))
        except ResearchError as error:
            await self._turns.failed(probe.name, error)
            if not has_left(error):
                await self._turns.give_back(turn)
            return self._failed(probe, error, round((loop.time() - started) * 1000))
        self._turns.succeeded(probe.name)
        return self._proved(probe, proofs, round((loop.time() - started) * 1000))

    async def _not_free(self, turn: Turn, deadline: Deadline) -> NotFree | None:
        """Why there is no turn, not even after a moment."""
        why = await self._turns.ask(turn)
        if why is None or why.state is EngineState.RESTING:
            return why
        return await self._turns.wait_for(turn, why, deadline.share(_A_MOMENT))

    def _proved(self, probe: Probe, proofs: list[Proof], ms: int) -> Check:
        known = [Proof(Point.REACHABLE, ok=True)]
        if probe.name in self._keyed:
            known.append(Proof(Point.KEY, ok=True))
        lacking = next((proof for proof in proofs if not proof.ok), None)
        return Check(
            probe.kind,
            probe.name,
            Verdict.FAILED if lacking else Verdict.OK,
            (*known, *proofs),
            reason=Reason.EMPTY if lacking else None,
            detail=f"not {lacking.point}: {lacking.detail}".rstrip(": ") if lacking else "",
            ms=ms,
            paid=probe.paid,
        )

    def _failed(self, probe: Probe, error: ResearchError, ms: int) -> Check:
        if isinstance(error, BudgetSpent):
            detail = f"not asked: {error}"
            return Check(probe.kind, probe.name, Verdict.SKIPPED, reason=error.reason, detail=detail, ms=ms)
        return Check(
            probe.kind,
            probe.name,
            Verdict.FAILED,
            self._shown_by(probe, error),
            reason=error.reason,
            detail=str(error),
            ms=ms,
            paid=probe.paid and has_left(error),
        )

    def _shown_by(self, probe: Probe, error: ResearchError) -> tuple[Proof, ...]:
        """What a failure shows all the same."""
        if error.reason in _NOT_REACHED:
            return (Proof(Point.REACHABLE, ok=False),)
        if error.reason is Reason.TIMEOUT or not has_left(error):
            return ()  # silence shows nothing
        reached = Proof(Point.REACHABLE, ok=True)
        if probe.name in self._keyed and isinstance(error, Rejected | QuotaSpent):
            return reached, Proof(Point.KEY, ok=isinstance(error, QuotaSpent))
        return (reached,)


def _left_alone(probe: Probe, why: NotFree) -> Check:
    """A pace is nobody's fault; what rests, rests for a reason."""
    resting = why.state is EngineState.RESTING
    verdict = Verdict.FAILED if resting else Verdict.SKIPPED
    detail = f"not asked: {'it rests, ' if resting else ''}{why.detail}"
    return Check(probe.kind, probe.name, verdict, reason=why.reason, detail=detail)


async def _within(probe: Probe, deadline: Deadline) -> list[Proof]:
    async with deadline.enforce():
        return await probe.run(deadline)
