"""What systems put around a text: head, navigation, notices, side columns, related lists, footers."""

from __future__ import annotations

from dataclasses import dataclass

from tests.quality.pages.words import Words

UNWANTED = (
    "We use cookies to offer you a better experience",
    "Subscribe to our newsletter",
    "All rights reserved by the Town Press",
    "Skip to main content",
)


@dataclass(frozen=True)
class Shell:
    """HTML before and after the text, in the words and classes of one system."""

    before: str
    after: str
    unwanted: tuple[str, ...]

    def page(self, title: str, text: str, head: str = "") -> str:
        """The whole page."""
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><title>{title} | Town Press</title>{head}'
            "<style>.a{color:#123}</style><script>window.dataLayer=[]</script></head>"
            f"<body>{self.before}{text}{self.after}<script src='/app.js'></script></body></html>"
        )


def menu(words: Words, count: int = 8) -> str:
    """The entries of a menu."""
    return "".join(f'<li><a href="/m{number}">{words.name()}</a></li>' for number in range(count))


def related(words: Words, count: int = 4) -> tuple[str, tuple[str, ...]]:
    """Teasers of other pages, and their titles, which must not appear."""
    titles = tuple(f"Elsewhere: {words.heading()}" for _ in range(count))
    cards = "".join(
        f'<li><a href="/r{number}"><span>{title}</span></a></li>' for number, title in enumerate(titles)
    )
    return cards, titles


def wordpress(words: Words) -> Shell:
    """A blog theme: sticky header, entry, widgets, related posts, consent banner."""
    cards, titles = related(words)
    before = (
        '<a class="skip-link screen-reader-text" href="#content">Skip to main content</a><div id="page" class="site">'
        '<header id="masthead" class="site-header"><p class="site-title"><a href="/">Town Press</a></p>'
        f'<nav id="site-navigation" class="main-navigation"><ul id="primary-menu" class="menu">{menu(words)}</ul></nav></header>'
        '<div id="content" class="site-content"><main id="primary" class="site-main">'
    )
    after = (
        '</main><aside id="secondary" class="widget-area"><section class="widget widget_recent_entries"><h2 class="widget-title">'
        f"Recent Posts</h2><ul>{cards}</ul></section><section class='widget widget_mc4wp'><p>Subscribe to our newsletter</p>"
        "</section></aside></div><footer id='colophon' class='site-footer'><div class='site-info'>All rights reserved by the "
        f"Town Press</div><ul>{menu(words, 4)}</ul></footer></div><div id='cookie-law-info-bar' class='cookie-notice'><p>We use "
        "cookies to offer you a better experience.</p><a role='button'>Accept</a></div>"
    )
    return Shell(before, after, (*UNWANTED, *titles))


def framework(words: Words) -> Shell:
    """A single-page framework: hashed class names, few semantics."""
    cards, titles = related(words)
    before = (
        '<div id="__next"><a href="#main" class="css-1skip">Skip to main content</a><div class="css-1x2y3z"><header class="css-hd0">'
        f'<nav class="css-nv1"><ul>{menu(words)}</ul></nav></header><div class="css-9f8e7d"><main id="main" class="css-m41n">'
    )
    after = (
        f'</main><div class="css-rel4"><section aria-label="Recommended" class="css-8rec recommended"><h2>Read next</h2><ul>{cards}</ul></section></div></div>'
        f'<footer class="css-ft0"><p>All rights reserved by the Town Press</p><ul>{menu(words, 5)}</ul><form class="newsletter"><p>Subscribe to our newsletter</p></form></footer>'
        '</div></div><div class="css-ck1" id="onetrust-consent-sdk"><p>We use cookies to offer you a better experience.</p></div>'
    )
    return Shell(before, after, (*UNWANTED, *titles))


def documentation(words: Words) -> Shell:
    """A documentation site: tree of pages on the left, contents of the page on the right."""
    before = (
        '<div class="skipToContent"><a href="#docs">Skip to main content</a></div><nav class="navbar navbar--fixed-top"><div class="navbar__inner">'
        f'<ul>{menu(words, 5)}</ul></div></nav><div class="main-wrapper docs-wrapper"><aside class="theme-doc-sidebar-container"><nav class="menu thin-scrollbar">'
        f'<ul class="theme-doc-sidebar-menu menu__list">{menu(words, 14)}</ul></nav></aside><main class="docMainContainer"><div class="container"><div class="row"><div class="col docItemCol">'
        '<nav class="theme-doc-breadcrumbs breadcrumbsContainer"><ul class="breadcrumbs"><li><a href="/">Docs</a></li></ul></nav><div class="theme-doc-markdown markdown">'
    )
    after = (
        '</div><nav class="pagination-nav docusaurus-mt-lg"><a class="pagination-nav__link" href="/next">Next page: Elsewhere</a></nav></div><div class="col col--3">'
        f'<div class="tableOfContents"><ul class="table-of-contents">{menu(words, 6)}</ul></div></div></div></div></main></div><footer class="footer footer--dark"><div '
        'class="footer__copyright">All rights reserved by the Town Press</div><p>Subscribe to our newsletter</p></footer><div class="cookieConsent">We use cookies to offer you a better experience.</div>'
    )
    return Shell(before, after, (*UNWANTED, "Next page: Elsewhere"))


def sphinx(words: Words) -> Shell:
    """A Sphinx site with its side bar and related bars."""
    before = (
        f'<div class="related" role="navigation" aria-label="related navigation"><h3>Navigation</h3><ul>{menu(words, 4)}</ul></div><div class="document"><div class="documentwrapper">'
        '<div class="bodywrapper"><div class="body" role="main"><section id="top">'
    )
    after = (
        '</section></div></div></div><div class="sphinxsidebar" role="navigation" aria-label="main navigation"><div class="sphinxsidebarwrapper">'
        f"<h3>Table of Contents</h3><ul>{menu(words, 10)}</ul><p>Subscribe to our newsletter</p></div></div></div><div class='footer' role='contentinfo'>All rights reserved by the Town Press. Created using a documentation tool.</div>"
    )
    return Shell(before, after, UNWANTED)


def board(words: Words) -> Shell:
    """An old bulletin board: tables of links around the posts."""
    before = (
        '<div id="wrap" class="wrap"><div id="page-header"><div class="headerbar" role="banner"><p class="skiplink"><a href="#start">Skip to main content</a></p></div>'
        f'<div class="navbar" role="navigation"><ul id="nav-main" class="nav-main linklist">{menu(words, 6)}</ul></div></div><div id="page-body" class="page-body" role="main">'
    )
    after = (
        f'<div class="action-bar bar-bottom actions-jump"><ul class="dropdown-contents">{menu(words, 8)}</ul></div></div><div id="page-footer" class="page-footer" role="contentinfo"><div class="navbar" '
        'role="navigation"><ul><li><a href="/team">The team</a></li></ul></div><div class="copyright"><p class="footer-row">All rights reserved by the Town Press</p></div></div></div>'
        '<div class="cc-window cookieconsent">We use cookies to offer you a better experience.</div>'
    )
    return Shell(before, after, UNWANTED)


def shop(words: Words) -> Shell:
    """A shop theme: announcement, drawers, recommendations, newsletter."""
    cards, titles = related(words)
    before = (
        '<a class="skip-to-content-link" href="#MainContent">Skip to main content</a><div class="announcement-bar" role="region"><p>Elsewhere: free delivery this week</p></div>'
        f'<header class="header header--middle-left"><nav class="header__inline-menu"><ul class="list-menu">{menu(words, 7)}</ul></nav></header><main id="MainContent" class="content-for-layout">'
    )
    after = (
        f'<section class="related-products product-recommendations"><h2>You may also like</h2><ul class="grid">{cards}</ul></section></main><footer class="footer"><div class="newsletter-form"><h2>Subscribe to our newsletter</h2></div>'
        f'<ul>{menu(words, 6)}</ul><small class="copyright__content">All rights reserved by the Town Press</small></footer><div id="shopify-pc__banner" class="cookie-banner">We use cookies to offer you a better experience.</div>'
    )
    return Shell(before, after, (*UNWANTED, *titles, "Elsewhere: free delivery this week"))


SHELLS = {
    "wordpress": wordpress,
    "framework": framework,
    "documentation": documentation,
    "sphinx": sphinx,
    "board": board,
    "shop": shop,
}
