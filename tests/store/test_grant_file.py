"""The file of a login: its owner's alone, whole or absent, changed by one at a time."""

from __future__ import annotations

import asyncio
import errno
import fcntl
from pathlib import Path

import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import StoreUnavailable
from research_mcp.core.instance import Secret
from research_mcp.store.grant_file import GrantFile
from tests.kit.xai import grant


def modes(*paths: Path) -> list[int]:
    return [path.stat().st_mode & 0o777 for path in paths]


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


async def test_what_is_kept_comes_back_and_is_its_owners_alone(tmp_path: Path) -> None:
    path = tmp_path / "a" / "b" / "login.json"
    store = GrantFile(path)
    assert await store.held() is None
    for kept in (grant(), grant("access-1", None, expires_at=None)):
        await store.keep(kept)
        assert await store.held() == kept
    assert modes(path, path.parent, path.parent.parent) == [0o600, 0o700, 0o700]
    assert names(path.parent) == {"login.json"}
    assert "access" not in repr(await store.held()).replace("access=", "")


async def test_a_folder_of_others_stays_theirs(tmp_path: Path) -> None:
    before = modes(tmp_path)
    shared = tmp_path / "shared"
    shared.mkdir(mode=0o755)
    await GrantFile(shared / "login.json").keep(grant())
    assert [*modes(tmp_path), *modes(shared)] == [*before, 0o755]


async def test_a_bare_file_name_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    store = GrantFile(Path("login.json"))
    await store.keep(grant())
    async with store.alone(Deadline.after(1)):
        assert await store.held() == grant()
    assert modes(tmp_path / "login.json", tmp_path / "login.json.lock") == [0o600, 0o600]


async def test_a_file_that_others_can_read_is_not_trusted(tmp_path: Path) -> None:
    store = GrantFile(tmp_path / "login.json")
    await store.keep(grant())
    (tmp_path / "login.json").chmod(0o640)
    with pytest.raises(StoreUnavailable, match=r"others on this machine can read .*: chmod 600 it"):
        await store.held()


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "{}", '{"access_token": 5}', "[" * 100_000, '{"access_token": "a", "refresh_token": ""}'],
)
async def test_a_file_that_is_no_login_says_what_to_do(tmp_path: Path, text: str) -> None:
    path = tmp_path / "login.json"
    path.touch(0o600)
    path.write_text(text)
    with pytest.raises(StoreUnavailable, match="holds no login: log in again"):
        await GrantFile(path).held()


async def test_a_place_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    store = GrantFile(tmp_path / "file" / "login.json")
    with pytest.raises(StoreUnavailable, match="cannot be written"):
        await store.keep(grant())
    with pytest.raises(StoreUnavailable, match="cannot be locked"):
        async with store.alone(Deadline.after(1)):
            pass
    (tmp_path / "folder").mkdir()
    store = GrantFile(tmp_path / "folder")
    with pytest.raises(StoreUnavailable, match="cannot be read"):
        await store.held()
    with pytest.raises(StoreUnavailable, match="cannot be written"):
        await store.keep(grant())
    with pytest.raises(StoreUnavailable, match="cannot be deleted"):
        await store.forget()
    assert names(tmp_path) == {"file", "folder"}


async def test_a_file_system_without_locks_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(handle: int, operation: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", refuse)
    with pytest.raises(StoreUnavailable, match=r"cannot be locked \(No locks available\)"):
        async with GrantFile(tmp_path / "login.json").alone(Deadline.after(1)):
            pass


async def test_forgetting_says_whether_there_was_something(tmp_path: Path) -> None:
    store = GrantFile(tmp_path / "login.json")
    await store.keep(grant())
    assert [await store.forget(), await store.forget()] == [True, False]
    assert await store.held() is None


async def test_one_holds_the_lock_at_a_time(tmp_path: Path) -> None:
    inside, most = 0, 0

    async def work() -> None:
        nonlocal inside, most
        async with GrantFile(tmp_path / "login.json").alone(Deadline.after(10)):
            inside += 1
            most = max(most, inside)
            await asyncio.sleep(0.01)
            inside -= 1

    await asyncio.gather(*(work() for _ in range(5)))
    assert most == 1


async def test_a_lock_that_is_not_given_back_ends_the_wait(tmp_path: Path) -> None:
    store = GrantFile(tmp_path / "login.json")
    async with store.alone(Deadline.after(1)):
        with pytest.raises(StoreUnavailable, match=r"another process keeps .* locked"):
            async with store.alone(Deadline.after(0.1)):
                pass
    async with store.alone(Deadline.after(1)):
        await store.keep(grant())
    held = await store.held()
    assert held is not None
    assert held.access == Secret("access-0")
