"""The merge: what it promises about votes, twins, texts, order and explanations."""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from research_mcp.core.models import Hit, MergedHit
from research_mcp.pipelines.search.filters import Preferred
from research_mcp.pipelines.search.fuse import NO_LIKES, Likes, fuse
from research_mcp.pipelines.search.hosts import HostRule, HostRules, Wish
from research_mcp.pipelines.search.pool import Ballot, agreement, pool


def hit(name: str, title: str = "", snippet: str = "", date: str = "", host: str = "sea.test") -> Hit:
    return Hit(title or f"Page {name}", f"https://{host}/{name}", snippet, date)


def ballot(engine: str, names: str, *, family: str = "", weight: float = 1.0) -> Ballot:
    return Ballot.of(engine, [hit(name) for name in names.split()], family=family, weight=weight)


def merge(query: str, *ballots: Ballot, likes: Likes = NO_LIKES) -> list[MergedHit]:
    return fuse(query, ballots, list(pool(ballots).values()), likes)


def names(hits: Sequence[MergedHit]) -> str:
    return " ".join(one.url.rpartition("/")[2] for one in hits)


class TestVotes:
    def test_ranks_add_up_across_engines(self) -> None:
        merged = merge("", ballot("one", "a b c"), ballot("two", "b d"), ballot("three", "c b"))
        assert names(merged)[0] == "b"
        assert merged[0].engines == {"one": 2, "two": 1, "three": 2}

    def test_a_page_at_rank_nine_of_three_engines_beats_a_lone_first(self) -> None:
        rest = [" ".join(f"{engine}{n}" for n in range(8)) for engine in "xyz"]
        ballots = [ballot(engine, f"{others} common") for engine, others in zip("xyz", rest, strict=True)]
        assert names(merge("", *ballots)).startswith("common")

    def test_one_engine_that_lists_a_page_twice_votes_once_at_its_first_rank(self) -> None:
        twice = Ballot.of("one", [hit("a"), Hit("A", "http://www.sea.test/a?utm_source=x"), hit("b")])
        merged = merge("", twice)
        assert names(merged) == "a b"
        assert [one.engines for one in merged] == [{"one": 1}, {"one": 2}]

    def test_two_resellers_of_one_index_have_one_vote_and_are_both_named(self) -> None:
        resold = [ballot("duck", "a", family="bing"), ballot("yahoo", "a", family="bing")]
        alone = merge("", resold[0])[0]
        both = merge("", *resold)[0]
        assert both.why.split(":")[0] == alone.why.split(":")[0]
        assert both.engines == {"duck": 1, "yahoo": 1}
        other = ballot("brave", "b x")
        third = ballot("mojeek", "b y")
        assert names(merge("", *resold, other, third))[0] == "b"

    def test_a_weight_multiplies_the_votes_of_its_engine(self) -> None:
        assert names(merge("", ballot("one", "a"), ballot("two", "b", weight=0.5))) == "a b"
        assert names(merge("", ballot("one", "a", weight=0.5), ballot("two", "b"))) == "b a"

    @given(st.lists(st.permutations("abcdef"), min_size=1, max_size=4), st.permutations("abcdef"), st.data())
    def test_one_more_vote_never_lowers_a_result(
        self, orders: list[list[str]], extra: list[str], data: st.DataObject
    ) -> None:
        ballots = [ballot(f"e{n}", " ".join(order)) for n, order in enumerate(orders)]
        page = data.draw(st.sampled_from("abcdef"))
        without = merge("", *ballots)
        more = Ballot.of("more", [hit(page)], weight=data.draw(st.sampled_from([0.1, 1.0, 3.0])))
        with_vote = merge("", *ballots, more)
        assert names(with_vote).split().index(page) <= names(without).split().index(page)

    def test_with_one_engine_its_order_stays(self) -> None:
        assert names(merge("", ballot("one", "d b c a"))) == "d b c a"


class TestOrder:
    def test_the_order_of_engines_changes_nothing_but_ties(self) -> None:
        rng = random.Random(4)
        ballots = [
            ballot(f"e{n}", " ".join(rng.sample("abcdefghijklmnop", 8)), weight=rng.choice([0.5, 0.7, 1.0]))
            for n in range(5)
        ]
        seen = set()
        for order in itertools.permutations(ballots):
            merged = merge("page a", *order)
            seen.add(tuple((one.why.split(":")[0], len(one.engines)) for one in merged))
        assert len(seen) == 1

    def test_ties_go_to_the_best_single_rank_then_to_pipeline_order(self) -> None:
        assert names(merge("", ballot("one", "a"), ballot("two", "b"))) == "a b"
        assert names(merge("", ballot("two", "b"), ballot("one", "a"))) == "b a"

    def test_newer_wins_between_equals_only_when_recency_matters(self) -> None:
        old = Ballot.of("one", [hit("old", date="2026-01-01")])
        new = Ballot.of("two", [hit("new", date="2026-09-01")])
        undated = Ballot.of("three", [hit("undated")])
        assert names(merge("", old, undated, new, likes=Likes(newer_first=True))) == "new old undated"
        assert names(merge("", old, undated, new)) == "old undated new"

    def test_the_asked_language_wins_between_equals_and_removes_nothing(self) -> None:
        english = Ballot.of("one", [hit("en", "Tide mills of the coast")])
        greek = Ballot.of("two", [hit("el", "Παλιρροϊκοί μύλοι της ακτής")])
        assert names(merge("", english, greek, likes=Likes(language="el"))) == "el en"
        assert names(merge("", english, greek, likes=Likes(language="de"))) == "en el"

    def test_same_input_same_output(self) -> None:
        ballots = [ballot("one", "a b c d"), ballot("two", "d c x"), ballot("three", "y a")]
        assert merge("page a", *ballots) == merge("page a", *ballots)


class TestTextVote:
    def test_text_match_moves_a_matching_page_up(self) -> None:
        one = Ballot.of("one", [hit("a", "Harbour news")])
        two = Ballot.of("two", [hit("b", "Tide mill history", "The tide mill of 1650")])
        assert names(merge("", one, two)) == "a b"
        assert names(merge("tide mill history", one, two)) == "b a"

    def test_text_match_is_a_voter_and_not_the_judge(self) -> None:
        trusted = [
            Ballot.of(f"e{n}", [hit("good", "The old mill"), hit("fine", "Water wheels")]) for n in range(3)
        ]
        spam = Ballot.of(
            "spam",
            [
                hit(f"s{n}", "Tide mill history - best tide mill history guide", "tide mill history")
                for n in range(8)
            ],
            weight=0.5,
        )
        assert names(merge("tide mill history", *trusted, spam)).startswith("good")

    def test_chinese_words_are_matched_by_pairs_of_characters(self) -> None:
        one, two = Ballot.of("one", [hit("a", "港口新闻")]), Ballot.of("two", [hit("b", "潮汐发电的历史")])
        assert names(merge("潮汐发电", one, two)) == "b a"

    def test_a_query_without_words_has_no_text_vote(self) -> None:
        assert "text match" not in merge("?!", ballot("one", "a"))[0].why


class TestTwins:
    HEADLINE = "Storm closes harbour bridge for repairs until early summer"

    def test_a_syndicated_copy_is_joined_and_named_beside_the_first(self) -> None:
        one = Ballot.of("one", [hit("a", self.HEADLINE, host="wire.test"), hit("b")])
        two = Ballot.of("two", [hit("c"), hit("copy", f"{self.HEADLINE} - Coast Daily", host="coast.test")])
        merged = merge("harbour bridge", one, two)
        first = merged[0]
        assert (first.url, first.also_at) == ("https://wire.test/a", ("https://coast.test/copy",))
        assert first.engines == {"one": 1, "two": 2}
        assert len(merged) == 3

    def test_a_headline_that_only_repeats_the_query_joins_nothing(self) -> None:
        query = "how to repair a harbour bridge after a storm in summer"
        one = Ballot.of("one", [hit("a", query, host="x.test"), hit("b", query, host="y.test")])
        assert len(merge(query, one)) == 2

    def test_copied_text_under_another_title_is_a_twin(self) -> None:
        text = "The council said on Monday that the bridge would stay closed until the first week of June at least"
        one = Ballot.of(
            "one",
            [hit("a", "Bridge shut", text, host="x.test"), hit("b", "No crossing", text, host="y.test")],
        )
        assert len(merge("bridge", one)) == 1

    def test_the_same_words_in_another_order_are_no_twin(self) -> None:
        text = "council bridge closed monday june harbour storm repair ferry traffic detour night"
        words = text.split()
        one = Ballot.of(
            "one",
            [
                hit("a", "Bridge", " ".join(words), host="x.test"),
                hit("b", "Ferry", " ".join(reversed(words)), host="y.test"),
            ],
        )
        assert len(merge("bridge", one)) == 2

    @pytest.mark.parametrize(
        ("addresses", "pages"),
        [
            (("sea.test/viewtopic.php?t=1", "sea.test/viewtopic.php?t=2"), 2),
            (("sea.test/en/harbour-tide-tables", "sea.test/fr/harbour-tide-tables"), 2),
            (("en.sea.test/harbour-tide-tables", "fr.sea.test/harbour-tide-tables"), 2),
            (("sea.test/2025/annual-report.pdf", "sea.test/2026/annual-report.pdf"), 2),
            (("sea.test/v1/api-reference", "sea.test/v2/api-reference"), 2),
            (("m.sea.test/harbour-tide-tables", "sea.test/harbour-tide-tables"), 1),
            (("sea.test/news/harbour-tide-tables", "sea.test/coast/harbour-tide-tables"), 1),
            (("sea.test/a/harbour-tide-tables?view=all", "sea.test/harbour-tide-tables"), 1),
        ],
    )
    def test_pages_of_one_title_are_one_unless_language_year_version_or_query_differs(
        self, addresses: tuple[str, str], pages: int
    ) -> None:
        title = "Tables and reports of the harbour"
        one = Ballot.of("one", [Hit(title, f"https://{address}") for address in addresses])
        assert len(merge("harbour", one)) == pages

    def test_copied_text_is_enough_without_any_title(self) -> None:
        text = "The council said on Monday that the bridge would stay closed until the first week of June at least"
        found = [Hit("", f"https://{host}.test/", text) for host in "xy"]
        assert len(merge("bridge", Ballot.of("one", found))) == 1

    def test_one_page_under_two_cases_of_its_path_is_one(self) -> None:
        one = Ballot.of("one", [hit("Mongol_empire", "Mongol Empire"), hit("Mongol_Empire", "Mongol Empire")])
        assert len(merge("", one)) == 1

    def test_boilerplate_pages_of_one_publisher_stay_apart(self) -> None:
        text = "Find opening hours, directions and phone numbers for all of our branches in the region here"
        one = Ballot.of("one", [hit("north", "Branch North", text), hit("south", "Branch South", text)])
        assert len(merge("branch", one)) == 2

    def test_the_order_of_engines_does_not_change_who_is_joined(self) -> None:
        text = "The council said on Monday that the bridge would stay closed until the first week of June at least"
        ballots = [
            Ballot.of(f"e{n}", [hit("x", f"Title {n}", text, host=f"h{n}.test"), hit(f"o{n}")])
            for n in range(4)
        ]
        groups = set()
        for order in itertools.permutations(ballots):
            merged = merge("bridge", *order)
            groups.add(frozenset(frozenset({one.url, *one.also_at}) for one in merged))
        assert len(groups) == 1


class TestEntries:
    def test_one_entry_keeps_the_best_of_all_copies(self) -> None:
        one = Ballot.of("one", [Hit("Tide mills of the ...", "http://sea.test/a", "Short.", "2026-05-01")])
        two = Ballot.of(
            "two", [Hit("Tide mills of the coast", "https://www.sea.test/a/", "A longer text.", "2026-04-30")]
        )
        (entry,) = merge("tide", one, two)
        assert entry.title == "Tide mills of the coast"
        assert entry.snippet == "A longer text."
        assert entry.date == "2026-04-30"
        assert entry.url == "https://www.sea.test/a/"

    @pytest.mark.parametrize("mark", ["...", "\u2026"])
    def test_a_whole_title_wins_over_a_longer_one_that_is_cut_off(self, mark: str) -> None:
        one = Ballot.of("one", [Hit(f"Tide mills of the whole northern {mark}", "https://sea.test/a")])
        two = Ballot.of("two", [Hit("Tide mills", "https://sea.test/a")])
        assert merge("tide", one, two)[0].title == "Tide mills"

    def test_a_stuffed_title_does_not_win_by_length(self) -> None:
        one = Ballot.of("one", [Hit("Tide mills", "https://sea.test/a")])
        two = Ballot.of("two", [Hit("Tide mills " * 30, "https://sea.test/a")])
        assert merge("tide", one, two)[0].title == "Tide mills"

    def test_the_shown_address_is_as_the_best_ranked_engine_gave_it(self) -> None:
        one = Ballot.of("one", [hit("x"), Hit("A", "https://sea.test/a?utm_source=one#top")])
        two = Ballot.of("two", [Hit("A", "https://www.sea.test/a/")])
        assert merge("", one, two)[0].url == "https://www.sea.test/a/"

    def test_long_snippets_are_cut_between_words(self) -> None:
        snippet = merge("", Ballot.of("one", [hit("a", snippet="word " * 400)]))[0].snippet
        assert snippet == " ".join(["word"] * 120) + "\u2026"

    @pytest.mark.parametrize("start", ["", "one word, then "])
    def test_a_long_snippet_without_spaces_is_cut_where_it_must_be(self, start: str) -> None:
        snippet = merge("", Ballot.of("one", [hit("a", snippet=start + "\u6f6e" * 700)]))[0].snippet
        assert len(snippet) == 601
        assert snippet.endswith("\u6f6e\u2026")

    def test_every_position_is_explained(self) -> None:
        one = Ballot.of("duck", [hit("a", "Tide mill")])
        two = Ballot.of("brave", [hit("b"), hit("c"), hit("d"), hit("a", "Tide mill")])
        assert merge("tide mill", one, two)[0].why == "votes 0.0484: duck #1, brave #4; text match #1"


class TestOwnersRules:
    @pytest.mark.parametrize(
        ("wish", "order"),
        [(Wish.RAISE, "u1 u2 other"), (Wish.LOWER, "u2 other u1"), (Wish.PIN, "u1 u2 other")],
    )
    def test_a_rule_for_a_path_moves_that_path_alone(self, wish: Wish, order: str) -> None:
        one = Ballot.of(
            "one",
            [Hit("U2", "https://ex.test/user2/u2"), hit("other"), Hit("U1", "https://ex.test/user1/u1")],
        )
        rules = HostRules([HostRule("ex.test/user1", wish)])
        if wish is Wish.LOWER:
            assert names(merge("", one, likes=Likes(rules=rules))) == order
        else:
            assert names(merge("", one, likes=Likes(rules=rules))) == "u1 u2 other"

    def test_a_raised_host_drops_nobody(self) -> None:
        one = ballot("one", "a b c")
        two = Ballot.of("two", [hit("d", host="liked.test")])
        rules = HostRules([HostRule("liked.test", Wish.RAISE)])
        merged = merge("", one, two, likes=Likes(rules=rules))
        assert names(merged)[0] == "d"
        assert len(merged) == 4


class TestPreferredDomains:
    LIKED = Likes(preferred=Preferred.of(("liked.test", "x.com")))

    def test_their_pages_move_up_and_nobody_is_dropped(self) -> None:
        three = Ballot.of("three", [hit("d", host="liked.test"), hit("x")])
        ballots = [ballot("one", "a b c"), ballot("two", "a b"), three]
        assert names(merge("", *ballots)) == "a b d x c"
        liked = merge("", *ballots, likes=self.LIKED)
        assert names(liked) == "a d b x c"
        assert liked[1].why.endswith("; raised by prefer_domains")

    @pytest.mark.parametrize("host", ["www.liked.test", "docs.liked.test", "twitter.com"])
    def test_subdomains_and_other_names_of_a_site_count(self, host: str) -> None:
        one = Ballot.of("one", [hit("a"), hit("b", host=host)])
        assert names(merge("", one, likes=self.LIKED)) == "b a"

    def test_the_owners_rules_multiply_with_them(self) -> None:
        one = Ballot.of("one", [hit("a"), hit("b", host="liked.test")])
        rules = HostRules([HostRule("liked.test", Wish.LOWER, "slop list")])
        merged = merge("", one, likes=Likes(rules=rules, preferred=self.LIKED.preferred))
        assert names(merged) == "a b"
        assert merged[1].moved == "lowered by slop list; raised by prefer_domains"


def test_agreement_beats_a_lone_social_post() -> None:
    social = Ballot.of("one", [hit("post", host="x.com"), hit("a"), hit("b")])
    assert names(merge("", social, ballot("two", "c a"), ballot("three", "d b"))).startswith("a b post")


def test_a_single_site_search_is_not_cut_to_a_few_hits_of_the_host() -> None:
    assert len(merge("", ballot("one", "a b c d e f g h"))) == 8


def test_agreement_counts_pages_that_another_family_found() -> None:
    ballots = [
        ballot("duck", "a b c d", family="bing"),
        ballot("yahoo", "a b c d", family="bing"),
        ballot("brave", "a x"),
        ballot("empty", ""),
    ]
    assert agreement(ballots, pool(ballots)) == {"duck": 0.25, "yahoo": 0.25, "brave": 0.5}
    assert agreement(ballots[:2], pool(ballots[:2])) == {}
