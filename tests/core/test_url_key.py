"""Url identity: what is certain to be one page has one key, and nothing else has."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_mcp.core.url_key import url_key

CHARACTERS = "".join(map(chr, range(0x4E00, 0x4E00 + 4_000)))
PAGE = "https://news.harbour.test/2026/04/tide-mill-opens-again"

SAME = [
    ("http://harbour.test/tides", "https://www.HARBOUR.test:443/tides/"),
    ("http://harbour.test:80/tides", "https://harbour.test/tides"),
    ("https://harbour.test./tides", "//harbour.test/tides"),
    (" harbour.test/tides\n", "https://harbour.test/tides"),
    ("https://user:pw@harbour.test/tides", "https://harbour.test/tides"),
    ("https://harbour.test", "https://harbour.test/"),
    ("https://harbour.test/a/./b/../c", "https://harbour.test/a/c"),
    ("https://harbour.test/../../c", "https://harbour.test/c"),
    ("https://harbour.test/docs/index.html", "https://harbour.test/docs/"),
    ("https://harbour.test/docs/Default.aspx?utm_source=x", "https://harbour.test/docs"),
    ("https://münchen.test/a", "https://xn--mnchen-3ya.test/a"),
    ("https://MÜNCHEN.test/a", "https://münchen.test/a"),
    ("https://harbour。test/a", "https://harbour.test/a"),
    ("https://[2001:DB8::1]/a", "https://[2001:db8::1]/a"),
    ("https://harbour.test/%7euser/na%C3%AFve", "https://harbour.test/~user/naïve"),
    ("https://harbour.test/Part%3A_2_%28old%29", "https://harbour.test/Part:_2_(old)"),
    ("https://harbour.test/s?q=mill+race", "https://harbour.test/s?q=mill%20race"),
    ("https://harbour.test/s?b=2&a=1&", "https://harbour.test/s?a=1&b=2"),
    ("https://harbour.test/s?", "https://harbour.test/s#results"),
    (f"{PAGE}#:~:text=tide%20mill", PAGE),
    (f"{PAGE}#section-2:~:text=mill", f"{PAGE}#section-9"),
    (f"{PAGE}?utm_campaign=spring&fbclid=1&gclid=2&msclkid=3&srsltid=4&_ga=5", PAGE),
    (f"{PAGE}?ref_src=twsrc&mc_cid=1&yclid=2&_hsenc=3&xtor=RSS", PAGE),
    (f"{PAGE}?id=4&utm_source=a", f"{PAGE}?utm_source=b&id=4"),
    (f"{PAGE};jsessionid=AB12?PHPSESSID=77", PAGE),
    (f"{PAGE}?sid=0123456789abcdef0123456789abcdef", PAGE),
    (f"{PAGE}?print=1", PAGE),
    (f"{PAGE}/amp", PAGE),
    (f"{PAGE}?amp=1", PAGE),
    (
        "https://amp.harbour.test/2026/04/tide-mill-opens-again",
        "https://harbour.test/2026/04/tide-mill-opens-again",
    ),
    ("https://harbour.test/story-48213377.amp.html", "https://harbour.test/story-48213377"),
    ("https://www.google.com/url?sa=t&url=https%3A%2F%2Fharbour.test%2Fa", "https://harbour.test/a"),
    ("https://www.google.co.uk/url?q=https://harbour.test/a", "https://harbour.test/a"),
    ("https://www.google.com/amp/s/harbour.test/a?x=1", "https://harbour.test/a?x=1"),
    ("https://harbour-test.cdn.ampproject.org/c/s/harbour.test/a", "https://harbour.test/a"),
    ("https://cdn.ampproject.org/c/harbour.test/a?x=1", "http://harbour.test/a?x=1"),
    ("https://duckduckgo.com/l/?uddg=https%3A%2F%2Fharbour.test%2Fa&rut=1", "https://harbour.test/a"),
    ("https://www.bing.com/ck/a?u=a1aHR0cHM6Ly9oYXJib3VyLnRlc3QvYQ&ntb=1", "https://harbour.test/a"),
    (
        "https://r.search.yahoo.com/_ylt=A/RU=https%3a%2f%2fharbour.test%2fa/RK=2/RS=x",
        "https://harbour.test/a",
    ),
    ("https://l.facebook.com/l.php?u=https%3A%2F%2Fharbour.test%2Fa%3Ffbclid%3Dx", "https://harbour.test/a"),
    ("https://out.reddit.com/t3_x?url=https%3A%2F%2Fharbour.test%2Fa", "https://harbour.test/a"),
    ("https://youtu.be/dQw4w9WgXcQ?si=1", "https://m.youtube.com/watch?v=dQw4w9WgXcQ&t=9s&list=PL1"),
    ("https://www.youtube.com/shorts/dQw4w9WgXcQ", "https://www.youtube-nocookie.com/embed/dQw4w9WgXcQ"),
    ("https://mobile.twitter.com/mill/status/177?s=20", "https://x.com/i/web/status/177"),
    ("https://old.reddit.com/r/Tides/comments/1abcd/slug/", "https://redd.it/1abcd"),
    ("https://www.reddit.com/r/Tides/", "https://reddit.com/r/tides"),
    ("https://stackoverflow.com/q/7000/12", "https://stackoverflow.com/questions/7000/how-to-tide"),
    ("https://math.stackexchange.com/questions/7/x", "https://math.stackexchange.com/q/7"),
    ("https://github.com/Tide/Mill.git", "https://github.com/tide/mill?tab=readme-ov-file#install"),
    ("https://arxiv.org/pdf/2401.01234v2.pdf", "http://export.arxiv.org/abs/2401.01234v2"),
    ("https://dx.doi.org/10.5555/TIDE.7", "https://doi.org/10.5555/tide.7"),
    ("https://en.m.wikipedia.org/wiki/tide_mill", "https://en.wikipedia.org/w/index.php?title=Tide_mill"),
    ("https://en.wikipedia.org/wiki/Tide%20mill", "https://en.wikipedia.org/wiki/Tide_mill#History"),
    (
        "https://www.amazon.de/Tide-Clock/dp/B0ABCDE123/ref=sr_1?qid=1",
        "https://amazon.de/gp/product/B0ABCDE123",
    ),
    ("https://www.amazon.com/s?k=clock&ref=nb", "https://www.amazon.com/s?k=clock"),
    ("https://medium.com/@mill/a-1b2c?source=rss", "https://medium.com/@mill/a-1b2c"),
    (f"{PAGE}?s_kwcid=AL&ef_id=a:G:s&__cft__[0]=AZ&elqTrackId=1&cm_mmc=a&bsft_eid=2", PAGE),
    (f"{PAGE}?pk_campaign=a&ns_mchannel=b&ga_source=c&mibextid=d&_bta_tid=e", PAGE),
    ("https://www.google.com/amp/harbour.test/a", "http://harbour.test/a"),
    ("https://lite.duckduckgo.com/l/?uddg=https%3A%2F%2Fharbour.test%2Fa", "https://harbour.test/a"),
    ("https://cn.bing.com/ck/a?u=a1aHR0cHM6Ly9oYXJib3VyLnRlc3QvYQ", "https://harbour.test/a"),
    ("https://www.facebook.com/l.php?u=https%3A%2F%2Fharbour.test%2Fa", "https://harbour.test/a"),
    ("https://vk.com/away.php?to=https%3A%2F%2Fharbour.test%2Fa", "https://harbour.test/a"),
    ("https://link.zhihu.com/?target=https%3A//harbour.test/a", "https://harbour.test/a"),
    ("https://href.li/?https://harbour.test/a", "https://harbour.test/a"),
    (
        "https://gcc02.safelinks.protection.outlook.com/?url=https%3A%2F%2Fharbour.test%2Fa&data=1",
        "https://harbour.test/a",
    ),
    ("https://www.youtube.com/watch/dQw4w9WgXcQ", "https://gaming.youtube.com/watch?v=dQw4w9WgXcQ"),
    ("https://x.com/Mill", "https://twitter.com/mill?lang=en"),
    ("https://x.com/mill/status/177/photo/1", "https://x.com/mill/status/177"),
    ("https://stackoverflow.com/questions/7000/how/7001#7001", "https://stackoverflow.com/questions/7000"),
    ("https://doi.org/10.48550/arXiv.2401.01234", "https://arxiv.org/abs/2401.01234?context=cs.LG"),
    ("https://doi.org/10.5555%2Ftide.7", "https://doi.org/10.5555/tide.7"),
    ("https://www.ncbi.nlm.nih.gov/pubmed/123", "https://pubmed.ncbi.nlm.nih.gov/123/"),
    ("https://www.ncbi.nlm.nih.gov/pmc/articles/PMC12/", "https://pmc.ncbi.nlm.nih.gov/articles/PMC12/"),
    ("https://smile.amazon.com/dp/B0ABCDE123?th=1", "https://www.amazon.com/dp/B0ABCDE123"),
    ("https://www.ebay.com/itm/Tide-Clock/123456789012", "https://www.ebay.com/itm/123456789012"),
    (
        "https://www.ebay.de/itm/Uhr/123456789012?_trkparms=1&mkcid=1&hash=2",
        "https://www.ebay.de/itm/123456789012",
    ),
    ("https://www.bbc.co.uk/news/1?at_bbc_team=a&at_format=link", "https://www.bbc.co.uk/news/1"),
    ("https://stackoverflow.com/questions/7/x?answertab=votes#tab-top", "https://stackoverflow.com/q/7"),
    ("https://en.wikipedia.org/wiki/Tide_", "https://en.wikipedia.org/wiki/Tide"),
    ("https://m.wikidata.org/wiki/Q42", "https://www.wikidata.org/wiki/Q42"),
    ("https://learn.microsoft.com/tides?WT.mc_id=x", "https://learn.microsoft.com/tides"),
]

DIFFERENT = [
    ("https://harbour.test/Tides", "https://harbour.test/tides"),
    ("https://www2.harbour.test/", "https://harbour.test/"),
    ("https://www.test/a", "https://test/a"),
    ("https://harbour.test:8443/a", "https://harbour.test/a"),
    ("https://harbour.test/a", "ftp://harbour.test/a"),
    ("mailto:mill@harbour.test", "https://harbour.test/"),
    ("https://xn--pple-43d.test/", "https://apple.test/"),
    ("https://straße.test/", "https://strasse.test/"),
    ("https://harbour.test/a%2Fb", "https://harbour.test/a/b"),
    ("https://harbour.test/a%3Fb=1", "https://harbour.test/a?b=1"),
    ("https://harbour.test/a%252Fb", "https://harbour.test/a%2Fb"),
    ("https://harbour.test/a+b", "https://harbour.test/a%20b"),
    ("https://harbour.test/s?q=a%26b=1", "https://harbour.test/s?q=a&b=1"),
    ("https://harbour.test/a//b", "https://harbour.test/a/b"),
    ("https://harbour.test/a;v=1", "https://harbour.test/a;v=2"),
    ("https://harbour.test/a.html", "https://harbour.test/a"),
    ("https://harbour.test/index.php?id=1", "https://harbour.test/"),
    ("https://harbour.test/index/a", "https://harbour.test/a"),
    ("https://harbour.test/a?ref=v1", "https://harbour.test/a?ref=v2"),
    ("https://harbour.test/a?sid=1", "https://harbour.test/a?sid=2"),
    ("https://harbour.test/watch?si=1", "https://harbour.test/watch?si=2"),
    ("https://harbour.test/s?a=1&a=2", "https://harbour.test/s?a=2&a=1"),
    ("https://harbour.test/s?page=1", "https://harbour.test/s"),
    ("https://harbour.test/a?lang=de", "https://harbour.test/a"),
    ("https://harbour.test/#/lakes/1", "https://harbour.test/#/lakes/2"),
    ("https://harbour.test/#!lakes", "https://harbour.test/"),
    ("https://m.harbour.test/", "https://harbour.test/"),
    ("https://guitars.test/gear/amp", "https://guitars.test/gear"),
    ("https://amp.guitars.test/shop", "https://guitars.test/shop"),
    ("https://guitars.test/a?print=large", "https://guitars.test/a"),
    ("https://www.google.com/url?url=https%3A%2F%2Fharbour.test%2Fa", "https://harbour.test/b"),
    ("https://www.google.com/search?q=https://harbour.test/a", "https://harbour.test/a"),
    ("https://cdn.ampproject.org/", "https://harbour.test/"),
    ("https://www.bing.com/ck/a?u=https://harbour.test/a", "https://harbour.test/a"),
    ("https://www.bing.com/ck/a?u=a1%C3%A4", "https://harbour.test/a"),
    ("https://www.bing.com/ck/a?u=a1_w", "https://harbour.test/a"),
    ("https://google.com.evil.test/url?q=https://harbour.test/a", "https://harbour.test/a"),
    ("https://login.test/?next=https://harbour.test/a", "https://harbour.test/a"),
    ("https://web.archive.org/web/2020/https://harbour.test/a", "https://harbour.test/a"),
    ("https://www.youtube.com/watch?v=dQw4w9WgXcQ", "https://www.youtube.com/watch?v=DQw4w9WgXcQ"),
    ("https://www.youtube.com/playlist?list=PL1", "https://www.youtube.com/playlist?list=PL2"),
    ("https://www.reddit.com/r/t/comments/1abcd/s/", "https://www.reddit.com/r/t/comments/1abcd/s/kxyz123/"),
    ("https://redd.it/", "https://www.reddit.com/"),
    ("https://youtu.be/", "https://www.youtube.com/watch"),
    ("https://stackoverflow.com/a/7000", "https://stackoverflow.com/questions/7000/x"),
    ("https://github.com/t/m/blob/main/A.py", "https://github.com/t/m/blob/main/a.py"),
    ("https://github.com/t/m/tree/v1", "https://github.com/t/m"),
    ("https://arxiv.org/abs/2401.01234v1", "https://arxiv.org/abs/2401.01234v2"),
    ("https://en.wikipedia.org/wiki/Tide_Mill", "https://en.wikipedia.org/wiki/Tide_mill"),
    ("https://en.wikipedia.org/w/index.php?title=Tide&oldid=5", "https://en.wikipedia.org/wiki/Tide"),
    ("https://en.wikipedia.org/wiki/Berlin", "https://de.wikipedia.org/wiki/Berlin"),
    ("https://www.amazon.com/dp/B0ABCDE123", "https://www.amazon.de/dp/B0ABCDE123"),
    ("https://www.amazon.com/dp/B0ABCDE123?language=es_US", "https://www.amazon.com/dp/B0ABCDE123"),
    (
        "https://www.amazon.com/gp/help/display.html?nodeId=A",
        "https://www.amazon.com/gp/help/display.html?nodeId=B",
    ),
    ("https://www.amazon.com/s?me=A1", "https://www.amazon.com/s?me=A2"),
    (
        "https://docs.aws.amazon.com/search.html?searchQuery=a",
        "https://docs.aws.amazon.com/search.html?searchQuery=b",
    ),
    ("https://en.wiktionary.org/wiki/polish", "https://en.wiktionary.org/wiki/Polish"),
    ("https://docs.gitlab.com/ee/CI/a", "https://docs.gitlab.com/ee/ci/a"),
    ("https://www.youtube.com/watch?list=PL1", "https://www.youtube.com/watch?list=PL2"),
    (
        "https://www.youtube.com/embed/videoseries?list=PL1",
        "https://www.youtube.com/embed/videoseries?list=PL2",
    ),
    ("https://www.reddit.com/r/t/search?q=a&sort=top", "https://www.reddit.com/r/t/search?q=a&sort=new"),
    ("https://x.com/mill/status/177/quotes", "https://x.com/mill/status/177"),
    ("https://github.com/t/m/raw/main/a.md", "https://github.com/t/m/blob/main/a.md"),
    ("https://www.ncbi.nlm.nih.gov/books/NBK1", "https://www.ncbi.nlm.nih.gov/books/NBK2"),
    ("https://harbour.test/a?pk_id=1", "https://harbour.test/a?pk_id=2"),
    ("https://www.google.com/amp/about", "https://about/"),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_two_spellings_of_one_page_share_a_key(one: str, other: str) -> None:
    assert url_key(one) == url_key(other)


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_two_pages_never_share_a_key(one: str, other: str) -> None:
    assert url_key(one) != url_key(other)


@pytest.mark.parametrize(
    "url", sorted({url for pair in SAME for url in pair if url.strip().startswith("http")})
)
def test_a_key_read_as_an_address_is_its_own_key(url: str) -> None:
    assert url_key("https://" + url_key(url)) == url_key(url)


@pytest.mark.parametrize(
    "text", ["", "no url", "http://[::1", "https://", "https://a.test:99999/", "javascript:x"]
)
def test_what_is_no_web_address_is_its_own_key(text: str) -> None:
    assert url_key(text) == text


def test_wrapped_addresses_are_opened_three_deep_and_no_deeper() -> None:
    url = "https://harbour.test/a"
    layers = [url]
    for _ in range(4):
        url = "https://duckduckgo.com/l/?uddg=" + url.replace("%", "%25").replace("&", "%26")
        layers.append(url)
    assert url_key(layers[3]) == "harbour.test/a"
    assert url_key(layers[4]) == "duckduckgo.com/l?uddg=https://harbour.test/a"


@given(st.text(max_size=200))
def test_any_text_has_a_key(text: str) -> None:
    assert isinstance(url_key(text), str)


@given(
    st.lists(
        st.sampled_from(["a", "b", "%2F", "%2f", "é", "..", ".", "", "x-y-z", "amp", "%41", "+", "~"]),
        max_size=6,
    ),
    st.lists(st.sampled_from(["q=1", "q=%41", "utm_source=x", "a=b+c", "", "a", "b=%26"]), max_size=4),
)
def test_tracking_scheme_and_www_never_change_a_key(segments: list[str], items: list[str]) -> None:
    rest = "/" + "/".join(segments) + "?" + "&".join(items)
    assert url_key(f"https://harbour.test{rest}") == url_key(
        f"http://www.harbour.test{rest}&utm_medium=mail#top"
    )


def test_a_hostile_address_costs_no_more_than_its_length() -> None:
    started = time.process_time()
    for text in (
        "https://h.test/" + "../" * 5_000,
        "https://h.test/?" + "a&" * 10_000,
        "https://h.test/" + "-" * 20_000,
        f"https://{'a.' * 1_000}test/?" + "&".join(f"q{number}=1" for number in range(1_000)),
        f"https://{CHARACTERS}.test/",
    ):
        url_key(text)
    assert time.process_time() - started < 2.0
