"""The browser is switched on by its variable, and told at the start when it cannot run."""

from __future__ import annotations

import pytest

from research_mcp.bootstrap import assemble, configure, read_environment
from research_mcp.core.errors import ConfigError


@pytest.fixture
def program(tmp_path):
    made = tmp_path / "chromium"
    made.write_text("#!/bin/sh\n")
    made.chmod(0o755)
    return str(made)


def configured(tmp_path, **variables):
    values = {"DATA_DIR": str(tmp_path / "data"), "LOG_FILE": "", "BROWSER_SANDBOX": "false", **variables}
    return configure(read_environment(tmp_path / "no.env", values))


def why(configuration) -> str:
    (status,) = [status for status in configuration.statuses if status.instance.name == "browser"]
    return status.why


def test_it_is_off_until_its_program_is_named(tmp_path):
    configuration = configured(tmp_path)
    assert configuration.browser is None
    assert why(configuration) == "BROWSER_PATH is not set"


def test_its_program_and_limits_come_from_the_environment(tmp_path, program):
    configuration = configured(
        tmp_path,
        BROWSER_PATH=program,
        BROWSER_MEMORY_MB="700",
        BROWSER_PAGES="4",
        USER_AGENT="mill/1 (+https://mill.test)",
    )
    limits = configuration.browser
    assert limits is not None
    assert (limits.program, limits.sandbox, limits.memory, limits.pages) == (program, False, 700_000_000, 4)
    assert limits.user_agent == "mill/1 (+https://mill.test)"
    assert why(configuration) == ""
    assemble(configuration)


def test_crawl4ai_takes_its_place_and_then_its_program_does_not_matter(tmp_path):
    configuration = configured(tmp_path, BROWSER_PATH="/none", CRAWL4AI_URL="http://127.0.0.1:9")
    assert configuration.browser is None
    assert why(configuration) == "CRAWL4AI_URL is set and takes its place"


def test_it_stands_where_crawl4ai_stands(tmp_path, program):
    with_browser = [one.instance.name for one in configured(tmp_path, BROWSER_PATH=program).read]
    with_crawl4ai = [
        one.instance.name for one in configured(tmp_path, CRAWL4AI_URL="http://127.0.0.1:9").read
    ]
    assert with_browser.index("browser") == with_crawl4ai.index("crawl4ai")


def test_a_program_that_is_not_there_stops_the_start(tmp_path):
    with pytest.raises(ConfigError, match="BROWSER_PATH='/none'"):
        configured(tmp_path, BROWSER_PATH="/none")
