from __future__ import annotations

import pytest

from research_mcp.core.errors import Reason
from research_mcp.extract.verdicts.phrases import text_verdict

ARTICLE = "Tidal barrages hold back the sea and let it out through turbines. " * 60


@pytest.mark.parametrize(
    ("markdown", "reason"),
    [
        ("# Just a moment...\n\nVerify you are human by completing the action below.", Reason.BLOCKED),
        ("Checking your browser before accessing example.com", Reason.BLOCKED),
        ("# Access Denied\n\nReference #18.4c645f68.1612.1b2c3d", Reason.BLOCKED),
        (f"{ARTICLE[:900]}\n\nSubscribe to continue reading.", Reason.PAYWALLED),
        ("# Page not found\n\nTry the [search](https://example.com/s).", Reason.NOT_FOUND),
        (
            "[Home](https://example.com)\n\n# 404\n\nSorry, the page you requested doesn’t exist.",
            Reason.NOT_FOUND,
        ),
        ("# Страница не найдена\n\n[На главную](https://example.com)", Reason.NOT_FOUND),
        ("You need to enable JavaScript to run this app.", Reason.NEEDS_JAVASCRIPT),
        ("Loading...", Reason.NEEDS_JAVASCRIPT),
    ],
)
def test_a_wall_a_teaser_and_a_shell_are_told_from_a_page_by_their_words(
    markdown: str, reason: Reason
) -> None:
    assert text_verdict(markdown) is reason


@pytest.mark.parametrize(
    "markdown",
    [
        ARTICLE,
        ARTICLE + "Just a moment... is what Cloudflare says. Verify you are human.",
        "A short note about a harbour, with its opening hours and the way there by bus.",
        "# 404\n\nThe car was sold in four colours and with two engines.",
        f"# Page not found\n\n{ARTICLE}",
        "# 404 Not Found\n\nSent for an unknown id; the body is empty.",
        "# How captchas work\n\n" + ARTICLE + "Subscribe to continue reading about captchas.",
    ],
)
def test_innocent_texts_pass(markdown: str) -> None:
    assert text_verdict(markdown) is None
