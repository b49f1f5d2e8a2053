"""GitHub: what a page of it is about, as Markdown.

Docs:   https://docs.github.com/en/rest
Sends:  GET /repos/{owner}/{repo}, .../readme, .../contents/{path}, .../issues/{n}, .../pulls/{n} with their
        comments and reviews, .../releases/tags/{tag}; files from raw.githubusercontent.com, which counts
        no calls and knows where a ref with slashes ends. The token is optional.
Gets:   JSON, Markdown as it was written; files with `Accept: application/vnd.github.raw+json`.
Quirks: 60 calls an hour without a token. A spent limit is a 403 or 429 with `x-ratelimit-remaining: 0`, or
        with `retry-after`. A 404 may be a private repository, a 301 one that was renamed.
"""

from __future__ import annotations

from typing import ClassVar
from urllib.parse import unquote

from research_mcp.core.deadline import Deadline
from research_mcp.core.errors import NoContent, ProviderError, RateLimited, Reason
from research_mcp.core.models import Flag, Kind, Page
from research_mcp.core.ports import Http, Job
from research_mcp.core.wire import Document, Reply
from research_mcp.providers.kit.extracted import page_of
from research_mcp.providers.kit.fields import Fields
from research_mcp.providers.kit.fragment import visible
from research_mcp.providers.kit.keyless import closed, seconds_until
from research_mcp.providers.kit.read import ReadType
from research_mcp.providers.kit.registry import register
from research_mcp.providers.kit.thread import blocks, counted, dotted, one_line
from research_mcp.providers.kit.tree import at, number, text
from research_mcp.providers.sites.github import talk
from research_mcp.providers.sites.github.api import Api
from research_mcp.providers.sites.github.files import file_text, listing, readme_in
from research_mcp.providers.sites.github.places import Place, What, place_of

AN_HOUR = 3_600.0
A_MINUTE = 60.0
MOST_OF_A_FILE = 2_000_000
"""Octets of a file that is text."""


@register("read.github")
class GitHubRead(ReadType):
    """Repositories, files, directories, issues, pull requests with their reviews, releases."""

    docs = "https://docs.github.com/en/rest"
    endpoint = "https://api.github.com"
    site = True
    sample = "https://github.com/python/cpython"
    cap = 25.0
    headers: ClassVar[dict[str, str]] = {
        "Accept": "application/vnd.github+json",
        "X-GitHub-Api-Version": "2022-11-28",
    }

    def accepts(self, url: str) -> bool:
        """Pages of a repository that the API has; not its discussions, wiki and lists."""
        return place_of(url) is not None

    def refusal(self, reply: Reply) -> ProviderError | None:
        """A spent limit, and a page that nobody may see; a 401 is a bad token."""
        if reply.status in (403, 429) and (seconds := _rest_of(reply)):
            return RateLimited("GitHub's limit of calls is used up; a token raises it", rest_for=seconds)
        return None if reply.status == 401 else closed(reply)

    async def read(self, job: Job, http: Http, deadline: Deadline) -> Page:
        """The page. Raises `NoContent` (`not_found`, which may mean private; `gone`, `forbidden`)."""
        place = place_of(job.url)
        if place is None:
            raise NoContent("GitHub's API has no such page", reason=Reason.UNSUPPORTED_TYPE)
        readers = {
            What.HOME: self._home,
            What.FILE: self._file,
            What.TREE: self._tree,
            What.ISSUE: self._issue,
            What.PULL: self._pull,
            What.RELEASE: self._release,
        }
        return await readers[place.what](job, place, Api(http, deadline))

    async def _home(self, job: Job, place: Place, api: Api) -> Page:
        repo = await api.object(place.api)
        readme = await api.extra_text("the README", f"{place.api}/readme")
        return self.page(
            job.url,
            blocks(_repo_facts(repo), place.leads(visible(readme), "HEAD/README.md") or "(no README)"),
            final_url=text(repo, "html_url") or place.web,
            kind=Kind.MARKDOWN,
            title=one_line(text(repo, "full_name")) or f"{place.owner}/{place.repo}",
            date=talk.day(repo, "pushed_at"),
            site="GitHub",
            notes=api.notes,
        )

    async def _file(self, job: Job, place: Place, api: Api) -> Page:
        document = await self._raw_file(job, place) or await _file_by_api(job.url, place, api)
        known = file_text(place.rest, document.body[:MOST_OF_A_FILE])
        if known is None:
            return page_of(self, document, await job.extract(document))
        cut = document.caveat or (Flag.TRUNCATED if len(document.body) > MOST_OF_A_FILE else None)
        return self.page(
            job.url,
            place.leads(known.markdown, place.rest) if known.kind is Kind.MARKDOWN else known.markdown,
            final_url=document.final_url,
            kind=known.kind,
            title=unquote(place.rest).rpartition("/")[2],
            site=f"GitHub, {place.owner}/{place.repo}",
            flags=(cut,) if cut else (),
        )

    async def _raw_file(self, job: Job, place: Place) -> Document | None:
        """The file from the raw host; None when the API may do better: out of reach, or private."""
        if self.means.base_url:  # the operator names who is to be asked
            return None
        try:
            document = await job.fetch(place.raw, accept="*/*")
        except NoContent:
            return None
        if document.status == 404 and not self.means.keyed:
            raise _no_file()
        return document if document.status == 200 else None

    async def _tree(self, job: Job, place: Place, api: Api) -> Page:
        ref, path, entries = await _entries(place, api)
        markdown = listing(entries)
        name = readme_in(entries)
        if name:
            inside = f"{path}/{name}" if path else name
            readme = await api.extra_text("the README", f"{place.api}/contents/{inside}", {"ref": ref})
            said = place.leads(visible(readme), f"{ref}/{inside}")
            markdown = blocks(markdown, f"## {name}\n\n{said}" if said else "")
        return self.page(
            job.url,
            markdown,
            kind=Kind.MARKDOWN,
            title=f"{place.owner}/{place.repo}: {unquote(path) or '/'} at {ref}",
            site="GitHub",
            notes=api.notes,
        )

    async def _issue(self, job: Job, place: Place, api: Api) -> Page:
        issue = await api.object(f"{place.api}/issues/{place.rest}")
        if at(issue, "pull_request"):
            return await self._pull(job, place, api)
        comments = await _comments(issue, place, api)
        markdown = blocks(
            talk.issue_facts(issue),
            talk.body(issue) or "(no description)",
            talk.comments_section(comments),
        )
        return self._talk(job.url, issue, markdown, api.notes)

    async def _pull(self, job: Job, place: Place, api: Api) -> Page:
        pull = await api.object(f"{place.api}/pulls/{place.rest}")
        comments = await _comments(pull, place, api)
        reviews = await api.extra_rows("the reviews", f"{place.api}/pulls/{place.rest}/reviews")
        remarks = await api.extra_rows("the remarks on lines", f"{place.api}/pulls/{place.rest}/comments")
        reviewed, chosen = talk.reviews_section(reviews, remarks)
        markdown = blocks(
            talk.pull_facts(pull),
            talk.body(pull) or "(no description)",
            talk.comments_section(comments),
            reviewed,
        )
        return self._talk(job.url, pull, markdown, (*api.notes, *chosen.note("reviews and remarks")))

    def _talk(self, url: str, row: Fields, markdown: str, notes: tuple[str, ...]) -> Page:
        title = one_line(text(row, "title"), 300)
        count = number(row, "number")
        return self.page(
            url,
            markdown,
            final_url=text(row, "html_url") or url,
            kind=Kind.POST,
            title=f"{title} (#{count:.0f})" if count else title,
            author=talk.author(row),
            date=talk.day(row),
            site="GitHub",
            notes=notes,
        )

    async def _release(self, job: Job, place: Place, api: Api) -> Page:
        release = await api.object(f"{place.api}/releases/{place.rest}")
        return self.page(
            job.url,
            talk.release_markdown(release),
            final_url=text(release, "html_url") or job.url,
            kind=Kind.MARKDOWN,
            title=one_line(text(release, "name") or text(release, "tag_name"), 300),
            author=talk.author(release),
            date=talk.day(release, "published_at", "created_at"),
            site=f"GitHub, {place.owner}/{place.repo}",
        )


async def _comments(row: Fields, place: Place, api: Api) -> list[Fields]:
    """The comments of an issue or a pull request; none are asked for when there are none."""
    total = number(row, "comments")
    if total == 0:
        return []
    notes = len(api.notes)
    found = await api.extra_rows("the comments", f"{place.api}/issues/{place.rest}/comments")
    if total and len(found) < total and len(api.notes) == notes:
        api.notes += (f"{len(found)} of {total:.0f} comments are shown, the first ones",)
    return found


async def _entries(place: Place, api: Api) -> tuple[str, str, list[Fields]]:
    """Ref, path and entries of a directory, by the first way to read its address that leads to one."""
    for ref, path in place.splits():
        try:
            return ref, path, await api.entries(f"{place.api}/contents/{path}".rstrip("/"), {"ref": ref})
        except NoContent as error:
            if error.reason is not Reason.NOT_FOUND:
                raise
    raise NoContent("the repository has no such directory, or is private", reason=Reason.NOT_FOUND)


async def _file_by_api(url: str, place: Place, api: Api) -> Document:
    for ref, path in place.splits():
        try:
            reply = await api.raw(f"{place.api}/contents/{path}", {"ref": ref})
        except NoContent as error:
            if error.reason is not Reason.NOT_FOUND:
                raise
        else:
            # the API's own media type says nothing about the file
            return Document(url, url, reply.status, {}, reply.body)
    raise _no_file()


def _no_file() -> NoContent:
    return NoContent("the repository has no such file, or is private", reason=Reason.NOT_FOUND)


def _repo_facts(repo: Fields) -> str:
    topics = at(repo, "topics")
    names = [topic for topic in topics if isinstance(topic, str)] if isinstance(topics, list) else []
    licence = text(repo, "license", "spdx_id")
    facts = dotted(
        (
            text(repo, "language"),
            counted(number(repo, "stargazers_count"), "star"),
            licence if licence != "NOASSERTION" else "",
            f"topics: {', '.join(names)}" if names else "",
            f"a fork of {parent}" if (parent := text(repo, "parent", "full_name")) else "",
            "archived" if at(repo, "archived") is True else "",
            text(repo, "homepage"),
        )
    )
    return blocks(one_line(text(repo, "description"), 500), facts)


def _rest_of(reply: Reply) -> float:
    """Seconds until GitHub takes calls again, 0 for a refusal that is no limit."""
    stated = reply.headers.get("retry-after", "")
    if stated.isascii() and stated.isdigit() and len(stated) < 6:
        return max(1.0, float(stated))
    if reply.headers.get("x-ratelimit-remaining") == "0":
        return seconds_until(reply, "x-ratelimit-reset", AN_HOUR)
    return A_MINUTE if b"rate limit" in reply.body[:2_000].lower() else 0.0
