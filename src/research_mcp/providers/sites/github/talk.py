"""Issues, pull requests and releases as Markdown. Pure: bodies are Markdown already."""

from __future__ import annotations

from research_mcp.core.wire import JsonValue
from research_mcp.providers.kit.fields import Fields
from research_mcp.providers.kit.fragment import fenced, visible
from research_mcp.providers.kit.shape import iso_day
from research_mcp.providers.kit.thread import Chosen, Post, blocks, choose, counted, dotted, listed, one_line
from research_mcp.providers.kit.tree import at, number, rows, text

_HUNK_LINES = 6
_MOST_ASSETS = 50


def author(row: JsonValue) -> str:
    """Who wrote it."""
    return one_line(text(row, "user", "login") or text(row, "author", "login"))


def day(row: JsonValue, *names: str) -> str:
    """The first of the named dates that is there, "" for none."""
    return next((found for name in names or ("created_at",) if (found := iso_day(at(row, name)))), "")


def body(row: JsonValue) -> str:
    """What was written, as people see it."""
    return visible(text(row, "body"))


def issue_facts(issue: Fields) -> str:
    """State, labels and the like in one line."""
    state = text(issue, "state")
    why = text(issue, "state_reason")
    closed = day(issue, "closed_at")
    return dotted(
        (
            f"{state} ({why.replace('_', ' ')})" if state and why else state,
            f"closed {closed}" if closed else "",
            _names("labels", [text(label, "name") for label in rows(issue, "labels")]),
            _names("assigned to", [text(each, "login") for each in rows(issue, "assignees")]),
            f"milestone: {milestone}" if (milestone := one_line(text(issue, "milestone", "title"))) else "",
        )
    )


def pull_facts(pull: Fields) -> str:
    """What becomes of the change, from where to where, and how large it is."""
    merged = day(pull, "merged_at")
    state = f"merged {merged}" if merged else text(pull, "state")
    size = [counted(number(pull, "commits"), "commit"), counted(number(pull, "changed_files"), "file")]
    lines = [(number(pull, "additions"), "+"), (number(pull, "deletions"), "-")]
    base, head = text(pull, "base", "ref"), text(pull, "head", "label") or text(pull, "head", "ref")
    return dotted(
        (
            state,
            "draft" if at(pull, "draft") is True else "",
            f"{head} into {base}" if head and base else "",
            *size,
            " ".join(f"{sign}{count:.0f}" for count, sign in lines if count is not None),
            _names("labels", [text(label, "name") for label in rows(pull, "labels")]),
        )
    )


def comments_section(comments: list[Fields]) -> str:
    """The comments in the order in which they were made."""
    posts = listed((0, Post(body(each), author(each), day(each))) for each in comments)
    return f"## Comments\n\n{posts}" if posts else ""


def reviews_section(reviews: list[Fields], remarks: list[Fields]) -> tuple[str, Chosen[Fields]]:
    """Reviews, below each its remarks on lines of the change, below those the answers."""
    review_ids = {number(review, "id") for review in reviews} - {None}
    top = {number(remark, "id") for remark in remarks if not at(remark, "in_reply_to_id")}
    below: dict[tuple[str, float | None], list[Fields]] = {}
    stray: list[Fields] = []
    for remark in remarks:
        answered, review = number(remark, "in_reply_to_id"), number(remark, "pull_request_review_id")
        if answered and answered in top:
            below.setdefault(("remark", answered), []).append(remark)
        elif not answered and review in review_ids:
            below.setdefault(("review", review), []).append(remark)
        else:
            stray.append(remark)

    def replies(row: Fields) -> list[Fields]:
        kind = "remark" if "path" in row else "review"
        return [] if at(row, "in_reply_to_id") else below.get((kind, number(row, "id")), [])

    said = [review for review in reviews if _says_something(review) or replies(review)]
    chosen = choose([*said, *stray], replies)
    posts = listed((level, _review(row)) for level, row in chosen.rows)
    return (f"## Reviews\n\n{posts}" if posts else ""), chosen


def release_markdown(release: Fields) -> str:
    """The notes, and what can be downloaded."""
    assets = rows(release, "assets")
    lines = [_asset(asset) for asset in assets[:_MOST_ASSETS]]
    facts = dotted(
        (
            text(release, "tag_name"),
            "pre-release" if at(release, "prerelease") is True else "",
            "draft" if at(release, "draft") is True else "",
        )
    )
    more = len(assets) - len(lines)
    left_out = f"\n- and {more} more" if more > 0 else ""
    return blocks(facts, body(release), "## Assets\n\n" + "\n".join(lines) + left_out if lines else "")


def _asset(asset: Fields) -> str:
    size = counted(number(asset, "size"), "byte")
    loads = counted(number(asset, "download_count"), "download")
    name = one_line(text(asset, "name"))
    return f"- [{name}]({text(asset, 'browser_download_url')}) ({dotted((size, loads))})"


def _names(what: str, names: list[str]) -> str:
    shown = ", ".join(one_line(name) for name in names if name)
    return f"{what}: {shown}" if shown else ""


def _says_something(review: Fields) -> bool:
    return bool(text(review, "body")) or text(review, "state") not in ("COMMENTED", "PENDING", "")


def _review(row: Fields) -> Post:
    if "path" not in row:
        state = text(row, "state").replace("_", " ").lower()
        return Post(body(row) or f"({state})", author(row), day(row, "submitted_at"), (state,))
    if at(row, "in_reply_to_id"):
        return Post(body(row), author(row), day(row))
    line = number(row, "line") or number(row, "original_line")
    where = f"`{one_line(text(row, 'path'), 300)}`" + (f" line {line:.0f}" if line else "")
    hunk = text(row, "diff_hunk").split("\n")[-_HUNK_LINES:]
    shown = fenced("\n".join(hunk), "diff") if any(hunk) else ""
    return Post(blocks(shown, body(row)), author(row), day(row), (f"on {where}",))
