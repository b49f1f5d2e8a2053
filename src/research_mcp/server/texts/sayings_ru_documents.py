"""What extraction says of a document, in Russian (see `sayings_ru`)."""

from __future__ import annotations

from collections.abc import Mapping

_PAGES: Mapping[str, str] = {
    "{count} invisible characters were removed": "убрано невидимых символов: {count}",
    "The document is not whole: {why}": "Документ не весь: {why}",
    "cut at {size}": "обрезан на {size}",
    "it unpacks to more than {count} times its size": "при распаковке он вырастает больше чем в {count} раз",
    "only the first {size} of a binary file are kept": "оставлено только начало двоичного файла: {size}",
    "the connection broke off": "соединение оборвалось",
    "the compressed data ends early": "сжатые данные кончаются раньше времени",
    "the compressed data is damaged": "сжатые данные повреждены",
    "Only the first {count} characters are kept": "Оставлены только первые символы: {count}",
    "The page is too large or too tangled to parse: its words only, without links and headings": (
        "Страница слишком велика или запутана для разбора: здесь только слова, без ссылок и заголовков"
    ),
    "The document is empty": "Документ пуст",
    "The page could not be taken apart in time": "Страницу не удалось разобрать вовремя",
    "The file cannot be opened: {why}": "Файл не открыть: {why}",
    "The url leads to a file without readable text: {size}": "По адресу файл без читаемого текста: {size}",
    "The page says that it is in {stated}, but its bytes are {real}": (
        "Страница называет кодировку {stated}, а её байты в {real}"
    ),
    "Little text for so much code: a browser may show more of this page": (
        "Мало текста на столько кода: браузер может показать больше"
    ),
    "{count} pages are waiting for extraction already; try again in some seconds": (
        "разбора уже ждут страниц: {count}; повторите через несколько секунд"
    ),
    "no extraction worker was free in time": "вовремя не освободился ни один процесс разбора",
    "extraction was stopped after {seconds} s: the page is too hard to parse": (
        "разбор остановлен через {seconds} с: страница слишком трудна"
    ),
    "the page needs more memory than extraction may use, or breaks the parser": (
        "странице нужно больше памяти, чем можно разбору, или она ломает его"
    ),
    "extraction failed because of a fault in this server; its log has the details": (
        "разбор сломался из-за ошибки на этом сервере; подробности в его журнале"
    ),
}

_VERDICTS: Mapping[str, str] = {
    "The site asks for a login (status 401)": "Сайт требует входа (статус 401)",
    "The site asks for money (status 402)": "Сайт требует денег (статус 402)",
    "The site refuses access (status 403)": "Сайт не даёт доступа (статус 403)",
    "There is no such page (status 404)": "Такой страницы нет (статус 404)",
    "The site asks for a login at a proxy (status 407)": "Сайт требует входа на прокси (статус 407)",
    "The site gave up waiting (status 408)": "Сайт не дождался запроса (статус 408)",
    "The page was removed for good (status 410)": "Страница удалена навсегда (статус 410)",
    "The site limits how often it may be asked (status 429); try again later": (
        "Сайт ограничивает частоту запросов (статус 429); повторите позже"
    ),
    "The page is withheld for legal reasons (status 451)": "Страница закрыта по закону (статус 451)",
    "The site asks for consent to cookies instead of showing the page": (
        "Вместо страницы сайт просит согласия на cookie"
    ),
    "The site shows a login instead of the page": "Вместо страницы сайт показывает вход",
    "The page says that it was not found": "На странице сказано, что она не найдена",
    "Only the free start of the page could be read; the rest is for subscribers": (
        "Прочитано только бесплатное начало; остальное для подписчиков"
    ),
    "The site failed (status {status})": "Сбой на сайте (статус {status})",
    "The page is an empty shell: its text appears only when a browser runs its scripts": (
        "Страница — пустая оболочка: текст появляется, только когда браузер выполнит её скрипты"
    ),
    "The page holds no text": "На странице нет текста",
    "{name} answered with a check for bots instead of the page": (
        "{name}: вместо страницы проверка на робота"
    ),
    "the site asks for a login": "сайт требует входа",
    "the site asks for payment": "сайт требует денег",
    "the site refuses access": "сайт не даёт доступа",
    "the page does not exist": "такой страницы нет",
    "the site fails": "сбой на сайте",
    "the site refuses the request": "сайт отвергает запрос",
    "the site timed out": "сайт не успел ответить",
    "the page is gone for good": "страница удалена навсегда",
    "the site limits automated readers": "сайт ограничивает автоматических читателей",
    "the site refuses access for legal reasons": "сайт закрыл доступ по закону",
    "the site blocks automated readers": "сайт не пускает автоматических читателей",
}

_FILES: Mapping[str, str] = {
    "it is not valid JSON: shown as it came": "это неправильный JSON: показан как есть",
    "The Office file is locked with a password": "Офисный файл закрыт паролем",
    "The {what} is locked with a password or by its seller": "Файл ({what}) закрыт паролем или продавцом",
    "The {what} is damaged, or of a variant that is not read here": (
        "Файл ({what}) повреждён или такого вида, который здесь не читается"
    ),
    "The {what} gave no text: {why}": "Файл ({what}) не дал текста: {why}",
    "The {what} holds no text; it may hold pictures": "В файле ({what}) нет текста; возможно, в нём картинки",
    "{count} hidden {what} left out": "скрытых частей пропущено: {count}",
    "a chapter is too large": "одна глава слишком велика",
    "reading it whole takes too long": "чтение целиком занимает слишком много времени",
    "it is too large or too deeply nested": "он слишком велик или слишком глубоко вложен",
    "only the first {count} of {all} sheets are shown": "показаны только первые листы: {count} из {all}",
    "The PDF is locked with a password": "PDF закрыт паролем",
    "The PDF takes too long to open": "PDF открывается слишком долго",
    "The PDF is damaged or made to be unreadable": "PDF повреждён или сделан нечитаемым",
    "Pages that could not be read: {pages}": "Непрочитанные страницы: {pages}",
    "Pages 1 to {count} of {all} were read before the {limits} limit": (
        "Прочитаны страницы 1–{count} из {all}: дальше предел ({limits})"
    ),
    "Pages 1 to {count} of {all} were read before a limit, the last in part": (
        "Прочитаны страницы 1–{count} из {all}, последняя частично: дальше предел"
    ),
    "Pages 1 to {count} of {all} were read": "Прочитаны страницы 1–{count} из {all}",
    "None of the PDF's pages could be read": "Ни одна страница PDF не прочитана",
    "The PDF has no text layer: its pages are pictures": "В PDF нет текстового слоя: его страницы — картинки",
    "The PDF's text cannot be decoded: its fonts do not say which letters they draw": (
        "Текст PDF не декодировать: его шрифты не говорят, какие буквы рисуют"
    ),
}

DOCUMENTS_RU: Mapping[str, str] = {**_PAGES, **_VERDICTS, **_FILES}
