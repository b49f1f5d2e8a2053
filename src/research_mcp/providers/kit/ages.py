"""How recent results must be, in words that several vendors share."""

from __future__ import annotations

from collections.abc import Mapping

from research_mcp.core.models import TimeRange

QDR: Mapping[TimeRange, str] = {
    TimeRange.DAY: "qdr:d",
    TimeRange.WEEK: "qdr:w",
    TimeRange.MONTH: "qdr:m",
    TimeRange.YEAR: "qdr:y",
}
"""Google's own `tbs`, which resellers of its results pass on."""
