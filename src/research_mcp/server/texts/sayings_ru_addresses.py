"""What is said of an address and of why it is refused, in Russian (see `sayings_ru`)."""

from __future__ import annotations

from collections.abc import Mapping

_URLS: Mapping[str, str] = {
    "The url cannot be read: {why}": "Адрес не разобрать: {why}",
    "a backslash ends its host, which programs read differently": (
        "имя узла кончается обратной косой чертой, которую программы понимают по-разному"
    ),
    "there is no host after its //": "после // нет имени узла",
    "it has {count} characters once encoded, and {most} is the most": (
        "после кодирования в нём символов: {count}, а предел {most}"
    ),
    "the page redirects to an address that starts with a backslash": (
        "страница перенаправляет на адрес, который начинается с обратной косой черты"
    ),
    "it is empty": "он пуст",
    "it has {count} characters, and {most} is the most": "в нём символов: {count}, а предел {most}",
    "it holds control characters": "в нём есть управляющие символы",
    "its scheme is {scheme}": "его схема {scheme}",
    "it does not start with http:// or https://": "он не начинается с http:// или https://",
    "its host is no valid name (labels of 1 to 63 letters, digits, hyphens; 253 in all)": (
        "имя узла неправильное (части по 1–63 букв, цифр, дефисов; всего до 253)"
    ),
    "the brackets of its host hold no IPv6 address": "в скобках имени узла нет адреса IPv6",
    "its host is a number that is no plain IPv4 address like 192.0.2.1": (
        "имя узла — число, но не обычный адрес IPv4 вроде 192.0.2.1"
    ),
    "its host holds a character that turns into punctuation of urls": (
        "в имени узла есть символ, который превращается в знак пунктуации адресов"
    ),
    "its host holds an invisible character or a space": "в имени узла есть невидимый символ или пробел",
    "its host is no valid international name": "имя узла — неправильное международное имя",
    "its host holds an xn-- label that encodes no name": "часть имени узла с xn-- не кодирует никакого имени",
    "its port is no number from 1 to 65535": "его порт — не число от 1 до 65535",
    "it must not carry a user name or a password before its host": (
        "перед именем узла не должно быть имени пользователя и пароля"
    ),
    "The page redirects elsewhere. {why}": "Страница перенаправляет на другой адрес. {why}",
    "Refused: two readings of the url differ": "Отказ: адрес можно прочесть двояко",
}

_GUARD: Mapping[str, str] = {
    "Refused: {why}. Only public web pages are read here, whatever the reader": (
        "Отказ: {why}. Здесь читаются только открытые страницы сети, каким бы ни был читатель"
    ),
    "{host} resolves into 198.18.0.0/15, which no public site uses but fake-IP proxies do. "
    "The operator of this server can set FAKE_IP_RANGES to allow such names": (
        "имя {host} указывает в 198.18.0.0/15, где нет открытых сайтов, но есть прокси с подставными "
        "адресами. Оператор этого сервера может разрешить такие имена в FAKE_IP_RANGES"
    ),
    "{host} does not resolve to public addresses alone": "имя {host} указывает не только на открытые адреса",
    "port {port} is not one of the web's ({ports})": "порт {port} не из портов сети ({ports})",
    "{host} is not a public address": "{host} — не открытый адрес",
    "{host} is a cloud metadata service": "{host} — служба метаданных облака",
    "{host} is not a name of the public internet": "{host} — не имя открытого интернета",
    "Refused: the connection did not end where it was meant to": (
        "Отказ: соединение пришло не туда, куда должно было"
    ),
}

ADDRESSES_RU: Mapping[str, str] = {**_URLS, **_GUARD}
