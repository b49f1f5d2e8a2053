"""The owner's wishes about hosts, from the file to the list; and what stops the start."""

from __future__ import annotations

from pathlib import Path

import pytest

from research_mcp.bootstrap.hosts import owner_rules
from research_mcp.core.errors import ConfigError
from research_mcp.pipelines.search.hosts import Wish
from tests.kit.vendors import FakeVendor
from tests.kit.whole import ask, urls, whole

EXAMPLE = Path(__file__).parents[2] / "host-rules.example"


def test_without_a_file_there_are_no_rules() -> None:
    assert owner_rules("").rule("example.com/") is None


def test_the_example_file_is_understood() -> None:
    rules = owner_rules(str(EXAMPLE))
    found = {
        key: (rule.wish, rule.source)
        for key in (
            "docs.python.org/3",
            "example.com/",
            "example.com/handbook/1",
            "x.answers-copied.example/",
        )
        if (rule := rules.rule(key))
    }
    assert found == {
        "docs.python.org/3": (Wish.RAISE, ""),
        "example.com/": (Wish.LOWER, ""),
        "example.com/handbook/1": (Wish.RAISE, ""),
        "x.answers-copied.example/": (Wish.LOWER, "copies of answers"),
    }


async def test_the_wishes_of_the_file_order_the_list_and_removals_are_counted(tmp_path: Path) -> None:
    file = tmp_path / "hosts"
    file.write_text("\ufeffremove gone.example\nraise third.example\n[slop]\nfirst.example\n", "utf-8")
    found = [
        (f"Tidal power {name}", f"https://{name}.example/", "All about tidal power.")
        for name in ("first", "second", "third", "gone")
    ]
    async with (
        whole(tmp_path, FakeVendor("exa", found), SEARCH_HOSTS_FILE=str(file)) as house,
        house.started() as product,
    ):
        report = await ask(product, limit=8)
    assert urls(report) == [f"https://{name}.example/" for name in ("third", "second", "first")]
    assert report.hits[0].why.endswith("raised by the owner")
    assert report.hits[2].why.endswith("lowered by slop")
    assert "removed 1 result on hosts that this server's owner removed" in report.notes


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (None, "SEARCH_HOSTS_FILE names {}, which cannot be read (No such file or directory): mend it or unset"),
        (b"\xff\xfe", "SEARCH_HOSTS_FILE names {}, which cannot be read (it is no UTF-8 text): mend it or unset"),
        (b"raise a.example\nhide b.example\n", "{}, line 2: 'hide' is no wish"),
    ],
    ids=["missing", "binary", "wrong line"],
)  # fmt: skip
async def test_a_file_that_cannot_be_used_stops_the_start_with_one_sentence(
    tmp_path: Path, content: bytes | None, said: str
) -> None:
    file = tmp_path / "hosts"
    if content is not None:
        file.write_bytes(content)
    async with whole(tmp_path) as house:
        with pytest.raises(ConfigError) as stop:
            house.configuration(SEARCH_HOSTS_FILE=str(file))
    assert str(stop.value).startswith(said.format(file))
    assert "\n" not in str(stop.value)
