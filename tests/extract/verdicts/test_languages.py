"""Walls, teasers and logins in the languages of their visitors, and texts that merely speak of them."""

from __future__ import annotations

import pytest

from research_mcp.core.errors import Reason
from research_mcp.core.models import Extracted, Flag
from research_mcp.core.wire import Document
from research_mcp.extract.worker import extract_document
from tests.extract.quality_pages import LONG, NAV, SHORT, page


def read(html: str, status: int = 200) -> Extracted:
    url = "https://example.org/log/1"
    headers = {"content-type": "text/html; charset=utf-8"}
    return extract_document(Document(url, url, status, headers, html.encode()), 10)


TEASERS = (
    "Dieser Artikel ist nur für Abonnenten.",
    "Jetzt mit Digital-Abo weiterlesen",
    "Cet article est réservé aux abonnés.",
    "Il vous reste 80 % de cet article à lire.",
    "Suscríbete para seguir leyendo",
    "Abbonati per continuare a leggere",
    "Assine para continuar lendo.",
    "Exclusivo para assinantes",
    "Alleen voor abonnees",
    "Artykuł tylko dla prenumeratorów",
    "Полный текст доступен по подписке",
    "För att läsa vidare: endast för prenumeranter",
    "この記事は有料会員限定です",
    "订阅后继续阅读",
    "구독자 전용 기사입니다",
)
WALLS = (
    "Подтвердите, что вы не робот",
    "Veuillez vérifier que vous êtes un humain",
    "Bitte bestätigen Sie, dass Sie kein Roboter sind",
    "No soy un robot",
    "Non sono un robot",
    "Não sou um robô",
    "请完成安全验证",
    "私はロボットではありません",
)
LOGINS = (
    "Sie müssen angemeldet sein, um diese Seite zu sehen.",
    "Vous devez être connecté pour voir cette page.",
    "Debes iniciar sesión para ver esta página.",
    "Devi accedere per vedere questa pagina.",
    "Faça login para ver esta página.",
    "Musisz się zalogować, aby zobaczyć tę stronę.",
    "Для просмотра необходимо авторизоваться.",
    "您需要登录后才可以查看",
    "この内容を見るにはログインが必要です",
    "로그인이 필요합니다",
)
FORM = "<form><input name=u><input type=password name=p><button>OK</button></form>"


@pytest.mark.parametrize("words", TEASERS)
def test_a_teaser_ends_in_a_demand_in_any_language(words: str) -> None:
    result = read(page(f"<article>{SHORT}<p>{words}</p></article>"))
    assert result.reason is Reason.PAYWALLED
    assert Flag.PAYWALLED in result.flags


@pytest.mark.parametrize("words", TEASERS)
def test_a_whole_article_before_such_words_is_no_teaser(words: str) -> None:
    assert read(page(f"<article>{LONG}<p>{words}</p></article>")).reason is None


@pytest.mark.parametrize("words", WALLS)
def test_a_bot_check_is_one_in_any_language(words: str) -> None:
    assert read(page(f"<div><p>{words}</p></div>", "example.org")).reason is Reason.BLOCKED
    assert read(page(f"{NAV}<article><p>{words}</p>{LONG}</article>")).reason is None


def test_a_slider_of_a_known_vendor_is_a_bot_check() -> None:
    html = page(
        '<form action="/checkcaptcha"><input type="submit" value="Go"></form>',
        "Ой!",
        '<script src="https://smartcaptcha.yandexcloud.net/c.js"></script>',
    )
    assert read(html).reason is Reason.BLOCKED


@pytest.mark.parametrize("words", LOGINS)
def test_a_login_in_the_pages_place_is_one_in_any_language(words: str) -> None:
    assert read(page(f"<p>{words}</p>{FORM}", "Intranet")).reason is Reason.FORBIDDEN
    assert read(page(f"<article><p>{words}</p>{SHORT}</article>{FORM}")).reason is None
