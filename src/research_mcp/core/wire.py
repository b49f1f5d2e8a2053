"""What goes over the network, without the network: plain records for requests and answers."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from research_mcp.core.errors import BadReply
from research_mcp.core.models import Flag

JsonValue = None | bool | int | float | str | list["JsonValue"] | dict[str, "JsonValue"]


@dataclass(frozen=True, slots=True)
class Request:
    """One call to a vendor.

    `url` is absolute, or a path that is joined to the instance's base url. At most one of `json`,
    `form` and `content` is set. Headers may hold a key, so they stay out of the repr. `ends`: the last
    event of a stream holds one of these; an event stream is read up to there, even when the connection
    stays open, and as far as it came when it breaks off.
    """

    method: str
    url: str = ""
    params: Mapping[str, str | int] = field(default_factory=dict, repr=False)
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    json: JsonValue = field(default=None, repr=False)
    form: Mapping[str, str] | None = field(default=None, repr=False)
    content: bytes | None = field(default=None, repr=False)
    ends: tuple[bytes, ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """A vendor's whole answer, decoded and capped. Header names are lower case.

    `tries`: how often the call was sent until this answer came.
    """

    status: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    url: str = field(default="", repr=False)
    tries: int = 1

    @property
    def media_type(self) -> str:
        """`text/html`, lower case, without parameters; "" when not stated."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    @property
    def text(self) -> str:
        """The body as UTF-8, broken bytes replaced: every vendor here documents UTF-8."""
        return self.body.decode("utf-8", "replace")

    def json(self) -> JsonValue:
        """The body as JSON, broken bytes inside its texts replaced. Raises `BadReply` when it is none."""
        try:
            value: JsonValue = _loaded(self)
        except (ValueError, RecursionError):
            kind = self.media_type or "no content type"
            raise BadReply(f"expected JSON, got {len(self.body)} bytes of {kind}") from None
        return value


def _loaded(reply: Reply) -> JsonValue:
    try:
        value: JsonValue = json.loads(reply.body)
    except UnicodeDecodeError:  # one snippet cut within a letter must not cost the whole answer
        value = json.loads(reply.text)
    return value


@dataclass(frozen=True, slots=True)
class Document:
    """A page as the guarded fetch brought it: any status, decoded, capped.

    `url` is the normal form that was asked for, `final_url` where redirects ended. `truncated` says
    why the body is not whole ("" when it is), `broken` that the host did not send it all, so that a
    second fetch may bring more. Header names are lower case.
    """

    url: str
    final_url: str
    status: int
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    body: bytes = field(default=b"", repr=False)
    truncated: str = ""
    redirects: tuple[str, ...] = ()
    broken: bool = False

    @property
    def caveat(self) -> Flag | None:
        """What a text made of this body lacks: its end, by our limits or by the host's doing."""
        if not self.truncated:
            return None
        return Flag.BROKEN_OFF if self.broken else Flag.TRUNCATED

    @property
    def media_type(self) -> str:
        """`text/html`, lower case, without parameters; "" when not stated."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()
