"""Numbers of a workbook as its cells show them: dates, times, percentages, plain numbers."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime, timedelta

from research_mcp.extract.office.xmltree import Element, attr, kid, kids, number

_DATES = frozenset({*range(14, 18), 22, *range(27, 32), 34, 35, 36, *range(50, 59)})
_TIMES = frozenset({18, 19, 20, 21, 32, 33, 45, 46, 47})
_PERCENTS = {9: 0, 10: 2}
_LITERAL = re.compile(r'"[^"]*+"|\\.|_.|\*.|\[(?!h+\]|m+\]|s+\])[^\]]*+\]', re.IGNORECASE)
_DECIMALS = re.compile(r"\.([0#?]+)")
_LAST = 2_958_465
"""31 December 9999."""


@dataclass(frozen=True, slots=True)
class Form:
    """How a number is shown: "date", "time", "percent" with decimals, or "" for as it is."""

    kind: str = ""
    decimals: int = 0
    from_1904: bool = False


class Formats:
    """The number format of each cell style of a workbook."""

    def __init__(self, root: Element | None, *, from_1904: bool) -> None:
        codes = {
            number(code, "numFmtId", -1): attr(code, "formatCode") for code in kids(kid(root, "numFmts"))
        }
        self._forms = [
            form_of(codes.get(key, ""), key, from_1904=from_1904)
            for style in kids(kid(root, "cellXfs"), "xf")
            for key in [number(style, "numFmtId", 0)]
        ]

    def of(self, style: int) -> Form:
        """The form of a cell style, plain for one that is not there."""
        return self._forms[style] if style < len(self._forms) else Form()


def shown(value: str, form: Form) -> str:
    """A stored number as text; what is no number stays as it is."""
    try:
        amount = float(value)
    except ValueError:
        return value
    if form.kind == "percent":
        return f"{amount * 100:.{form.decimals}f}%"
    if form.kind and 0 <= amount <= _LAST:
        return _moment(amount, form)
    return f"{amount:.15g}" if "." in value or "e" in value.lower() else value


def form_of(code: str, key: int = 0, *, from_1904: bool = False) -> Form:
    """The form that a number format stands for, by its code or the key of a built-in one."""
    code = _LITERAL.sub("", code.partition(";")[0]).lower()
    if key in _PERCENTS or "%" in code:
        decimals = _DECIMALS.search(code)
        return Form("percent", min(len(decimals[1]), 9) if decimals else _PERCENTS.get(key, 0))
    if key in _DATES or "y" in code or "d" in code:
        return Form("date", from_1904=from_1904)
    if key in _TIMES or "h" in code or "s" in code:
        return Form("time")
    return Form("date", from_1904=from_1904) if "m" in code else Form()


def _moment(amount: float, form: Form) -> str:
    """A date, with its time when it has one; a time of day or a length of time."""
    seconds = round(amount * 86_400)
    if form.kind == "time" or (seconds < 86_400 and not form.from_1904):
        hours, rest = divmod(seconds, 3_600)
        return f"{hours:02}:{rest // 60:02}" + (f":{rest % 60:02}" if rest % 60 else "")
    # Excel's 1900 has a 29 February; cells know no time zone
    first = (1904, 1, 1) if form.from_1904 else (1899, 12, 31 if amount < 60 else 30)
    start = datetime(*first)  # noqa: DTZ001
    try:
        moment = start + timedelta(seconds=seconds)
    except OverflowError:
        return f"{amount:.15g}"
    return moment.isoformat(" ", "minutes") if seconds % 86_400 else moment.date().isoformat()
