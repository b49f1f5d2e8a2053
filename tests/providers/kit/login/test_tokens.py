"""Calls in the owner's name: one refresh for all, nothing sent twice, nothing sent elsewhere."""

from __future__ import annotations

import asyncio
import json
import logging
import sys
import time
from pathlib import Path

import httpx
import pytest

from research_mcp.core.answers import Question
from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import (
    ProviderError,
    QuotaSpent,
    RateLimited,
    Reason,
    Rejected,
    StoreUnavailable,
    Transient,
)
from research_mcp.core.grant import Grant
from research_mcp.core.instance import Secret
from research_mcp.store.grant_file import GrantFile
from tests.kit.vendors import FakeVendor, Served
from tests.kit.xai import NOW, FakeXai, grant, jwt, says

OLD = {"expires_at": NOW + 60}


@pytest.fixture
def xai(tmp_path: Path) -> FakeXai:
    return FakeXai(tmp_path)


async def ask(xai: FakeXai) -> str:
    answer = await xai.model().answer(Question("Is tidal power growing?"), Deadline.after(20))
    return answer.text


async def test_a_token_with_life_left_is_used_as_it_is(xai: FakeXai) -> None:
    await xai.store.keep(grant())
    assert "Tides rise" in await ask(xai)
    assert [str(sent.url) for sent in xai.wire.sent] == ["https://api.x.ai/v1/responses"]
    assert xai.wire.sent[0].headers["authorization"] == "Bearer access-0"


async def test_ten_calls_at_expiry_make_one_refresh(xai: FakeXai) -> None:
    await xai.store.keep(grant(**OLD))
    login = xai.login()
    tokens = await asyncio.gather(*(login.token() for _ in range(10)))
    assert {token.reveal() for token in tokens} == {"access-1"}
    assert xai.forms == [
        {
            "grant_type": "refresh_token",
            "client_id": grant().client_id,
            "refresh_token": "refresh-0",
        }
    ]
    held = await xai.store.held()
    assert held is not None
    assert (held.refresh, held.expires_at) == (Secret("refresh-1"), NOW + 3_600)


async def test_ten_parts_of_a_product_that_know_nothing_of_each_other_make_one_refresh(xai: FakeXai) -> None:
    await xai.store.keep(grant(**OLD))
    tokens = await asyncio.gather(*(xai.login().token() for _ in range(10)))
    assert {token.reveal() for token in tokens} == {"access-1"}
    assert xai.refreshed == 1


@pytest.mark.slow
async def test_processes_wait_for_the_one_that_refreshes(tmp_path: Path) -> None:
    fresh = {"access_token": "access-1", "refresh_token": "refresh-1", "expires_in": 3600}
    server = FakeVendor("auth", answer=lambda _: Served(fresh, delay=0.3))
    async with server.serving():
        xai = FakeXai(tmp_path)
        endpoint = f"{server.url}/oauth2/token"
        await xai.store.keep(grant(token_endpoint=endpoint, expires_at=time.time() + 5))
        workers = [await started(xai.store.place, server.url) for _ in range(2)]
        said = await asyncio.gather(*(worker.communicate(b"go\n") for worker in workers))
    assert [out.decode().split() for out, _ in said] == [["access-1"] * 5] * 2
    assert len(server.calls) == 1


async def started(file: str, issuer: str) -> asyncio.subprocess.Process:
    """A worker that waits for its start."""
    worker = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", "tests.providers.kit.login_worker", file, issuer, "5"),
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    assert worker.stdout is not None
    assert await worker.stdout.readline() == b"ready\n"
    return worker


async def test_a_refused_token_is_refreshed_once_and_the_call_tried_once_more(xai: FakeXai) -> None:
    await xai.store.keep(grant())
    xai.refreshed = 1  # the token in the file is one behind: the login went on elsewhere
    xai.tokens = lambda form: says(200, access_token="access-1", refresh_token="refresh-1", expires_in=60)
    assert "Tides rise" in await ask(xai)
    assert [str(sent.url).rpartition("/")[2] for sent in xai.wire.sent] == ["responses", "token", "responses"]


async def test_ten_refused_calls_make_one_refresh(xai: FakeXai) -> None:
    await xai.store.keep(grant(expires_at=None))
    model = xai.model()
    xai.refreshed = 0
    xai.api = lambda token: (
        says(401, error="expired") if token == "access-0" else says(200, output_text="Tides rise.")
    )
    deadline = Deadline.after(20)
    answers = await asyncio.gather(*(model.answer(Question("x"), deadline) for _ in range(10)))
    assert {answer.text for answer in answers} == {"Tides rise."}
    assert xai.refreshed == 1


async def test_a_wrong_key_that_comes_as_400_is_a_refused_token_too(xai: FakeXai) -> None:
    await xai.store.keep(grant())
    xai.api = lambda token: (
        says(400, error="Incorrect API key provided: acc***")
        if token == "access-0"
        else says(200, output_text="Ok.")
    )
    assert await ask(xai) == "Ok."


async def test_a_token_that_stays_refused_ends_the_call_and_is_quoted_nowhere(
    xai: FakeXai, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    await xai.store.keep(grant())
    xai.api = lambda token: says(401, error=f"no such token {token}")
    with pytest.raises(Rejected) as caught:
        await ask(xai)
    assert xai.refreshed == 1
    assert len(xai.asked("/v1/responses")) == 2
    told = str(caught.value) + caplog.text + repr(grant()) + repr(xai.wire.sent)
    assert "access-" not in told
    assert "refresh-" not in told


async def test_a_plan_without_the_api_is_said_so_and_not_refreshed(xai: FakeXai) -> None:
    await xai.store.keep(grant())
    xai.api = lambda token: says(403, error="tier")
    with pytest.raises(
        Rejected, match=r"plan of this login may not use the API of xAI.*use an API key"
    ) as caught:
        await ask(xai)
    assert (caught.value.reason, caught.value.rest_for) == (Reason.FORBIDDEN, 86_400.0)
    assert xai.refreshed == 0


async def test_a_block_at_the_vendors_edge_is_not_blamed_on_the_plan(xai: FakeXai) -> None:
    await xai.store.keep(grant())
    xai.api = lambda token: httpx.Response(403, html="<title>Attention required</title>")
    with pytest.raises(RateLimited) as caught:
        await ask(xai)
    assert caught.value.reason is Reason.BLOCKED


async def test_another_login_is_another_account_and_does_not_inherit_a_rest(xai: FakeXai) -> None:
    await xai.store.keep(grant(id="first"))
    xai.api = lambda token: says(403, error="tier")
    model = xai.model()
    for _ in range(2):
        with pytest.raises(ProviderError):
            await model.answer(Question("x"), Deadline.after(20))
    assert len(xai.asked("/v1/responses")) == 1
    xai.api = None
    await xai.store.keep(grant(id="second"))
    assert (await model.answer(Question("x"), Deadline.after(20))).text.startswith("Tides rise")


async def test_spent_credits_stay_spent_credits(xai: FakeXai) -> None:
    await xai.store.keep(grant())
    xai.api = lambda token: says(403, error="You have used all available credits")
    with pytest.raises(QuotaSpent):
        await ask(xai)


async def test_nobody_logged_in_says_what_to_run_and_asks_nobody(xai: FakeXai) -> None:
    with pytest.raises(Rejected, match="nobody is logged in to xAI: run `research-mcp login`") as caught:
        await ask(xai)
    assert caught.value.sent is False
    assert xai.wire.sent == []
    await xai.store.keep(grant())
    assert "Tides rise" in await ask(xai)  # a login is noticed without a restart


async def test_an_ended_login_is_remembered_and_its_token_never_sent_again(xai: FakeXai) -> None:
    await xai.store.keep(grant(refresh="stolen", expires_at=NOW - 1))
    for _ in range(2):
        with pytest.raises(Rejected, match="xAI ended this login: run `research-mcp login`"):
            await ask(xai)
    assert len(xai.forms) == 1
    held = await xai.store.held()
    assert held is not None
    assert held.refresh is None


@pytest.mark.parametrize(
    "answer",
    [httpx.Response(500), httpx.Response(503), says(429, error="slow"), httpx.Response(200, text="<html>")],
)
async def test_trouble_during_a_refresh_is_no_lost_login(xai: FakeXai, answer: httpx.Response) -> None:
    await xai.store.keep(grant(**OLD))
    xai.tokens = lambda _: answer
    assert (await xai.login().token()).reveal() == "access-0"  # it has a minute left
    xai.clock.at = NOW + 61
    with pytest.raises(Exception, match=r"status|JSON"):
        await xai.login().token()
    xai.tokens = None
    assert (await xai.login().token()).reveal() == "access-1"


async def test_a_server_that_fails_is_asked_three_times_and_then_told_as_transient(xai: FakeXai) -> None:
    await xai.store.keep(grant(expires_at=NOW - 1))
    xai.tokens = lambda _: httpx.Response(503)
    with pytest.raises(Transient):
        await xai.login().token()
    assert len(xai.forms) == 3


async def test_a_caller_that_leaves_does_not_lose_the_refresh(xai: FakeXai) -> None:
    await xai.store.keep(grant(**OLD))
    login = xai.login()
    caller = asyncio.create_task(login.token())

    def leaving(form: dict[str, str]) -> httpx.Response:
        caller.cancel()
        return xai.rotate(form)

    xai.tokens = leaving
    with pytest.raises(asyncio.CancelledError):
        await caller
    await login.settled()
    held = await xai.store.held()
    assert held is not None
    assert held.access == Secret("access-1")


async def test_a_jwt_says_itself_when_it_ends_and_any_other_token_is_kept_until_it_is_refused(
    xai: FakeXai,
) -> None:
    await xai.store.keep(grant(jwt(exp=NOW + 100), expires_at=None))
    assert (await xai.login().token()).reveal() == "access-1"
    await xai.store.keep(grant(jwt(exp=NOW + 1_000), expires_at=None))
    assert (await xai.login().token()).reveal() == jwt(exp=NOW + 1_000)
    for opaque in ("opaque", "a.b.c", jwt(exp="soon"), "a.W10.c"):
        await xai.store.keep(grant(opaque, expires_at=None))
        assert (await xai.login().token()).reveal() == opaque
    assert xai.refreshed == 1


async def test_a_file_that_names_another_server_is_not_followed(xai: FakeXai) -> None:
    await xai.store.keep(grant(token_endpoint="https://auth.x.ai.evil.example/token", expires_at=NOW - 1))
    with pytest.raises(Rejected, match="names an endpoint that is not xAI's own"):
        await xai.login().token()
    assert xai.wire.sent == []


class FullDisk(GrantFile):
    async def keep(self, grant: Grant) -> None:
        raise StoreUnavailable("no space left")


async def test_a_refresh_token_is_not_spent_where_its_successor_cannot_be_kept(xai: FakeXai) -> None:
    await xai.store.keep(grant(expires_at=NOW - 1))
    xai.store = FullDisk(Path(xai.store.place))
    with pytest.raises(StoreUnavailable, match="no space left"):
        await xai.login().token()
    assert xai.forms == []
    assert await xai.store.held() == grant(expires_at=NOW - 1)


def written(file: Path, text: str) -> None:
    file.parent.mkdir()
    file.touch(0o600)
    file.write_text(text)


async def test_the_file_of_an_earlier_tool_is_understood(xai: FakeXai) -> None:
    held = {
        "access_token": jwt(exp=NOW + 10),
        "refresh_token": "refresh-0",
        "id_token": None,
        "token_endpoint": "https://auth.x.ai/oauth2/token",
        "base_url": "https://api.x.ai/v1",
        "last_refresh": "1799990000",
    }
    written(Path(xai.store.place), json.dumps(held))
    assert (await xai.login().token()).reveal() == "access-1"
    assert xai.forms[0]["client_id"] == grant().client_id
