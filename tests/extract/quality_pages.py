"""Small pages with what they are: walls, teasers, shells, lost pages, and innocents that look alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from research_mcp.core.errors import Reason

PROSE = (
    "The harbour office keeps a daily log of every vessel that enters the basin, and the clerks compare it with"
    " the tide tables before noon. Most of the entries are short, but the long ones tell a story about weather."
)
LONG = "".join(f"<p>{PROSE} Entry {n} closes the page.</p>" for n in range(16))
SHORT = "".join(f"<p>{PROSE} Entry {n} closes the page.</p>" for n in range(3))
NAV = "<nav>" + "".join(f'<a href="/{n}">Section {n}</a> ' for n in range(12)) + "</nav>"
PADDING = "<script>" + "window.settings=window.settings||{};" * 400 + "</script>"


@dataclass(frozen=True)
class Labelled:
    """A page and the reason it must be given (None: it is the page)."""

    name: str
    html: str
    reason: Reason | None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    url: str = "https://example.org/log/1"
    final_url: str = ""


def page(body: str, title: str = "Harbour log", head: str = "") -> str:
    return f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"


def _wall(name: str, html: str, status: int = 403, **headers: str) -> Labelled:
    stated = {key.replace("_", "-"): value for key, value in headers.items()}
    return Labelled(name, html, Reason.BLOCKED, status, stated)


CLOUDFLARE = page(
    '<div class="main-wrapper"><noscript>Enable JavaScript and cookies to continue</noscript></div>'
    "<script>window._cf_chl_opt={cvId:'3',cType:'managed'};var a=document.createElement('script');"
    "a.src='/cdn-cgi/challenge-platform/h/g/orchestrate/chl_page/v1?ray=9';</script>",
    "Just a moment...",
)

WALLS = (
    _wall("cloudflare challenge", CLOUDFLARE, 403, cf_mitigated="challenge"),
    _wall("cloudflare without its header", CLOUDFLARE, 503),
    _wall("cloudflare with status 200", CLOUDFLARE, 200),
    _wall("cloudflare header alone", page("<p>x</p>", "x"), 403, cf_mitigated="challenge"),
    _wall(
        "cloudflare error 1020",
        page('<h1>Error <span class="cf-error-code">1020</span></h1><p>Access denied. Ray ID: 9a</p>', "Access denied"),
    ),
    _wall(
        "datadome",
        page(
            '<p id="cmsg">Please enable JS and disable any ad blocker</p><script>var dd={"rt":"c","host":'
            '"geo.captcha-delivery.com"}</script><script src="https://ct.captcha-delivery.com/c.js"></script>',
            "example.org",
        ),
    ),
    _wall("datadome by header", page("<p></p>", "example.org"), 403, x_datadome="blocked", x_dd_b="1"),
    _wall(
        "human",
        page(
            "<h1>Access to this page has been denied</h1><p>because we believe you are using automation tools.</p>"
            '<div id="px-captcha"></div><script>window._pxAppId="PX1";</script>',
            "Access to this page has been denied",
        ),
    ),
    _wall(
        "human with status 200 and much code",
        page(
            f'{PADDING}<h1>Press & Hold to confirm you are a human</h1><div id="px-captcha"></div>'
            '<script>window._pxAppId="PX1";</script>'
        ),
        200,
    ),
    _wall(
        "akamai",
        page(
            "<h1>Access Denied</h1>You don't have permission to access \"http&#58;&#47;&#47;x\" on this server.<p>"
            "Reference&#32;&#35;18&#46;4c645f68&#46;1612345678&#46;1b2c3d",
            "Access Denied",
        ),
    ),
    _wall("akamai with status 200", page("<h1>Access Denied</h1><p>Reference #18.4c645f68.161234.1b2c", "Access Denied"), 200),
    _wall(
        "imperva",
        page(
            '<iframe src="/_Incapsula_Resource?SWUDNSAI=31&xinfo=1">Request unsuccessful. Incapsula incident ID: 1-2'
            "</iframe>",
            "",
        ),
        200,
    ),
    _wall(
        "distil",
        page("<h1>Pardon Our Interruption</h1><p>As you were browsing something made us think you were a bot.</p>"),
        200,
    ),
    _wall("kasada", page("<script>window.KPSDK={};KPSDK.scriptStart=KPSDK.now();</script>", ""), 429),
    _wall("kasada by header", page("<p></p>", ""), 429, x_kpsdk_ct="abc"),
    _wall(
        "aws waf",
        page('<script src="https://a.b.token.awswaf.com/a/challenge.js"></script><div id="challenge-container"></div>', ""),
        202,
        x_amzn_waf_action="challenge",
    ),
    _wall("aws waf without header", page("<script>window.gokuProps={key:'A'}</script>", "Human Verification"), 405),
    _wall("vercel", page("<p>We're verifying your browser</p>", "Vercel Security Checkpoint"), 429, x_vercel_mitigated="challenge"),
    _wall(
        "anubis",
        page(
            '<h1>Making sure you&#39;re not a bot!</h1><script id="anubis_challenge" type="application/json">{}'
            '</script><script src="/.within.website/x/cmd/anubis/static/js/main.mjs"></script>',
            "Making sure you&#39;re not a bot!",
        ),
        200,
    ),
    _wall("sucuri", page("<h1>Access Denied - Sucuri Website Firewall</h1><p>Block ID: EVA1</p>"), 403),
    _wall(
        "cloudfront",
        page("<h1>403 ERROR</h1><h2>The request could not be satisfied.</h2><p>Request blocked.</p>", "ERROR"),
        403,
        x_cache="Error from cloudfront",
    ),
    Labelled(
        "google sorry",
        page("<p>Our systems have detected unusual traffic from your computer network.</p>"),
        Reason.BLOCKED,
        url="https://www.google.com/search?q=a",
        final_url="https://www.google.com/sorry/index?continue=a",
    ),
    Labelled(
        "google consent",
        page("<h1>Before you continue</h1><form><button>Accept all</button></form>"),
        Reason.BLOCKED,
        url="https://www.google.com/maps",
        final_url="https://consent.google.com/m?continue=x",
    ),
    _wall("linkedin", page("<p></p>", ""), 999),
    _wall("reddit", page("<p>You've been blocked by network security.</p><p>Log in to continue.</p>", "Blocked"), 403),
    _wall(
        "amazon",
        page(
            "<h4>Enter the characters you see below</h4><form><input type=hidden name=a><input name=field-keywords>"
            "</form><script>ue_csm('csm-captcha-instrumentation')</script>",
            "Robot Check",
        ),
        503,
    ),
    _wall("recaptcha alone", page('<div class="g-recaptcha" data-sitekey="k"></div><p>Verify you are human.</p>', "Security Check"), 200),
    _wall("turnstile at 403", page(f'{NAV}<div class="cf-turnstile"></div><p>One more step.</p>', "Hold on"), 403),
    _wall("imunify", page("<p>Please wait while your request is being verified...</p>", "One moment, please..."), 200),
    _wall("checking your browser", page("<p>Checking your browser before accessing example.org.</p>", "Wait"), 503),
    _wall(
        "siteground",
        page("", "", '<meta http-equiv="refresh" content="0;/.well-known/sgcaptcha/?r=%2F&y=ipc">'
             '<script>location="/.well-known/sgcaptcha/?r=1"</script>'),
        202,
    ),
    _wall("akamai with a puzzle", page('<div id="sec-if-cpt-container"></div><p>Powered and protected by Akamai</p>', "Challenge Validation"), 200),
    _wall("alibaba cloud", page("<script>var arg1='AB12';var n=['acw_sc__v2'];</script>", ""), 200),
    _wall("qrator", page('<script src="/__qrator/qauth_utm_v2.js"></script><p>Loading</p>', ""), 401),
    _wall("ddos-guard", page('<script src="https://check.ddos-guard.net/check.js"></script><p>Checking</p>', "DDoS-Guard"), 403),
)  # fmt: skip

TEASERS = tuple(
    Labelled(name, html, Reason.PAYWALLED)
    for name, html in (
        ("subscribe to continue", page(f"<article>{SHORT}<p>Subscribe to continue reading.</p></article>")),
        ("already a subscriber", page(f"<article>{SHORT}<p>Already a subscriber? Log in</p></article>")),
        ("paid subscribers", page(f"<article>{SHORT}<h3>This post is for paid subscribers</h3></article>")),
        (
            "free articles",
            page(f"<article>{SHORT}<p>You have reached your limit of free articles.</p></article>"),
        ),
        (
            "gated block missing",
            page(
                f"<article>{SHORT}</article>",
                head='<script type="application/ld+json">{"@graph":[{"@type":"NewsArticle","isAccessibleForFree":false,'
                '"hasPart":{"@type":"WebPageElement","isAccessibleForFree":"False","cssSelector":".gated"}}]}</script>',
            ),
        ),
        (
            "gated block empty",
            page(
                f'<article>{SHORT}<div class="gated"><p>Only for members.</p></div></article>',
                head='<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":"False",'
                '"hasPart":[{"isAccessibleForFree":false,"cssSelector":".gated"}]}</script>',
            ),
        ),
        (
            "locked tier",
            page(
                f"<article>{SHORT}</article>", head='<meta property="article:content_tier" content="locked">'
            ),
        ),
        (
            "phrase outside the text",
            page(
                f'<article>{SHORT}</article><div class="paywall-box"><p>Sign in to read the full story</p></div>'
            ),
        ),
        ("russian", page(f"<article>{SHORT}<p>Продолжение только для подписчиков.</p></article>")),
    )
)

SHELLS = tuple(
    Labelled(name, html, Reason.NEEDS_JAVASCRIPT)
    for name, html in (
        ("react root", page('<div id="root"></div><script src="/main.js"></script>', "App")),
        ("vue app", page("<noscript>We're sorry but this doesn't work without JavaScript enabled.</noscript>"
                         '<div id="app"></div><script src="/app.js"></script>', "App")),
        ("next root", page('<div id="__next"></div><script src="/_next/a.js"></script>', "App")),
        ("angular", page("<app-root></app-root><script src='/main.js'></script>", "App")),
        ("loading", page('<div class="spinner"><p>Loading…</p></div><script src="/a.js"></script>', "App")),
        ("asks for scripts", page("<p>You need to enable JavaScript to run this app.</p><script src=/a.js></script>", "App")),
        ("much code, no words", page(f"<main></main>{PADDING}", "App")),
    )
)  # fmt: skip

LOST = (
    Labelled("status 404", page(f"{NAV}<h1>Not found</h1>{LONG}"), Reason.NOT_FOUND, 404),
    Labelled("status 410", page("<p>Gone.</p>"), Reason.GONE, 410),
    Labelled("status 401", page("<p>Log in.</p>"), Reason.FORBIDDEN, 401),
    Labelled("plain 403", page("<h1>403 Forbidden</h1><hr>nginx", "403 Forbidden"), Reason.FORBIDDEN, 403),
    Labelled("plain 429", page("<h1>Too many requests</h1>"), Reason.RATE_LIMITED, 429),
    Labelled("plain 503", page("<h1>Service unavailable</h1>"), Reason.UPSTREAM_ERROR, 503),
    Labelled("status 500", page("<h1>Oops</h1>"), Reason.UPSTREAM_ERROR, 500),
    Labelled("status 451", page("<p>Unavailable.</p>"), Reason.FORBIDDEN, 451),
    Labelled(
        "soft 404",
        page(f"{NAV}<h1>Page not found</h1><p>Try the search.</p>", "Page not found"),
        Reason.NOT_FOUND,
    ),
    Labelled(
        "soft 404 in German",
        page("<h1>Seite nicht gefunden</h1><p>Zur Startseite</p>", "Fehler"),
        Reason.NOT_FOUND,
    ),
    Labelled(
        "sent to a login",
        page("<h1>Log in</h1><form><input name=u><input type=password name=p></form>", "Log in"),
        Reason.FORBIDDEN,
        final_url="https://example.org/login?next=/log/1",
    ),
    Labelled(
        "a login in the page's place",
        page(
            "<h1>Log in</h1><form><label>Name <input name=u></label><input type='password' name=p></form>"
            "<p>You must be logged in to view this page.</p>",
            "Acme intranet",
        ),
        Reason.FORBIDDEN,
    ),
    Labelled("no words", page(""), Reason.EMPTY),
)

INNOCENTS = tuple(
    Labelled(name, html, None, 200, headers)
    for name, html, headers in (
        ("article with a field to sign in", page(f"<form>Sign in <input type=password name=p></form><article>{SHORT}</article>", "How to sign in at the harbour"), {}),
        ("short page with a login beside it", page("<form><input type=password name=p></form><h1>Opening hours</h1><p>Monday to Friday from nine to five.</p>", "Opening hours"), {}),
        ("plain article", page(NAV + f"<article>{LONG}</article>"), {}),
        ("article about captchas", page(f"<article><h1>How captchas work</h1><p>Verify you are human, says the box. Checking your browser before accessing.</p>{LONG}</article>", "Just a moment: how captchas work"), {}),
        ("short post about a wall", page(NAV + f"<article><h1>Why do I see it?</h1><p>The page says <q>Access to this page has been denied</q> or <q>Pardon Our Interruption</q>.</p>{SHORT}</article>", "Access denied, explained"), {}),
        ("code of a wall in an article", page(NAV + f"<article><p>Look for these marks:</p><pre>window._cf_chl_opt = {{}}; /cdn-cgi/challenge-platform/h/g/orchestrate/chl_page</pre>{SHORT}</article>"), {}),
        ("blog that mentions Cloudflare", page(f"<article><p>We moved to Cloudflare. Their Ray ID helps support.</p>{SHORT}</article>", "Moving to Cloudflare"), {}),
        ("beacon of cloudflare", page(f"<article>{SHORT}</article><script src='/cdn-cgi/challenge-platform/scripts/jsd/main.js'></script>"), {"server": "cloudflare", "cf-ray": "9a"}),
        ("cookies of guards", page(f"<article>{SHORT}</article>"), {"set-cookie": "__cf_bm=1; datadome=2; _abck=3; _px3=4; visid_incap_1=5; incap_ses_1=6"}),
        ("policy header", page(f"<article>{SHORT}</article>"), {"content-security-policy": "script-src captcha-delivery.com challenges.cloudflare.com", "link": "<https://hcaptcha.com>; rel=preconnect"}),
        ("policy in a meta tag", page(f"<article>{SHORT}</article>", head='<meta http-equiv="Content-Security-Policy" content="frame-src geo.captcha-delivery.com captcha.px-cdn.net">'), {}),
        ("preconnect links", page("<article><p>The office is closed today.</p></article>", head='<link rel="preconnect" href="https://geo.captcha-delivery.com">'), {}),
        ("datadome lets through", page(f"<article>{SHORT}</article>"), {"x-datadome": "protected"}),
        ("imperva headers", page(f"<article>{SHORT}</article>"), {"x-iinfo": "1-2", "x-cdn": "Imperva"}),
        ("akamai session info", page(f"<article>{LONG}</article>"), {"x-akamai-session-info": "name=A; value=B"}),
        ("cloudfront hit", page(f"<article>{SHORT}</article>"), {"x-cache": "Hit from cloudfront"}),
        ("login form with a captcha", page('<h1>Sign in</h1><form><input name="user"><input type="password"><div class="g-recaptcha"></div><button>Go</button></form>', "Sign in"), {}),
        ("contact form with turnstile", page(f'<h1>Write to us</h1><p>{PROSE}</p><form><textarea name="t"></textarea><div class="cf-turnstile"></div></form>'), {}),
        ("comment form with hcaptcha", page(f"<article>{SHORT}</article><form><textarea></textarea><div class='h-captcha'></div></form>"), {}),
        ("invisible recaptcha script", page(f"<article>{SHORT}</article><script src='https://www.google.com/recaptcha/api.js'></script>"), {}),
        ("short notice", page("<h1>Closed</h1><p>The office is closed today.</p>"), {}),
        ("short notice with analytics", page("<h1>Closed</h1><p>The office is closed today.</p><script src='/stats.js'></script>"), {}),
        ("free article, stated", page(f"<article>{LONG}</article>", head='<script type="application/ld+json">{"isAccessibleForFree":true}</script>'), {}),
        ("metered article in full", page(f"<article>{LONG}<p>Already a subscriber? Log in</p></article>", head='<meta property="article:content_tier" content="metered">'), {}),
        ("gated block delivered", page(f'<article>{SHORT}<div class="gated">{LONG}</div></article>', head='<script type="application/ld+json">{"isAccessibleForFree":false,"hasPart":{"cssSelector":".gated","isAccessibleForFree":false}}</script>'), {}),
        ("not free, no block named", page(f"<article>{SHORT}</article>", head='<script type="application/ld+json">{"@type":"NewsArticle","isAccessibleForFree":false}</script>'), {}),
        ("newsletter box", page(f'<article>{SHORT}</article><footer><p>Subscribe to our newsletter.</p></footer>'), {}),
        ("subscribe in the middle", page(f"<article><p>You can subscribe to continue reading our feed.</p>{LONG}</article>"), {}),
        ("paywall in a class name", page(f'<article class="no-paywall">{SHORT}</article>'), {}),
        ("odd gate selectors", page(f"<article>{SHORT}<div class='x'>{LONG}</div></article>", head='<script type="application/ld+json">[{"isAccessibleForFree":false,"cssSelector":"p:::"},{"cssSelector":".x","isAccessibleForFree":false}]</script>'), {}),
        ("very deep linked data", page(f"<article>{SHORT}</article>", head='<script type="application/ld+json">' + "[" * 20 + '{"isAccessibleForFree":false,"cssSelector":".y"}' + "]" * 20 + "</script>"), {}),
        ("huge linked data", page(f"<article>{SHORT}</article>", head='<script type="application/ld+json">{"isAccessibleForFree":false,"cssSelector":".y","x":"' + "x" * 1_000_001 + '"}</script>'), {}),
        ("paywall box without a demand", page(f'<article>{SHORT}</article><div class="paywall-box"><p>Thank you for reading.</p></div>'), {}),
        ("broken linked data", page(f"<article>{SHORT}</article>", head='<script type="application/ld+json">{"isAccessibleForFree":false,</script>'), {}),
        ("rendered react page", page(f'<div id="root"><article>{SHORT}</article></div><script src="/main.js"></script>'), {}),
        ("scripts asked for beside the text", page(f"<noscript>Enable JavaScript for comments.</noscript><article>{SHORT}</article><script src=/a.js></script>"), {}),
        ("article on loading", page(f"<article><h1>Loading cargo</h1>{SHORT}</article><script src=/a.js></script>"), {}),
        ("article on the number 404", page(f"<article><h1>404 not found: the story of an error</h1>{LONG}</article>", "404 not found: the story"), {}),
        ("year 404", page(f"<article><h1>404</h1>{SHORT}</article>", "404 in Britain"), {}),
        ("the login page itself", page("<h1>Log in</h1><form><input name=u><input type=password></form>", "Log in"), {}),
        ("much code around an article", page(f"{PADDING * 10}<article>{SHORT}</article>"), {}),
    )
)  # fmt: skip

LABELLED = (*WALLS, *TEASERS, *SHELLS, *LOST, *INNOCENTS)
