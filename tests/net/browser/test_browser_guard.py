"""Nothing that a page does gets past the guard: canaries on loopback stay silent."""

from __future__ import annotations

import asyncio

import pytest
import pytest_asyncio

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import UrlRefused
from research_mcp.net.browser.limits import VisitLimits
from tests.net.browser.web import PROSE, SITE, Web, saying, script, web
from tests.net.fakes import PUBLIC, PUBLIC_2, page, redirect

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow, pytest.mark.timeout(180)]

QUICK = VisitLimits(settle=1.5, little=1)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared():
    async with web(visit=QUICK) as made:
        yield made


@pytest.fixture
def site(shared: Web) -> Web:
    for seen in (shared.pages, shared.asked, shared.heads, shared.net.connects, shared.canary.hits):
        seen.clear()
    return shared


async def read(site: Web, path: str = "/") -> str:
    document = await site.browser.render(SITE + path, Deadline.after(25))
    return document.body.decode()


def assert_untouched(site: Web) -> None:
    """No canary heard anything, and no socket was opened but to public numbers."""
    assert site.canary.quiet
    assert set(site.net.connects) <= {PUBLIC, PUBLIC_2}


WAYS = {
    "fetch": "fetch(TARGET).catch(() => 0)",
    "fetch of another kind": "fetch(TARGET, {method: 'POST', mode: 'no-cors', body: 'x'}).catch(() => 0)",
    "request": "const r = new XMLHttpRequest(); r.open('GET', TARGET); r.send()",
    "frame": "document.body.insertAdjacentHTML('beforeend', `<iframe src=${TARGET}></iframe>`)",
    "script": "const s = document.createElement('script'); s.src = TARGET; document.head.append(s)",
    "style": "document.head.insertAdjacentHTML('beforeend', `<link rel=stylesheet href=${TARGET}>`)",
    "picture": "new Image().src = TARGET",
    "object": "document.body.insertAdjacentHTML('beforeend', `<object data=${TARGET}></object><embed src=${TARGET}>`)",
    "form": "document.body.insertAdjacentHTML('beforeend', `<iframe name=f></iframe><form target=f method=post action=${TARGET}></form>`); document.forms[0].submit()",
    "popup": "window.open(TARGET)",
    "beacon": "navigator.sendBeacon(TARGET, 'x')",
    "event source": "new EventSource(TARGET)",
    "preload": "document.head.insertAdjacentHTML('beforeend', `<link rel=preload as=fetch href=${TARGET}><link rel=prefetch href=${TARGET}><link rel=preconnect href=${TARGET}><link rel=dns-prefetch href=${TARGET}>`)",
    "speculation": "document.head.insertAdjacentHTML('beforeend', '<script type=speculationrules>' + JSON.stringify({prerender: [{source: 'list', urls: [TARGET]}], prefetch: [{source: 'list', urls: [TARGET]}]}) + '<' + '/script>')",
    "worker": "new Worker(URL.createObjectURL(new Blob([`fetch('${TARGET}').catch(() => 0)`])))",
    "shared worker": "new SharedWorker(URL.createObjectURL(new Blob([`fetch('${TARGET}').catch(() => 0)`])))",
    "module": "import(TARGET).catch(() => 0)",
    "WebSocket": "new WebSocket(TARGET.replace('http', 'ws'))",
    "WebTransport": "new WebTransport(TARGET.replace('http:', 'https:')).ready.catch(() => 0)",
}


@pytest.mark.parametrize("target", ["http://127.0.0.1:{port}/", "http://inner.example.com:{port}/"])
async def test_no_script_reaches_a_private_address_in_any_way(site, target):
    code = f"const TARGET = '{target.format(port=site.canary.port)}';"
    code += "".join(f"try {{ {way} }} catch (e) {{ }};" for way in WAYS.values())
    site.pages["/"] = script(f"{code}; setTimeout(() => {{ {saying()} }}, 800)")
    assert PROSE.strip() in await read(site)
    assert_untouched(site)


@pytest.mark.parametrize("way", WAYS)
async def test_the_same_ways_lead_to_public_hosts_where_text_may_come_from(site, way):
    """The test above would hold for ways that do not work at all: these do, or are not wanted."""
    site.pages["/"] = script(f"const TARGET = 'http://other.example.com/there'; {WAYS[way]}; {saying()}")
    site.pages["/there"] = page("there", Access_Control_Allow_Origin="*")
    await read(site)
    await asyncio.sleep(0.2)
    unwanted = {"picture", "beacon", "speculation", "WebTransport"}
    assert ("/there" in site.asked) is (way not in unwanted)


@pytest.mark.parametrize(
    "number", ["169.254.169.254", "10.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "0x7f.1", "2130706433"]
)
async def test_no_script_reaches_metadata_or_odd_spellings_of_private_addresses(site, number):
    site.pages["/"] = script(f"fetch('http://{number}/').catch(() => 0).then(() => {{ {saying()} }})")
    assert PROSE.strip() in await read(site)
    assert_untouched(site)


async def test_a_name_that_changes_to_a_private_address_is_not_followed_there(site):
    site.names.known["rebinding.example.com"] = [[PUBLIC], ["127.0.0.1"]]
    target = f"http://rebinding.example.com:{site.canary.port}/"
    site.pages["/"] = script(
        f"const again = n => n ? fetch('{target}').catch(() => 0).then(() => again(n - 1)) : {{}}; again(5); "
        f"setTimeout(() => {{ {saying()} }}, 600)"
    )
    await read(site)
    assert_untouched(site)


@pytest.mark.parametrize("way", ["redirect", "meta", "refresh", "script", "chain"])
async def test_a_page_that_leads_to_a_private_address_is_refused(site, way):
    private = f"http://127.0.0.1:{site.canary.port}/"
    site.pages["/"] = {
        "redirect": redirect(private),
        "meta": page(f'<meta http-equiv=refresh content="0;url={private}">'),
        "refresh": page("", Refresh=f"0; url={private}"),
        "script": script(f"location.href = '{private}'"),
        "chain": redirect("http://other.example.com/onward"),
    }[way]
    site.pages["/onward"] = redirect(private.replace("127.0.0.1", "inner.example.com"))
    with pytest.raises(UrlRefused):
        await read(site)
    assert_untouched(site)


async def test_a_private_page_is_refused_before_the_browser_hears_of_it(site):
    for url in ("http://127.0.0.1/", "http://inner.example.com/", "http://[::1]/"):
        with pytest.raises(UrlRefused):
            await site.browser.render(url, Deadline.after(10))
    assert_untouched(site)


async def test_calls_between_browsers_send_nothing_past_the_proxy(site):
    site.canary.datagrams.clear()
    port = site.canary.port
    site.pages["/"] = script(
        f"const c = new RTCPeerConnection({{iceServers: [{{urls: 'stun:127.0.0.1:{port}'}}, "
        f"{{urls: 'turn:127.0.0.1:{port}?transport=tcp', username: 'a', credential: 'b'}}]}});"
        "c.createDataChannel('d'); const found = []; c.onicecandidate = e => e.candidate && found.push(e.candidate.candidate);"
        f"c.createOffer().then(o => c.setLocalDescription(o)); setTimeout(() => {{ {saying()}; document.title = found.join() }}, 1000)"
    )
    seen = await read(site)
    assert PROSE.strip() in seen
    assert "typ host" not in seen
    assert_untouched(site)


async def test_where_private_pages_are_allowed_a_public_page_still_reaches_none():
    async with web(allow_private=True, visit=QUICK) as site:
        private = f"http://127.0.0.1:{site.canary.port}/"
        site.pages["/"] = script(
            f"fetch('{private}', {{mode: 'no-cors'}}).catch(() => 0).then(() => {{ {saying()} }})"
        )
        assert PROSE.strip() in await read(site)
        assert_untouched(site)
        document = await site.browser.render(private, Deadline.after(25))
        assert "the secret" in document.body.decode()
        assert not site.canary.quiet
