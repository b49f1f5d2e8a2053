from __future__ import annotations

from collections.abc import Iterator

import pytest

from research_mcp.bootstrap.instances import ordered, resolve
from research_mcp.core.errors import ConfigError
from research_mcp.core.instance import Instance
from research_mcp.providers.kit.base import ProviderType
from research_mcp.providers.kit.registry import REGISTRY, ProviderKind, register


@pytest.fixture(autouse=True)
def throwaway_types() -> Iterator[None]:
    before = dict(REGISTRY)

    @register("search.keyed", needs=("api_key",), options=("region",), metered=True)
    class Keyed(ProviderType):
        pass

    @register("search.hosted", needs=("url",))
    class Hosted(ProviderType):
        pass

    @register("read.plain")
    class Plain(ProviderType):
        pass

    yield
    REGISTRY.clear()
    REGISTRY.update(before)


def test_a_row_is_off_with_the_missing_variable_named() -> None:
    on, statuses = resolve([Instance("k", "search.keyed", api_key_env="K_KEY")], {})
    assert on == {}
    assert [(s.on, s.why) for s in statuses] == [(False, "K_KEY is not set")]


def test_several_key_variables_are_all_named_when_none_is_set() -> None:
    _, statuses = resolve([Instance("k", "search.keyed", api_key_env=("A", "B"))], {})
    assert statuses[0].why == "A or B is not set"


def test_an_optional_key_may_be_missing() -> None:
    on, _ = resolve([Instance("k", "search.keyed", api_key_env="K", optional_api_key=True)], {})
    assert on["k"].accounts == ()


@pytest.mark.parametrize("text", ["a1,b2,c3", "a1，b2，c3", "a1; b2;\nc3", " a1 ,, b2 , c3 "])
def test_a_list_of_keys_is_a_ring_in_order(text: str) -> None:
    on, _ = resolve([Instance("k", "search.keyed", api_key_env="K")], {"K": text})
    assert [a.key.reveal() for a in on["k"].accounts if a.key] == ["a1", "b2", "c3"]


def test_accounts_are_named_by_variable_and_place_and_change_with_the_key() -> None:
    row = Instance("k", "search.keyed", api_key_env="K")
    first = resolve([row], {"K": "secret-one"})[0]["k"].accounts[0]
    other = resolve([row], {"K": "secret-two"})[0]["k"].accounts[0]
    assert first.id.startswith("K#1:")
    assert first.id != other.id
    assert "secret" not in repr(first)


def test_one_key_serves_several_instances_as_one_account() -> None:
    rows = [Instance("a", "search.keyed", api_key_env="K"), Instance("b", "search.keyed", api_key_env="K")]
    on, _ = resolve(rows, {"K": "x"})
    assert on["a"].accounts[0].id == on["b"].accounts[0].id


def test_a_row_gives_way_while_another_variable_is_set() -> None:
    on, statuses = resolve([Instance("p", "read.plain", unless_env="OTHER")], {"OTHER": "1"})
    assert (on, statuses[0].why) == ({}, "OTHER is set and takes its place")


def test_urls_proxies_and_options_are_read_and_kept_out_of_the_repr() -> None:
    row = Instance(
        "k",
        "search.keyed",
        api_key_env="K",
        base_url_env="U",
        proxy_env="P",
        options={"region": "R"},
    )
    env = {"K": "key", "U": "http://gate", "P": "socks5://u:pw@h:1", "R": "eu"}
    resolved = resolve([row], env)[0]["k"]
    assert (resolved.url, resolved.proxy, resolved.options) == (
        "http://gate",
        "socks5://u:pw@h:1",
        {"region": "eu"},
    )
    assert "pw" not in repr(resolved)


def test_each_key_of_a_ring_goes_its_own_way_where_the_row_says_so() -> None:
    row = Instance("k", "search.keyed", api_key_env=("A", "B"), proxy_env="PA", key_proxies=("PA", "PB"))
    env = {"A": "one,two", "B": "three", "PB": "http://u:pw@b:1"}
    resolved = resolve([row], env)[0]["k"]
    assert [resolved.key_proxies[account.id] for account in resolved.accounts] == ["", "", "http://u:pw@b:1"]
    assert "pw" not in repr(resolved)
    assert resolve([Instance("k", "search.keyed", api_key_env="A")], env)[0]["k"].key_proxies == {}


@pytest.mark.parametrize(
    ("row", "said"),
    [
        (
            Instance("x", "search.keyd", api_key_env="K"),
            "unknown type 'search.keyd'; did you mean 'search.keyed'?",
        ),
        (
            Instance("x", "search.keyed", api_key_env="K", options={"regoin": "R"}),
            "option 'regoin', which type 'search.keyed' does not have; did you mean 'region'?",
        ),
        (Instance("x", "search.keyed"), "names no variable for 'api_key'"),
        (Instance("x", "search.hosted"), "names no variable for 'url'"),
    ],
)
def test_a_row_that_cannot_mean_anything_stops_the_start(row: Instance, said: str) -> None:
    with pytest.raises(ConfigError, match="pipeline_config: instance 'x'") as caught:
        resolve([row], {})
    assert said in str(caught.value)


def test_two_rows_of_one_name_stop_the_start() -> None:
    with pytest.raises(ConfigError, match="two instances are named 'p'"):
        resolve([Instance("p", "read.plain"), Instance("p", "read.plain")], {})


@pytest.mark.parametrize(
    ("pipeline", "said"),
    [
        (("palin",), "names 'palin', which is no instance; did you mean 'plain'?"),
        (("k",), "names 'k', a search instance, not read"),
        (("plain", "plain"), "names 'plain' more than once"),
    ],
)
def test_a_wrong_name_in_a_pipeline_stops_the_start(pipeline: tuple[str, ...], said: str) -> None:
    rows = [Instance("plain", "read.plain"), Instance("k", "search.keyed", api_key_env="K")]
    with pytest.raises(ConfigError) as caught:
        ordered(pipeline, rows, ProviderKind.READ, "READ_PIPELINE")
    assert said in str(caught.value)


def test_registering_a_name_twice_stops_the_program() -> None:
    with pytest.raises(ConfigError, match="registered twice"):
        register("read.plain")(type("Again", (), {}))


@pytest.mark.parametrize("name", ["plain", "fetch.x", "read."])
def test_a_type_name_must_start_with_a_kind(name: str) -> None:
    with pytest.raises(ConfigError, match="must start with one of"):
        register(name)


@pytest.mark.parametrize(
    ("tiers", "on"), [("plain", True), ("other, Plain", True), ("ALL", True), ("other", False), ("", False)]
)
def test_a_tier_without_a_key_is_on_only_when_the_owner_names_it(tiers: str, on: bool) -> None:
    rows = [Instance(f"{vendor}-keyless", "read.plain", listed_in="TIERS") for vendor in ("plain", "other")]
    _, statuses = resolve(rows, {"TIERS": tiers})
    assert statuses[0].on is on
    assert statuses[0].why == ("" if on else "TIERS does not name it")


@pytest.mark.parametrize(("word", "on"), [("false", False), ("0", False), ("OFF", False), ("true", True)])
def test_a_switch_turns_a_row_off_whatever_else_is_set(word: str, on: bool) -> None:
    row = Instance("k", "search.keyed", api_key_env="K_KEY", enabled_env="K_ENABLED")
    found, (status,) = resolve([row], {"K_KEY": "k", "K_ENABLED": word})
    assert ("k" in found, status.why) == (on, "" if on else "K_ENABLED is off")


def test_a_switch_that_says_neither_stops_the_start() -> None:
    row = Instance("k", "search.keyed", api_key_env="K_KEY", enabled_env="K_ENABLED")
    with pytest.raises(ConfigError, match="K_ENABLED='maybe' is not usable: set on or off"):
        resolve([row], {"K_ENABLED": "maybe"})


@pytest.mark.parametrize(("written", "weight"), [("", 1.0), ("0", 0.0), ("2.5", 2.5), ("10", 10.0)])
def test_the_operator_weighs_the_votes_of_an_engine(written: str, weight: float) -> None:
    env = {"K_KEY": "x", "BIG_K_WEIGHT": written} if written else {"K_KEY": "x"}
    on, _ = resolve([Instance("big-k", "search.keyed", api_key_env="K_KEY")], env)
    assert on["big-k"].weight == weight


@pytest.mark.parametrize("written", ["much", "-1", "11", "nan", "inf"])
def test_a_weight_that_is_none_stops_the_start(written: str) -> None:
    with pytest.raises(ConfigError, match=f"K_WEIGHT='{written}' is not usable: write a number from 0 to 10"):
        resolve([Instance("k", "search.keyed", api_key_env="K_KEY")], {"K_KEY": "x", "K_WEIGHT": written})


@pytest.mark.parametrize(("written", "pace"), [("", None), ("0", 0.0), ("0.05", 0.05), ("3600", 3_600.0)])
def test_the_operator_sets_the_pace_of_an_engine(written: str, pace: float | None) -> None:
    env = {"K_KEY": "x", "BIG_K_PACE": written} if written else {"K_KEY": "x"}
    on, _ = resolve([Instance("big-k", "search.keyed", api_key_env="K_KEY")], env)
    assert on["big-k"].pace == pace


@pytest.mark.parametrize("written", ["slow", "-1", "3601", "nan"])
def test_a_pace_that_is_none_stops_the_start(written: str) -> None:
    with pytest.raises(ConfigError, match=f"K_PACE='{written}' is not usable: write a number from 0 to 3600"):
        resolve([Instance("k", "search.keyed", api_key_env="K_KEY")], {"K_KEY": "x", "K_PACE": written})
