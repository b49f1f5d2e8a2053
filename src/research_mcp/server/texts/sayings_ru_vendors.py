"""What the readers of known sites, vendors and the browser say, in Russian (see `sayings_ru`)."""

from __future__ import annotations

from collections.abc import Mapping

_REPLIES: Mapping[str, str] = {
    "the gateway returned HTML, such as a login page, in the place of an answer": (
        "вместо ответа шлюз прислал HTML, например страницу входа"
    ),
    "expected JSON or events, got {count} bytes": "вместо JSON или событий пришло байт: {count}",
    "the answer has neither `output` nor `choices`": "в ответе нет ни `output`, ни `choices`",
    "no list at {place}": "нет списка в {place}",
    "expected a list at {place}, got {what}": "вместо списка в {place} пришло {what}",
    "expected an object around {place}, got {what}": "вместо объекта вокруг {place} пришло {what}",
    "none of the {count} rows at {place} has a web address": (
        "ни в одной строке {place} нет адреса (строк: {count})"
    ),
    "expected a list of addresses, got {what}": "вместо списка адресов пришло {what}",
    "it returned no text": "текста он не дал",
    "it reports no success": "об успехе он не сообщает",
    "the vendor was still working on it when the time ran out": "поставщик не успел до конца времени",
    "the page holds neither results nor the sign for none: its markup has changed": (
        "на странице нет ни результатов, ни знака, что их нет: её разметка изменилась"
    ),
    "Jina asks for a key (status 401)": "Jina требует ключ (статус 401)",
    "Jina got nothing from the page (status 422)": "Jina ничего не получила со страницы (статус 422)",
    "the site asks Jina to solve a captcha": "сайт просит Jina решить капчу",
    "Tavily could not read the page": "Tavily не прочитал страницу",
    "crawl4ai could not read the page": "crawl4ai не прочитал страницу",
    "the Wayback Machine has no copy of it": "в Wayback Machine копии нет",
    "OpenAlex's budget for today is used up (status 429)": ("дневной лимит OpenAlex исчерпан (статус 429)"),
    "Wikipedia limits this address": "Wikipedia ограничивает этот адрес",
    "Wikipedia refuses this client": "Wikipedia не пускает этого клиента",
}

_SITES: Mapping[str, str] = {
    "YouTube takes this server for a bot and shows it nothing; a proxy or another reader may get through": (
        "YouTube принимает этот сервер за робота и ничего не показывает; прокси или другой читатель может "
        "пройти"
    ),
    "YouTube has no such video": "на YouTube нет такого видео",
    "YouTube has no such video, or it was removed": "на YouTube нет такого видео, или оно удалено",
    "YouTube hands the captions only to a browser with a token": (
        "YouTube даёт субтитры только браузеру с токеном"
    ),
    "the video has no captions": "у видео нет субтитров",
    "the video's captions hold no words": "в субтитрах видео нет слов",
    "the stream or premiere has not started yet": "трансляция или премьера ещё не началась",
    "the repository has no such directory, or is private": "в репозитории нет такой папки, или он закрыт",
    "the repository has no such file, or is private": "в репозитории нет такого файла, или он закрыт",
    "GitHub's limit of calls is used up; a token raises it": (
        "лимит вызовов GitHub исчерпан; токен его поднимает"
    ),
    "GitHub's API has no such page": "в API GitHub нет такой страницы",
    "the site has no such question, or it was deleted": "на сайте нет такого вопроса, или он удалён",
    "Stack Exchange's quota for this address is used up": "лимит Stack Exchange для этого адреса исчерпан",
    "Stack Exchange knows no such site": "Stack Exchange не знает такого сайта",
    "the item was deleted from Hacker News": "запись удалена с Hacker News",
    "Hacker News has no such item": "на Hacker News нет такой записи",
    "the share link leads to no thread": "ссылка не ведёт ни к какому обсуждению",
    "Reddit's feed of the page is empty": "лента этой страницы Reddit пуста",
    "the post was deleted, or never was": "пост удалён, или его не было",
    "the post is not shown to the public": "пост показывают не всем",
    "the account was closed or suspended": "учётная запись закрыта или заблокирована",
    "Bluesky has no such post or profile": "на Bluesky нет такого поста или профиля",
    "no Mastodon post is there": "там нет поста Mastodon",
    "no Discourse topic is there": "там нет темы Discourse",
    "the topic holds no text": "в теме нет текста",
    "Instagram turns this server's address away; it needs a proxy or some minutes of rest": (
        "Instagram не принимает адрес этого сервера; нужен прокси или несколько минут отдыха"
    ),
    "Instagram has no such page": "на Instagram нет такой страницы",
    "Instagram has no such post, or hides it": "на Instagram нет такого поста, или он скрыт",
    "Instagram has no such profile": "на Instagram нет такого профиля",
    "Instagram shows this post only to people who are logged in": (
        "Instagram показывает этот пост только после входа"
    ),
    "arXiv has no such paper": "на arXiv нет такой статьи",
    "no open copy could be read: {why}": "ни одной открытой копии прочитать не удалось: {why}",
    "no open copy of the paper is known": "открытых копий статьи не известно",
    "no catalogue of open copies knows the paper": "ни один каталог открытых копий не знает статьи",
}

_BROWSER: Mapping[str, str] = {
    "the browser opened no page in time": "браузер не успел открыть страницу",
    "the browser ended in the middle of a page": "браузер завершился посреди страницы",
    "the browser has no free place": "в браузере нет свободного места",
    "the browser did not start in time": "браузер не успел запуститься",
    "the browser gave the page up": "браузер бросил страницу",
    "it leads away from the web": "она уводит из сети",
    "it takes more memory or data than a page may here": "она берёт больше памяти или данных, чем можно",
    "its scripts took too long": "её скрипты работали слишком долго",
}

VENDORS_RU: Mapping[str, str] = {**_REPLIES, **_SITES, **_BROWSER}
