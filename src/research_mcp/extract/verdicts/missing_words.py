"""How sites say that a page does not exist, language by language.

`LINE` matches a whole heading or part of a title, in lower case and with single spaces for signs.
`TOLD` matches the start of a sentence that tells the visitor so, in lower case with plain apostrophes.
"""

from __future__ import annotations

import re

_OTHERS = (
    "url|address|content|document|file|article|resource|post|topic|link|product|item|listing|offer|job|posting"
    "|advert|ad|event|video|recipe|user|profile|account|question|thread|project"
)
_SUBJECT = f"page|web ?page|{_OTHERS}"
_LOST = (
    r"(?:not (?:be |been )?(?:found|exist|available|valid)|n't (?:be |been )?(?:found|exist|available)"
    r"|no longer|(?:been |was |were |is |be )(?:re)?(?:moved|deleted|renamed)|never existed|gone"
    r"|missing|broken"
    r"|unavailable|outdated|expired|wandered|unable to)"
)
_CANNOT = r"(?:can't|can ?not|could(?:n't| not)|did(?:n't| not)|(?:we|a)re (?:unable|not able) to)"

LINE = re.compile(
    r"(?:(?:o+ps|whoops|uh oh|sorry|we re sorry|hm+|http|status|code|error|404|fehler|erreur|errore"
    r"|erro|ошибка"
    r"|エラー|错误|錯誤) )*"
    r"(?P<said>"
    r"(?:(?:the|this|that|your|requested|web) )*"
    rf"(?:page|(?P<other>{_OTHERS}))"
    r" (?:you (?:requested|were looking for|are looking for|re looking for) )?"
    r"(?:(?:(?:was|is|could|can|has|does) )?not (?:be |been )?(?:found|exists?|available)"
    r"|(?:isn t|doesn t|can t|couldn t|cannot|(?:is )?no longer) (?:be )?(?:found|exists?|available)"
    r"|(?:is |was |has been )?(?:missing|gone|unavailable|removed|deleted|expired))"
    r"|(?:we )?(?:can t|cannot|couldn t|could not) (?:seem to )?find (?:the|that|this|your) page"
    r"(?: you (?:re|are|were) looking for)?"
    r"|(?:die |diese )?seite (?:(?:wurde )?(?:leider )?nicht (?:gefunden|verfügbar|vorhanden)"
    r"|existiert nicht(?: mehr)?)"
    r"|diese seite (?:gibt es|existiert) (?:leider )?nicht(?: mehr)?"
    r"|(?:cette |la )?page (?:introuvable|non trouvée|inexistante|n existe (?:pas|plus))"
    r"|(?:esta |la )?página (?:no (?:encontrada|existe|disponible)|não (?:encontrada|existe))"
    r"|(?:questa |la )?pagina non (?:trovata|esiste|disponibile)|deze pagina bestaat niet(?: meer)?"
    r"|pagina (?:niet gevonden|bestaat niet)|nie znaleziono strony|strona nie (?:istnieje|została znaleziona)"
    r"|страница не (?:найдена|существует)|(?:такой |этой )?страницы (?:нет|не существует)"
    r"|сторінк[ау] не знайден[ао]"
    r"|sayfa bulunamadı|sidan (?:hittades inte|finns inte|kunde inte hittas)|sivua ei löyty(?:nyt)?"
    r"|siden (?:findes ikke|blev ikke fundet|kunne ikke findes|finnes ikke|ble ikke funnet)"
    r"|stránka (?:nenalezena|nebyla nalezena|neexistuje)|(?:az )?oldal nem található"
    r"|pagina nu (?:a fost găsită|există)|η σελίδα δεν βρέθηκε|الصفحة غير موجودة|لم يتم العثور على الصفحة"
    r"|(?:(?:您|你)(?:要)?(?:访问|訪問|查找|找)的)?(?:页面|頁面|网页|網頁)(?:不存在|未找到|找不到|不见|不見|丢失)了?"
    r"|找不到(?:该|此|這個|这个)?(?:页面|頁面|网页|網頁)"
    r"|(?:お探しの|ご指定の)?(?:ページ|url)[がは](?:見つかりません(?:でした)?|存在しません|ありません)"
    r"|(?:요청하신 )?페이지를 찾을 수 없(?:습니다|음|어요)"
    r"|(?P<bare>not found|nicht gefunden|404))"
    r"(?: (?:404|error|page|sorry|here|leider))*"
)

_INTRO = (
    r"(?:(?:we(?:'re| are) |i'm )?(?:very |so |really |terribly )?(?:sorry|afraid)(?: that)?|o+ps|whoops"
    r"|uh-?oh|hm+|unfortunately|apologies|(?:it )?(?:looks|seems|appears)(?: like| as if| as though| that)?"
    r"|but|leider|désolée?s?|lo sentimos|spiacenti|desculpe|helaas|przepraszamy|к сожалению|извините"
    r"|простите|кажется|很抱歉|抱歉|对不起|對不起|申し訳(?:ございません|ありません)(?:が)?|죄송합니다)"
)
_TOLD = (
    rf"(?:the|this|that|your) (?:\w+ )?(?:{_SUBJECT})s?(?: at)?,? (?:that "
    rf"|which )?you\b[^.!?\n]{{0,120}}\b{_LOST}"
    rf"|(?:the|this|that) (?:requested |web )?(?:page|url|address|link)\b[^.!?\n]{{0,60}}?\b(?:can|could"
    rf"|do|does|is|was|has|may"
    rf"|might|no)(?:n't| not| longer)?[^.!?\n]{{0,40}}?{_LOST}"
    r"|(?:the|this|that) (?:requested |web )?(?:page|url|address|link) (?:doesn't|does not|no longer"
    r"|isn't|can't|couldn't)"
    r" (?:exists?|be found|available)"
    rf"|we(?: just)? {_CANNOT} (?:seem to )?(?:find|locate)\b[^.!?\n]{{0,40}}"
    r"(?:page|url|what you(?:'re| are| were) looking|anything (?:here|at)|address|link)"
    r"|(?:there(?:'s| is) (?:no such page|no page here|nothing (?:here|at this (?:address|url"
    r"|location))))"
    r"|nothing (?:was |has been )?found at this (?:location|address|url)"
    r"|(?:die|diese|der)\b[^.!?\n]{0,60}\b(?:seite|adresse|url)\b[^.!?\n]{0,80}"
    r"(?:nicht (?:gefunden|verfügbar|vorhanden|mehr)|existiert|verschoben|gelöscht|entfernt)"
    r"|(?:diese seite gibt es nicht|wir (?:konnten|können) (?:die"
    r"|diese)\b[^.!?\n]{0,40}seite\b[^.!?\n]{0,30}nicht finden)"
    r"|(?:la|cette) page\b[^.!?\n]{0,80}(?:n'(?:existe|est|a pas)|introuvable|a été (?:déplacée"
    r"|supprimée))"
    r"|(?:la|esta) página\b[^.!?\n]{0,80}(?:no (?:existe|se (?:encuentra|ha)|está|pudo|ha sido)"
    r"|ha sido (?:movida|eliminada))"
    r"|no (?:hemos podido|pudimos|podemos) encontrar (?:la|esta) página"
    r"|(?:la|questa) pagina\b[^.!?\n]{0,80}(?:non (?:esiste|è|è stata)|è stata (?:rimossa|spostata))"
    r"|(?:a|esta) página\b[^.!?\n]{0,80}(?:não (?:existe|foi|está|pôde)|foi (?:movida|removida))"
    r"|(?:de|deze)\b[^.!?\n]{0,40}pagina\b[^.!?\n]{0,60}(?:niet (?:gevonden|meer|beschikbaar)"
    r"|bestaat niet|verplaatst|verwijderd)"
    r"|strona\b[^.!?\n]{0,60}nie (?:istnieje|została)"
    r"|(?:\w+ ){0,3}страниц[аы]\b[^.!?\n]{0,80}(?:не (?:найден|существу)|удален|перемещен|отсутству"
    r"|\bнет\b)"
    r"|(?:\w+ ){0,2}сторінк[ауи]\b[^.!?\n]{0,60}(?:не (?:знайден|існу)|видален)"
    r"|(?:aradığınız|istediğiniz|ulaşmaya çalıştığınız) sayfa[^.!?\n]{0,60}(?:bulunamadı|mevcut değil"
    r"|kaldırıl|taşın)"
    r"|(?:sidan|siden)\b[^.!?\n]{0,60}(?:hittades inte|finns inte|findes ikke|finnes ikke|kunne ikke"
    r"|kunde inte)"
    r"|(?:您|你)(?:要|所|想)?(?:访问|訪問|查找|找|请求|請求|浏览|瀏覽)的(?:页面|頁面|网页|網頁|内容)[^。\n]{0,20}"
    r"(?:不存在|找不到|删除|刪除|移除|不见|不見)"
    r"|(?:お探しの|ご指定の|指定された|アクセスしようとした)(?:ページ|url|記事)[^。\n]{0,40}(?:見つかり|存在し|削除|移動)"
    r"|(?:요청하신|찾으시는|방문하시려는) 페이지[^.\n]{0,40}(?:찾을 수 없|존재하지|없습니다|삭제)"
)
TOLD = re.compile(rf"(?:{_INTRO}[\s,.!…:-]*+)*+(?:{_TOLD})")
