"""What of a page is its text, and what is furniture."""

from __future__ import annotations

import pytest

from tests.extract.html_pages import FIRST, FOOTER, LAST, NAV, URL, article, block, read, result

CARDS = "".join(
    f"<li class='card'><h3><a href='/c/{n}'>Course {n} on tides</a></h3><p>Short text {n} about water and wind.</p></li>"
    for n in range(1, 13)
)


def site(body: str, title: str = "Lamp Society") -> str:
    return f"<!doctype html><html><head><title>{title}</title></head><body>{NAV}{body}{FOOTER}</body></html>"


def test_navigation_and_footer_stay_out() -> None:
    markdown = read("")
    assert "Plan a visit" not in markdown
    assert "Privacy policy" not in markdown
    assert "wind at six" in markdown
    assert "patient ones" in markdown


def test_cookie_notices_and_related_lists_stay_out() -> None:
    body = (
        f"<div class='cookie-banner'><p>We use cookies to improve your experience on this site.</p></div><main><article>"
        f"<h1>A year on the rock</h1>{FIRST}{LAST}</article><aside class='related-posts'><h2>You may also like</h2><ul>"
        "<li><a href='/a'>Ten towers to see</a></li><li><a href='/b'>The last keeper</a></li></ul></aside></main>"
    )
    markdown = result(site(body)).markdown
    assert "cookies" not in markdown
    assert "Ten towers" not in markdown


def test_comments_of_an_article_stay_out() -> None:
    page = article("").replace(
        "</article>",
        "</article><section id='comments' class='comments'><h2>Comments</h2><div class='comment'><p>First! What a "
        "lovely read, thank you so much for sharing this with us.</p></div></section>",
    )
    markdown = result(page).markdown
    assert "lovely read" not in markdown
    assert "wind at six" in markdown


def test_all_posts_of_a_thread_are_kept_in_order() -> None:
    posts = "".join(
        f"<div class='post'><div class='author'>user{number}</div><div class='post-body'>Reply number {number}: I "
        f"measured the depth near pier {number} and found the chart wrong by {number} feet.</div></div>"
        for number in range(1, 9)
    )
    markdown = result(site(f"<div class='thread'><h1>Is the chart wrong?</h1>{posts}</div>")).markdown
    places = [markdown.find(f"Reply number {number}:") for number in range(1, 9)]
    assert min(places) >= 0
    assert places == sorted(places)


def thread(head: str) -> str:
    answers = "".join(
        f"<li class='comment'><div class='comment-text'><p>Answer {number}: my own lamp went out {number} times that "
        f"winter, and every time it was the wick and not the oil.</p></div></li>"
        for number in range(1, 7)
    )
    return (
        f"<html><head><title>Lamp goes out</title>{head}</head><body>{NAV}<main><h1>Why does it go out?</h1>"
        f"<div class='question'>{FIRST}{LAST}</div><ol class='comments'>{answers}</ol></main>{FOOTER}</body></html>"
    )


@pytest.mark.parametrize(
    ("head", "url"),
    [
        ('<meta name="generator" content="phpBB">', URL),
        ('<script type="application/ld+json">{"@type": "QAPage"}</script>', URL),
        ("", "https://forum.lighthouse.example/viewtopic.php?t=7"),
    ],
)
def test_answers_of_a_discussion_are_text_even_under_a_long_question(head: str, url: str) -> None:
    markdown = result(thread(head), url).markdown
    assert "wind at six" in markdown
    for number in range(1, 7):
        assert f"Answer {number}:" in markdown


def test_the_same_below_an_article_are_comments() -> None:
    assert "Answer 3:" not in result(thread("")).markdown


def test_every_card_of_a_listing_is_kept() -> None:
    markdown = result(site(f"<main><h1>Courses</h1><ul class='cards'>{CARDS}</ul></main>")).markdown
    for number in range(1, 13):
        assert f"### [Course {number} on tides](https://lighthouse.example/c/{number})" in markdown


def test_a_product_keeps_its_price_text_and_facts() -> None:
    body = (
        "<main><div class='product'><h1>Brass lamp</h1><span class='price'>$49.00</span><div class='description'><p>A "
        "small lamp for the chart table.</p></div><table class='specs'><tr><th>Weight</th><td>300 g</td></tr><tr>"
        "<th>Height</th><td>12 cm</td></tr></table></div></main>"
    )
    markdown = result(site(body)).markdown
    for text in ("# Brass lamp", "$49.00", "small lamp for the chart table", "| Weight | 300 g |"):
        assert text in markdown


def test_a_page_inside_one_form_is_read() -> None:
    markdown = result(
        f"<html><body><form id='aspnetForm'>{NAV}<div id='content'>{FIRST}{LAST}</div></form></body></html>"
    ).markdown
    assert "wind at six" in markdown


def test_a_short_page_is_not_empty() -> None:
    page = "<html><head><title>Note</title></head><body><h1>Closed</h1><p>The tower is closed today.</p></body></html>"
    assert "The tower is closed today." in result(page).markdown


def test_a_heading_that_repeats_the_title_is_said_once() -> None:
    page = article("", '<meta property="og:title" content="A year on the rock">')
    read_page = result(page)
    assert read_page.title == "A year on the rock"
    assert "# A year on the rock" not in read_page.markdown


def test_no_paragraph_comes_twice() -> None:
    assert (
        read("<div><p>Only one boat returned before the lamp went out.</p></div>").count("Only one boat") == 1
    )


def test_lists_between_paragraphs_stay() -> None:
    markdown = read(
        "<ul><li><a href='/n'>Tide tables for the north</a></li><li><a href='/s'>Tide tables for the south</a></li></ul>"
    )
    assert "- [Tide tables for the south](https://lighthouse.example/s)" in markdown


def with_boxes(facts: str) -> str:
    """An article with a list behind each part, in a box that extractors pass over by its name."""
    parts = "".join(
        f"<div class='part'><div class='about'>Tower {n} was built in the year of the flood and never left dark.</div>"
        f"<div class='tower-meta'>{facts}</div></div><div class='cut'><a href='/t{n}'>See more of this</a></div>"
        for n in range(1, 4)
    )
    return result(article(parts)).markdown


def test_facts_in_a_list_beside_the_text_stay() -> None:
    facts = "<ul><li><b>Place:</b> Skerry</li><li><b>Keepers:</b> three</li><li><b>Height:</b> 36 m</li></ul>"
    assert with_boxes(facts).count("- **Keepers:** three") == 3


@pytest.mark.parametrize(
    "line",
    [
        "<ul><li>Photo: the parish</li><li>Zoom in</li></ul>",
        "<ul><li>By <a href='/a'>Bryan Keane Lamp</a></li><li><a href='/b'>Zoom in</a></li><li>May 18</li></ul>",
        "<ul class='share-buttons'><li>Send to a friend</li><li>Zoom in</li><li>Print it</li></ul>",
    ],
)
def test_lines_about_a_picture_or_an_author_in_a_list_stay_out(line: str) -> None:
    assert "Zoom in" not in with_boxes(line)


def test_what_a_list_says_about_the_author_of_a_post_is_not_the_post() -> None:
    posts = "".join(
        f"<div class='post'><div class='who-meta'><ul><li>Keeper{n}</li><li>Posts: {n}17</li><li>Joined: May 2014</li>"
        f"</ul></div><div class='says'>Reply number {n}: I measured the depth near pier {n} and found the chart wrong "
        f"by {n} feet on that day.</div></div>"
        for n in range(1, 9)
    )
    markdown = result(
        f"<html><head><meta name='generator' content='phpBB'></head><body>{NAV}<main><h1>Is the chart wrong?</h1>"
        f"{FIRST}{posts}</main>{FOOTER}</body></html>"
    ).markdown
    assert "Reply number 7" in markdown
    assert "Joined" not in markdown


def test_a_consent_box_that_extractors_take_for_text_stays_out_of_an_article() -> None:
    consent = "<div id='onetrust-consent-sdk'><p>We use cookies to offer you a better experience.</p></div>"
    markdown = result(f"<html><body><div class='a1'>{FIRST}{LAST}</div>{consent}</body></html>").markdown
    assert "wind at six" in markdown
    assert "cookies" not in markdown


def test_a_page_about_newsletters_keeps_what_is_named_after_them() -> None:
    parts = "".join(f"<div class='newsletter-{n}'>{text}</div>" for n, text in enumerate((FIRST, LAST, LAST)))
    markdown = result(f"<html><body><main><h1>Our letters</h1>{parts}</main></body></html>").markdown
    assert "wind at six" in markdown
    assert "patient ones" in markdown


def test_the_line_on_rights_at_the_foot_of_a_list_stays_out() -> None:
    foot = "<footer><p>© 2026 The Lamp Society, all rights reserved by the keepers</p></footer>"
    text = "<p>We teach all about the tides to keepers of the coast, in small groups.</p>"
    markdown = result(f"<html><body><div>{text}<ul>{CARDS}</ul>{foot}</div></body></html>").markdown
    assert "Course 12 on tides" in markdown
    assert "rights" not in markdown


def test_chinese_text_is_found_like_any_other() -> None:
    text = (
        "灯塔看守人每天清晨六点记录风速，中午再记录一次，因为补给船只有在两个数字都足够小的时候才会离开大陆。"
        * 4
    )
    body = f"<main><article><h1>岩石上的一年</h1><p>{text}</p><p>{text[::-1]}</p></article></main>"
    markdown = result(site(body, "岩石上的一年")).markdown
    assert "补给船只有在" in markdown
    assert "Plan a visit" not in markdown


def test_what_a_verdict_needs_is_counted() -> None:
    page = result(article("<script>var a = 1</script><script>var b = 2</script>"))
    assert page.script_count == 2
    assert page.text_chars > len(page.markdown) > 400


def test_an_empty_page_is_empty() -> None:
    assert result("").markdown == ""
    assert result("<html><body></body></html>", URL).markdown == ""


def test_headings_in_wrappers_of_their_own_lead_their_sections() -> None:
    def part(head: str, text: str) -> str:
        return f'<div class="section"><div class="titlepage"><div><div>{head}</div></div></div>{text}</div>'

    markdown = result(
        site(part("<h1>Lamps</h1>", part("<h2>Oil</h2>", FIRST) + part("<h2>Wick</h2>", LAST)))
    ).markdown
    assert "## Oil\n\nThe keeper" in markdown
    assert "## Wick\n\nVisitors" in markdown


def test_a_list_of_which_extractors_kept_only_the_code_is_kept_whole() -> None:
    html = (
        f'<div class="section">{FIRST}<p>A dot is looked up in this order:</p><ul>'
        "<li>Attribute lookup. Example: <code><span>lamp.oil</span></code></li>"
        f"<li>List-index lookup. Example: <code><span>lamp[oil]</span></code></li></ul>{LAST}</div>"
    )
    markdown = result(f"<html><body>{html}</body></html>").markdown
    assert "- Attribute lookup. Example: `lamp.oil`\n- List-index lookup. Example: `lamp[oil]`" in markdown


def test_a_list_between_paragraphs_stays_whatever_wrappers_they_have() -> None:
    goals = "".join(
        f"<li><p><a href='/{n}'>Tides in the {n}</a></p></li>" for n in ("north", "south", "east")
    )
    around = (
        "<div class='paragraph'><p>Read about these before the boat leaves, and twice in a storm:</p></div>"
    )
    body = f"{FIRST}{around}<div class='ulist'><ul>{goals}</ul></div>{around}{LAST}"
    assert "- [Tides in the south](https://lighthouse.example/south)" in result(article(body)).markdown


def test_sections_under_headings_of_the_first_rank_keep_them() -> None:
    parts = "".join(f"<div><h1>{name}</h1></div>{text}" for name, text in (("Oil", FIRST), ("Wick", LAST)))
    markdown = result(site(f"<div><h1>Lamp Society</h1><p>What burns.</p>{parts}</div>")).markdown
    assert "# Oil\n\nThe keeper" in markdown
    assert "# Wick\n\nVisitors" in markdown


def test_the_facts_of_an_event_are_kept() -> None:
    facts = "<dl><dt>When</dt><dd>Saturday 4 May</dd><dt>Where</dt><dd>Old Pier</dd><dt>Price</dt><dd>Free</dd></dl>"
    markdown = result(
        f"{NAV}<main><h1>Fair</h1>{facts}<p>Boats, bread and music all day.</p></main>{FOOTER}"
    ).markdown
    assert "Saturday 4 May" in markdown
    assert "Old Pier" in markdown


def test_the_terms_of_a_method_keep_their_explanations() -> None:
    terms = (
        "<dl class='notes'><dt>Parameters:</dt><dd><code>source</code> - the lamps</dd>"
        "<dd><code>offset</code> - where to start</dd><dt>Returns:</dt><dd>how many were moved</dd>"
        "<dt>Throws:</dt><dd><code>OutOfOil</code> - when the tank is empty</dd></dl>"
    )
    html = (
        "<body><main><h1>Class Tower</h1><section><div>public final class Tower extends Thing</div>"
        "<div>A tower of lamps. Not thread safe.</div></section><section><h2>Method Details</h2><ul><li>"
        "<section class='detail'><h3>put</h3><div>public int put(Lamp[] source, int offset)</div>"
        f"<div>Moves lamps into the tower.</div>{terms}</section></li></ul></section></main></body>"
    )
    assert (
        block(
            "Parameters:",
            ": `source` - the lamps",
            ": `offset` - where to start",
            "",
            "Returns:",
            ": how many were moved",
            "",
            "Throws:",
            ": `OutOfOil` - when the tank is empty",
        )
        in result(html).markdown
    )


def test_a_question_on_a_button_stays_with_its_answer() -> None:
    folds = "".join(
        f'<div><button aria-expanded="false">How high is pier {n}?</button><div class="a">It stands {n} fathoms above the sea.</div></div>'
        for n in range(2, 6)
    )
    markdown = result(f"<body><main><h1>Questions</h1>{folds}<button>Help?</button></main></body>").markdown
    for n in range(2, 6):
        assert f"**How high is pier {n}?**\n\nIt stands {n} fathoms" in markdown
    assert "Help?" not in markdown


def test_the_options_of_a_question_stay_with_it() -> None:
    options = "".join(
        f'<div class="radio"><input type="radio" name="term" id="{name}"><label for="{name}">{label}</label>{hint}</div>'
        for name, label, hint in (
            ("one", "One year, £34.50", "<div>You have to renew it.</div>"),
            ("three", "Three years, £90", "<div>You pay at once.</div>"),
            ("open", "I do not know yet", ""),
        )
    )
    markdown = result(
        site(
            "<main><form action='/next' method='post'><fieldset><legend><h1>How long do you want the licence for?</h1></legend>"
            f"<div>Select one option. You can change this later on.</div><div class='radios'>{options}</div></fieldset>"
            "<button>Continue</button></form></main>"
        )
    ).markdown
    for text in (
        "One year, £34.50",
        "You have to renew it.",
        "Three years, £90",
        "You pay at once.",
        "I do not know yet",
    ):
        assert text in markdown


def test_prices_of_other_things_do_not_stay_without_their_names() -> None:
    card = (
        '<li><div><a href="/k/{0}"><div>Steel kettle model {0} with a lid</div></a>'
        '<div><a href="/k/{0}"><span>$9.9{0}</span></a></div></div></li>'
    )
    bullets = "".join(
        f"<li>{text}</li>"
        for text in (
            "Boils a full litre and a half of water in under five minutes on gas.",
            "A copper body that conducts heat evenly and never rusts in use.",
            "The whistle is loud enough to be heard from the next room over.",
        )
    )
    markdown = result(
        "<html><head><title>Shop: Copper kettle</title></head><body><div><h1>Copper kettle, 1.7 litre</h1><div>$34.99</div>"
        f"<h2>About this item</h2><ul>{bullets}</ul></div><div><h2>Customers who saw this item saw these too</h2>"
        f"<ol>{''.join(card.format(n) for n in range(1, 7))}</ol></div><div><h2>Product information</h2>"
        "<table><tr><th>Brand</th><td>Kettlecraft</td></tr><tr><th>Material</th><td>Copper</td></tr></table></div></body></html>"
    ).markdown
    assert "$34.99" in markdown
    assert "| Material | Copper |" in markdown
    assert all(f"model {n}" in markdown for n in range(1, 7) if f"$9.9{n}" in markdown)


def test_a_heading_over_links_that_are_left_out_goes() -> None:
    jobs = '<section><h2>Similar jobs</h2><div><div><a href="/1">Keeper of Fastnet</a></div><div><a href="/2">Keeper of Skerry</a></div></div></section>'
    reviews = (
        "<div><h2>12 reviews</h2><div class='reviews'><div>Good lamp</div><div>Bad lamp</div></div></div>"
    )
    for section, heading in ((jobs, "Similar jobs"), (reviews, "12 reviews")):
        markdown = result(
            site(f"<div><h1>A job</h1><p>£20 a day.</p><h2>Duties</h2><p>Wind the clock.</p>{section}</div>")
        ).markdown
        assert "## Duties\n\nWind the clock." in markdown
        assert heading not in markdown


@pytest.mark.parametrize(
    "logo",
    [
        '<p><a href="/">Home</a></p>',
        '<h1><a href="https://lighthouse.example/">Home</a></h1>',
    ],
)
def test_the_logo_above_a_short_page_stays_out(logo: str) -> None:
    markdown = result(
        f"<html><body><header>{logo}</header><div><h2>Hours</h2><p>Open daily.</p></div></body></html>"
    ).markdown
    assert markdown == "## Hours\n\nOpen daily."


def test_the_linked_heading_of_a_post_stays() -> None:
    post = '<header><h2><a href="/posts/lamp">The lamp</a></h2></header><p>It is lit at dusk.</p>'
    assert "[The lamp]" in result(f"<html><body><div>{post}</div></body></html>").markdown


def test_an_outline_of_headings_stays() -> None:
    chapters = "".join(f"<h2>Chapter {n}</h2>" for n in range(1, 5))
    markdown = result(site(f"<main><h1>The book of the lamp</h1>{chapters}</main>")).markdown
    assert [f"## Chapter {n}" in markdown for n in range(1, 5)] == [True] * 4


RIGHTS = "<div class='bottom'><p>© 2024 Lamp Society. All rights reserved.</p></div>"


def test_the_line_on_rights_of_a_short_page_stays_out() -> None:
    markdown = result(
        f"<html><head><title>Hours</title></head><body><h1>Opening hours</h1><p>Open daily from nine to five.</p>{RIGHTS}</body></html>"
    ).markdown
    assert markdown == "# Opening hours\n\nOpen daily from nine to five."


def test_a_page_of_nothing_but_its_rights_says_so() -> None:
    assert "Lamp Society" in result(f"<html><body>{RIGHTS}</body></html>").markdown


def test_a_text_to_be_seen_and_the_same_to_be_read_out_is_written_once() -> None:
    price = '<span class="read-out">$34.99</span><span aria-hidden="true"><span>$</span><span>34<span>.</span></span><span>99</span></span>'
    markdown = read(f"<p>The new kettle of the keeper is sold for {price} on the mainland.</p>")
    assert "sold for $34.99 on the mainland." in markdown


def test_a_text_to_be_seen_beside_another_one_stays() -> None:
    markdown = read(
        '<p>The lamp of the tower <span>was lit</span> <span aria-hidden="true">at dusk</span> by the keeper.</p>'
    )
    assert "was lit at dusk by" in markdown


@pytest.mark.parametrize(("count", "below"), [(3, ""), (5, FOOTER)])
def test_the_last_card_of_a_shop_ends_as_the_others_do(count: int, below: str) -> None:
    bags = "".join(
        f'<li class="item product-item"><div class="info"><a href="/{n}.html"><img alt="x"></a><div class="details">'
        f'<strong class="name"><a href="/{n}.html">Joust Duffle Bag {n}</a></strong>'
        '<div class="stock"><span>In stock</span></div></div></div></li>'
        for n in range(1, count + 1)
    )
    page = f"<main><h1>Bags</h1><ol class='products'>{bags}</ol><div class='toolbar'><p>Items 1-9 of 14</p></div></main>"
    markdown = result(
        f"<html><head><title>Bags</title></head><body>{NAV}{page}{below}</body></html>"
    ).markdown
    assert markdown.count("In stock") == count
