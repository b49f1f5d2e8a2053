"""Instagram posts: caption, what is said, comments; and why there is nothing."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from urllib.parse import parse_qsl

import httpx
import pytest

from research_mcp.core.errors import BadReply, NoContent, ProviderError, RateLimited, Reason, Transient
from research_mcp.core.models import Kind, Page
from research_mcp.providers.sites.instagram import InstagramRead
from tests.kit.sites import FIXTURES, Desk, Turn, fixture
from tests.kit.wire import KEY

SITE = "https://www.instagram.com"
POST = f"{SITE}/reel/Cinvented1/?igsh=x"
PAGE = f"GET {SITE}/p/Cinvented1/"
START = f"GET {SITE}/"
RULING = f"GET {SITE}/api/v1/web/get_ruling_for_content/"
QUERY = f"POST {SITE}/api/graphql"
CDN = "https://scontent.cdninstagram.com"
AUDIO = f"GET {CDN}/low.mp4"
GROQ = "POST https://api.groq.com/openai/v1/audio/transcriptions"


def desk(lines: dict[str, Turn] | None = None, *, heard: bool = True, **more: Any) -> Desk:
    """The post's page carries the post, its audio and Groq answer well, unless `lines` say otherwise."""
    all_lines: dict[str, Any] = {
        PAGE: fixture("instagram/post.html"),
        AUDIO: httpx.Response(200, content=b"sound"),
        GROQ: fixture("instagram/groq.json"),
        RULING: httpx.Response(200, json={"status": "ok"}),
        QUERY: fixture("instagram/graphql.json"),
        **(lines or {}),
    }
    return Desk(InstagramRead, all_lines, leg_keys={"groq": [KEY]} if heard else {}, **more)


def post(change: Callable[[dict[str, Any]], Any]) -> httpx.Response:
    """A page with the documented post, its ungated part changed."""
    answer = json.loads((FIXTURES / "instagram" / "graphql.json").read_text())
    change(answer["data"]["xig_polaris_media"]["if_not_gated_logged_out"])
    return carrying(answer)


def carrying(value: object) -> httpx.Response:
    return httpx.Response(
        200, text=f'<html><script type="application/json" data-sjs>{json.dumps(value)}</script>'
    )


# A post


def test_a_video_becomes_caption_transcript_and_comments() -> None:
    bench = desk()
    page = bench.page(POST)
    assert page.markdown + "\n" == (FIXTURES / "instagram" / "page.md").read_text()
    assert (page.kind, page.author, page.date, page.site) == (
        Kind.POST,
        "Some One",
        "2026-05-28",
        "Instagram",
    )
    assert (page.final_url, page.notes) == (f"{SITE}/p/Cinvented1/", ())
    assert bench.lines() == [PAGE, AUDIO, GROQ]


def test_the_lowest_audio_is_uploaded_with_the_key_and_the_key_goes_nowhere_else() -> None:
    bench = desk()
    bench.page(POST)
    page, audio, speech = bench.sent
    assert dict(audio.url.params) == {"oh": "x", "oe": "y"}
    assert speech.headers["authorization"] == f"Bearer {KEY}"
    assert speech.headers["content-type"].startswith("multipart/form-data; boundary=")
    for part in (
        b'name="model"\r\n\r\nwhisper-large-v3-turbo',
        b"verbose_json",
        b'filename="audio.m4a"',
        b"sound",
    ):
        assert part in speech.content
    assert KEY not in str(page.headers) + str(audio.headers)
    assert page.headers["user-agent"] == InstagramRead.user_agent


def test_without_a_key_for_groq_the_caption_is_the_page_and_a_note_says_so() -> None:
    bench = desk(heard=False)
    page = bench.page(POST)
    assert "dusk swim" in page.markdown
    assert "## Transcript" not in page.markdown
    assert page.notes == ("no transcript of the video: speech to text needs a key for Groq",)
    assert bench.lines() == [PAGE]


def test_a_photo_is_its_caption() -> None:
    def photo(body: dict[str, Any]) -> None:
        del body["video_dash_manifest"], body["video_versions"]
        body["user"]["full_name"] = ""
        body["like_count"] = -1

    bench = desk({PAGE: post(photo)})
    page = bench.page(POST)
    assert (page.title, page.author, page.notes) == ("@some.one on Instagram", "some.one", ())
    assert "\n\n2026-05-28 \u00b7 3 comments\n\ndusk swim" in page.markdown
    assert bench.lines() == [PAGE]


def test_a_video_without_sound_is_not_heard() -> None:
    bench = desk({PAGE: post(lambda body: body.update(has_audio=False))})
    assert bench.page(POST).notes == ("no transcript of the video: it has no sound",)
    assert bench.lines() == [PAGE]


def test_the_videos_of_an_album_are_heard_up_to_three() -> None:
    def album(body: dict[str, Any]) -> None:
        clip = {"video_versions": body.pop("video_versions"), "has_audio": True}
        del body["video_dash_manifest"]
        body["carousel_media"] = [{"image_versions2": {}}, clip, clip, clip, clip]

    bench = desk({PAGE: post(album), f"GET {CDN}/small.mp4": httpx.Response(200, content=b"film")})
    assert bench.page(POST).markdown.count("low tide at six") == 3
    assert b'filename="video.mp4"' in bench.sent[2].content


@pytest.mark.parametrize(
    "manifest",
    [
        "<MPD>broken",
        "<MPD><Period><AdaptationSet/></Period></MPD>",
        "<!DOCTYPE MPD [<!ENTITY x 'y'>]><MPD/>",
        "",
    ],
)
def test_without_an_audio_in_the_manifest_the_smallest_file_is_heard(manifest: str) -> None:
    lines: dict[str, Turn] = {
        PAGE: post(lambda body: body.update(video_dash_manifest=manifest)),
        f"GET {CDN}/small.mp4": httpx.Response(200, content=b"film"),
    }
    assert "low tide at six" in desk(lines).page(POST).markdown


def test_the_media_type_may_stand_at_the_set_and_a_manifest_needs_no_namespace() -> None:
    manifest = (
        '<MPD><Period><AdaptationSet mimeType="audio/mp4"><Representation bandwidth="x">'
        f"<BaseURL>{CDN}/low.mp4</BaseURL></Representation></AdaptationSet></Period></MPD>"
    )
    page = post(lambda body: body.update(video_dash_manifest=manifest))
    assert "low tide at six" in desk({PAGE: page}).page(POST).markdown


# What goes wrong with the speech costs the transcript alone


def too_large(request: httpx.Request) -> httpx.Response:
    return httpx.Response(200, content=b"\0" * 5_000_001)


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        ({AUDIO: httpx.Response(403)}, "could not be fetched (status 403)"),
        ({AUDIO: httpx.Response(200, content=b"")}, "could not be fetched"),
        ({AUDIO: httpx.ConnectError("x")}, "could not be reached"),
        ({GROQ: httpx.Response(401, json={"error": {"code": "invalid_api_key"}})}, "the key was refused"),
        ({GROQ: httpx.Response(429, headers={"retry-after": "9"})}, "too many requests"),
        ({GROQ: httpx.Response(413, json={"error": {"code": "request_too_large"}})}, "refused the request"),
        ({GROQ: httpx.Response(400)}, "refused the request"),
        ({GROQ: httpx.Response(498)}, "refused the request"),
        ({GROQ: httpx.Response(503)}, "the vendor failed"),
        ({GROQ: httpx.Response(200, text="<html>")}, "expected JSON"),
        ({GROQ: httpx.Response(200, json={})}, "without 'text'"),
        ({GROQ: httpx.Response(200, json={"text": " "})}, "nobody speaks"),
        (
            {PAGE: post(lambda body: body.update(video_dash_manifest="<MPD/>", video_versions=[]))},
            "no address",
        ),
        (
            {PAGE: post(lambda b: b.update(video_dash_manifest="", video_versions=[{"url": "ftp://x"}]))},
            "no address",
        ),
    ],
)
def test_a_transcript_that_cannot_be_had_is_a_note_under_the_caption(
    lines: dict[str, Turn], says: str
) -> None:
    page = desk(lines).page(POST)
    assert "dusk swim" in page.markdown
    assert "## Transcript" not in page.markdown
    assert says in page.notes[0]


def test_a_dead_key_of_groq_is_parked_and_instagram_goes_on() -> None:
    bench = desk({GROQ: httpx.Response(401)})
    bench.page(POST)
    assert list(bench.parking.rests) == ["account:groq#1"]
    before = len(bench.sent)
    assert "every key rests" in bench.page(POST).notes[0]
    assert GROQ not in bench.lines()[before:]


def test_a_text_without_segments_is_taken_as_it_is() -> None:
    answer = httpx.Response(200, json={"text": " low tide ", "segments": []})
    assert "## Transcript\n\nlow tide" in desk({GROQ: answer}).page(POST).markdown


def test_what_is_too_large_to_upload_is_fetched_by_groq_from_the_cdn() -> None:
    bench = desk({AUDIO: too_large})
    assert "low tide at six" in bench.page(POST).markdown
    form = dict(parse_qsl(bench.sent[2].content.decode()))
    assert (form["url"], form["model"]) == (f"{CDN}/low.mp4?oh=x&oe=y", "whisper-large-v3-turbo")


def test_an_address_that_is_not_the_cdns_is_never_handed_to_groq() -> None:
    inside = [{"url": "http://10.0.0.1/v.mp4", "width": 1}]
    page = post(lambda body: body.update(video_dash_manifest="", video_versions=inside))
    bench = desk({PAGE: page, "GET http://10.0.0.1/v.mp4": too_large})
    assert "cannot be read whole" in bench.page(POST).notes[0]
    assert GROQ not in bench.lines()


def test_models_and_ids_that_rot_are_options() -> None:
    options = {
        "groq_model": "whisper-large-v3",
        "doc_id": "77",
        "app_id": "88",
        "asbd_id": "99",
        "user_agent": "Mozilla/9",
    }
    bench = desk({PAGE: fixture("instagram/shell.html")}, options=options)
    bench.page(POST)
    query = next(request for request in bench.sent if request.url.path == "/api/graphql")
    assert dict(parse_qsl(query.content.decode()))["doc_id"] == "77"
    assert (query.headers["x-ig-app-id"], query.headers["x-asbd-id"]) == ("88", "99")
    assert {r.headers["user-agent"] for r in bench.sent if r.url.host == "www.instagram.com"} == {"Mozilla/9"}
    assert b"whisper-large-v3\r\n" in bench.sent[-1].content


# The second way


def test_a_page_without_the_post_is_asked_for_it_by_its_own_query() -> None:
    shell = fixture("instagram/shell.html", **{"set-cookie": "csrftoken=tok; Secure"})
    bench = desk({PAGE: shell})
    assert "dusk swim" in bench.page(POST).markdown
    assert bench.lines()[:3] == [PAGE, RULING, QUERY]
    ruling, query = bench.sent[1:3]
    assert dict(ruling.url.params) == {"content_type": "MEDIA", "target_id": number()}
    form = dict(parse_qsl(query.content.decode()))
    assert form["lsd"] == query.headers["x-fb-lsd"] == "AVinvented_lsd-1"
    assert json.loads(form["variables"]) == {"media_id": number()}
    assert form["doc_id"] == InstagramRead.doc_id
    assert (query.headers["x-csrftoken"], query.headers["cookie"]) == ("tok", "csrftoken=tok")


def number() -> str:
    """The number of the post by the rule of the site, worked out anew."""
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return str(sum(letters.index(c) * 64**n for n, c in enumerate(reversed("Cinvented1"))))


def test_a_page_without_a_token_sends_the_reader_to_the_start_page_for_one() -> None:
    cookies = [
        ("set-cookie", "csrftoken=tok; Path=/"),
        ("set-cookie", "mid=m1; Path=/"),
        ("content-type", "text/html"),
    ]
    body = (FIXTURES / "instagram" / "start.html").read_bytes()
    bench = desk({PAGE: carrying({}), START: httpx.Response(200, headers=cookies, content=body)})
    assert "dusk swim" in bench.page(POST).markdown
    assert bench.lines()[:4] == [PAGE, START, RULING, QUERY]
    assert bench.sent[3].headers["x-fb-lsd"] == "AVinvented_eqmc"
    assert bench.sent[3].headers["cookie"] == "csrftoken=tok; mid=m1"


def test_the_older_form_of_the_data_is_understood() -> None:
    item = {"caption": {"text": "an old form"}, "user": {"username": "some.one"}}
    page = carrying({"xdt_api__v1__media__shortcode__web_info": {"items": [item]}})
    assert "an old form" in desk({PAGE: page}).page(POST).markdown


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        ({"data": {"xig_polaris_media": None}}, NoContent, Reason.NOT_FOUND),
        ({"errors": [{"code": 4630001}]}, NoContent, Reason.NOT_FOUND),
        ({"errors": [{"code": 1675004}]}, RateLimited, Reason.BLOCKED),
        (
            {"errors": [{"message": "execution error", "severity": "CRITICAL"}]},
            BadReply,
            Reason.UPSTREAM_ERROR,
        ),
        ({"require_login": True}, RateLimited, Reason.BLOCKED),
        ("<html>", NoContent, Reason.BLOCKED),
        ("what", BadReply, Reason.UPSTREAM_ERROR),
        ('for (;;);{"data": {}}', NoContent, Reason.NOT_FOUND),
    ],
)
def test_what_the_query_answers_is_named_as_what_it_is(
    answer: object, kind: type[ProviderError], reason: Reason
) -> None:
    body = answer if isinstance(answer, str) else json.dumps(answer)
    error = desk({PAGE: fixture("instagram/shell.html"), QUERY: httpx.Response(200, text=body)}).error(POST)
    assert (type(error), error.reason) == (kind, reason)


def test_a_site_without_post_and_token_has_changed() -> None:
    blank = httpx.Response(200, text="<html><script data-sjs>{")
    assert isinstance(desk({PAGE: blank, START: blank}).error(POST), BadReply)


# Blocks and gates


def to(location: str) -> httpx.Response:
    return httpx.Response(302, headers={"location": location})


@pytest.mark.parametrize(
    "lines",
    [
        {PAGE: to("/accounts/login/?next=x"), f"GET {SITE}/accounts/login/": fixture("instagram/login.html")},
        {PAGE: to("/"), START: httpx.Response(200, text="<html>")},
        {PAGE: to("https://www.facebook.com/x")},
        {PAGE: fixture("instagram/login.html")},
        {PAGE: httpx.Response(429)},
        {PAGE: httpx.Response(401, json={"require_login": True})},
        {PAGE: fixture("instagram/shell.html"), RULING: httpx.Response(429)},
        {PAGE: fixture("instagram/shell.html"), QUERY: httpx.Response(403)},
        {PAGE: carrying({}), START: httpx.Response(429)},
    ],
)
def test_a_block_is_named_as_one_and_rests_for_minutes(lines: dict[str, Turn]) -> None:
    error = desk(lines).error(POST)
    assert isinstance(error, RateLimited)
    assert (error.reason, error.rest_for) == (Reason.BLOCKED, 300.0)


def test_a_gated_post_says_so() -> None:
    gated = carrying({"xig_polaris_media": {"code": "C", "if_not_gated_logged_out": None}})
    error = desk({PAGE: gated}).error(POST)
    assert (type(error), error.reason) == (NoContent, Reason.FORBIDDEN)


@pytest.mark.parametrize(
    ("lines", "kind", "reason"),
    [
        ({PAGE: httpx.Response(404)}, NoContent, Reason.NOT_FOUND),
        ({PAGE: httpx.Response(500)}, Transient, Reason.UPSTREAM_ERROR),
        ({PAGE: httpx.ReadTimeout("x")}, Transient, Reason.TIMEOUT),
        ({PAGE: post(lambda b: b.update(caption=None, has_audio=False))}, NoContent, Reason.NO_TRANSCRIPT),
        (
            {PAGE: post(lambda b: b.update(caption=None, video_versions=[], video_dash_manifest=""))},
            NoContent,
            Reason.EMPTY,
        ),
    ],
)
def test_a_post_that_gives_nothing_says_why(
    lines: dict[str, Turn], kind: type[ProviderError], reason: Reason
) -> None:
    error = desk(lines).error(POST)
    assert (type(error), error.reason) == (kind, reason)


def test_the_caption_is_not_lost_when_the_speech_takes_too_long() -> None:
    def slow(request: httpx.Request) -> httpx.Response:
        raise httpx.ReadTimeout("x")

    outcome = desk({GROQ: slow}).outcome(POST)
    assert isinstance(outcome, Page)
    assert "did not answer in time" in outcome.notes[0]


def test_instagram_and_groq_each_have_an_address_of_their_own() -> None:
    lines = {
        "GET http://127.0.0.1:9/ig/p/Cinvented1/": fixture("instagram/post.html"),
        AUDIO: httpx.Response(200, content=b"sound"),
        "POST http://127.0.0.1:8/openai/v1/audio/transcriptions": fixture("instagram/groq.json"),
    }
    urls = {"": "http://127.0.0.1:9/ig", "groq": "http://127.0.0.1:8"}
    bench = Desk(InstagramRead, lines, leg_keys={"groq": [KEY]}, urls=urls)
    assert "low tide at six" in bench.page(POST).markdown


# Addresses


@pytest.mark.parametrize(
    "url",
    [
        f"{SITE}/p/Cinvented1/",
        f"{SITE}/reel/Cinvented1",
        f"{SITE}/reels/Cinvented1/",
        "http://instagram.com/tv/Cinvented1/?x=1",
        f"{SITE}/some.one/p/Cinvented1/",
        f"{SITE}/some.one/reel/Cinvented1/#a",
        f"{SITE}/p/Cinvented1{'a' * 28}/",
    ],
)
def test_an_address_of_a_post_is_read_from_its_code(url: str) -> None:
    bench = desk()
    bench.page(url)
    assert bench.lines()[0] == PAGE


@pytest.mark.parametrize(
    "url",
    [
        f"{SITE}/",
        f"{SITE}/some.one/",
        f"{SITE}/p/",
        f"{SITE}/p/a/",
        f"{SITE}/share/p/Cinvented1/",
        f"{SITE}/stories/some.one/123/",
        f"{SITE}/reels/audio/123456/",
        f"{SITE}/p/Cinvented1/comments/",
        "https://instagram.com.evil.test/p/Cinvented1/",
        "https://www.threads.net/p/Cinvented1/",
    ],
)
def test_any_other_address_is_left_to_others(url: str) -> None:
    assert not InstagramRead().accepts(url)


def test_its_verdict_is_not_final() -> None:
    facts = InstagramRead.facts("instagram", metered=False)
    assert (facts.site, facts.final) == (True, False)
