from __future__ import annotations

import pytest

from research_mcp.core.errors import Reason
from research_mcp.core.wire import Document
from research_mcp.extract.verdicts.phrases import text_verdict
from research_mcp.extract.worker import extract_document
from tests.extract.quality_pages import LONG, NAV, PROSE, SHORT, page

PADDING = "<script>" + "window.settings=window.settings||{};" * 400 + "</script>"
WIDGET = '<script src="https://www.google.com/recaptcha/api.js?render=x"></script>'


def reason(html: str, final_url: str = "https://example.org/log/1") -> Reason | None:
    headers = {"content-type": "text/html; charset=utf-8"}
    document = Document("https://example.org/log/1", final_url, 200, headers, html.encode())
    return extract_document(document, 10).reason


NOTICES = (
    ("Briefly unavailable for scheduled maintenance. Check back in a minute.", Reason.UPSTREAM_ERROR),
    ("Sorry for the inconvenience but we are performing some maintenance.", Reason.UPSTREAM_ERROR),
    ("Unsere Website wird gerade gewartet.", Reason.UPSTREAM_ERROR),
    ("Le site est actuellement en maintenance.", Reason.UPSTREAM_ERROR),
    ("На сайте ведутся технические работы.", Reason.UPSTREAM_ERROR),
    ("ただいまメンテナンス中です。", Reason.UPSTREAM_ERROR),
    ("You are now in line. Your number in line: 1234", Reason.UPSTREAM_ERROR),
    ("You have sent too many requests in a given amount of time.", Reason.RATE_LIMITED),
    ("Too many requests", Reason.RATE_LIMITED),
    ("This site is currently unavailable to visitors from the European Economic Area.", Reason.FORBIDDEN),
    ("Dieses Video ist in Ihrem Land leider nicht verfügbar.", Reason.FORBIDDEN),
    ("Please disable your ad blocker to continue.", Reason.BLOCKED),
    ("This domain is for sale!", Reason.NOT_FOUND),
    ("Diese Domain steht zum Verkauf.", Reason.NOT_FOUND),
)


@pytest.mark.parametrize(("words", "expected"), NOTICES)
def test_a_notice_in_the_page_s_place_is_no_page(words: str, expected: Reason) -> None:
    assert reason(page(f"<h1>Harbour</h1><p>{words}</p>", "Harbour")) is expected
    assert text_verdict(f"# Harbour\n\n{words}") is expected


@pytest.mark.parametrize("words", [name for name, _ in NOTICES])
def test_what_is_quoted_or_code_or_one_line_of_many_is_no_notice(words: str) -> None:
    assert (
        reason(page(f"<h1>Texts</h1><p>We show this to visitors:</p><pre>{words}\n</pre>", "Texts")) is None
    )
    assert reason(page(f"<h1>Log</h1><p>{words}</p>{LONG}", "Log")) is None
    assert reason(page(f"{NAV}<h1>Log</h1><p>{words}</p><p>{PROSE}</p>", "Log")) is None


@pytest.mark.parametrize(
    "question",
    [
        "You must be at least 18 years old to view this content.",
        "Bist du über 18?",
        "Вам исполнилось 18 лет?",
        "By entering, you confirm that you are at least 18 years old.",
    ],
)
def test_a_question_for_the_age_needs_something_to_answer_with(question: str) -> None:
    assert reason(page(f"<p>{question}</p><button>Enter</button>")) is Reason.FORBIDDEN
    assert reason(page(f"<p>{question}</p>")) is None


WALLS = (
    (
        "block page of cloudflare",
        page(f"<h1>Sorry, you have been blocked</h1><p>{PROSE}</p><p>{PROSE}</p>", "Attention Required! | Cloudflare"),
        Reason.BLOCKED,
    ),
    ("russian check", page("<p>Подождите. Мы проверяем ваш браузер.</p>", "example.org"), Reason.BLOCKED),
    ("chinese slider", page("<p>访问验证</p><p>请按住滑块，拖动到最右边</p>", "验证码拦截"), Reason.BLOCKED),
    ("f5", page("The requested URL was rejected. Please consult with your administrator.", "Request Rejected"), Reason.BLOCKED),
    ("wordfence", page("<h1>Your access to this site has been limited by the site owner</h1>"), Reason.BLOCKED),
    (
        "turnstile by script",
        page('<p>Are you human?</p><script src="https://challenges.cloudflare.com/turnstile/v0/api.js"></script>'),
        Reason.BLOCKED,
    ),
    ("widget without words", page(f'<p>One step</p><div class="g-recaptcha"></div>{WIDGET}'), Reason.BLOCKED),
    (
        "members of a board only",
        page(
            "<p>The board requires you to be registered and logged in to view this forum.</p>"
            "<form><input type=password></form>"
        ),
        Reason.FORBIDDEN,
    ),
    ("product gone", page("<h1>Sorry, this product is no longer available</h1>"), Reason.NOT_FOUND),
    ("job gone", page("<p>Try another search.</p>", "Job not found"), Reason.NOT_FOUND),
    ("title that sells", page(f"<p>{PROSE}</p>", "Subscribe to read | Harbour Times"), Reason.PAYWALLED),
    ("menu around nothing", page(f"{NAV}<main><div></div></main>{PADDING}"), Reason.NEEDS_JAVASCRIPT),
    (
        "japanese shell",
        page("<div></div><noscript>JavaScriptを有効にしてください。</noscript><script></script>"),
        Reason.NEEDS_JAVASCRIPT,
    ),
    (
        "spanish shell",
        page("<div></div><noscript>Necesitas habilitar JavaScript.</noscript><script></script>"),
        Reason.NEEDS_JAVASCRIPT,
    ),
)  # fmt: skip


@pytest.mark.parametrize(("html", "expected"), [row[1:] for row in WALLS], ids=[row[0] for row in WALLS])
def test_walls_that_say_little_are_told(html: str, expected: Reason) -> None:
    assert reason(html) is expected


def test_a_login_named_with_an_underscore_is_one() -> None:
    form = page("<h1>Sign in</h1><form><input type=password></form>", "Sign in")
    assert reason(form, "https://example.org/users/sign_in?next=/log/1") is Reason.FORBIDDEN


INNOCENTS = (
    ("team with the script of a captcha", page(f"<h1>Our team</h1><p>Ann, Bob and Cy.</p>{WIDGET}")),
    ("human resources", page(f"<h1>Human resources</h1><p>Write to hr@example.org.</p>{WIDGET}")),
    ("ray id in a help text", page("<p>Quote the Ray ID at the foot of the page.</p>", "Support")),
    (
        "reference of an error",
        page(f"<h1>404 Not Found</h1><p>The status code 404 says that a server has no such page. {PROSE}</p>", "404 Not Found"),
    ),
    ("band of that name", page(f"<p>The band Page Not Found has a third album. {PROSE}</p>", "Page Not Found: third album")),
    ("reference of a limit", page(f"<h1>Rate limit exceeded</h1><p>{PROSE}</p>", "Rate limit exceeded")),
    (
        "guide to paywalls",
        page(f"<p>{PROSE}</p><p>Tell readers to subscribe to continue reading.</p>", "Add a paywall"),
    ),
    (
        "quotation of a paywall",
        page(f"<article>{SHORT}<p>The box says “Subscribe to continue reading”, and most leave.</p></article>"),
    ),
    (
        "comments that need scripts",
        page(f"<article><p>{PROSE}</p></article><noscript>Enable JavaScript to view the comments.</noscript><script></script>"),
    ),
    (
        "lesson on scripts",
        page("<p>Open the settings and turn on JavaScript.</p><script></script>", "How to enable JavaScript"),
    ),
    ("law on ages", page("<p>You must be 18 to vote.</p><button>Print</button>", "Voting")),
    ("lamp not sold here", page(f"<h1>Lamp</h1><p>{PROSE}</p><p>This product is not available in your region.</p>", "Lamp")),
    ("care plans", page("<h1>Website under maintenance contract</h1><p>We keep forty sites.</p>", "Care plans")),
)  # fmt: skip


@pytest.mark.parametrize("html", [html for _, html in INNOCENTS], ids=[name for name, _ in INNOCENTS])
def test_pages_that_speak_of_such_things_are_kept(html: str) -> None:
    assert reason(html) is None
