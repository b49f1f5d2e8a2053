"""What kind of source a result is, told from its host and path alone. A guess that only labels it.

Known hosts come before the question's own site, since nobody owns what anybody may publish on; then come
what authorities publish, and last what paths and labels of hosts say. Most pages are of no type.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from research_mcp.core.models import PageType

_HOSTS: Mapping[PageType, str] = {
    PageType.REPO: """
        github.com gist.github.com gitlab.com bitbucket.org codeberg.org sourceforge.net git.sr.ht gitee.com
        git.kernel.org huggingface.co
    """,
    PageType.PAPER: """
        arxiv.org ar5iv.org doi.org pubmed.ncbi.nlm.nih.gov pmc.ncbi.nlm.nih.gov semanticscholar.org
        openalex.org europepmc.org biorxiv.org medrxiv.org chemrxiv.org ssrn.com openreview.net
        aclanthology.org dl.acm.org ieeexplore.ieee.org link.springer.com sciencedirect.com jstor.org
        papers.nips.cc papers.neurips.cc proceedings.mlr.press onlinelibrary.wiley.com tandfonline.com
        academic.oup.com mdpi.com frontiersin.org journals.plos.org pnas.org cyberleninka.ru hal.science
        researchgate.net journals.aps.org iopscience.iop.org journals.sagepub.com
    """,
    PageType.FORUM: """
        stackoverflow.com stackexchange.com serverfault.com superuser.com askubuntu.com mathoverflow.net
        reddit.com news.ycombinator.com lobste.rs quora.com zhihu.com v2ex.com 4pda.to segmentfault.com
        teratail.com stackapps.com xda-developers.com resetera.com
    """,
    PageType.SOCIAL: """
        x.com twitter.com facebook.com instagram.com threads.net threads.com bsky.app linkedin.com
        tiktok.com pinterest.com tumblr.com vk.com ok.ru t.me telegram.me weibo.com mastodon.social
        fosstodon.org hachyderm.io snapchat.com
    """,
    PageType.VIDEO: """
        youtube.com youtu.be vimeo.com dailymotion.com twitch.tv rutube.ru bilibili.com ted.com odysee.com
    """,
    PageType.NEWS: """
        bbc.com bbc.co.uk cnn.com reuters.com apnews.com nytimes.com theguardian.com washingtonpost.com
        wsj.com ft.com bloomberg.com economist.com cnbc.com npr.org aljazeera.com dw.com politico.com
        politico.eu axios.com theatlantic.com time.com usatoday.com latimes.com nbcnews.com cbsnews.com
        abcnews.go.com foxnews.com independent.co.uk telegraph.co.uk thetimes.com sky.com euronews.com
        france24.com lemonde.fr lefigaro.fr liberation.fr spiegel.de zeit.de faz.net sueddeutsche.de welt.de
        tagesschau.de heise.de golem.de elpais.com elmundo.es corriere.it repubblica.it publico.pt nrc.nl
        nos.nl svt.se yle.fi derstandard.at nzz.ch tass.com tass.ru ria.ru rbc.ru kommersant.ru lenta.ru
        meduza.io interfax.ru iz.ru vedomosti.ru gazeta.ru novayagazeta.eu pravda.com.ua ukrinform.net
        nhk.or.jp asahi.com nikkei.com japantimes.co.jp yna.co.kr xinhuanet.com scmp.com thehindu.com
        timesofindia.indiatimes.com indianexpress.com smh.com.au abc.net.au cbc.ca globo.com techcrunch.com
        theverge.com arstechnica.com wired.com zdnet.com engadget.com theregister.com
    """,
    PageType.DOCS: """
        docs.rs pkg.go.dev learn.microsoft.com readthedocs.io readthedocs.org devdocs.io man7.org
        cppreference.com w3.org rfc-editor.org datatracker.ietf.org
    """,
}
_TYPES = {host: type_ for type_, hosts in _HOSTS.items() for host in hosts.split()}
_AUTHORITY = re.compile(r"(?:^|\.)(?:gov|mil|int|europa\.eu|(?:gov|gob|gouv|govt|go|gc)\.[a-z]{2}|un\.org)$")
_LABELS: Mapping[str, PageType] = {
    **dict.fromkeys(("docs", "doc", "developer", "developers", "help", "support", "manual"), PageType.DOCS),
    **dict.fromkeys(("forum", "forums", "community", "discuss", "discourse", "answers"), PageType.FORUM),
    **dict.fromkeys(("git", "gitlab"), PageType.REPO),
    "news": PageType.NEWS,
}
_PATHS: tuple[tuple[PageType, re.Pattern[str]], ...] = (
    (PageType.PAPER, re.compile(r"/10\.\d{4,9}/\S|^/articles/s\d{5}-\d{3}-")),
    (
        PageType.FORUM,
        re.compile(
            r"/(?:forums?|threads?|viewtopic\.php|showthread\.php|discussions?)(?:[/?]|$)"
            r"|/t/[^/]+/\d+|/questions/\d+"
        ),
    ),
    (PageType.SOCIAL, re.compile(r"^/@[\w.]+/\d{6,}(?:$|[/?])")),
    (PageType.NEWS, re.compile(r"/news/.")),
    (PageType.DOCS, re.compile(r"/(?:docs?|documentation|manual|reference|api-reference)(?:[/?]|$)")),
)
_TALK = re.compile(r"^/[^/]+/[^/]+(?:/-)?/(?:issues|discussions|merge_requests|pull)(?:[/?]|$)")
_OWNED = re.compile(r"^/[^/?]+/[^/?]+")
_OF_ITS_OWNERS = frozenset(("github.com", "gitlab.com", "bitbucket.org", "codeberg.org"))
"""Where a path of two names is a repository, and the rest is the company's own."""


def page_type(key: str, *, own: bool = False) -> PageType | None:
    """The type of the page with this url key; None when host and path tell none.

    `own`: it is on the own site of what the question names.
    """
    host, slash, path = key.partition("/")
    host, path = host.partition(":")[0], f"{slash}{path}"
    known, of_host = _known(host)
    if known and of_host == host and host in _OF_ITS_OWNERS:
        return _on_a_forge(path)
    if known and (of_host == host or known is not PageType.REPO):
        return known
    if own or _AUTHORITY.search(host):
        return PageType.OFFICIAL
    return _by_label(host) or next((type_ for type_, sign in _PATHS if sign.search(path)), None)


def _known(host: str) -> tuple[PageType | None, str]:
    """The type of the most specific known host that covers `host`, and that host."""
    labels = host.split(".")
    for start in range(len(labels) - 1):
        if type_ := _TYPES.get(covering := ".".join(labels[start:])):
            return type_, covering
    return None, ""


def _on_a_forge(path: str) -> PageType | None:
    if _TALK.match(path):
        return PageType.FORUM
    return PageType.REPO if _OWNED.match(path) else None


def _by_label(host: str) -> PageType | None:
    """What a label before the site's own name says."""
    return next((type_ for label in host.split(".")[:-2] if (type_ := _LABELS.get(label))), None)
