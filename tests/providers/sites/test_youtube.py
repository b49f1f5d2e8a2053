"""YouTube's captions: which video, which track, and why there are none."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from research_mcp.core.errors import BadReply, NoContent, ProviderError, RateLimited, Reason, Transient
from research_mcp.core.models import Kind
from research_mcp.providers.kit.registry import REGISTRY
from research_mcp.providers.sites.youtube import YouTubeRead
from tests.kit.sites import FIXTURES, Desk, Turn, fixture

VIDEO = "https://youtu.be/aaaaaaaaaaa"
SITE = "https://www.youtube.com"
WATCH = f"GET {SITE}/watch"
PLAYER = f"POST {SITE}/youtubei/v1/player"
CAPTIONS = f"GET {SITE}/api/timedtext"


def desk(player: Turn | None = None, captions: Turn | None = None, watch: Any = None, **more: Any) -> Desk:
    lines = {
        WATCH: watch or fixture("youtube/watch.html"),
        PLAYER: player or fixture("youtube/player.json"),
        CAPTIONS: captions or fixture("youtube/captions.json"),
    }
    return Desk(YouTubeRead, lines, **more)


def player(change: Callable[[dict[str, Any]], None], name: str = "player.json") -> httpx.Response:
    """The documented answer of the player with something changed."""
    value = json.loads((FIXTURES / "youtube" / name).read_text())
    change(value)
    return httpx.Response(200, json=value)


def state(status: str, reason: str = "", subreason: str = "") -> httpx.Response:
    def change(value: dict[str, Any]) -> None:
        del value["captions"]
        value["playabilityStatus"] = {
            "status": status,
            "reason": reason,
            "errorScreen": {"playerErrorMessageRenderer": {"subreason": {"runs": [{"text": subreason}]}}},
        }

    return player(change)


def tracks(*rows: dict[str, Any], **more: Any) -> httpx.Response:
    def change(value: dict[str, Any]) -> None:
        value["captions"]["playerCaptionsTracklistRenderer"] = {
            "captionTracks": [{"baseUrl": f"/api/timedtext?n={n}", **row} for n, row in enumerate(rows)],
            **more,
        }

    return player(change)


# A video


def test_a_video_becomes_its_transcript_under_title_channel_and_description() -> None:
    page = desk().page(VIDEO)
    assert page.markdown + "\n" == (FIXTURES / "youtube" / "page.md").read_text()
    assert (page.kind, page.title, page.author, page.date) == (
        Kind.TRANSCRIPT,
        "Marsh",
        "Invented Waters",
        "2026-05-04",
    )
    assert (page.site, page.language, page.reader) == ("YouTube", "en", "instance")
    assert (page.url, page.final_url) == (VIDEO, f"{SITE}/watch?v=aaaaaaaaaaa")


@pytest.mark.parametrize("name", ["captions.json", "captions.srv3.xml", "captions.legacy.xml"])
def test_all_three_forms_of_captions_read_alike(name: str) -> None:
    page = desk(captions=fixture(f"youtube/{name}")).page(VIDEO)
    assert page.markdown.endswith("[0:00] salt marsh at low & slack tide.\n\n[1:05] The reeds return.")


def test_the_player_is_asked_as_the_app_and_the_track_as_json() -> None:
    bench = desk()
    bench.page(VIDEO)
    watch, play, track = bench.sent
    assert (watch.url.params["v"], watch.headers["cookie"]) == ("aaaaaaaaaaa", "SOCS=CAI")
    assert watch.headers["accept-language"].startswith("en-US")
    assert play.url.params["key"] == "AIzaInvented-Key_0123"
    body = json.loads(play.content)
    assert body["videoId"] == "aaaaaaaaaaa"
    assert body["context"]["client"] == {
        "clientName": "ANDROID",
        "clientVersion": YouTubeRead.client_version,
        "androidSdkVersion": 30,
        "hl": "en",
    }
    assert play.headers["user-agent"] == YouTubeRead.client_user_agent
    assert play.headers["x-youtube-client-name"] == "3"
    assert dict(track.url.params) == {"v": "aaaaaaaaaaa", "lang": "en", "fmt": "json3"}


def test_the_client_that_youtube_is_asked_as_is_the_operators_to_choose() -> None:
    options = {
        "client": "IOS",
        "client_version": "21.26.4",
        "client_number": "5",
        "client_user_agent": "com.google.ios.youtube/21.26.4",
    }
    bench = desk(options=options)
    bench.page(VIDEO)
    play = bench.sent[1]
    client = json.loads(play.content)["context"]["client"]
    assert client == {"clientName": "IOS", "clientVersion": "21.26.4", "hl": "en"}
    assert (play.headers["x-youtube-client-name"], play.headers["user-agent"]) == (
        "5",
        "com.google.ios.youtube/21.26.4",
    )


def test_every_request_goes_to_the_configured_address() -> None:
    gateway = "http://127.0.0.1:9/yt"
    lines = {
        f"GET {gateway}/watch": fixture("youtube/watch.html"),
        f"POST {gateway}/youtubei/v1/player": fixture("youtube/player.json"),
        f"GET {gateway}/api/timedtext": fixture("youtube/captions.json"),
    }
    assert Desk(YouTubeRead, lines, urls={"": gateway}).page(VIDEO).title == "Marsh"


def test_a_head_that_the_player_does_not_give_is_left_out() -> None:
    def change(value: dict[str, Any]) -> None:
        del value["videoDetails"], value["microformat"]

    page = desk(player(change)).page(VIDEO)
    assert page.markdown.startswith("## Transcript (English, captions)")
    assert (page.title, page.author, page.date) == ("", "", "")


# The track


def chosen(answer: httpx.Response) -> str:
    bench = desk(answer)
    bench.page(VIDEO)
    return bench.sent[2].url.params.get("lang") or bench.sent[2].url.params["n"]


def test_a_dubbed_video_is_read_in_the_language_it_was_made_in() -> None:
    assert chosen(fixture("youtube/player.dubbed.json")) == "es"
    page = desk(fixture("youtube/player.dubbed.json")).page(VIDEO)
    assert (page.language, "## Transcript (Spanish, automatic captions)" in page.markdown) == ("es", True)
    assert "Length: 1:02:05" in page.markdown


def test_an_audio_that_is_no_dub_among_dubs_is_the_original() -> None:
    def change(value: dict[str, Any]) -> None:
        for row in value["streamingData"]["adaptiveFormats"][1:]:
            row["audioTrack"]["displayName"] = "Some language"

    assert chosen(player(change, "player.dubbed.json")) == "es"


def test_without_audio_tracks_the_only_automatic_captions_tell_the_language() -> None:
    human_en, human_de = {"languageCode": "en"}, {"languageCode": "de"}
    asr_de = {"languageCode": "de-DE", "kind": "asr"}
    assert chosen(tracks(human_en, asr_de, human_de)) == "2"
    assert chosen(tracks(human_en, asr_de)) == "1"


def test_with_several_automatic_captions_the_default_audio_tells_it() -> None:
    asr = [{"languageCode": code, "kind": "asr"} for code in ("en", "es")]
    audio = [{"captionTrackIndices": [0, 99, "x"]}, {"captionTrackIndices": [1]}]
    assert chosen(tracks(*asr, audioTracks=audio, defaultAudioTrackIndex=1)) == "1"
    assert chosen(tracks(*asr, audioTracks=audio)) == "0"


def test_when_nothing_tells_the_language_a_humans_captions_come_first() -> None:
    rows = [{"languageCode": code, "kind": "asr"} for code in ("en", "es")]
    assert chosen(tracks(*rows, {"languageCode": "fr"})) == "2"
    assert chosen(tracks(*rows)) == "0"
    assert chosen(tracks({"languageCode": "it"}, {"languageCode": "fr"})) == "0"


# Blocked is not "no captions"


@pytest.mark.parametrize(
    ("watch", "play"),
    [
        (None, fixture("youtube/player.bot.json")),
        (None, httpx.Response(429)),
        (None, httpx.Response(403, json={"error": {"code": 403}})),
        (fixture("youtube/captcha.html"), None),
        (fixture("youtube/consent.html"), None),
        (httpx.Response(429), None),
        (httpx.Response(302, headers={"location": "https://consent.youtube.com/m?continue=x"}), None),
        (httpx.Response(302, headers={"location": "https://www.google.com/sorry/index?continue=x"}), None),
    ],
    ids=["bot", "player 429", "player 403", "captcha", "consent", "watch 429", "to consent", "to sorry"],
)
def test_a_block_is_named_as_one_and_rests_the_reader(watch: Turn | None, play: Turn | None) -> None:
    error = desk(play, watch=watch).error(VIDEO)
    assert isinstance(error, RateLimited)
    assert (error.reason, error.rest_for) == (Reason.BLOCKED, 60.0)


def test_a_bot_check_counts_even_with_the_apostrophe_of_a_typewriter() -> None:
    assert (
        desk(state("UNPLAYABLE", "Sign in to confirm you're not a bot")).error(VIDEO).reason is Reason.BLOCKED
    )


def test_the_consent_form_is_answered_once() -> None:
    bench = desk(watch=[fixture("youtube/consent.html"), fixture("youtube/watch.html")])
    assert bench.page(VIDEO).title == "Marsh"
    assert bench.sent[1].headers["cookie"] == "CONSENT=YES+cb.20260801-11-p1.en+FX+123"


def test_captions_that_are_limited_are_a_block() -> None:
    assert desk(captions=httpx.Response(429)).error(VIDEO).reason is Reason.BLOCKED


def test_captions_for_browsers_only_are_a_block_of_this_video_alone() -> None:
    error = desk(captions=httpx.Response(200, content=b"")).error(VIDEO)
    assert isinstance(error, NoContent)
    assert error.reason is Reason.BLOCKED


# No captions, no video


def without_captions(value: dict[str, Any]) -> None:
    del value["captions"]


@pytest.mark.parametrize(
    "answer",
    [player(without_captions), tracks(), tracks({"baseUrl": "", "languageCode": "en"})],
    ids=["no renderer", "no tracks", "no address"],
)
def test_a_video_without_captions_says_so(answer: httpx.Response) -> None:
    error = desk(answer).error(VIDEO)
    assert isinstance(error, NoContent)
    assert error.reason is Reason.NO_TRANSCRIPT


def test_captions_without_words_are_none() -> None:
    assert desk(captions=httpx.Response(200, json={"events": [{"tStartMs": 1}]})).error(VIDEO).reason is (
        Reason.NO_TRANSCRIPT
    )


@pytest.mark.parametrize(
    ("answer", "reason", "says"),
    [
        (
            state("LOGIN_REQUIRED", "This video may be inappropriate for some users."),
            Reason.FORBIDDEN,
            "adults",
        ),
        (state("LOGIN_REQUIRED", "Sign in to confirm your age"), Reason.FORBIDDEN, "adults"),
        (state("AGE_VERIFICATION_REQUIRED"), Reason.FORBIDDEN, "adults"),
        (state("CONTENT_CHECK_REQUIRED"), Reason.FORBIDDEN, "adults"),
        (state("LOGIN_REQUIRED", "This is a private video."), Reason.FORBIDDEN, "private"),
        (state("LOGIN_REQUIRED", "Please sign in"), Reason.FORBIDDEN, "login"),
        (state("ERROR", "This video is unavailable"), Reason.NOT_FOUND, "no such video"),
        (state("UNPLAYABLE", "x", "Not available in your country"), Reason.FORBIDDEN, "country"),
        (state("UNPLAYABLE", "x", "Available to this channel's members"), Reason.FORBIDDEN, "members"),
        (state("UNPLAYABLE", "x"), Reason.FORBIDDEN, "does not play"),
        (state("LIVE_STREAM_OFFLINE"), Reason.NO_TRANSCRIPT, "not started"),
    ],
)
def test_a_video_that_does_not_play_says_why(answer: httpx.Response, reason: Reason, says: str) -> None:
    error = desk(answer).error(VIDEO)
    assert isinstance(error, NoContent)
    assert (error.reason, says in str(error)) == (reason, True)


def test_a_missing_video_is_not_found() -> None:
    assert desk(watch=httpx.Response(404)).error(VIDEO).reason is Reason.NOT_FOUND


# Faults


@pytest.mark.parametrize(
    ("lines", "kind"),
    [
        ({"watch": httpx.Response(200, text="<html>a new face</html>")}, BadReply),
        ({"watch": httpx.Response(500)}, Transient),
        ({"watch": httpx.ConnectError("x")}, Transient),
        ({"player": httpx.Response(200, text="<html>")}, BadReply),
        ({"player": httpx.Response(200, json=[])}, BadReply),
        ({"player": httpx.Response(200, json={})}, BadReply),
        ({"player": httpx.Response(400, json={"error": {"status": "FAILED_PRECONDITION"}})}, BadReply),
        ({"player": httpx.Response(503)}, Transient),
        ({"player": tracks({"baseUrl": "https://evil.test/api/timedtext"})}, BadReply),
        ({"captions": httpx.Response(200, text="what")}, BadReply),
        ({"captions": httpx.Response(200, json={"no": "events"})}, BadReply),
        ({"captions": httpx.Response(200, text="<html><p>x</p></html>")}, BadReply),
        ({"captions": httpx.ReadTimeout("x")}, Transient),
    ],
)
def test_an_odd_answer_is_an_error_of_the_reader(lines: dict[str, Turn], kind: type[ProviderError]) -> None:
    assert type(desk(**lines).error(VIDEO)) is kind


def test_only_addresses_of_videos_are_accepted_and_the_verdict_is_final() -> None:
    reader = YouTubeRead()
    assert reader.accepts("https://www.youtube.com/shorts/aaaaaaaaaaa")
    assert not reader.accepts("https://www.youtube.com/@waters")
    facts = YouTubeRead.facts("youtube", metered=False)
    assert (facts.site, facts.final, facts.metered) == (True, True, False)
    assert REGISTRY["read.youtube"] is YouTubeRead
