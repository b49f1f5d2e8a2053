"""What a real Chromium makes of pages that need it, and of pages that would misuse it."""

from __future__ import annotations

import asyncio
import ssl
from base64 import b64encode
from contextlib import asynccontextmanager
from hashlib import sha256

import pytest
import pytest_asyncio
import trustme
from cryptography import x509
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, ProviderError, Reason
from research_mcp.net.browser.limits import ProxyLimits, VisitLimits
from tests.net.browser.web import PROSE, SITE, Web, saying, script, web
from tests.net.fakes import PUBLIC, answering, listening, page, redirect

pytestmark = [pytest.mark.asyncio(loop_scope="module"), pytest.mark.slow, pytest.mark.timeout(180)]

QUICK = VisitLimits(load=2.0, settle=1.0)


@pytest_asyncio.fixture(loop_scope="module", scope="module")
async def shared():
    async with web(visit=QUICK, proxy=ProxyLimits(octets=3_000_000)) as made:
        yield made


@pytest.fixture
def site(shared: Web) -> Web:
    """The web with one browser for all tests of this module, nothing seen yet."""
    for seen in (shared.pages, shared.asked, shared.heads, shared.net.connects):
        seen.clear()
    return shared


async def body(site: Web, path: str = "/", seconds: float = 25.0) -> str:
    document = await site.browser.render(SITE + path, Deadline.after(seconds))
    return document.body.decode()


async def failure(site: Web, path: str = "/", seconds: float = 25.0) -> ProviderError:
    with pytest.raises(ProviderError) as caught:
        await site.browser.render(SITE + path, Deadline.after(seconds))
    return caught.value


async def test_a_page_that_only_its_scripts_fill_is_read(site):
    site.pages["/"] = script("fetch('/data').then(r => r.text()).then(t => main.innerHTML = t)")
    site.pages["/data"] = page(f"<p>{PROSE}</p>")
    document = await site.browser.render(SITE + "/", Deadline.after(25))
    assert PROSE.strip() in document.body.decode()
    assert (document.status, document.final_url, document.truncated) == (200, SITE + "/", "")
    assert document.media_type == "text/html"


async def test_text_that_comes_late_is_waited_for(site):
    site.pages["/"] = script(f"setTimeout(() => {{ {saying()} }}, 1200)")
    assert PROSE.strip() in await body(site)


async def test_text_in_shadow_trees_and_their_slots_is_seen_in_its_place(site):
    site.pages["/"] = script(
        "const host = document.querySelector('my-box');"
        "host.attachShadow({mode: 'open'}).innerHTML = '<style>p{color:red}</style><p>before</p><slot></slot><p>after</p>';",
        body=f"<my-box><p>{PROSE}</p></my-box>",
    )
    seen = await body(site)
    assert seen.index("<p>before</p>") < seen.index(PROSE.strip()) < seen.index("<p>after</p>")
    assert "<style>" not in seen.partition("<script>")[0]


async def test_redirects_of_server_page_and_script_are_followed_to_the_end(site):
    site.pages["/"] = redirect("/meta")
    site.pages["/meta"] = page('<meta http-equiv=refresh content="0;url=/script">')
    site.pages["/script"] = script("location.replace('/end')")
    site.pages["/end"] = page(f"<p>{PROSE}</p>")
    document = await site.browser.render(SITE + "/", Deadline.after(25))
    assert document.final_url == SITE + "/end"
    assert PROSE.strip() in document.body.decode()


async def test_the_status_of_the_page_is_kept(site):
    document = await site.browser.render(SITE + "/none", Deadline.after(25))
    assert document.status == 404


async def test_the_product_is_named_to_the_site_and_nothing_of_this_machine(site):
    site.pages["/"] = script(saying())
    await body(site)
    head = site.heads[0].lower()
    assert b"research-mcp/0.0 (+https://example.org/contact)" in head
    assert b"headless" not in head
    assert b"proxy-" not in head


async def test_no_cookie_and_no_stored_thing_outlives_its_page(site):
    site.pages["/"] = script(
        "main.textContent = 'had:' + document.cookie + localStorage.getItem('k') + ':end'; document.cookie = 'k=v'; localStorage.setItem('k', 'v')"
    )
    for _ in range(2):
        assert "had:null:end" in await body(site)
    assert not any(b"cookie" in head.lower() for head in site.heads)


async def test_pictures_films_and_fonts_are_not_loaded(site):
    site.pages["/"] = page(
        f"<style>@font-face{{font-family:f;src:url(/font.woff2)}}p{{font-family:f;background:url(/back.png)}}</style>"
        f"<img src=/picture.png><video src=/film.mp4 autoplay></video><p>{PROSE}</p><link rel=icon href=/icon.ico>"
    )
    await body(site)
    assert set(site.asked) == {"/"}


async def test_a_dialog_does_not_hold_the_page_up(site):
    site.pages["/"] = script(f"alert('x'); confirm('y'); prompt('z'); {saying()}")
    assert PROSE.strip() in await body(site)


async def test_a_popup_is_closed_and_the_page_is_read(site):
    site.pages["/"] = script(f"window.open('/popup'); {saying()}")
    site.pages["/popup"] = script(saying("popup"))
    assert PROSE.strip() in await body(site)


async def test_permissions_are_denied(site):
    site.pages["/"] = script(
        "navigator.geolocation.getCurrentPosition(() => main.textContent = 'got it', e => main.textContent = 'denied ' + e.code)"
    )
    assert "denied 1" in await body(site)


async def test_a_download_is_refused_as_what_it_is(site):
    site.pages["/"] = page("octets" * 1_000, Content_Type="application/octet-stream")
    assert (await failure(site)).reason is Reason.UNSUPPORTED_TYPE


async def test_a_page_is_not_led_to_files_or_into_the_browser(site):
    for scheme in (
        "file:///etc/passwd",
        "chrome://version/",
        "data:text/html,<p>x</p>",
        "view-source:http://a.example.com/",
    ):
        site.pages["/"] = script(f"{saying()} location.href = {scheme!r}; window.open({scheme!r})")
        seen = await body(site)
        assert PROSE.strip() in seen
        assert "root:" not in seen


async def test_a_page_that_never_ends_is_read_as_far_as_it_came(site):
    async def endless(head):
        yield (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html><p>" + PROSE.encode() + b"</p>"
        )
        while True:
            await asyncio.sleep(0.05)
            yield b"<p>more</p>"

    site.pages["/"] = endless
    assert PROSE.strip() in await body(site)


async def test_a_page_that_never_ends_is_read_in_what_little_time_there_is(site):
    async def endless(head):
        yield (
            b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<!doctype html><p>" + PROSE.encode() + b"</p>"
        )
        await asyncio.sleep(60)

    site.pages["/"] = endless
    site.pages["/warm"] = script(saying())
    await body(site, "/warm")
    assert PROSE.strip() in await body(site, seconds=5)


async def test_a_page_that_is_never_quiet_is_read(site):
    site.pages["/"] = script(f"{saying()} setInterval(() => fetch('/tick?' + Math.random()), 50)")
    assert PROSE.strip() in await body(site)


async def test_a_script_that_never_returns_costs_its_page_and_no_other(site):
    site.pages["/"] = script("while (true) {}")
    site.pages["/good"] = script(saying())
    assert (await failure(site, seconds=5)).reason is Reason.TIMEOUT
    assert PROSE.strip() in await body(site, "/good")


async def test_a_page_that_loads_without_end_is_cut_off(site):
    async def flood(head):
        yield b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n"
        while True:
            yield b"x" * 65_536

    site.pages["/"] = script(f"{saying()} fetch('/flood').then(r => r.text())")
    site.pages["/flood"] = flood
    document = await site.browser.render(SITE + "/", Deadline.after(20))
    assert document.truncated == "the page loads more than it may here"
    assert PROSE.strip() in document.body.decode()


async def test_a_host_that_does_not_exist_is_named_as_such(site):
    site.names.known["gone.example.com"] = []
    with pytest.raises(NoContent) as caught:
        await site.browser.render("http://gone.example.com/", Deadline.after(20))
    assert caught.value.reason is Reason.DNS_FAILED


async def test_two_pages_are_open_at_a_time_and_the_third_waits(site):
    slow = asyncio.Event()
    arrived = asyncio.Semaphore(0)

    async def held(head):
        arrived.release()
        await slow.wait()
        yield page(f"<p>{PROSE}</p>")

    for path in ("/a", "/b", "/c"):
        site.pages[path] = held
    reads = [asyncio.create_task(body(site, path)) for path in ("/a", "/b", "/c")]
    for _ in range(2):
        await arrived.acquire()
    with pytest.raises(TimeoutError):
        async with asyncio.timeout(1):
            await arrived.acquire()
    slow.set()
    assert all(PROSE.strip() in text for text in await asyncio.gather(*reads))


async def test_a_page_that_finds_no_place_in_time_says_that_the_browser_is_busy(site):
    hold = asyncio.Event()

    async def held(head):
        await hold.wait()
        yield page(f"<p>{PROSE}</p>")

    site.pages["/"] = held
    reads = [asyncio.create_task(body(site)) for _ in range(2)]
    await asyncio.sleep(0.5)
    assert (await failure(site, seconds=0.5)).reason is Reason.OVERLOADED
    hold.set()
    await asyncio.gather(*reads)


async def test_a_reader_that_leaves_frees_its_place(site):
    async def held(head):
        await asyncio.sleep(60)
        yield page("late")

    site.pages["/held"] = held
    site.pages["/"] = script(saying())
    reads = [asyncio.create_task(body(site, "/held")) for _ in range(2)]
    await asyncio.sleep(1.5)
    for read in reads:
        read.cancel()
    await asyncio.gather(*reads, return_exceptions=True)
    assert PROSE.strip() in await body(site, seconds=10)


@asynccontextmanager
async def over_tls(*, trusted: bool):
    """A web whose site speaks TLS with a certificate that the browser trusts or not."""
    certificate = trustme.CA().issue_cert("site.example.com")
    theirs = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    certificate.configure_cert(theirs)
    keys = (key_mark(certificate),) if trusted else ()
    async with (
        web({}, visit=QUICK, trusted_keys=keys) as site,
        listening(answering(page(PROSE)), ssl=theirs) as port,
    ):
        site.net.ports[PUBLIC] = port
        yield site


async def test_a_page_is_read_over_a_safe_connection():
    async with over_tls(trusted=True) as site:
        document = await site.browser.render("https://site.example.com/", Deadline.after(25))
    assert PROSE.strip() in document.body.decode()


async def test_a_certificate_that_is_not_valid_is_named_as_such():
    async with over_tls(trusted=False) as site:
        with pytest.raises(NoContent) as caught:
            await site.browser.render("https://site.example.com/", Deadline.after(25))
    assert caught.value.reason is Reason.TLS_FAILED


def key_mark(certificate: trustme.LeafCert) -> str:
    """The SHA-256 of a certificate's public key, in Base64."""
    loaded = x509.load_pem_x509_certificate(certificate.cert_chain_pems[0].bytes())
    public = loaded.public_key().public_bytes(Encoding.DER, PublicFormat.SubjectPublicKeyInfo)
    return b64encode(sha256(public).digest()).decode()
