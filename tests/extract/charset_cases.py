"""Pages in 27 pairs of language and encoding, each labelled in up to four ways."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

SENTENCES = {
    "ru": (
        "Смотритель маяка каждое утро записывает высоту прилива и имена судов, вошедших в бухту.",
        "После полудня ветер стих, и рыбаки вернулись с хорошим уловом, хотя погода обещала бурю.",
        "Дети собирали на берегу янтарь и ракушки, а потом долго сушили обувь у печки.",
    ),
    "zh": (
        "灯塔看守人每天早晨记录潮水的高度和进入港湾的船只名称。",
        "下午风停了,渔民们满载而归,尽管天气预报说会有暴风雨。",
        "孩子们在岸边捡贝壳,然后在炉子旁边把鞋子烤干,晚上还喝了热汤。",
    ),
    "zh-tw": (
        "燈塔看守人每天早晨記錄潮水的高度和進入港灣的船隻名稱。",
        "下午風停了,漁民們滿載而歸,儘管天氣預報說會有暴風雨。",
        "孩子們在岸邊撿貝殼,然後在爐子旁邊把鞋子烤乾,晚上還喝了熱湯。",
    ),
    "ja": (
        "灯台守は毎朝、潮の高さと入港した船の名前を日誌に書き留めます。",
        "午後には風がやみ、嵐の予報にもかかわらず漁師たちは大漁で戻ってきました。",
        "子どもたちは浜辺で貝がらを集め、そのあとストーブのそばで靴を乾かしました。",
    ),
    "ko": (
        "등대지기는 매일 아침 밀물의 높이와 항구에 들어온 배의 이름을 적는다.",
        "오후에는 바람이 멎었고 폭풍 예보에도 어부들은 많은 고기를 싣고 돌아왔다.",
        "아이들은 바닷가에서 조개껍데기를 주운 다음 난로 옆에서 신발을 말렸다.",
    ),
    "el": (
        "Ο φύλακας του φάρου γράφει κάθε πρωί το ύψος της παλίρροιας και τα ονόματα των πλοίων.",
        "Το απόγευμα ο άνεμος έπεσε και οι ψαράδες γύρισαν με καλή ψαριά, παρότι έλεγαν για καταιγίδα.",
        "Τα παιδιά μάζεψαν κοχύλια στην ακτή και ύστερα στέγνωσαν τα παπούτσια τους δίπλα στη σόμπα.",
    ),
    "de": (
        "Der Leuchtturmwärter schreibt jeden Morgen die Höhe der Flut und die Namen der Schiffe auf.",
        "Am Nachmittag ließ der Wind nach, und die Fischer kamen trotz der Sturmwarnung früh zurück.",
        "Die Kinder sammelten Muscheln für ihre Mütter und trockneten die Füße über dem Ofen.",
    ),
    "tr": (
        "Deniz feneri bekçisi her sabah gelgitin yüksekliğini ve limana giren gemilerin adlarını yazar.",
        "Öğleden sonra rüzgâr dindi ve balıkçılar fırtına uyarısına rağmen bol balıkla döndüler.",
        "Çocuklar kıyıda deniz kabuğu topladı, sonra ıslak ayakkabılarını sobanın yanında kuruttular.",
    ),
}  # fmt: skip

PAIRS = (
    ("ru", "windows-1251"), ("ru", "koi8-r"), ("ru", "iso-8859-5"), ("ru", "ibm866"), ("ru", "utf-8"),
    ("zh", "gb2312"), ("zh", "gbk"), ("zh", "gb18030"), ("zh", "utf-8"), ("zh-tw", "big5"),
    ("ja", "shift_jis"), ("ja", "euc-jp"), ("ja", "iso-2022-jp"), ("ja", "utf-8"),
    ("ko", "euc-kr"), ("ko", "utf-8"), ("el", "iso-8859-7"), ("el", "windows-1253"),
    ("de", "iso-8859-1"), ("de", "windows-1252"), ("de", "utf-8"), ("tr", "iso-8859-9"),
    ("ru", "utf-16le+bom"), ("zh", "utf-16be+bom"), ("de", "utf-16le"), ("ja", "utf-16be"), ("ko", "utf-16le"),
)  # fmt: skip
_CODEC = {"gb2312": "gb2312", "euc-kr": "cp949", "ibm866": "cp866", "iso-2022-jp": "iso2022_jp"}


@dataclass(frozen=True)
class Case:
    name: str
    body: bytes
    content_type: str
    expected: tuple[str, ...]


def cases() -> Iterator[Case]:
    """27 with the right header, 22 with a meta only, 27 with no label, 27 with a wrong header."""
    for language, label in PAIRS:
        wide = label.startswith("utf-16")
        for labelling in ("header", "meta", "none", "wrong"):
            if labelling == "meta" and wide:
                continue
            yield _case(language, label, labelling)


def page(language: str, label: str, meta: str = "") -> bytes:
    """An HTML page of three sentences in the bytes that `label` names."""
    sentences = SENTENCES[language]
    html = (
        f'<!doctype html><html><head>{meta}<title>{sentences[0][:20]}</title></head><body><div class="log">'
        + "".join(f"<p>{sentence}</p>" for sentence in sentences)
        + "</div></body></html>"
    )
    bare, _, bom = label.partition("+")
    mark = {"utf-16le": b"\xff\xfe", "utf-16be": b"\xfe\xff"}[bare] if bom else b""
    return mark + html.encode(_CODEC.get(bare, bare))


def _case(language: str, label: str, labelling: str) -> Case:
    meta = f'<meta http-equiv="Content-Type" content="charset={label}">' if labelling == "meta" else ""
    bare = label.partition("+")[0]
    wrong = "iso-8859-1" if label == "utf-8" or bare.startswith("utf-16") else "utf-8"
    stated = {"header": bare, "wrong": wrong}.get(labelling, "")
    content_type = f"text/html; charset={stated}" if stated else "text/html"
    return Case(
        f"{language} {label}, {labelling}", page(language, label, meta), content_type, SENTENCES[language]
    )
