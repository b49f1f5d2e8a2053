"""`research-mcp login`, `logout` and what `check` says of it, with xAI as a fake wire."""

from __future__ import annotations

import json
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, parse_qsl, urlsplit

import click
import httpx
import pytest
import respx
from click.testing import CliRunner, Result

from research_mcp.cli import program
from research_mcp.cli.login import WARNING
from tests.kit.xai import says

DEVICE = {
    "device_code": "dev-CANARY",
    "user_code": "AB-12",
    "verification_uri": "https://accounts.x.ai/device",
    "interval": 0.01,
    "expires_in": 60,
}
TOKENS = {"access_token": "acc-CANARY", "refresh_token": "ref-CANARY", "expires_in": 3600}


@pytest.fixture
def xai(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[respx.MockRouter]:
    monkeypatch.chdir(tmp_path)
    with respx.mock(using="httpcore", assert_all_called=False) as router:
        router.get("https://auth.x.ai/.well-known/openid-configuration").respond(404)
        router.post("https://auth.x.ai/oauth2/device/code", name="device").respond(json=DEVICE)
        router.post("https://auth.x.ai/oauth2/token", name="token").respond(json=TOKENS)
        yield router


def run(*arguments: str, **env: str) -> Result:
    done = CliRunner().invoke(program, [*arguments], env=env, catch_exceptions=False)
    assert "CANARY" not in done.output
    return done


FILE = Path("data/grok-login.json")


def test_a_confirmed_code_leaves_the_tokens_in_a_file_of_its_owners(xai: respx.MockRouter) -> None:
    done = run("login", "--yes")
    assert (done.exit_code, done.stdout) == (
        0,
        f"logged in; the tokens are in {FILE}\nTo use them, set GROK_OAUTH=on, and no GROK_API_KEY.\n",
    )
    assert WARNING in done.stderr
    assert "Open https://accounts.x.ai/device\nand confirm the code AB-12" in done.stderr
    kept = json.loads(FILE.read_text())
    assert (kept["access_token"], kept["refresh_token"]) == ("acc-CANARY", "ref-CANARY")
    assert FILE.stat().st_mode & 0o777 == 0o600


def test_the_warning_must_be_agreed_to(xai: respx.MockRouter) -> None:
    done = CliRunner().invoke(program, ["login"], input="n\n")
    assert done.exit_code == 1
    assert WARNING in done.stderr
    assert not xai.calls
    assert not FILE.exists()


def test_the_client_id_and_the_file_can_be_ones_own(xai: respx.MockRouter, tmp_path: Path) -> None:
    done = run("login", "--yes", GROK_OAUTH_CLIENT_ID="mine", GROK_AUTH_FILE="x/auth.json", GROK_OAUTH="on")
    assert done.stdout == "logged in; the tokens are in x/auth.json\n"
    form = dict(parse_qsl(xai["device"].calls[0].request.content.decode()))
    assert (form["client_id"], form["referrer"]) == ("mine", "research-mcp")
    assert json.loads((tmp_path / "x/auth.json").read_text())["client_id"] == "mine"


def test_without_codes_and_with_a_busy_port_the_address_is_pasted(
    xai: respx.MockRouter, monkeypatch: pytest.MonkeyPatch
) -> None:
    xai["device"].respond(404)
    shown: list[str] = []
    echo = click.echo

    def listening(message: object = "", **more: object) -> None:
        shown.extend(re.findall(r"^Open (\S+)$", str(message)))
        echo(message, **more)  # type: ignore[arg-type]

    def browser(*_: object, **__: object) -> str:
        (state,) = parse_qs(urlsplit(shown[0]).query)["state"]
        return f"http://127.0.0.1:56121/callback?code=c-1&state={state}"

    monkeypatch.setattr(click, "echo", listening)
    monkeypatch.setattr(click, "prompt", browser)
    with socket.create_server(("127.0.0.1", 56121)):
        done = run("login", "--yes")
    assert done.exit_code == 0
    assert "xAI offers no code now" in done.stderr
    assert "oauth_callback_bind_failed: port 56121 is not free" in done.stderr
    form = dict(parse_qsl(xai["token"].calls[0].request.content.decode()))
    assert (form["grant_type"], form["code"]) == ("authorization_code", "c-1")
    assert FILE.exists()


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (says(400, error="access_denied"), "Error: oauth_denied: authorization denied\n"),
        (httpx.Response(200, text="<html>"), "Error: oauth_bad_reply: expected JSON"),
    ],
)
def test_a_login_that_fails_says_why_and_leaves_no_file(
    xai: respx.MockRouter, answer: httpx.Response, said: str
) -> None:
    xai["token"].mock(return_value=answer)
    done = run("login", "--yes")
    assert done.exit_code == 1
    assert said in done.stderr
    assert not FILE.exists()


def test_an_unreachable_login_server_is_named(xai: respx.MockRouter) -> None:
    xai["device"].mock(side_effect=httpx.ConnectError("refused"))
    done = run("login", "--yes")
    assert "Error: oauth_unreachable: " in done.stderr


def test_logging_out_deletes_the_tokens(xai: respx.MockRouter) -> None:
    run("login", "--yes")
    assert run("logout").stdout == f"logged out: {FILE} is deleted\n"
    assert not FILE.exists()
    assert run("logout").stdout == f"nobody was logged in ({FILE})\n"
    FILE.touch(0o644)
    assert run("logout").stdout == f"logged out: {FILE} is deleted\n"


def test_check_says_how_the_login_stands(xai: respx.MockRouter) -> None:
    assert "login:" not in run("check").stdout
    assert (
        "login: nobody is logged in to xAI: run `research-mcp login`" in run("check", GROK_OAUTH="on").stdout
    )
    run("login", "--yes")
    assert re.search(r"login: logged in to xAI, the token is good for (59|60) min", run("check").stdout)
    kept = json.loads(FILE.read_text())
    for change, said in (
        ({"expires_at": 5}, "the token is due for a refresh"),
        ({"expires_at": None}, "login: logged in to xAI (data"),
        ({"refresh_token": None}, "xAI ended the login: run `research-mcp login`"),
    ):
        FILE.write_text(json.dumps({**kept, **change}))
        assert said in run("check").stdout
    FILE.chmod(0o644)
    assert "chmod 600 it" in run("check").stdout
