"""Which urls stand for a YouTube video."""

from __future__ import annotations

import pytest

from research_mcp.providers.kit.videos import youtube_id

ID = "dQw4w9Wg-_Q"


@pytest.mark.parametrize(
    "url",
    [
        f"https://www.youtube.com/watch?v={ID}",
        f"http://youtube.com/watch?app=desktop&v={ID}&t=30s",
        f"https://m.youtube.com/watch?v={ID}#comments",
        f"https://music.youtube.com/watch?v={ID}&list=RD1",
        f"https://www.youtube.com/watch/?v={ID}",
        f"https://youtu.be/{ID}?si=share",
        f"https://www.youtu.be/{ID}/",
        f"https://www.youtube.com/shorts/{ID}",
        f"https://www.youtube.com/live/{ID}?feature=shared",
        f"https://www.youtube.com/embed/{ID}?start=3",
        f"https://www.youtube.com/v/{ID}",
        f"https://www.youtube-nocookie.com/embed/{ID}",
    ],
)
def test_an_address_of_a_video_has_an_id(url: str) -> None:
    assert youtube_id(url) == ID


@pytest.mark.parametrize(
    "url",
    [
        "https://www.youtube.com/",
        "https://www.youtube.com/watch",
        "https://www.youtube.com/watch?v=short",
        f"https://www.youtube.com/watch?v={ID}x",
        f"https://www.youtube.com/watch/more?v={ID}",
        "https://www.youtube.com/@somechannel",
        "https://www.youtube.com/channel/UC1234567890",
        "https://www.youtube.com/playlist?list=PL123",
        "https://www.youtube.com/results?search_query=marsh",
        "https://www.youtube.com/embed/videoseries?list=PL123",
        "https://www.youtube.com/embed/live_stream?channel=UC1",
        f"https://www.youtube-nocookie.com/watch?v={ID}",
        f"https://youtube.com.evil.test/watch?v={ID}",
        f"https://notyoutube.com/watch?v={ID}",
        f"https://studio.youtube.com/video/{ID}",
        "https://youtu.be/",
        f"https://example.com/?u=https://youtu.be/{ID}",
    ],
)
def test_everything_else_has_none(url: str) -> None:
    assert youtube_id(url) == ""
