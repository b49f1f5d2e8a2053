"""Seven kinds of pages, six of each, in the markup of different systems."""

from __future__ import annotations

from collections.abc import Callable

from tests.quality.pages.content import HOST, Content, Sample
from tests.quality.pages.shells import SHELLS
from tests.quality.pages.words import Words

Writer = Callable[[Words, Content, int], str]


def samples() -> list[Sample]:
    """All pages, the same on every run."""
    return [
        _sample(kind, writer, shell, number)
        for kind, (writer, shells) in KINDS.items()
        for number, shell in enumerate(shells)
    ]


def _sample(kind: str, writer: Writer, shell_name: str, number: int) -> Sample:
    words = Words(f"{kind} {shell_name} {number}")
    shell = SHELLS[shell_name](words)
    content = Content()
    title = words.heading()
    before, after = writer(words, content, number).split("@")
    html = shell.page(title, f"{before}{''.join(content.html)}{after}")
    return Sample(f"{kind}-{number}-{shell_name}", kind, html, content, shell.unwanted)


def article(words: Words, content: Content, number: int) -> str:
    """News and blogs: a byline, sections, lists, a quotation, sometimes a table."""
    content.paragraph(words.paragraph())
    content.linked(words)
    for section in range(2 + number % 2):
        content.heading(2, words.heading())
        content.paragraph(words.paragraph())
        if section == 0:
            content.list([words.short() for _ in range(4)], "ol" if number % 2 else "ul")
        content.paragraph(words.paragraph(2))
        content.linked(words)
    if number % 3 == 0:
        content.table(
            ("Year", "Boats"), ("1903", "Eleven of them"), ("1904", "Only seven"), ("1905", "Twenty in all")
        )
        content.paragraph(words.paragraph(2))
    quote = words.sentence()
    content.raw(f"<blockquote><p>{quote}</p></blockquote>", quote)
    content.paragraph(words.paragraph())
    comments = "".join(
        f'<li class="comment"><div class="comment-body"><p>Elsewhere said: {words.short()}</p></div></li>'
        for _ in range(3)
    )
    return (
        f'<article class="post type-post hentry"><header class="entry-header"><h1 class="entry-title">{words.heading()}</h1></header>'
        f'<div class="entry-content">@</div><footer class="entry-footer"><span class="tags-links"><a href="/tag">Town life</a></span></footer></article>'
        f'<div id="comments" class="comments-area"><h2>Three thoughts</h2><ol class="comment-list">{comments}</ol></div>'
    )


def manual(words: Words, content: Content, number: int) -> str:
    """Documentation: headings with anchor signs, code of several highlighters, options in a table."""
    sign = (
        '<a class="headerlink" href="#x" title="Link to this heading">¶</a>',
        '<a href="#x" class="hash-link" aria-label="Direct link">#</a>',
    )[number % 2]
    fences = (
        (
            '<div class="highlight-python notranslate"><div class="highlight"><pre><span></span>',
            "</pre></div></div>",
        ),
        (
            '<div class="language-python codeBlockContainer"><pre class="prism-code language-python"><code>',
            "</code></pre><button>Copy</button></div>",
        ),
        ('<div class="highlight highlight-source-python"><pre>', "</pre></div>"),
    )
    content.paragraph(words.paragraph(2))
    content.heading(2, words.heading(), sign)
    content.linked(words)
    content.listing(*fences[number % 3])
    content.paragraph(words.paragraph(2))
    content.heading(3, words.heading(), sign)
    content.table(
        ("Option", "Meaning"), ("depth", words.short()), ("width", words.short()), ("colour", words.short())
    )
    content.paragraph(words.paragraph(2))
    content.list([words.short() for _ in range(5)])
    content.heading(2, words.heading(), sign)
    content.paragraph(words.paragraph())
    content.listing(*fences[(number + 1) % 3])
    content.paragraph(words.paragraph(2))
    return f"<h1>{words.heading()}</h1>@"


def service(words: Words, content: Content, number: int) -> str:
    """A firm's page: hero, boxes side by side, numbered steps, questions and answers."""
    content.paragraph(words.paragraph(2), ' class="lead"')
    content.linked(words)
    content.raw("<section class='features'>")
    content.heading(2, words.heading())
    for _ in range(3):
        content.raw("<div class='feature'>")
        content.heading(3, words.name())
        content.paragraph(words.paragraph(2))
        content.raw("</div>")
    content.raw("</section>")
    content.heading(2, words.heading())
    content.list([words.short() for _ in range(4)], "ol")
    content.paragraph(words.paragraph(2))
    content.heading(2, "Questions that people ask")
    for _ in range(2 + number % 3):
        question, answer = f"{words.name()}, how does it work?", words.paragraph(2)
        content.raw(f"<details><summary>{question}</summary><p>{answer}</p></details>", question, answer)
    return f"<div class='hero'><h1>{words.heading()}</h1></div><div class='page-sections'>@</div>"


def forum(words: Words, content: Content, number: int) -> str:
    """A thread: every post counts, signatures and buttons do not."""
    for post in range(6 + number):
        name, body = f"sailor{post}", words.paragraph(2)
        if number % 2:
            before, after = (
                f'<article class="topic-post clearfix"><div class="topic-avatar"></div><div class="topic-body"><div class="names"><span class="username"><a href="/u/{name}">{name}</a></span></div><div class="cooked">',
                "</div></div></article>",
            )
        else:
            before, after = (
                f'<div id="p{post}" class="post has-profile bg{post % 2}"><div class="inner"><dl class="postprofile"><dt><a href="/u{post}" class="username">{name}</a></dt></dl><div class="postbody"><div class="content">',
                "</div></div></div></div>",
            )
        content.raw(before)
        content.paragraph(body)
        if post == 1:
            content.linked(words)
        content.raw(after)
    return f"<h1 class='topic-title'>{words.heading()}</h1><div class='thread'>@</div>"


def product(words: Words, content: Content, number: int) -> str:
    """A thing on sale: price, description, facts as table or list."""
    price = words.price()
    content.raw(f'<div class="product__info"><h1 class="product__title">{words.name()}</h1>')
    content.raw(
        f'<div class="price"><span class="price-item price-item--regular">{price}</span></div>', price
    )
    content.raw('<div class="product__description rte">')
    content.paragraph(words.paragraph())
    content.linked(words)
    content.list([words.short() for _ in range(4)])
    content.paragraph(words.paragraph(2))
    content.raw("</div></div>")
    content.heading(2, "Specifications")
    content.table(
        ("Feature", "Value"),
        ("Weight", f"{words.number(2, 90)} kilograms"),
        ("Height", f"{words.number(2, 90)} centimetres"),
        ("Made in", "The old rope walk"),
    )
    return '<section class="product" itemscope itemtype="https://schema.org/Product">@</section>'


def listing(words: Words, content: Content, number: int) -> str:
    """Many teasers of one shape: news fronts, job boards, course lists."""
    tags = (("li", "ul"), ("article", "div"), ("div", "div"))
    tag, parent = tags[number % 3]
    content.raw(f"<{parent} class='results'>")
    for entry in range(8 + number):
        title, text = words.heading(), words.sentence()
        path = f"/entry/{entry}"
        content.headings.append((3, title))
        content.links.append((title, HOST + path))
        content.raw(
            f"<{tag} class='result-card'><h3 class='card-title'><a href='{path}'>{title}</a></h3><p class='card-text'>{text}</p></{tag}>",
            title,
            text,
        )
    content.raw(f"</{parent}>")
    return f"<h1>{words.heading()}</h1>@"


def collection(words: Words, content: Content, number: int) -> str:
    """A shop's shelf: short text, then a grid of names and prices."""
    title = words.heading()
    content.raw(f"<h1 class='collection-hero__title'>{title}</h1>", title)
    content.paragraph(words.paragraph(2))
    content.raw('<ul id="product-grid" class="grid product-grid">')
    for entry in range(9 + number):
        name, price = words.name(), words.price()
        path = f"/products/{entry}"
        content.links.append((name, HOST + path))
        content.raw(
            f'<li class="grid__item"><div class="card-wrapper"><div class="card__information"><h3 class="card__heading"><a href="{path}">{name}</a></h3><div class="price">{price}</div></div></div></li>',
            name,
            price,
        )
    content.raw("</ul>")
    return "@"


KINDS: dict[str, tuple[Writer, tuple[str, ...]]] = {
    "article": (article, ("wordpress", "framework", "wordpress", "framework", "shop", "board")),
    "documentation": (
        manual,
        ("sphinx", "documentation", "framework", "documentation", "sphinx", "wordpress"),
    ),
    "service": (service, ("framework", "wordpress", "shop", "framework", "wordpress", "documentation")),
    "forum": (forum, ("board", "framework", "board", "wordpress", "board", "framework")),
    "product": (product, ("shop", "framework", "shop", "wordpress", "shop", "framework")),
    "listing": (listing, ("wordpress", "framework", "shop", "board", "wordpress", "framework")),
    "collection": (collection, ("shop", "framework", "shop", "shop", "wordpress", "framework")),
}
