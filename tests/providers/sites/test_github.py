"""GitHub: each kind of page, the limit that strangers share, and what falls to the next reader."""

from __future__ import annotations

import httpx
import pytest

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import (
    BadReply,
    NoContent,
    ProviderError,
    RateLimited,
    Reason,
    Rejected,
    Transient,
)
from research_mcp.core.models import Extracted, Flag, Kind
from research_mcp.core.wire import Document
from research_mcp.pipelines.read.job import ProbeLimits, ReadJob
from research_mcp.providers.kit.base import Means
from research_mcp.providers.sites.github import GitHubRead
from research_mcp.providers.sites.github.places import What, place_of
from tests.kit.reading import FakeFetcher, document
from tests.kit.sites import FIXTURES, Desk, fixture
from tests.kit.virtual_time import run
from tests.kit.wire import KEY

HOME = "https://github.com/kelp/farm"
API = "GET https://api.github.com/repos/kelp/farm"
RAW = "https://raw.githubusercontent.com/kelp/farm"
NOT_FOUND = httpx.Response(404, json={"message": "Not Found"})
PYTHON = "def farm(kelp):\n    return kelp\n"


def gh(name: str, status: int = 200, **headers: str) -> httpx.Response:
    return fixture(f"github/{name}.json", status, **headers)


def raw(text: str) -> httpx.Response:
    return httpx.Response(
        200, headers={"content-type": "application/vnd.github.raw+json; charset=utf-8"}, content=text.encode()
    )


def desk(**more: object) -> Desk:
    lines = {
        API: gh("repo"),
        f"{API}/readme": raw("# Farm\n\n<!-- badges -->\n\nHow to grow kelp."),
        f"{API}/issues/7": gh("issue"),
        f"{API}/issues/7/comments": gh("comments"),
        f"{API}/issues/8": httpx.Response(200, json={"number": 8, "pull_request": {"url": "x"}}),
        f"{API}/issues/8/comments": httpx.Response(200, json=[{"user": {"login": "cal"}, "body": "Nice.", "created_at": "2026-08-05T00:00:00Z"}]),
        f"{API}/pulls/8": gh("pull"),
        f"{API}/pulls/8/reviews": gh("reviews"),
        f"{API}/pulls/8/comments": gh("remarks"),
        f"{API}/contents/src": gh("contents"),
        f"{API}/contents/src/README.md": raw("About the source."),
        f"{API}/contents": httpx.Response(200, json=[{"name": "a.py", "type": "file", "size": 1}]),
        f"{API}/releases/tags/v1.0": gh("release"),
        f"{API}/releases/latest": gh("release"),
    }  # fmt: skip
    lines.update(more.pop("lines", {}))  # type: ignore[call-overload]
    return Desk(GitHubRead, lines, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("url", "what", "rest"),
    [
        (HOME, What.HOME, ""),
        (HOME + ".git", What.HOME, ""),
        (HOME + "/?tab=readme-ov-file#install", What.HOME, ""),
        ("https://www.github.com/kelp/farm/", What.HOME, ""),
        (HOME + "/blob/main/src/farm.py#L3-L9", What.FILE, "main/src/farm.py"),
        (HOME + "/raw/main/a.pdf", What.FILE, "main/a.pdf"),
        (HOME + "/blame/main/a.py", What.FILE, "main/a.py"),
        (RAW + "/refs/heads/main/a.py", What.FILE, "refs/heads/main/a.py"),
        (HOME + "/tree/main", What.TREE, "main"),
        (HOME + "/tree/feature/x/src/", What.TREE, "feature/x/src"),
        (HOME + "/issues/7#issuecomment-1", What.ISSUE, "7"),
        (HOME + "/pull/8", What.PULL, "8"),
        (HOME + "/pull/8/files", What.PULL, "8"),
        (HOME + "/releases/tag/v1.0", What.RELEASE, "tags/v1.0"),
        (HOME + "/releases/tag/sea/v1", What.RELEASE, "tags/sea%2Fv1"),
        (HOME + "/releases/latest", What.RELEASE, "latest"),
    ],
)
def test_each_form_of_an_address_is_understood(url: str, what: What, rest: str) -> None:
    place = place_of(url)
    assert place is not None
    assert (place.owner, place.repo, place.what, place.rest) == ("kelp", "farm", what, rest)
    assert GitHubRead().accepts(url)


@pytest.mark.parametrize(
    "url",
    [
        "https://github.com/",
        "https://github.com/kelp",
        "https://github.com/features/actions",
        "https://github.com/orgs/kelp/repositories",
        "https://github.com/marketplace/kelp",
        "https://github.com/kelp/..",
        "https://github.com/-kelp/farm",
        HOME + "/discussions/5",
        HOME + "/wiki",
        HOME + "/issues",
        HOME + "/issues/new",
        HOME + "/issues/7/x",
        HOME + "/pulls",
        HOME + "/pull/new",
        HOME + "/releases",
        HOME + "/releases/tag",
        HOME + "/commit/abc",
        HOME + "/blob/main",
        HOME + "/tree",
        RAW + "/main",
        "https://gist.github.com/kelp/farm",
        "https://github.com.evil.test/kelp/farm",
        "https://api.github.com/repos/kelp",
    ],
)
def test_other_pages_are_left_to_others(url: str) -> None:
    assert not GitHubRead().accepts(url)


class TestRepositories:
    def test_links_of_a_readme_lead_to_the_sites_pages(self) -> None:
        said = {
            f"{API}/readme": raw("See [docs](docs/a.md)."),
            f"{API}/contents/src/README.md": raw("[up](../b.md)"),
        }
        assert f"[docs]({HOME}/blob/HEAD/docs/a.md)" in desk(lines=said).page(HOME).markdown
        assert f"[up]({HOME}/blob/main/b.md)" in desk(lines=said).page(f"{HOME}/tree/main/src").markdown

    def test_a_repository_is_its_facts_and_its_readme(self) -> None:
        found = desk()
        page = found.page(HOME)
        assert (page.title, page.date, page.kind, page.final_url) == (
            "kelp/farm",
            "2026-08-01",
            Kind.MARKDOWN,
            HOME,
        )
        assert page.markdown == (
            "Grow kelp\n\n"
            "Python · 1234 stars · MIT · topics: kelp, sea · a fork of sea/farm · archived · https://kelp.example\n\n"
            "# Farm\n\n\n\nHow to grow kelp."
        )
        assert {request.headers["x-github-api-version"] for request in found.sent} == {"2022-11-28"}
        assert [request.headers["accept"] for request in found.sent] == [
            "application/vnd.github+json",
            "application/vnd.github.raw+json",
        ]

    @pytest.mark.parametrize(
        ("readme", "notes"),
        [
            (NOT_FOUND, 0),
            (httpx.Response(403, json={"message": "no"}), 1),
            (httpx.Response(500), 1),
        ],
    )
    def test_without_a_readme_the_facts_remain(self, readme: httpx.Response, notes: int) -> None:
        page = desk(lines={f"{API}/readme": readme}).page(HOME)
        assert page.markdown.endswith("(no README)")
        assert len(page.notes) == notes

    def test_a_renamed_repository_is_followed(self) -> None:
        moved = httpx.Response(301, headers={"location": "https://api.github.com/repositories/1"})
        found = desk(lines={API: moved, "GET https://api.github.com/repositories/1": gh("repo")})
        assert found.page(HOME).title == "kelp/farm"

    def test_a_bare_repository_is_named_after_its_address(self) -> None:
        bare = httpx.Response(200, json={"license": {"spdx_id": "NOASSERTION"}})
        page = desk(lines={API: bare, f"{API}/readme": NOT_FOUND}).page(HOME)
        assert (page.title, page.final_url, page.markdown) == ("kelp/farm", HOME, "(no README)")


class TestFiles:
    def read(self, name: str, body: str, **facts: object) -> tuple[Desk, str]:
        url = f"{RAW}/main/{name}"
        facts.setdefault("headers", {"content-type": "text/plain; charset=utf-8"})
        found = desk(fetcher=FakeFetcher({url: document(url, body, **facts)}))  # type: ignore[arg-type]
        return found, f"{HOME}/blob/main/{name}"

    @pytest.mark.parametrize(
        ("name", "body", "kind", "markdown"),
        [
            ("src/farm.py", PYTHON, Kind.TEXT, "```py\ndef farm(kelp):\n    return kelp\n```"),
            ("docs/a%20b.md", "\ufeff# Kelp <!-- x -->", Kind.MARKDOWN, "# Kelp"),
            ("LICENSE", "MIT", Kind.TEXT, "MIT"),
            ("notes.txt", "plain", Kind.TEXT, "plain"),
            ("Makefile", "all:\n\ttrue", Kind.TEXT, "```\nall:\n\ttrue\n```"),
            ("x.py~", "a", Kind.TEXT, "```\na\n```"),
            ("bad.ipynb", "no", Kind.TEXT, "```ipynb\nno\n```"),
            (
                "a.ipynb",
                (FIXTURES / "github" / "notebook.json").read_text(),
                Kind.MARKDOWN,
                "# Kelp\ntext\n\n```python\nprint(1)\n```\n\n```\n1\n```\n\n```\n<Figure>\n```",
            ),
        ],
    )
    def test_a_file_is_prose_as_it_is_or_code_in_a_fence(
        self, name: str, body: str, kind: Kind, markdown: str
    ) -> None:
        found, url = self.read(name, body)
        page = found.page(url)
        assert (page.kind, page.markdown) == (kind, markdown)
        assert page.title == name.rpartition("/")[2].replace("%20", " ")
        assert found.sent == []

    @pytest.mark.parametrize("name", ["paper.pdf", "table.csv", "blob.bin"])
    def test_what_is_no_text_is_extracted(self, name: str) -> None:
        found, url = self.read(name, "%PDF \0")
        found.extractor.results[f"{RAW}/main/{name}"] = Extracted(Kind.PDF, "The paper.", title="Kelp")
        page = found.page(url)
        assert (page.kind, page.markdown, page.title) == (Kind.PDF, "The paper.", "Kelp")

    def test_what_nobody_can_read_has_its_reason(self) -> None:
        found, url = self.read("a.bin", "\0")
        found.extractor.results[f"{RAW}/main/a.bin"] = Extracted(Kind.BINARY, reason=Reason.UNSUPPORTED_TYPE)
        assert found.error(url).reason is Reason.UNSUPPORTED_TYPE

    def test_a_file_that_broke_off_says_so(self) -> None:
        found, url = self.read("a.py", "x = 1", truncated="it broke off")
        assert found.page(url).flags == (Flag.TRUNCATED,)

    def test_a_very_long_file_is_cut_and_says_so(self) -> None:
        found, url = self.read("a.txt", "x" * 2_000_001)
        page = found.page(url)
        assert (len(page.markdown), page.flags) == (2_000_000, (Flag.TRUNCATED,))

    def test_an_empty_file_is_empty(self) -> None:
        found, url = self.read("a.py", "\n")
        assert found.error(url).reason is Reason.EMPTY

    def test_a_missing_file_costs_a_stranger_no_call(self) -> None:
        found = desk()
        assert found.error(f"{HOME}/blob/main/none.py").reason is Reason.NOT_FOUND
        assert found.sent == []

    @pytest.mark.parametrize(
        "failure", [NoContent("no", reason=Reason.DNS_FAILED), document(f"{RAW}/main/src/farm.py", "no", 429)]
    )
    def test_the_api_stands_in_for_the_raw_host(self, failure: Document | Exception) -> None:
        found = desk(
            lines={f"{API}/contents/src/farm.py": raw(PYTHON)},
            fetcher=FakeFetcher({f"{RAW}/main/src/farm.py": failure}),
        )
        assert found.page(f"{HOME}/blob/main/src/farm.py").markdown.startswith("```py")
        assert found.sent[0].url.params["ref"] == "main"
        assert found.sent[0].headers["accept"] == "application/vnd.github.raw+json"

    def test_a_private_file_is_asked_for_with_the_token(self) -> None:
        found = desk(keys=[KEY], lines={f"{API}/contents/src/farm.py": raw(PYTHON)})
        found.reader._type.means = Means(keyed=True)  # noqa: SLF001  as the composition root sets it
        page = found.page(f"{HOME}/blob/main/src/farm.py")
        assert page.markdown.startswith("```py")
        assert found.sent[0].headers["authorization"] == f"Bearer {KEY}"

    def test_a_base_url_is_asked_for_files_too_whatever_the_branch_is_called(self) -> None:
        base = "GET http://gw.test/api/v3/repos/kelp/farm/contents"
        found = desk(
            urls={"": "http://gw.test/api/v3"},
            lines={f"{base}/rope/farm.py": NOT_FOUND, f"{base}/farm.py": raw(PYTHON)},
        )
        assert found.page(f"{HOME}/blob/sea/rope/farm.py").markdown.startswith("```py")
        assert [request.url.params["ref"] for request in found.sent] == ["sea", "sea/rope"]
        assert found.fetcher.fetched == []

    @pytest.mark.parametrize(
        ("answer", "reason"),
        [(NOT_FOUND, Reason.NOT_FOUND), (httpx.Response(451, json={}), Reason.FORBIDDEN)],
    )
    def test_a_file_that_the_api_has_not_either(self, answer: httpx.Response, reason: Reason) -> None:
        found = desk(
            urls={"": "http://gw.test"}, lines={"GET http://gw.test/repos/kelp/farm/contents/a.py": answer}
        )
        assert found.error(f"{HOME}/blob/main/a.py").reason is reason


class TestDirectories:
    def test_a_directory_is_its_entries_and_its_readme(self) -> None:
        found = desk()
        page = found.page(f"{HOME}/tree/main/src")
        assert page.title == "kelp/farm: src at main"
        assert page.markdown == (
            "- ropes/\n- farm.py (1,204 bytes)\n- README.md (12 bytes)\n- sea (submodule)\n\n"
            "## README.md\n\nAbout the source."
        )
        assert {request.url.params["ref"] for request in found.sent} == {"main"}

    def test_the_top_of_a_branch_with_a_slash(self) -> None:
        found = desk(lines={f"{API}/contents/x": NOT_FOUND})
        page = found.page(f"{HOME}/tree/feature/x")
        assert (page.title, page.markdown) == ("kelp/farm: / at feature/x", "- a.py (1 bytes)")

    def test_a_large_directory_is_cut_and_says_so(self) -> None:
        many = httpx.Response(200, json=[{"name": f"f{n}", "type": "file"} for n in range(600)])
        assert (
            desk(lines={f"{API}/contents/src": many})
            .page(f"{HOME}/tree/main/src")
            .markdown.endswith("- and 100 more")
        )

    @pytest.mark.parametrize(
        ("answer", "kind", "reason"),
        [
            (NOT_FOUND, NoContent, Reason.NOT_FOUND),
            (httpx.Response(403, json={"message": "no"}), NoContent, Reason.FORBIDDEN),
            (httpx.Response(200, json={"type": "file"}), BadReply, Reason.UPSTREAM_ERROR),
            (httpx.Response(200, json=[]), NoContent, Reason.EMPTY),
        ],
    )
    def test_a_directory_that_is_not_there(
        self, answer: httpx.Response, kind: type[Exception], reason: Reason
    ) -> None:
        error = desk(lines={f"{API}/contents/none": answer, f"{API}/contents": NOT_FOUND}).error(
            f"{HOME}/tree/main/none"
        )
        assert (type(error), error.reason) == (kind, reason)


class TestIssues:
    def test_an_issue_comes_with_its_comments(self) -> None:
        page = desk().page(f"{HOME}/issues/7")
        assert (page.title, page.author, page.date) == ("Crash on empty list (#7)", "ann", "2026-08-01")
        assert (page.kind, page.site, page.notes) == (Kind.POST, "GitHub", ())
        assert page.markdown == (
            "closed (not planned) · closed 2026-08-05 · labels: bug, good first issue · assigned to: bob · milestone: 1.0\n\n"
            "Steps:\n\n```py\nfarm([])\n```\n\n"
            "## Comments\n\n"
            "- **bob** · 2026-08-02\n\n  Confirmed.\n\n  - here\n  - there\n\n"
            "- 2026-08-03\n\n  Same."
        )

    def test_an_issue_without_comments_costs_one_call(self) -> None:
        found = desk(
            lines={f"{API}/issues/7": httpx.Response(200, json={"number": 7, "state": "open", "comments": 0})}
        )
        assert found.page(f"{HOME}/issues/7").markdown == "open\n\n(no description)"
        assert len(found.sent) == 1

    def test_many_comments_are_cut_and_say_so(self) -> None:
        page_of_100 = httpx.Response(200, json=[{"body": "x"}] * 100)
        issue = httpx.Response(200, json={"number": 7, "comments": 431})
        found = desk(lines={f"{API}/issues/7": issue, f"{API}/issues/7/comments": page_of_100})
        page = found.page(f"{HOME}/issues/7")
        assert page.notes == ("200 of 431 comments are shown, the first ones",)
        assert [dict(request.url.params) for request in found.sent[1:]] == [
            {"per_page": "100", "page": "1"},
            {"per_page": "100", "page": "2"},
        ]

    def test_comments_that_fail_leave_the_issue(self) -> None:
        limited = gh("limited", 403, **{"x-ratelimit-remaining": "0"})
        page = desk(lines={f"{API}/issues/7/comments": limited}).page(f"{HOME}/issues/7")
        assert "Steps:" in page.markdown
        assert page.notes == (
            "the comments could not be read (rate_limited): GitHub's limit of calls is used up; a token raises it",
        )


class TestPullRequests:
    @pytest.mark.parametrize("path", ["pull/8", "pull/8/files", "issues/8"])
    def test_a_pull_request_comes_with_its_reviews(self, path: str) -> None:
        page = desk().page(f"{HOME}/{path}")
        assert (page.title, page.author, page.final_url) == ("Fix the crash (#8)", "ann", f"{HOME}/pull/8")
        assert page.notes == ()
        assert page.markdown == (
            "merged 2026-08-06 · ann:fix into main · 2 commits · 1 file · +10 -1\n\n"
            "Fixes #7.\n\n"
            "## Comments\n\n- **cal** · 2026-08-05\n\n  Nice.\n\n"
            "## Reviews\n\n"
            "- **bob** · 2026-08-05 · changes requested\n\n  Nearly.\n\n"
            "  - **bob** · 2026-08-05 · on `farm.py` line 3\n\n"
            "    ```diff\n    @@ -1,2 +1,3 @@\n     def farm(kelp):\n    +    if not kelp:\n    +        return\n    ```\n\n"
            "    Return what?\n\n"
            "    - **ann** · 2026-08-05\n\n      None, as before.\n\n"
            "- **bob** · 2026-08-06 · approved\n\n  (approved)\n\n"
            "- **cal** · 2026-08-05 · on `old.py` line 9\n\n  Stray."
        )

    def test_remarks_that_name_no_review_are_told_once(self) -> None:
        reviews = [
            {"user": {"login": "cat"}, "state": "APPROVED"},
            {"user": {"login": "dan"}, "state": "DISMISSED"},
        ]
        remarks = [{"user": {"login": "eve"}, "path": "a.py", "body": "Once."}]
        lines = {
            f"{API}/pulls/8/reviews": httpx.Response(200, json=reviews),
            f"{API}/pulls/8/comments": httpx.Response(200, json=remarks),
        }
        assert desk(lines=lines).page(f"{HOME}/pull/8").markdown.count("Once.") == 1

    def test_an_open_draft_without_anything_else(self) -> None:
        bare = httpx.Response(200, json={"number": 8, "state": "open", "draft": True, "comments": 0})
        none = httpx.Response(200, json=[])
        found = desk(
            lines={f"{API}/pulls/8": bare, f"{API}/pulls/8/reviews": none, f"{API}/pulls/8/comments": none}
        )
        assert found.page(f"{HOME}/pull/8").markdown == "open · draft\n\n(no description)"


class TestReleases:
    @pytest.mark.parametrize("path", ["tag/v1.0", "latest"])
    def test_a_release_is_its_notes_and_assets(self, path: str) -> None:
        page = desk().page(f"{HOME}/releases/{path}")
        assert (page.title, page.author, page.date) == ("One point zero", "ann", "2026-08-01")
        assert page.final_url == f"{HOME}/releases/tag/v1.0"
        assert page.markdown == (
            "v1.0 · pre-release\n\n## Changes\n\n- kelp\n\n## Assets\n\n"
            "- [farm.whl](https://github.com/kelp/farm/releases/download/v1.0/farm.whl) (2048 bytes · 3 downloads)"
        )

    def test_a_release_with_many_assets_is_cut(self) -> None:
        release = httpx.Response(
            200, json={"tag_name": "v1.0", "draft": True, "assets": [{"name": "a"}] * 60}
        )
        page = desk(lines={f"{API}/releases/latest": release}).page(f"{HOME}/releases/latest")
        assert page.markdown.startswith("v1.0 · draft")
        assert page.markdown.endswith("- and 10 more")


DATE = "Fri, 15 Jan 2027 08:00:00 GMT"  # epoch 1800000000


@pytest.mark.parametrize(
    ("status", "headers", "rest"),
    [
        (403, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800001200", "date": DATE}, 1_200.0),
        (429, {"x-ratelimit-remaining": "0", "x-ratelimit-reset": "1800001200", "date": DATE}, 1_200.0),
        (403, {"x-ratelimit-remaining": "0"}, 3_600.0),
        (403, {"retry-after": "30"}, 30.0),
        (403, {}, 60.0),
    ],
)
def test_a_spent_limit_rests_until_it_is_reset(status: int, headers: dict[str, str], rest: float) -> None:
    error = desk(lines={API: gh("limited", status, **headers)}).error(HOME)
    assert (type(error), error.reason, error.rest_for) == (RateLimited, Reason.RATE_LIMITED, rest)


@pytest.mark.parametrize(
    ("answer", "kind", "reason"),
    [
        (NOT_FOUND, NoContent, Reason.NOT_FOUND),
        (httpx.Response(410, json={"message": "This issue was deleted"}), NoContent, Reason.GONE),
        (httpx.Response(403, json={"message": "Resource not accessible"}), NoContent, Reason.FORBIDDEN),
        (httpx.Response(451, json={"message": "DMCA"}), NoContent, Reason.FORBIDDEN),
        (httpx.Response(401, json={"message": "Bad credentials"}), Rejected, Reason.BAD_KEY),
        (httpx.Response(429, json={"message": "slow"}), RateLimited, Reason.RATE_LIMITED),
        (
            httpx.Response(403, headers={"content-type": "text/html"}, content=b"no"),
            RateLimited,
            Reason.BLOCKED,
        ),
        (httpx.Response(502), Transient, Reason.UPSTREAM_ERROR),
        (httpx.ReadTimeout("slow"), Transient, Reason.TIMEOUT),
        (httpx.Response(200, content=b"<html>"), BadReply, Reason.UPSTREAM_ERROR),
        (httpx.Response(200, json=[]), BadReply, Reason.UPSTREAM_ERROR),
    ],
    ids=["404", "410", "403", "451", "401", "429", "edge", "502", "timeout", "html", "list"],
)
def test_each_fault_has_its_remedy(answer: object, kind: type[Exception], reason: Reason) -> None:
    error = desk(lines={f"{API}/issues/7": answer}).error(f"{HOME}/issues/7")
    assert (type(error), error.reason) == (kind, reason)


def test_the_token_goes_to_the_api_alone_and_a_bad_one_rests() -> None:
    found = desk(keys=[KEY], lines={API: httpx.Response(401, json={"message": "Bad credentials"})})
    assert isinstance(found.error(HOME), Rejected)
    assert found.sent[0].headers["authorization"] == f"Bearer {KEY}"
    assert found.parking.rests["account:own#1"].until is None


def test_a_page_that_it_does_not_take_is_no_page_of_it() -> None:
    found = desk()

    async def main() -> ProviderError:
        deadline = Deadline.after(5)
        url = f"{HOME}/discussions/5"
        async with ReadJob((url,), found.fetcher, found.extractor, deadline, ProbeLimits()) as job:
            with pytest.raises(NoContent) as caught:
                await found.reader.read(job, deadline)
            return caught.value

    assert run(main()).reason is Reason.UNSUPPORTED_TYPE
