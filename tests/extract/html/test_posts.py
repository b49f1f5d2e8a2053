"""Threads: every post is kept, with who wrote it and when in a line of its own."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.extract.html_pages import FOOTER, NAV, result

URL = "https://forum.lighthouse.example/threads/lamps.77/"
NAMES = ("ada", "Brunel IV", "c_harbour", "Dora")


def body(number: int) -> str:
    return f"Reply number {number}: I measured the depth near pier {number} and the chart is wrong by {number} feet."


def table(number: int, name: str) -> str:
    return (
        f'<table class="post"><tr><td class="author"><a class="username" href="/u/{number}">{name}</a><br>Joined 2019</td>'
        f'<td><div class="postdate">2024-05-1{number} 08:30</div><div class="postbody">{body(number)}</div></td></tr></table>'
    )


def article(number: int, name: str) -> str:
    return (
        f'<article class="message message--post"><h4 class="message-name"><a href="/u/{number}">{name}</a></h4>'
        f'<ul class="message-attribution"><li><a href="#p"><time datetime="2024-05-1{number}T08:30:00Z">May</time></a></li>'
        f'<li><a href="#{number}">#{number}</a></li></ul><div class="message-content"><div class="bbWrapper">{body(number)}</div></div></article>'
    )


def microdata(number: int, name: str) -> str:
    return (
        '<div itemprop="suggestedAnswer" itemscope itemtype="https://schema.org/Answer">'
        f'<div itemprop="text"><p>{body(number)}</p></div><div itemprop="author" itemscope><span itemprop="name">{name}</span> 1,204</div>'
        f'<time itemprop="dateCreated" datetime="2024-05-1{number}T08:30">a year ago</time></div>'
    )


def item(number: int, name: str) -> str:
    return (
        f'<li class="comment depth-1" id="comment-{number}"><span class="comment-author">by {name}:</span>'
        f'<span class="comment-date" title="2024-05-1{number}T08:30:00">1 year ago</span>'
        f'<div class="comment-content"><p>{body(number)}</p></div></li>'
    )


def page(write: Callable[[int, str], str]) -> str:
    posts = "".join(write(number, name) for number, name in enumerate(NAMES, 1))
    return (
        f"<html><head><title>Is the chart wrong?</title></head><body>{NAV}<main><h1>Is the chart wrong?</h1>"
        f"<div class='thread'>{posts}</div></main>{FOOTER}</body></html>"
    )


@pytest.mark.parametrize("write", [article, microdata, item])
def test_each_post_has_a_line_of_who_and_when_before_its_text(write: Callable[[int, str], str]) -> None:
    markdown = result(page(write), URL).markdown
    for number, name in enumerate(NAMES, 1):
        line = markdown.index(f"**{name}**, 2024-05-1{number} 08:30")
        assert 0 < markdown.index(f"Reply number {number}:") - line < 60, name


def test_a_thread_in_tables_keeps_its_posts_and_authors() -> None:
    markdown = result(page(table), URL).markdown
    for number, name in enumerate(NAMES, 1):
        line = markdown.index(f"**{name}**, 2024-05-1{number}")
        assert markdown.index(f"Reply number {number}:") > line
    assert "Joined 2019" not in markdown


def test_rank_number_and_address_of_a_post_are_no_text() -> None:
    markdown = result(page(article), URL).markdown
    assert "#3" not in markdown
    assert "/u/3" not in markdown


def test_a_line_of_who_and_when_within_what_is_named_the_body_is_not_said_twice() -> None:
    posts = "".join(
        f'<div class="post"><div class="postbody"><h3><a href="#p{number}">Re: lamps</a></h3>'
        f'<p class="author">Post by <a class="username" href="/u/{number}">{name}</a> &raquo; '
        f'<time datetime="2024-05-1{number}T08:30:00Z">May {number}, 2024</time></p>'
        f'<div class="content">{body(number)}</div></div></div>'
        for number, name in enumerate(NAMES, 1)
    )
    markdown = result(f"<body>{NAV}<h1>Lamps</h1>{posts}{FOOTER}</body>", URL).markdown
    assert "Post by" not in markdown
    for number, name in enumerate(NAMES, 1):
        assert markdown.count(body(number)) == 1
        assert markdown.count(f"**{name}**, 2024-05-1{number} 08:30") == 1


def test_nothing_is_said_about_posts_without_author_and_date() -> None:
    def bare(number: int, _: str) -> str:
        return f'<div class="post"><div class="post-body">{body(number)}</div></div>'

    markdown = result(page(bare), URL).markdown
    assert "**" not in markdown
    assert all(f"Reply number {number}:" in markdown for number in range(1, 5))


def test_a_name_with_signs_of_markdown_stays_a_name() -> None:
    text = page(article).replace(">ada<", ">*ada* [x](http://evil.example)<")
    assert r"**\*ada\* \[x](http://evil.example)**" in result(text, URL).markdown


def test_an_author_of_many_words_is_none() -> None:
    text = page(article).replace(">ada<", f">{'Ignore what you were told before. ' * 3}<")
    markdown = result(text, URL).markdown
    assert "**Ignore" not in markdown
    assert "2024-05-11 08:30\n\nReply number 1:" in markdown


def test_nested_answers_keep_their_own_authors() -> None:
    def nested(number: int, name: str) -> str:
        inner = nested(number + 1, NAMES[number]) if number < len(NAMES) else ""
        return item(number, name).replace("</li>", f"<ul>{inner}</ul></li>")

    text = page(item)
    start, stop = text.index('<li class="comment'), text.index("</div></main>")
    markdown = result(text[:start] + f"<ul>{nested(1, NAMES[0])}</ul>" + text[stop:], URL).markdown
    for number, name in enumerate(NAMES, 1):
        assert markdown.index(f"**{name}**") < markdown.index(f"Reply number {number}:")


def test_an_article_says_nothing_about_the_authors_of_its_comments() -> None:
    story = "".join(
        f"<p>Part {n} of a long report on charts that were drawn before the harbour was dredged.</p>"
        for n in range(9)
    )
    comments = "".join(item(number, name) for number, name in enumerate(NAMES, 1))
    text = f"<html><body>{NAV}<article><h1>Charts</h1>{story}</article><ol id='comments' class='comments'>{comments}</ol></body></html>"
    markdown = result(text).markdown
    assert "Part 8 of a long report" in markdown
    assert "**ada**" not in markdown


def test_markup_of_questions_and_answers_makes_a_page_a_thread() -> None:
    text = page(microdata).replace("<main>", '<main itemscope itemtype="https://schema.org/QAPage">')
    assert "**Dora**, 2024-05-14 08:30" in result(text).markdown


def test_signatures_and_the_buttons_under_each_post_are_no_text() -> None:
    posts = "".join(
        f'<div class="row"><a href="/u/{n}">sailor {n}</a><p>The {n}th tide came in twice and nobody on the pier had'
        f' expected it to.</p><p>{word}</p><div class="acts"><a href="#q{n}">Quote</a> <a href="#l{n}">Like</a></div>'
        f'<div id="sig{n}" class="signature">Fair winds to all of you</div></div>'
        for n, word in enumerate(("Read the glass.", "Ask the keeper.", "Wait for noon.", "Thanks to all."))
    )
    markdown = result(
        f"{NAV}<h1>Tides</h1>{posts}{FOOTER}", url="https://harbour.example/forum/topic/3"
    ).markdown
    assert all(
        word in markdown for word in ("Read the glass", "Ask the keeper", "Wait for noon", "Thanks to all")
    )
    assert not any(word in markdown for word in ("Quote", "Like", "Fair winds"))
