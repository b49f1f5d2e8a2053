"""Pages that only ask for consent, and pages that merely ask as well."""

from __future__ import annotations

import time

import pytest

from research_mcp.core.errors import Reason
from research_mcp.core.models import Extracted
from research_mcp.core.wire import Document
from research_mcp.extract.verdicts.phrases import text_verdict
from research_mcp.extract.verdicts.quality import Evidence, judge
from research_mcp.extract.worker import extract_document

URL = "https://news.example/2026/storm"
LABELS = '<footer><a href="/i">Imprint</a> <a href="/p">Privacy</a> <a href="/l">English</a></footer>'
PROSE = "".join(
    f"<p>The {n}th boat came in before noon, and the clerk wrote its name and its load into the long log of the"
    " harbour, where anyone may read it to this day.</p>"
    for n in range(8)
)


def read(body: str, title: str = "News", *, url: str = URL, final: str = "") -> Extracted:
    html = f"<!doctype html><html><head><title>{title}</title></head><body>{body}</body></html>"
    headers = {"content-type": "text/html; charset=utf-8"}
    return extract_document(Document(url, final or url, 200, headers, html.encode()), 10)


def asking(heading: str, *paragraphs: str, accept: str, refuse: str) -> str:
    words = "".join(f"<p>{paragraph}</p>" for paragraph in paragraphs)
    return f"<div><h2>{heading}</h2>{words}<button>{refuse}</button><button>{accept}</button></div>{LABELS}"


WALLS = {
    "English": asking(
        "We value your privacy",
        "We and our 842 partners store and access information on a device, such as cookies, and process personal data.",
        "You may accept or manage your choices by clicking below, including your right to object where legitimate"
        " interest is used. Your preferences will apply to this website only.",
        accept="Accept all",
        refuse="Manage options",
    ),
    "a search engine's": asking(
        "Before you continue to Search",
        "We use cookies and data to deliver and maintain our services and to measure audience engagement.",
        "If you choose to accept all, we will also use cookies and data to show personalized ads.",
        accept="Accept all",
        refuse="Reject all",
    ),
    "German": asking(
        "Mit Werbung weiterlesen",
        "Besuchen Sie uns wie gewohnt mit Werbung und Tracking. Wir verarbeiten dafür personenbezogene Daten.",
        "Details zu Ihrer Einwilligung finden Sie in der Datenschutzerklärung; der Widerruf ist jederzeit möglich.",
        accept="Einverstanden",
        refuse="Jetzt werbefrei abonnieren",
    ),
    "French": asking(
        "Votre vie privée : données et cookies",
        "Nous et nos partenaires utilisons des cookies et traitons des données personnelles pour la publicité.",
        "Vous pouvez retirer votre consentement à tout moment dans la politique de confidentialité.",
        accept="Tout accepter",
        refuse="Paramétrer",
    ),
    "Spanish": asking(
        "Tu privacidad es importante",
        "Utilizamos cookies propias y de terceros, junto con nuestros socios, para tratar datos personales.",
        accept="Aceptar y continuar",
        refuse="Configurar",
    ),
    "Italian": asking(
        "Informazioni sui cookie",
        "Noi e i nostri partner utilizziamo cookie e trattiamo dati personali per pubblicità personalizzata.",
        accept="Accetta",
        refuse="Rifiuta",
    ),
    "Dutch": asking(
        "Jouw privacy",
        "Wij en onze partners gebruiken cookies om advertenties te tonen en vragen daarvoor je toestemming.",
        accept="Akkoord",
        refuse="Weigeren",
    ),
    "Polish": asking(
        "Dbamy o Twoją prywatność i dane",
        "My i nasi partnerzy przetwarzamy dane osobowe oraz używamy plików cookie do wyświetlania reklam.",
        accept="Zgadzam się",
        refuse="Ustawienia",
    ),
    "Russian": asking(
        "Согласие на обработку данных: реклама и cookie",
        "Мы и наши партнёры используем файлы cookie и обрабатываем персональные данные посетителей.",
        accept="Принять",
        refuse="Отказаться",
    ),
    "Japanese": asking(
        "プライバシーの設定",
        "当社とパートナーは、広告の表示のためにクッキーを使用し、個人情報を処理します。",
        accept="同意する",
        refuse="設定",
    ),
}
BANNER = f'<div id="banner">{WALLS["English"]}</div>'

INNOCENT = {
    "an article under a banner": f"{BANNER}<article><h1>Boats of the year</h1>{PROSE}</article>",
    "a short notice under a banner": f"{BANNER}<h1>Closed</h1><p>The office is closed today.</p>",
    "labels under a banner": f"{BANNER}<h1>Opening hours</h1><p>Mon-Fri 9-17</p><p>Sat 10-12</p>",
    "an article on consent": (
        "<article><h1>Why consent banners fail</h1><p>We value your privacy, says the box, and asks to accept all"
        f" cookies.</p>{PROSE}</article><button>Accept all</button>"
    ),
    "a cookie policy": (
        "<h1>Cookie policy</h1><p>We use cookies to keep you signed in and to count visits, and we process personal"
        " data of visitors for no other purposes.</p><p>You agree by using the site; you may withdraw your consent at"
        " any time in the settings of your browser.</p><button>Accept</button>"
    ),
    "a question about banners": (
        "<h1>How do I accept cookies?</h1><p>We use cookies, and your consent is asked for once.</p><button>OK</button>"
    ),
    "a recipe": (
        "<h1>Oat cookies</h1><p>We bake these cookies every week.</p><p>Stir the butter into the oats and wait.</p>"
        "<button>Accept all</button>"
    ),
}


@pytest.mark.parametrize("name", WALLS)
def test_a_page_that_only_asks_for_consent_is_a_wall(name: str) -> None:
    result = read(WALLS[name])
    assert (result.reason, result.markdown) == (Reason.BLOCKED, "")
    assert "consent" in result.detail


@pytest.mark.parametrize("name", INNOCENT)
def test_pages_that_ask_beside_their_text_are_read(name: str) -> None:
    result = read(INNOCENT[name])
    assert result.reason is None, result.detail
    assert result.markdown


@pytest.mark.parametrize(
    "final",
    [
        "https://consent.news.example/collect?sessionId=1",
        "https://guce.news.example/consent?brandType=eu",
        "https://www.news.example/zustimmung?url=x",
        "https://myprivacy.owner.example/consent/?siteKey=a",
    ],
)
def test_a_redirect_to_where_consent_is_asked_for_is_a_wall(final: str) -> None:
    assert read(f"<h1>Boats</h1>{PROSE}", final=final).reason is Reason.BLOCKED


def test_who_asks_for_a_page_on_consent_gets_it() -> None:
    url = "https://news.example/privacy/consent"
    assert read(f"<h1>Consent</h1>{PROSE}", url=url).reason is None
    assert read(WALLS["English"], url=url).reason is None


def test_a_wall_in_a_remote_readers_text_is_one() -> None:
    asked = "# We value your privacy\n\nWe and our 842 partners use cookies on your device.\n\nAccept all\n\n[Manage](https://a.example/m)"
    assert text_verdict(asked) is Reason.BLOCKED
    assert text_verdict(f"{asked}\n\n# Storm\n\nThe boats stayed in the harbour for a week.") is None


@pytest.mark.parametrize("piece", ["<p>we cookies ", "accept ", "<button>", "[we](", "cookie. "])
def test_the_look_for_a_wall_is_linear(piece: str) -> None:
    html = piece * (100_000 // len(piece)) + "<button>"
    started = time.process_time()
    judge(Evidence(URL, URL, 200, {}, html, piece * 50, "News", 9, 1))
    assert time.process_time() - started < 0.5
