"""Soft 404s with much around them, and pages about such errors."""

from __future__ import annotations

import time

import pytest

from research_mcp.core.errors import Reason
from research_mcp.core.models import Extracted
from research_mcp.core.wire import Document
from research_mcp.extract.verdicts.quality import Evidence, judge
from research_mcp.extract.worker import extract_document

URL = "https://shop.example/boots/red"
MENU = "<ul>" + "".join(f'<li><a href="/d{n}">Department number {n}</a></li>' for n in range(30)) + "</ul>"
STORIES = "<h2>Latest stories</h2>" + "".join(
    f'<div class="card"><h3><a href="/s{n}">The {n}th storm of the year reaches the coast</a></h3>'
    f"<p>Boats stayed in the harbour for the {n}th day while the wind tore at the roofs of the old town.</p></div>"
    for n in range(12)
)
FOOT = (
    "<footer><h2>Customer service</h2><p>Orders placed before noon on a working day leave our warehouse the same"
    " afternoon; returns are free within thirty days of delivery in all countries we ship to.</p></footer>"
)
REST = MENU + STORIES + FOOT
PARAGRAPH = (
    "<p>A request for an address that the server does not know ends in this answer, which has been part of the"
    " protocol since its first drafts. Browsers show whatever body comes with it, and so every site may decide how"
    " it greets those who took a wrong turn: with a search box, a map, or a joke that wears thin.</p>"
)


def read(body: str, title: str = "Acme", *, head: str = "", url: str = URL, final: str = "") -> Extracted:
    html = f"<!doctype html><html><head><title>{title}</title>{head}</head><body>{body}</body></html>"
    headers = {"content-type": "text/html; charset=utf-8"}
    return extract_document(Document(url, final or url, 200, headers, html.encode()), 10)


SOFT = {
    "title, heading and sentence": (
        f"{MENU}<main><h1>Page not found</h1><p>Sorry, the page you're looking for doesn't exist.</p></main>{REST}",
        "Page not found | Acme",
    ),
    "a number and a sentence": (
        f"<h1>404</h1><p>We couldn't find the page you were looking for.</p>{REST}",
        "Acme",
    ),
    "a common blog": (
        (
            "<h1>Oops! That page can’t be found.</h1><p>It looks like nothing was found at this location. Maybe try a"
            f" search?</p>{REST}"
        ),
        "Page not found – Acme blog",
    ),
    "heading without a sentence": (f"{MENU}<h1>Page Not Found</h1>{STORIES}", "Acme"),
    "title alone, the message in a block": (
        f'{MENU}<div class="err">The page <b>/boots/red</b> you requested was not found.</div>{STORIES}',
        "404 - Not Found - Acme",
    ),
    "number above the words": (
        (
            f"<h1>404</h1><h2>Page not found</h2><p>The link you followed may be broken, or the page may have been"
            f" removed.</p>{REST}"
        ),
        "Acme",
    ),
    "a framework's own page": (
        f"{MENU}<main><h1>404</h1><div><h2>This page could not be found.</h2></div></main>{FOOT * 3}",
        "404: This page could not be found.",
    ),
    "the sentence as the heading": (
        f"<h1>Sorry, the file you have requested does not exist.</h1>{FOOT * 3}",
        "Page Not Found",
    ),
    "German": (
        "<h1>Seite nicht gefunden</h1><p>Die von Ihnen aufgerufene Seite existiert leider nicht mehr.</p>"
        + REST,
        "Fehler 404 - Laden",
    ),
    "French": ("<h1>Page introuvable</h1><p>La page que vous cherchez n’existe pas.</p>" + REST, "Boutique"),
    "Spanish": (
        "<h1>Error 404</h1><p>Lo sentimos, la página que buscas no existe o ha sido movida.</p>" + REST,
        "Error 404 | Tienda",
    ),
    "Italian": ("<h1>404</h1><p>La pagina richiesta non è stata trovata.</p>" + REST, "Pagina non trovata"),
    "Portuguese": ("<h1>Página não encontrada</h1><p>A página que procura não existe.</p>" + REST, "Loja"),
    "Dutch": ("<h1>Pagina niet gevonden</h1><p>Deze pagina bestaat niet meer.</p>" + REST, "Winkel"),
    "Russian": (
        "<h1>Страница не найдена</h1><p>К сожалению, запрашиваемая вами страница не существует.</p>" + REST,
        "Ошибка 404 — Магазин",
    ),
    "Chinese": ("<h1>页面不存在</h1><p>抱歉，您访问的页面不存在或已被删除。</p>" + REST, "404"),
    "Japanese": (
        "<h1>ページが見つかりません</h1><p>お探しのページは削除されたか、移動した可能性があります。</p>"
        + REST,
        "店",
    ),
    "Korean": ("<h1>페이지를 찾을 수 없습니다</h1><p>요청하신 페이지를 찾을 수 없습니다.</p>" + REST, "가게"),
}

PROSE = PARAGRAPH * 4

INNOCENT = {
    "an article on the error": (
        f"<h1>404 Not Found: what it means</h1>{PROSE}<h2>In other words</h2>{PROSE}",
        "404 Not Found: what it means",
    ),
    "a help page": (
        f"<h1>How to fix error 404</h1><p>If you see “The page you are looking for doesn't exist”, do this.</p>{PROSE}",
        "How to fix error 404 | Acme help",
    ),
    "the reference of a status": (
        (
            "<h1>404 Not Found</h1><p>The HTTP <code>404 Not Found</code> status says that the server cannot find the"
            f" requested resource.</p>{PROSE}<h2>Status</h2><pre>404 Not Found</pre><h2>Examples</h2>"
            f"<pre>&lt;h1>Page not found&lt;/h1>\nThe page you requested does not exist.</pre>{MENU}"
        ),
        "404 Not Found - HTTP | Reference",
    ),
    "a short reference in a list": (
        f"<h1>404 Not Found</h1><p>Sent for an unknown id.</p>{MENU}{STORIES}",
        "404 Not Found | API",
    ),
    "a help page under the name of the message": (
        (
            "<h1>Page not found</h1><p>If visitors see the words <q>The page you requested was not found</q>, check these"
            f" settings first.</p>{PROSE}"
        ),
        "Page not found - Help centre",
    ),
    "a message quoted in a block": (
        f"<h1>Error 404</h1><blockquote>The page you requested was not found.</blockquote>{PROSE}",
        "Error 404 - Help centre",
    ),
    "an essay that opens with the sentence": (
        f"<h1>Page not found</h1><p>The page you are looking for doesn't exist. Millions read this daily.</p>{PROSE}",
        "Page not found",
    ),
    "a section of a handbook": (
        (
            f"<h1>Troubleshooting</h1>{PROSE}<h2>Page not found</h2><p>The page you created may not be found until the"
            " index is renewed.</p>"
        ),
        "Troubleshooting",
    ),
    "a number that is a name": (f"<h1>404</h1><p>The car was sold in four colours.</p>{REST}", "404 | Cars"),
    "a song": (f"<h1>Not Found</h1><p>The second single of the band.</p>{REST}", "Not Found — Discography"),
    "what is found": (f"<h1>Content available</h1><p>Three new tapes.</p>{MENU}{STORIES}", "Page found"),
    "a lost object": (
        f"<h1>Document missing</h1><p>The deed of 1704.</p>{REST}",
        "Document missing | Archive",
    ),
    "a shop's sold-out thing": (
        f"<h1>Red boots</h1><p>This product is no longer available.</p>{REST}",
        "Red boots | Acme",
    ),
}


@pytest.mark.parametrize("name", SOFT)
def test_a_not_found_in_the_midst_of_other_text_is_told(name: str) -> None:
    result = read(*SOFT[name])
    assert (result.reason, result.markdown) == (Reason.NOT_FOUND, "")


@pytest.mark.parametrize("name", INNOCENT)
def test_pages_about_such_errors_are_read(name: str) -> None:
    result = read(*INNOCENT[name])
    assert result.reason is None, result.detail
    assert result.markdown


def test_a_redirect_to_an_error_page_makes_a_bare_number_enough() -> None:
    body = f"<h1>404</h1>{MENU}{STORIES}"
    assert read(body).reason is None
    assert read(body, final="https://shop.example/404.html").reason is Reason.NOT_FOUND


def test_a_status_stated_for_prerenderers_makes_a_bare_number_enough() -> None:
    body = f"<h1>404</h1>{MENU}{STORIES}"
    head = '<meta name="prerender-status-code" content="404">'
    assert read(body, head=head).reason is Reason.NOT_FOUND
    assert read(f"<h1>Boots</h1>{MENU}{STORIES}", head=head).reason is None


@pytest.mark.parametrize(
    "piece", ["<p>sorry ", "oops ", "<code>", "page not found ", "the page you ", "<h1>404</h1>"]
)
def test_the_look_for_a_message_is_linear(piece: str) -> None:
    html = "<title>Page not found</title>" + piece * (100_000 // len(piece))
    started = time.process_time()
    judge(Evidence(URL, URL, 200, {}, html, f"{'words and more ' * 60}\n" * 2, "Page not found", 9, 1))
    assert time.process_time() - started < 0.5


def test_who_asks_for_a_page_about_the_error_gets_it() -> None:
    body, title = SOFT["title, heading and sentence"]
    assert read(body, title, url="https://docs.example/status/404").reason is None
