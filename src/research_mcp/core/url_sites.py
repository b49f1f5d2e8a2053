"""What known sites treat as one page, and which query names never select content.

Only names that no site is known to use for content are global; all others count on their own site.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import NamedTuple
from urllib.parse import quote, unquote


class Place(NamedTuple):
    """The parts of a url that can make it another page. Path and items are percent-normalised."""

    host: str
    path: str
    items: tuple[tuple[str, str], ...] = ()


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_NOISE_PREFIXES = (
    "utm_", "wt.", "wt_", "mtm_", "matomo_", "piwik_", "hsa_", "oly_", "vero_", "at_custom", "itm_",
    "__hs", "_hs", "guce_", "trk_", "stm_", "bsft_", "hmb_", "elq", "cm_mmc", "__cft__",
)  # fmt: skip
_NOISE = _words(
    "gclid gclsrc dclid gbraid wbraid gad_source gad_campaignid fbclid fb_action_ids fb_action_types"
    " fb_source fb_ref msclkid yclid ysclid ymclid twclid ttclid tblci li_fat_id igshid igsh mc_cid"
    " mc_eid mc_tc _ga _gl _openstat mkt_tok srsltid hsctatracking rb_clickid s_cid wickedid epik"
    " guccounter cmpid ncid xtor at_medium at_campaign ref_src ref_url __twitter_impression amp_js_v"
    " amp_gsa usqp spm scm trk trkcampaign echobox share_id rdt _branch_match_id sc_cid sc_channel"
    " sc_campaign ir_clickid irclickid irgwc cjevent dicbo outbrainclickid obclid _kx sscid zanpid"
    " ranmid raneaid ransiteid wprov pk_campaign pk_kwd pk_keyword pk_source pk_medium pk_content pk_cid"
    " pk_vid ns_mchannel ns_source ns_campaign ns_linkname ns_fee s_kwcid ef_id oborigurl ml_subscriber"
    " ml_subscriber_hash nr_email_referer sfmc_id sms_ss sms_click mibextid _bta_tid _bta_c dm_i"
    " mindbox-click-id yadclid syclid ga_source ga_medium ga_campaign ga_content ga_term vgo_ee"
    " ck_subscriber_id action_object_map action_type_map action_ref_map _ke __s sb_referer_host"
    " hss_channel tt_medium tt_content oft_id oft_k oft_lk oft_d ir_adid ir_campaignid ir_partnerid"
    " __tn__ _trkparms _trksid mkcid mkevt mkrid _bhlid emci emdi phpsessid jsessionid aspsessionid cfid"
    " cftoken"
)
_EBAY = ("ebay.com", "ebay.co.uk", "ebay.de", "ebay.fr", "ebay.it", "ebay.es")
_SITE_NOISE: Mapping[str, frozenset[str]] = {
    site: _words(names)
    for site, names in {
        "youtube.com": "si feature pp ab_channel app kw embeds_referring_euri source_ve_path",
        "spotify.com": "si context nd",
        "x.com": "s t src cxt lang",
        "instagram.com": "img_index",
        "tiktok.com": "_t _r is_from_webapp sender_device lang",
        "reddit.com": "context ref ref_source",
        "medium.com": "source sk",
        "linkedin.com": "trackingId refId originalSubdomain rcm",
        "facebook.com": "ref refid fref __tn__ mibextid rdid _rdr locale",
        "nytimes.com": "smid smtyp partner emc searchResultPosition unlocked_article_code",
        "theguardian.com": "CMP",
        "wsj.com": "mod reflink",
        "arxiv.org": "context",
        **dict.fromkeys(
            ("bbc.com", "bbc.co.uk"),
            "at_bbc_team at_format at_link_id at_link_origin at_link_type at_ptr_name at_campaign_type",
        ),
        "quora.com": "share ch oid srid no_redirect",
        "stackoverflow.com": "noredirect lq rq r s answertab",
        **dict.fromkeys(_EBAY, "hash campid customid toolid amdata"),
        "microsoft.com": "ocid redirectedfrom",
        "github.com": "email_token email_source notification_referrer_id",
        "imdb.com": "ref_",
        "wikipedia.org": "oldformat useskin",
        "booking.com": "aid label sid",
        "etsy.com": "ref ga_order ga_search_type ga_view_type ga_search_query organic_search_click frs",
    }.items()
}
_AMAZON = re.compile(r"(?:smile\.)?amazon\.[a-z]{2,3}(?:\.[a-z]{2})?")
_AMAZON_NOISE = _words(
    "_encoding ascsubtag camp content-id creative creativeasin crid dchild dib dib_tag ie keywords"
    " linkcode linkid pd_rd_i pd_rd_r pd_rd_w pd_rd_wg pf_rd_i pf_rd_m pf_rd_p pf_rd_r pf_rd_s pf_rd_t"
    " psc qid qualifier ref ref_ smid sprefix sr tag th"
)
_LONG_HEX = re.compile(r"[0-9a-fA-F]{24,64}")
_SESSION_NAMES = frozenset(("sid", "session", "sessionid"))
_VIEWS: Mapping[str, frozenset[str]] = {
    "amp": frozenset(("", "1", "amp", "true")),
    "outputtype": frozenset(("amp",)),
    "print": frozenset(("1", "yes", "true")),
    "printable": frozenset(("1", "yes", "true")),
}


def suffixes(host: str) -> list[str]:
    """`a.b.c` -> `a.b.c`, `b.c`, `c`."""
    labels = host.split(".")
    return [".".join(labels[start:]) for start in range(len(labels))]


def is_noise(host: str, name: str, value: str) -> bool:
    """True for a query item that never selects content: tracking, sessions, views of the same text."""
    lower = name.lower()
    if lower in _NOISE or lower.startswith(_NOISE_PREFIXES):
        return True
    if lower in _SESSION_NAMES:
        return bool(_LONG_HEX.fullmatch(value))
    if lower in _VIEWS:
        return value.lower() in _VIEWS[lower]
    if _AMAZON.fullmatch(host):
        return lower in _AMAZON_NOISE
    return any(name in _SITE_NOISE[site] for site in suffixes(host) if site in _SITE_NOISE)


_MOBILE = re.compile(r"(?:m|mobile|touch|wap)\.(.+)")
_WIKIMEDIA_MOBILE = re.compile(r"([a-z-]{2,12})\.m\.((?:wik[a-z]+|mediawiki)\.org)")
_HAVE_MOBILE = _words(
    "youtube.com facebook.com x.com twitter.com reddit.com imdb.com bbc.com bbc.co.uk cnn.com espn.com"
    " ebay.com yelp.com aliexpress.com tripadvisor.com stackoverflow.com nytimes.com theguardian.com"
    " economictimes.com indiatimes.com huffpost.com dw.com weibo.cn zhihu.com douban.com vk.com habr.com"
    " lenta.ru jd.com taobao.com fandom.com independent.co.uk techradar.com gsmarena.com wikidata.org"
    " mediawiki.org tiktok.com twitch.tv soundcloud.com flipkart.com ok.ru sohu.com bilibili.com"
)
_RENAMED: Mapping[str, str] = {
    "twitter.com": "x.com",
    "dx.doi.org": "doi.org",
    "export.arxiv.org": "arxiv.org",
    "youtube-nocookie.com": "youtube.com",
    **dict.fromkeys(("music.youtube.com", "gaming.youtube.com"), "youtube.com"),
    **dict.fromkeys(("cn.arxiv.org", "xxx.arxiv.org"), "arxiv.org"),
    **dict.fromkeys((f"{name}.reddit.com" for name in ("old", "np", "new", "amp", "i", "sh")), "reddit.com"),
}


def desktop_host(host: str) -> str:
    """The main name of a host: known mobile, old and renamed hosts of one site."""
    if found := _WIKIMEDIA_MOBILE.fullmatch(host):
        return f"{found.group(1)}.{found.group(2)}"
    found = _MOBILE.fullmatch(host)
    if found and not _HAVE_MOBILE.isdisjoint(suffixes(found.group(1))):
        host = found.group(1)
    return _RENAMED.get(host, host)


_SLUG_OR_ID = re.compile(r"[^/]*-[^/]*-[^/]*|[^/]*\d{5,}[^/]*|[^/]+\.html?", re.IGNORECASE)


def is_article(path: str) -> bool:
    """True when the last segment looks like one article: a slug of three words, an id, a document."""
    return bool(_SLUG_OR_ID.fullmatch(path.rstrip("/").rpartition("/")[2]))


def place_of(place: Place) -> Place:
    """The canonical place of a page on the sites known here; any other place unchanged."""
    if _AMAZON.fullmatch(place.host):
        return _amazon(place)
    for site in suffixes(place.host):
        if site in _SITES:
            return _SITES[site](place)
    return place


_AMAZON_PRODUCT = re.compile(r"/(?:dp|gp/product|gp/aw/d|product)/([A-Z0-9]{10})(?:/|$)")
_YOUTUBE_VIDEO = re.compile(r"/(?:shorts|embed|live|v|watch)/(?!videoseries)([\w-]{11})/?")
_X_POST = re.compile(r"/(?:[^/]+|i/web)/status(?:es)?/(\d+)(?:/(?:photo|video)/\d+)?/?")
_REDDIT_THREAD = re.compile(
    r"/(?:r/[^/]+/|user/[^/]+/)?comments/([a-z0-9]+)(?:/[^/]*)?(?:/([a-z0-9]{5,}))?/?", re.IGNORECASE
)
_QUESTION = re.compile(r"/(?:questions|q)/(\d+)(?:/[^/]*)?(?:/\d+)?/?")
_PUBMED = re.compile(r"/pubmed/(\d+)/?")
_EBAY_ITEM = re.compile(r"/itm/[^/]+/(\d{9,})/?")
_ARXIV = re.compile(
    r"/(?:abs|pdf|html)/((?:\d{4}\.\d{4,5}|[a-z-]+(?:\.[A-Z]{2})?/\d{7})(?:v\d+)?)(?:\.pdf)?/?"
)


def _amazon(place: Place) -> Place:
    place = place._replace(host=place.host.removeprefix("smile."))
    found = _AMAZON_PRODUCT.search(place.path)
    if not found:
        return place
    return Place(place.host, f"/dp/{found.group(1)}", _only("language", place.items))


def _only(name: str, items: tuple[tuple[str, str], ...]) -> tuple[tuple[str, str], ...]:
    return tuple(item for item in items if item[0] == name)


def _youtube(place: Place) -> Place:
    video = _only("v", place.items)
    if video and place.host == "youtube.com" and place.path in ("/watch", "/watch/"):
        return Place("youtube.com", "/watch", video)
    found = _YOUTUBE_VIDEO.fullmatch(place.path)
    return Place("youtube.com", "/watch", (("v", found.group(1)),)) if found else place


def _youtu_be(place: Place) -> Place:
    video = place.path.strip("/").split("/")[0]
    return Place("youtube.com", "/watch", (("v", video),)) if video else place


def _x(place: Place) -> Place:
    if found := _X_POST.fullmatch(place.path):
        return Place("x.com", f"/i/status/{found.group(1)}")
    _, name, *rest = place.path.split("/")
    return place._replace(path="/".join(("", name.lower(), *rest)))


def _reddit(place: Place) -> Place:
    if found := _REDDIT_THREAD.fullmatch(place.path):
        comment = f"/{found.group(2).lower()}" if found.group(2) else ""
        return Place("reddit.com", f"/comments/{found.group(1).lower()}{comment}")
    return place._replace(path=place.path.lower()) if place.path.lower().startswith("/r/") else place


def _redd_it(place: Place) -> Place:
    thread = place.path.strip("/").lower()
    return Place("reddit.com", f"/comments/{thread}") if thread.isalnum() else place


def _stack_exchange(place: Place) -> Place:
    found = _QUESTION.fullmatch(place.path)
    return place._replace(path=f"/questions/{found.group(1)}") if found else place


def _arxiv(place: Place) -> Place:
    found = _ARXIV.fullmatch(place.path)
    return place._replace(path=f"/abs/{found.group(1)}") if found else place


_ARXIV_DOI = "/10.48550/arxiv."


def _doi(place: Place) -> Place:
    path = place.path.lower().replace("%2f", "/")
    if path.startswith(_ARXIV_DOI):
        return Place("arxiv.org", "/abs/" + path.removeprefix(_ARXIV_DOI))
    return place._replace(path=path)


def _ncbi(place: Place) -> Place:
    if place.host != "ncbi.nlm.nih.gov":
        return place
    if found := _PUBMED.fullmatch(place.path):
        return Place("pubmed.ncbi.nlm.nih.gov", f"/{found.group(1)}")
    if place.path.startswith("/pmc/articles/"):
        return place._replace(host="pmc.ncbi.nlm.nih.gov", path=place.path.removeprefix("/pmc"))
    return place


def _ebay(place: Place) -> Place:
    found = _EBAY_ITEM.fullmatch(place.path)
    return place._replace(path=f"/itm/{found.group(1)}") if found else place


def _forge(place: Place) -> Place:
    if place.host not in _FORGES:
        return place  # `docs.gitlab.com` and the like: their paths are case-sensitive
    segments = place.path.split("/")
    segments[1:3] = [segment.lower().removesuffix(".git") for segment in segments[1:3]]
    items = tuple(item for item in place.items if item != ("tab", "readme-ov-file"))
    return Place(place.host, "/".join(segments), items)


def _wikimedia(place: Place) -> Place:
    path, items = place.path, place.items
    if path == "/w/index.php" and len(items) == 1 and items[0][0] == "title":
        path, items = f"/wiki/{items[0][1]}", ()
    if not path.startswith("/wiki/"):
        return place
    title = unquote(path[len("/wiki/") :]).replace(" ", "_").strip("_")
    if not place.host.endswith("wiktionary.org"):  # there `polish` and `Polish` are two words
        title = title[:1].upper() + title[1:]
    return Place(place.host, "/wiki/" + quote(title, safe="/!$&'()*+,;=:@-._~"), items)


_FORGES = ("github.com", "gitlab.com", "huggingface.co")
_SITES: Mapping[str, Callable[[Place], Place]] = {
    "youtube.com": _youtube,
    "youtu.be": _youtu_be,
    "x.com": _x,
    "reddit.com": _reddit,
    "redd.it": _redd_it,
    "arxiv.org": _arxiv,
    "doi.org": _doi,
    "ncbi.nlm.nih.gov": _ncbi,
    **dict.fromkeys(_EBAY, _ebay),
    **dict.fromkeys(_FORGES, _forge),
    **dict.fromkeys(
        (
            "stackexchange.com",
            "stackoverflow.com",
            "superuser.com",
            "serverfault.com",
            "askubuntu.com",
            "mathoverflow.net",
        ),
        _stack_exchange,
    ),
    **dict.fromkeys(
        ("wikipedia.org", "wiktionary.org", "wikibooks.org", "wikiquote.org", "wikivoyage.org"), _wikimedia
    ),
}
