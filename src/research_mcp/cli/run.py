"""What commands share: the configuration, and one piece of work inside a running product."""

from __future__ import annotations

import asyncio
import gc
from collections.abc import Awaitable, Callable
from typing import TypeVar

import click

from research_mcp.bootstrap import Configuration, Product, assemble, configure, read_environment
from research_mcp.bootstrap.manual import known_variables
from research_mcp.core.errors import ConfigError, ResearchError

T = TypeVar("T")

_COLLECT_AFTER = (10_000, 5, 5)
"""Calls make tens of thousands of objects, hardly any of them in cycles: Python's default of 700 looks for
those far too often."""


def imports_done() -> None:
    """Start garbage collection, which `__main__` held back, and keep it off what is loaded by now."""
    gc.freeze()
    gc.set_threshold(*_COLLECT_AFTER)
    gc.enable()


def configuration() -> Configuration:
    """The configuration of this environment. Raises `ConfigError`."""
    return configure(read_environment(known=known_variables()))


def endpoint(host: str, port: int) -> str:
    """The address of the server's endpoint, an IPv6 host in brackets."""
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/mcp"


async def progress(done: int, total: int, message: str) -> None:
    """Progress of a tool on stderr."""
    click.echo(f"[{done}/{total}] {message}", err=True)


def with_product(work: Callable[[Product], Awaitable[T]]) -> T:
    """What `work` gives, with the product running around it. A typed failure ends the command."""

    async def inside() -> T:
        imports_done()
        product = assemble(configuration())
        async with product.running():
            return await work(product)

    try:
        return asyncio.run(inside())
    except ConfigError:
        raise
    except ResearchError as error:
        raise click.ClickException(f"{error.reason}: {error}") from None
