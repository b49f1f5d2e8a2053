"""`login`, `logout`: the owner's own account at xAI, from a terminal and from nowhere else."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable
from typing import TypeVar

import click

from research_mcp.bootstrap import Configuration
from research_mcp.bootstrap.assemble import SystemClock
from research_mcp.bootstrap.login import LOCK_SECONDS, forget_login, grant_file, signing_in
from research_mcp.cli.callback import Callback, pasted
from research_mcp.cli.run import configuration
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ProviderError
from research_mcp.core.grant import Grant
from research_mcp.core.instance import Secret
from research_mcp.providers.kit.login.oauth import DeviceCode, LoginFailed, OAuthServer
from research_mcp.providers.kit.login.sign_in import NoDeviceFlow, Read, Receive, SignIn, explained

T = TypeVar("T")

WARNING = (
    "This logs this server in to xAI as you: what it asks is asked in your name and counts against your\n"
    "plan. xAI is said to mean such logins for a few named programs; this is none of them, and no\n"
    "permission for others is published. It may be refused, now or later, and may be against xAI's terms:\n"
    "read them first. An API key (GROK_API_KEY) has none of these doubts."
)
CALLBACK_SECONDS = 180.0


@click.command()
@click.option(
    "--browser", "way", flag_value="browser", help="Confirm in a browser on this machine, without a code."
)
@click.option("--paste", "way", flag_value="paste", help="Confirm in any browser and paste where it ends.")
@click.option("--yes", is_flag=True, help="Do not ask; the warning is shown all the same.")
def login(way: str | None, yes: bool) -> None:
    """Log in to xAI with your own account, in the place of an API key.

    Shows a code to confirm in any browser; where xAI offers no code, a browser on this machine.
    """
    here = configuration()
    click.echo(WARNING, err=True)
    if not yes:
        click.confirm("Log in?", abort=True, err=True)
    asyncio.run(_said(_log_in(here, way)))
    click.echo(f"logged in; the tokens are in {grant_file(here.settings).place}")
    if not any(one.by_login for one in (*here.answer, *here.search)):
        click.echo("To use them, set GROK_OAUTH=on, and no GROK_API_KEY.")


@click.command()
def logout() -> None:
    """Delete the tokens of `login`."""
    here = configuration()
    had = asyncio.run(_said(forget_login(here)))
    place = grant_file(here.settings).place
    if not had:
        click.echo(f"nobody was logged in ({place})")
        return
    click.echo(f"logged out: {place} is deleted")
    click.echo("The last token stays valid until it ends; your xAI account can end it at once.", err=True)


async def _log_in(here: Configuration, way: str | None) -> None:
    store = grant_file(here.settings)
    async with signing_in(here, SystemClock()) as attempt:
        await attempt.discover()
        grant = await _granted(attempt, way)
    async with store.alone(Deadline.after(LOCK_SECONDS)):
        await store.keep(grant)


async def _granted(attempt: SignIn, way: str | None) -> Grant:
    if way is None:
        try:
            return await attempt.by_device(_tell)
        except NoDeviceFlow:
            click.echo("xAI offers no code now: a browser on this machine is needed.", err=True)
    return await attempt.by_browser(_receiver(attempt.server, way))


def _tell(code: DeviceCode) -> None:
    click.echo(f"Open {code.whole_url}\nand confirm the code {code.user_code}", err=True)
    click.echo(f"Waiting {code.lives / 60:.0f} min at most...", err=True)


def _receiver(server: OAuthServer, way: str | None) -> Receive:
    """How the callback reaches us: at the port of the redirect, or pasted where that is not possible."""

    async def receive(address: str, read: Read) -> Secret:
        click.echo(f"Open {address}", err=True)
        if way == "paste":
            return await _pasted(read)
        try:
            return await Callback(server.redirect, read).code(CALLBACK_SECONDS)
        except LoginFailed as failed:
            if failed.code != "oauth_callback_bind_failed":
                raise
            click.echo(str(failed), err=True)
            return await _pasted(read)

    return receive


async def _pasted(read: Read) -> Secret:
    click.echo("When the browser shows an error, copy the whole address from its address bar.", err=True)
    return pasted(await asyncio.to_thread(click.prompt, "Address", err=True, hide_input=True), read)


async def _said(work: Awaitable[T]) -> T:
    """What `work` gives; its failures as one sentence for the terminal."""
    try:
        return await work
    except ProviderError as error:
        raise click.ClickException(str(explained(error))) from None
    except LoginFailed as error:
        raise click.ClickException(str(error)) from None
