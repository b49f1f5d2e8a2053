"""`quota show`, `quota reset`: what is spent, who rests, and counting anew."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from datetime import UTC, datetime
from typing import TypeVar

import click

from research_mcp.bootstrap.quota import Books, Statement, books
from research_mcp.cli.run import configuration
from research_mcp.core.errors import StoreUnavailable
from research_mcp.core.ports import Rest, Usage

T = TypeVar("T")

_HEAD = ("instance", "key", "period", "used", "reserved", "limit", "renews (UTC)", "billed ever")


@click.group()
def quota() -> None:
    """What budgets have left, and counting them anew."""


@quota.command()
@click.argument("instance", required=False)
def show(instance: str | None) -> None:
    """Print each instance's budgets, what is used of them, and what rests until when and why."""
    statements = _with_books(lambda of: of.statements())
    chosen = [one for one in statements if instance in (None, one.name)]
    if instance and not chosen:
        known = ", ".join(one.name for one in statements) or "none"
        raise click.ClickException(f"{instance} spends nothing here: known are {known}")
    if not chosen:
        click.echo("nothing is spent here: no provider with a key is on")
        return
    for line in _table([row for one in chosen for row in _rows(one)]):
        click.echo(line)
    for one in chosen:
        for who, rest in one.rests:
            click.echo(f"{one.name}: {who} rests until {_until(rest)}: {rest.reason}{_detail(rest)}")


@quota.command()
@click.argument("instance")
@click.option("--yes", is_flag=True, help="Do not ask first.")
def reset(instance: str, yes: bool) -> None:
    """Let the budgets of INSTANCE count from zero now, and wake it and its keys.

    Running servers see it at once. What was ever billed stays, and so does the vendor's own count.
    """
    if not yes:
        _with_books(lambda of: of.check(instance))
        click.confirm(f"Let the budgets of {instance} count from zero?", abort=True)
    _with_books(lambda of: of.reset(instance))
    click.echo(f"{instance} counts from zero")


def _with_books(work: Callable[[Books], Awaitable[T]]) -> T:
    configured = configuration()

    async def inside() -> T:
        async with books(configured) as opened:
            return await work(opened)

    try:
        return asyncio.run(inside())
    except StoreUnavailable as error:
        raise click.ClickException(str(error)) from None


def _rows(statement: Statement) -> Iterator[tuple[str, ...]]:
    if not statement.usage:
        yield statement.name, "", "", "0", "0", "none", "", "0"
    for line in statement.usage:
        yield (
            statement.name,
            line.account.partition(":")[0] or "all",
            line.period,
            str(line.used),
            str(line.reserved),
            _limit(line),
            _minute(line.renews_at) if line.limit is not None else "",
            str(line.billed),
        )


def _table(rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    widths = [max(map(len, column)) for column in zip(_HEAD, *rows, strict=True)]
    for row in (_HEAD, *rows):
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _limit(line: Usage) -> str:
    return "none" if line.limit is None else f"{line.limit}/{line.per} ({line.source})"


def _until(rest: Rest) -> str:
    return _minute(rest.until) or "the key changes"


def _minute(at: float | None) -> str:
    return "" if at is None else f"{datetime.fromtimestamp(at, UTC):%Y-%m-%d %H:%M}"


def _detail(rest: Rest) -> str:
    return f" ({rest.detail})" if rest.detail else ""
