"""Which of a video's caption tracks tells what was really said, in the language it was said in.

Dubbed videos have automatic captions for each dub, and which audio is the default depends on who asks
and from where. So the original language comes from the audio streams, from the captions only after that.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from research_mcp.core.wire import JsonValue
from research_mcp.providers.kit.tree import at, number, rows, text


@dataclass(frozen=True, slots=True)
class Track:
    """One caption track: `automatic` ones are made by speech recognition."""

    url: str
    language: str
    name: str
    automatic: bool


def best_track(player: JsonValue) -> Track | None:
    """The track to read, None when the video has no captions.

    In the original language a human's before an automatic one; when that language has none or is
    unknown, a human's of the default audio, any human's, then any.
    """
    renderer = at(player, "captions", "playerCaptionsTracklistRenderer")
    found = [_track(row) for row in rows(renderer, "captionTracks")]
    tracks = [track for track in found if track.url]
    default = _defaults(renderer, found)
    original = _original(player, tracks, default)
    spoken = [track for track in tracks if _same(track.language, original)]
    for choice in (spoken, _human(default), _human(tracks), default, tracks):
        if choice:
            return next(iter(_human(choice)), choice[0])
    return None


def _track(row: JsonValue) -> Track:
    name = text(row, "name", "simpleText") or "".join(
        part for run in rows(row, "name", "runs") if isinstance(part := run.get("text"), str)
    )
    return Track(text(row, "baseUrl"), text(row, "languageCode"), name.strip(), text(row, "kind") == "asr")


def _human(tracks: Iterable[Track]) -> list[Track]:
    return [track for track in tracks if not track.automatic]


def _defaults(renderer: JsonValue, tracks: Sequence[Track]) -> list[Track]:
    """The tracks of the default audio."""
    place = int(number(renderer, "defaultAudioTrackIndex") or 0)
    indices = at(renderer, "audioTracks", place, "captionTrackIndices")
    wanted = [index for index in indices if isinstance(index, int)] if isinstance(indices, list) else []
    return [tracks[index] for index in wanted if 0 <= index < len(tracks) and tracks[index].url]


def _original(player: JsonValue, tracks: Sequence[Track], default: Sequence[Track]) -> str:
    """The language that was spoken when the video was made; "" when nothing tells."""
    if language := _original_audio(player):
        return language
    for choice in (tracks, default):
        automatic = {track.language for track in choice if track.automatic}
        if len(automatic) == 1:
            return automatic.pop()
    return ""


def _original_audio(player: JsonValue) -> str:
    audio = [
        at(row, "audioTrack")
        for row in rows(player, "streamingData", "adaptiveFormats")
        if isinstance(row.get("audioTrack"), dict)
    ]
    stated = [each for each in audio if "original" in text(each, "displayName").lower()]
    dubbed = any(at(each, "isAutoDubbed") is True for each in audio)
    undubbed = [each for each in audio if dubbed and at(each, "isAutoDubbed") is not True]
    for each in (*stated, *undubbed):
        if language := text(each, "id").partition(".")[0]:
            return language
    return ""


def _same(language: str, wanted: str) -> bool:
    """`en` and `en-US` are the same speech."""
    return bool(wanted) and language.partition("-")[0].lower() == wanted.partition("-")[0].lower()
