"""The owner's login at xAI, put together: server, file, way out, tokens."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from pathlib import Path

from research_mcp.bootstrap.configure import Configuration
from research_mcp.bootstrap.instances import Resolved
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import ConfigError, StoreUnavailable
from research_mcp.core.grant import Grant
from research_mcp.core.instance import Account
from research_mcp.core.ports import Clock
from research_mcp.net.client import Network
from research_mcp.net.guard import Guard
from research_mcp.net.policy import CallLimits, VendorClient
from research_mcp.net.resolver import Resolver
from research_mcp.net.trust import trust
from research_mcp.providers.kit.login.oauth import OAuthServer
from research_mcp.providers.kit.login.sign_in import SignIn
from research_mcp.providers.kit.login.tokens import Login, account_of
from research_mcp.providers.kit.registry import REGISTRY
from research_mcp.settings import Settings
from research_mcp.store.grant_file import GrantFile

TYPE = "answer.grok"
FILE = "grok-login.json"
LIMITS = CallLimits(timeout=15.0, retries=2)
LOCK_SECONDS = 20.0


def login_server(settings: Settings) -> OAuthServer:
    """Where the owner logs in, with the client id that the owner chose. Raises `ConfigError` for no login."""
    server = REGISTRY[TYPE].login
    if server is None:
        raise ConfigError(f"type {TYPE!r} knows no login")
    return replace(server, client_id=settings.grok_oauth_client_id or server.client_id)


def grant_file(settings: Settings) -> GrantFile:
    """Where the tokens lie."""
    return GrantFile(Path(settings.grok_auth_file or Path(settings.data_dir) / FILE))


def login_of(configuration: Configuration, network: Network, clock: Clock) -> Login:
    """The tokens for calls in the owner's name."""
    server = login_server(configuration.settings)
    http = _way(configuration, server, network, clock)
    return Login(server, http, grant_file(configuration.settings), clock)


async def accounts_behind(resolved: Resolved, settings: Settings) -> tuple[Account, ...]:
    """The keys of an instance, or the login that it uses in their place, if there is one now.

    Raises `StoreUnavailable`.
    """
    if not resolved.by_login:
        return resolved.accounts
    grant = await grant_file(settings).held()
    return tuple(account_of(row, grant) for row in resolved.accounts) if grant else ()


@asynccontextmanager
async def signing_in(configuration: Configuration, clock: Clock) -> AsyncIterator[SignIn]:
    """One attempt to log in, on connections of its own."""
    server = login_server(configuration.settings)
    resolver = Resolver()
    network = Network(
        Guard(configuration.policy, resolver), resolver, tls=trust(configuration.settings.ca_file)
    )
    try:
        yield SignIn(server, _way(configuration, server, network, clock), clock)
    finally:
        await network.aclose()


async def login_line(configuration: Configuration, clock: Clock) -> str:
    """How the login stands, for people, without asking anybody; "" when there is none and none is wanted."""
    store = grant_file(configuration.settings)
    try:
        grant = await store.held()
    except StoreUnavailable as error:
        return str(error)
    if grant is not None:
        return f"{_standing(grant, clock.now())} ({store.place})"
    wanted = any(one.by_login for one in (*configuration.search, *configuration.answer))
    return "nobody is logged in to xAI: run `research-mcp login`" if wanted else ""


def _standing(grant: Grant, now: float) -> str:
    if grant.refresh is None:
        return "xAI ended the login: run `research-mcp login`"
    if grant.expires_at is None:
        return "logged in to xAI"
    minutes = round((grant.expires_at - now) / 60)
    return (
        f"logged in to xAI, the token is {f'good for {minutes} min' if minutes > 0 else 'due for a refresh'}"
    )


async def forget_login(configuration: Configuration) -> bool:
    """Delete the tokens; True when there were any. Raises `StoreUnavailable`."""
    store = grant_file(configuration.settings)
    with suppress(StoreUnavailable):  # what cannot be understood can be deleted all the same
        if await store.held() is None:
            return False
    async with store.alone(Deadline.after(LOCK_SECONDS)):
        return await store.forget()


def _way(configuration: Configuration, server: OAuthServer, network: Network, clock: Clock) -> VendorClient:
    return VendorClient(
        network,
        f"{server.name}'s login server",
        clock=clock,
        user_agent=configuration.user_agent,
        endpoint=server.issuer,
        proxy=configuration.login_proxy,
        limits=LIMITS,
    )
