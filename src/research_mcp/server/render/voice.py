"""What every rendering needs: the texts of the language, the time, the nonce of this call."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from research_mcp.core.errors import Reason
from research_mcp.server.render import frames
from research_mcp.server.render.when import moment
from research_mcp.server.texts.sayings import sayings
from research_mcp.server.texts.shape import Texts

DOT = " · "


@dataclass(frozen=True, slots=True)
class Voice:
    """One call's way of speaking. `now` is epoch seconds."""

    texts: Texts
    now: float
    nonce: str = field(default_factory=frames.new_nonce)

    def at(self, epoch: float) -> str:
        """A moment with the wait until then."""
        return moment(epoch, self.now, self.texts)

    def framed(self, text: str, source: str = "") -> str:
        """Cleaned web text between this call's marks."""
        return frames.frame(text, self.nonce, source)

    def said(self, sentence: str) -> str:
        """A sentence of the layers below in the language of the texts, if it is known there."""
        return sayings(self.texts.language)(sentence)

    def remedy(self, reason: Reason) -> str:
        """What to do about `reason`."""
        return self.texts.remedies[reason]


def joined(parts: Iterable[str], by: str = DOT) -> str:
    """The parts that are not empty."""
    return by.join(part for part in parts if part)
