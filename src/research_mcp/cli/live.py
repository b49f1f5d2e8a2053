"""`check --live`: each provider asked once, as a table or as JSON."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence

import click

from research_mcp.bootstrap import Product
from research_mcp.bootstrap.proofs import Spend
from research_mcp.cli.run import with_product
from research_mcp.core.checks import Check, Verdict
from research_mcp.core.deadline import Deadline
from research_mcp.core.wire import JsonValue
from research_mcp.observe.redact import Redactor, one_line

_HEAD = ("kind", "name", "result", "ms", "detail")


def prove(spend: Spend, *, as_json: bool, seconds: float) -> int:
    """Print what each provider proved; 1 when one failed, 0 otherwise."""

    async def ask(product: Product) -> int:
        loop = asyncio.get_running_loop()
        started = loop.time()
        if spend is not Spend.NOTHING:
            click.echo("Each provider is asked once; calls marked $ may cost money.", err=True)
        checks = await product.proved(Deadline.after(seconds), spend)
        redact = product.configuration.redact
        if as_json:
            click.echo(json.dumps([_object(check, redact) for check in checks], ensure_ascii=False, indent=1))
        else:
            for line in _table(checks, redact):
                click.echo(line)
        counts = {verdict: sum(check.verdict is verdict for check in checks) for verdict in Verdict}
        said = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
        click.echo(f"{said} in {loop.time() - started:.1f} s", err=True)
        return 1 if counts[Verdict.FAILED] else 0

    return with_product(ask)


def _table(checks: Sequence[Check], redact: Redactor) -> Iterator[str]:
    rows = [_HEAD, *(_row(check, redact) for check in checks)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_HEAD) - 1)]
    for kind, name, result, ms, detail in rows:
        cells = (kind.ljust(widths[0]), name.ljust(widths[1]), result.ljust(widths[2]), ms.rjust(widths[3]))
        yield "  ".join((*cells, detail)).rstrip()


def _row(check: Check, redact: Redactor) -> tuple[str, str, str, str, str]:
    result = check.verdict.value
    if check.reason and check.verdict is Verdict.FAILED:
        result += f": {check.reason}"
    if check.paid:
        result += " $"
    shown = [f"{p.point} ({p.detail})" if p.detail else str(p.point) for p in check.proofs if p.ok]
    told = ", ".join(shown)
    detail = "; ".join(part for part in (told, check.detail) if part)
    return check.kind, check.name, result, str(check.ms or ""), _clean(detail, redact)


def _object(check: Check, redact: Redactor) -> dict[str, JsonValue]:
    return {
        "kind": check.kind,
        "name": check.name,
        "result": check.verdict.value,
        "reason": check.reason.value if check.reason else "",
        "detail": _clean(check.detail, redact),
        "ms": check.ms,
        "may_cost": check.paid,
        "proofs": [
            {"point": proof.point.value, "ok": proof.ok, "detail": _clean(proof.detail, redact)}
            for proof in check.proofs
        ],
    }


def _clean(text: str, redact: Redactor) -> str:
    return one_line(redact(text))
