"""Sentences of the layers below in Russian, by their English form without a full stop at the end.

A sentence that is changed below and not here is found by a test.
"""

from __future__ import annotations

from collections.abc import Mapping

from research_mcp.server.texts.sayings_ru_addresses import ADDRESSES_RU
from research_mcp.server.texts.sayings_ru_documents import DOCUMENTS_RU
from research_mcp.server.texts.sayings_ru_vendors import VENDORS_RU

_NETWORK: Mapping[str, str] = {
    "{name} could not be resolved in time": "имя {name} не удалось разрешить вовремя",
    "{name} could not be resolved: {why}": "имя {name} не разрешается: {why}",
    "the name server did not answer within {seconds} s": "сервер имён не ответил за {seconds} с",
    "the name server failed; a later try may work": "сервер имён отказал; позже может получиться",
    "there is no such name": "такого имени нет",
    "the lookup failed": "запрос имени не удался",
    "the name has no address": "у имени нет адреса",
    "{name} could not be reached": "{name}: нет связи",
    "{name} did not accept a connection in time": "{name}: соединение не принято вовремя",
    "{name} dropped the connection": "{name}: соединение оборвано",
    "{name} did not answer in time": "{name}: ответа вовремя нет",
    "{name} had no free connection in time": "{name}: вовремя не нашлось свободного соединения",
    "{name} broke the rules of HTTP": "{name}: ответ нарушает правила HTTP",
    "{name} could not be reached through the proxy": "{name}: нет связи через прокси",
    "{name} was asked for something that HTTP cannot carry": "{name}: такой запрос не передать по HTTP",
    "{host} redirects in a circle or more than {most} times": (
        "{host} перенаправляет по кругу или больше {most} раз"
    ),
    "{host} redirects without saying where to": "{host} перенаправляет, не сказав куда",
    "the document on {host} is larger than {size}": "документ на {host} больше {size}",
    "the plan's credits are spent (status {status})": "кредиты тарифа израсходованы (статус {status})",
    "the key was refused (status {status})": "ключ отвергнут (статус {status})",
    "too many requests (status {status})": "слишком много запросов (статус {status})",
    "blocked by the vendor's edge (status {status})": "запрос остановила защита поставщика (статус {status})",
    "the vendor failed (status {status})": "сбой у поставщика (статус {status})",
    "nothing there (status {status})": "там ничего нет (статус {status})",
    "it refuses calls without a key (status {status})": "он не отвечает без ключа (статус {status})",
    "the gateway has no such endpoint (status {status}): check its address": (
        "у шлюза нет такого адреса (статус {status}): проверьте его"
    ),
    "the vendor has no such endpoint (status {status})": "по этому адресу у поставщика ничего нет "
    "(статус {status})",
    "the answer of {name} cannot be read whole: {why}; {size} are the most": (
        "ответ {name} не прочесть целиком: {why}; предел {size}"
    ),
    "expected JSON, got {count} bytes of {what}": "вместо JSON пришло {what}, байт: {count}",
    "expected a JSON object, got {what}": "вместо объекта JSON пришло {what}",
    "DuckDuckGo takes this address for a bot (status {status}); it does so for up to an hour": (
        "DuckDuckGo принимает этот адрес за робота (статус {status}); это длится до часа"
    ),
    "the vendor refused the request (status {status})": "поставщик отверг запрос (статус {status})",
    "{what} (status {status})": "{what} (статус {status})",
}

_SEARCH: Mapping[str, str] = {
    "removed {count} {results} {cause}": "убрано результатов: {count} ({cause})",
    "outside include_domains": "вне include_domains",
    "on exclude_domains": "из exclude_domains",
    "dated before the time range": "старше заданного срока",
    "on hosts that this server's owner removed": "с узлов, убранных владельцем сервера",
    "query cut to {count} characters: {names}": "запрос урезан, символов осталось {count}: {names}",
    "count clamped to {count}: {names}": "результатов не больше {count}: {names}",
    "lifted as the own site of what is asked about": "поднято как собственный сайт того, о чём вопрос",
    "raised by prefer_domains": "поднято из-за prefer_domains",
    "pinned by {source}": "закреплено ({source})",
    "raised by {source}": "поднято ({source})",
    "lowered by {source}": "опущено ({source})",
    "the owner": "владелец сервера",
    "reranked from #{count}": "переупорядочено с места {count}",
    "not asked, {why}: {names}": "не спрошены, {why}: {names}",
    "the list was full": "список был полон",
    "no time was left": "не осталось времени",
    "{filter} not applied by {names} (enforced on the merged list)": (
        "{filter} не применяют {names} (учтено в общем списке)"
    ),
    "{filter} not applied by {names}": "{filter} не применяют {names}",
    "{share} without a stated date: they may be older than the {range}": (
        "без указанной даты {share}: они могут быть старше срока {range}"
    ),
    "{undated} of {all} {results}": "{undated} из {all}",
    "no result is on prefer_domains; include_domains asks the engines for these alone": (
        "ни одного результата из prefer_domains; include_domains ищет только в них"
    ),
    "one query every {seconds} s at most (this server's own pace)": (
        "не чаще одного запроса в {seconds} с (собственный темп этого сервера)"
    ),
    "it failed too often; one call is trying it out": "слишком много сбоев; сейчас идёт пробный вызов",
    "it failed too often, last: {error}": "слишком много сбоев, последний: {error}",
    "it failed too often": "слишком много сбоев",
    "this server's other calls there are not answered yet": (
        "другие вызовы этого сервера там ещё без ответа"
    ),
    "{name} did not place each of the {count} results once": (
        "{name}: не каждому из результатов ({count}) дано одно место"
    ),
    "its call stopped itself": "вызов остановился сам",
    "the list was full; it got {seconds} s more": "список был полон; дано ещё {seconds} с",
    "no answer within {seconds} s": "нет ответа за {seconds} с",
    "its only result shares nothing with the query": "единственный результат не связан с запросом",
    "its {count} results share nothing with the query": (
        "результаты ({count}) не имеют ничего общего с запросом"
    ),
    "its last {count} answers brought nothing while other engines found results": (
        "последние ответы ({count}) были пусты, хотя другие поисковики что-то нашли"
    ),
    "reused from an equal search of the last minutes": "взято из такого же поиска за последние минуты",
    "rerank: failed ({reason}): {error}; the merged order stays": (
        "переупорядочить не удалось ({reason}): {error}; порядок остался общим"
    ),
    "rerank: failed ({reason}); the merged order stays": (
        "переупорядочить не удалось ({reason}); порядок остался общим"
    ),
    "every key rests ({why})": "все ключи отдыхают ({why})",
    "query is empty: say what to search for": "query пуст: скажите, что искать",
    "this server's own budget for {instance} is spent: {used} of {limit}/{period} used ({source}), {when}": (
        "собственный лимит сервера для {instance} исчерпан: {used} из {limit}/{period} ({source}), {when}"
    ),
    "it never renews, so the operator must raise it": "он не возобновляется: поднять его может оператор",
    "it renews at {when} UTC": "он возобновится {when} UTC",
}

_READ: Mapping[str, str] = {
    "The page was removed from {host} for good": "Страница удалена с {host} навсегда",
    "{host} has no such page": "На {host} нет такой страницы",
    "There is no transcript to read at {host}": "На {host} нет расшифровки",
    "The PDF is a scan without a text layer, and no reader could recognise its text": (
        "Этот PDF — скан без текстового слоя, и ни один читатель не распознал текст"
    ),
    "{host} shows this page to subscribers only": "{host} показывает эту страницу только подписчикам",
    "{host} blocks automated readers, and no reader got through": (
        "{host} не пускает автоматических читателей, и ни один не прошёл"
    ),
    "{host} refuses access to this page": "{host} не даёт доступа к этой странице",
    "{host} limits automated readers at the moment": "{host} сейчас ограничивает автоматических читателей",
    "The page at {host} is an empty shell that only a browser fills, and no reader with a browser got its "
    "text": "Страница на {host} — пустая оболочка, которую заполняет браузер, и ни один читатель с "
    "браузером не получил её текста",
    "The page at {host} is too large to read": "Страница на {host} слишком велика",
    "The host name {host} cannot be resolved": "Имя узла {host} не разрешается",
    "No secure connection to {host} is possible, and no other reader got the page": (
        "Безопасное соединение с {host} невозможно, и другие читатели страницу не получили"
    ),
    "{host} does not accept connections, and no other reader got the page": (
        "{host} не принимает соединений, и другие читатели страницу не получили"
    ),
    "{host} did not answer in time, and no other reader got the page": (
        "{host} не ответил вовремя, и другие читатели страницу не получили"
    ),
    "{host} answers with an error, and no reader got the page": (
        "{host} отвечает ошибкой, и ни один читатель страницу не получил"
    ),
    "No reader found any text on the page at {host}": "Ни один читатель не нашёл текста на странице {host}",
    "The robots.txt of {host} asks automated readers to stay away from this page, and this server obeys it": (
        "robots.txt узла {host} просит автоматических читателей не читать эту страницу, и сервер слушается"
    ),
    "A fault in this server kept it from reading the page at {host}, and no other reader got it": (
        "Из-за ошибки на этом сервере страница на {host} не прочитана, и другие читатели её не получили"
    ),
    "The time for reading {host} ran out": "Время на чтение {host} вышло",
    "This server is too busy to read {host}": "Сервер слишком занят, чтобы читать {host}",
    "The page at {host} cannot be read: {why}": "Страницу на {host} не прочесть: {why}",
    "No reader for this kind of page is switched on": "Для страниц такого рода не включён ни один читатель",
    "No reader is able to read {host} at the moment ({reason})": (
        "Сейчас ни один читатель не может прочесть {host} ({reason})"
    ),
    "This is no page of text but {what}": "Это не страница с текстом, а {what}",
    "no other reader got more: {others}": "другие читатели получили не больше: {others}",
    "only {count} characters of text": "символов текста всего {count}",
    "no answer in time": "нет ответа вовремя",
    "no answer in {seconds} s": "нет ответа за {seconds} с",
    "status {status}": "статус {status}",
    "skipped: {seconds} s were left": "пропущен: оставалось {seconds} с",
    "skipped: the host is out of reach from here": "пропущен: узел отсюда недоступен",
    "skipped: {name} asked the same service": "пропущен: {name} спросил ту же службу",
    "skipped: {name} learnt that there is no such page": "пропущен: {name} узнал, что такой страницы нет",
    "resting: {why}": "отдыхает: {why}",
    "resting until the operator acts: {why}": "отдыхает, пока не вмешается оператор: {why}",
    "{count} reads are in flight there": "там уже идёт чтений: {count}",
    "the site answered it with a bot check or a question for consent": (
        "сайт ответил ему проверкой на робота или просьбой о согласии"
    ),
    "the site told it that there is no such page": "сайт сказал ему, что такой страницы нет",
    "the page redirects more than {most} times, counting refreshes": (
        "страница перенаправляет больше {most} раз, считая обновления"
    ),
    "{name} crashed ({kind}); the log has the details": "{name}: сбой программы ({kind}), он есть в журнале",
}

_MAP: Mapping[str, str] = {
    "the site's robots.txt asks automated readers not to read this page": (
        "robots.txt сайта просит автоматических читателей не читать эту страницу"
    ),
    "the robots.txt of {host} asks automated readers to stay away from it": (
        "robots.txt узла {host} просит автоматических читателей держаться подальше"
    ),
    "not needed: {mapper} knew the site": "не понадобился: {mapper} знает этот сайт",
    "not told of a private address": "о частных адресах ему не сообщают",
    "only {seconds} s were left": "оставалось только {seconds} с",
    "no page of the site is known": "ни одна страница сайта не известна",
    "no mapper is on": "ни одна карта сайтов не включена",
    "left out: {what}": "не показано: {what}",
    "the time ran out": "время вышло",
    "the site names no addresses": "сайт не называет адресов",
    "{host} redirects to {target}, whose pages are listed": (
        "{host} перенаправляет на {target}; показаны страницы оттуда"
    ),
    "more addresses are known: a higher max_results brings them": (
        "известны и другие адреса: их даст больший max_results"
    ),
    "only the first {count} site maps were read": "прочитаны только первые карты сайта: {count}",
    "only the first {count} linked pages were opened": "открыты только первые страницы по ссылкам: {count}",
    "{count} linked pages were not opened, as robots.txt asks": (
        "страниц по ссылкам не открыто, как просит robots.txt: {count}"
    ),
    "{count} documents of the site could not be read": "документов сайта не прочитано: {count}",
    "{option} has no effect on {mapper}": "{option} не действует на {mapper}",
}

_ANSWER: Mapping[str, str] = {
    "{model} did not answer within {seconds} s, all that this call had": (
        "{model}: нет ответа за {seconds} с — всё время этого вызова"
    ),
    "the search was stopped after {seconds} s at most": "поиск остановлен, самое позднее через {seconds} с",
    "the search was stopped {seconds} s after the model's answer": (
        "поиск остановлен через {seconds} с после ответа модели"
    ),
    "the search failed: {error}": "поиск не удался: {error}",
    "search_failed: {error}": "search_failed: {error}",
    "query is empty: say what to find out": "query пуст: скажите, что узнать",
    "extra_sources and recency_days must not be negative: use 0 for none": (
        "extra_sources и recency_days не могут быть меньше нуля: 0 значит «нет»"
    ),
    "{domain} stands in include_domains and in exclude_domains: leave it out of one of them": (
        "{domain} стоит и в include_domains, и в exclude_domains: уберите его из одного списка"
    ),
    "sources_removed: {count} cited pages lie outside the requested domains": (
        "sources_removed: страниц из ответа вне запрошенных доменов: {count}"
    ),
    "refusal: the model refused: {words}": "refusal: модель отказалась: {words}",
    "no_search_evidence: nothing shows that the model searched; its links may be invented": (
        "no_search_evidence: не видно, чтобы модель искала; её ссылки могут быть выдуманы"
    ),
    "x_search_off: the operator does not allow the search of X posts; only the web was searched": (
        "x_search_off: оператор не разрешает искать в публикациях X; искали только в сети"
    ),
    "x_search_off: a chat relay does not search X posts; only the web was searched": (
        "x_search_off: ретранслятор не ищет в публикациях X; искали только в сети"
    ),
    "domains_filtered_after: Grok filters {most} domains of one list at most; the rest was asked in words "
    "and removed from its citations": "domains_filtered_after: Grok отбирает не больше {most} доменов одного "
    "списка; об остальных попросили словами и убрали их из ссылок",
    "the sources of session {session} have expired: {kept}": (
        "источники сессии {session} больше не хранятся: {kept}"
    ),
    "session {session} cannot be looked up: this server's store does not answer now": (
        "сессию {session} не найти: хранилище этого сервера сейчас не отвечает"
    ),
    "the sources of session {session} made room for newer ones": (
        "источники сессии {session} уступили место новым"
    ),
    "there is no session {session} here: {kept}, and over a restart only on Valkey": (
        "сессии {session} здесь нет: {kept}, а после перезапуска — только на Valkey"
    ),
    "answers are kept for {minutes} minutes": "ответы хранятся минут: {minutes}",
}

_PROGRESS: Mapping[str, str] = {
    "asking the model and the search engines": "спрошены модель и поисковики",
    "the model answered": "модель ответила",
    "the model failed": "модель не справилась",
    "searching": "идёт поиск",
    "asking {names}": "спрошены {names}",
    "read {url}": "прочитано: {url}",
    "could not read {url}": "не прочитано: {url}",
    "{count} addresses found": "найдено адресов: {count}",
    "{engine}: {count} results": "{engine}: результатов {count}",
    "{engine}: empty": "{engine}: ничего не нашёл",
    "{engine}: blocked": "{engine}: заблокирован",
    "{engine}: rate limited": "{engine}: превышен предел запросов",
    "{engine}: timed out": "{engine}: не успел",
    "{engine}: not waited for": "{engine}: не дождались",
    "{engine}: failed": "{engine}: отказал",
}

_STORE: Mapping[str, str] = {
    "this server's budget store cannot be used ({why}): metered providers pause until it works again": (
        "учёт расходов этого сервера недоступен ({why}): платные поставщики ждут, пока он не заработает"
    ),
    "this server's budget store did not answer before the deadline": (
        "учёт расходов этого сервера не ответил до конца срока"
    ),
    "it did not answer in {seconds} s": "нет ответа за {seconds} с",
    "it does not answer in time": "нет ответа вовремя",
    "it answers with an error": "отвечает ошибкой",
    "the store is closed: the server is stopping": "учёт закрыт: сервер останавливается",
    "another process keeps it locked": "его держит другой процесс",
    "its folder or file cannot be used": "его папка или файл недоступны",
    "its file cannot be opened": "его файл не открыть",
    "its file is damaged": "его файл повреждён",
    "it is read-only": "он только для чтения",
    "the disk is full": "диск полон",
    "the disk fails": "диск отказывает",
    "it cannot be reached": "с ним нет связи",
    "its certificate is not trusted, see VALKEY_CA_FILE": "его сертификату нет доверия, см. VALKEY_CA_FILE",
    "its certificate has expired": "его сертификат истёк",
    "its certificate is not valid yet by this machine's clock": "его сертификат ещё не действует (часы?)",
    "its certificate is for another name than VALKEY_URL has": "сертификат не на имя из VALKEY_URL",
    "it refuses the user or the password": "он не принимает имя или пароль",
    "its user may not do this": "его пользователю это не разрешено",
    "it is still loading its data": "он ещё загружает данные",
    "its memory is full": "его память полна",
    "it is a read-only replica": "это копия только для чтения",
    "it cannot write to its disk": "он не может писать на диск",
    "it is busy with a script": "он занят скриптом",
    "it has lost its primary": "он потерял главный сервер",
    "it has too few replicas": "у него слишком мало копий",
    "it runs in cluster mode, which is not supported": "он работает кластером, что не поддерживается",
}

SAYINGS_RU: Mapping[str, str] = {
    **ADDRESSES_RU,
    **_SEARCH,
    **_READ,
    **_MAP,
    **_ANSWER,
    **_STORE,
    **_PROGRESS,
    **DOCUMENTS_RU,
    **VENDORS_RU,
    **_NETWORK,
}
"""In order: where two fit, the first is taken, so that the general ones stand last."""
