"""What CSS declarations say about being seen."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from enum import StrEnum

_COMMENT = re.compile(r"/\*(?:[^*]|\*(?!/))*+(?:\*/)?")
_ESCAPE = re.compile(r"\\([0-9a-f]{1,6})\s?|\\(.)", re.IGNORECASE)
_NUMBER = re.compile(r"(-?(?:\d+\.?\d*|\.\d+))([a-z%]*)")
_HEX = re.compile(r"#([0-9a-f]{3,4}|[0-9a-f]{6}|[0-9a-f]{8})")
_PIXELS = {
    "": 1.0,
    "px": 1.0,
    "pt": 1.33,
    "em": 16.0,
    "rem": 16.0,
    "%": 0.16,
    "vw": 12.8,
    "vh": 8.0,
    "cm": 38.0,
}
_NAMED = {"white": (255, 255, 255), "black": (0, 0, 0), "snow": (255, 250, 250), "ivory": (255, 255, 240)}
_FAR = -500.0
_FAR_RIGHT = 3_000.0
_TINY = 2.0
_FAINT = 0.05
_SAME = 10

Declarations = Mapping[str, str]
Colour = tuple[int, int, int]
WHITE: Colour = (255, 255, 255)


class Hiding(StrEnum):
    """How text is kept from a visitor's eye."""

    DISPLAY = "display"
    FADED = "faded"
    SIZE = "size"
    PLACE = "place"
    CLIP = "clip"
    BOX = "box"
    COLOUR = "colour"
    CLASS = "class"
    ELEMENT = "element"


def declarations(text: str) -> dict[str, str]:
    """Property to value, lower case, without spaces around, comments, escapes and `!important`.

    Later declarations win, except over important ones.
    """
    text = _plain(text)
    result: dict[str, str] = {}
    important: set[str] = set()
    for part in text.split(";"):
        name, colon, value = part.partition(":")
        name = name.strip()
        if not colon or not name:
            continue
        value, bang, _ = value.partition("!")
        if bang:
            important.add(name)
        elif name in important:
            continue
        result[name] = " ".join(value.split())
    return result


def hiding(style: Declarations) -> Hiding | None:
    """How these declarations alone hide an element's text, None when they do not."""
    for kind, needed, test in _TESTS:
        if not needed.isdisjoint(style) and test(style):
            return kind
    return None


def properties_of(ways: Collection[Hiding]) -> frozenset[str]:
    """The properties that another declaration has to set so that text hidden in these ways is shown."""
    return frozenset(
        name for kind, names, _ in _TESTS if kind in ways for name in (*names, *_WITH.get(kind, ()))
    )


def colour_of(value: str) -> Colour | None:
    """Red, green and blue of a CSS colour; None for what is not a plain one."""
    value = value.replace(" ", "")
    if value in _NAMED:
        return _NAMED[value]
    if found := _HEX.fullmatch(value):
        digits = found[1] if len(found[1]) > 4 else "".join(2 * digit for digit in found[1])
        return (int(digits[0:2], 16), int(digits[2:4], 16), int(digits[4:6], 16))
    if value.startswith(("rgb(", "rgba(")):
        numbers = [float(number) for number, unit in _NUMBER.findall(value[:60]) if unit != "%"]
        if len(numbers) >= 3:
            return (int(numbers[0]), int(numbers[1]), int(numbers[2]))
    return None


def background_of(style: Declarations) -> Colour | None:
    """The plain background colour, None when there is none or it is a picture."""
    for name in ("background-color", "background"):
        if value := style.get(name):
            return colour_of(value.partition(" ")[0] if value.startswith("#") else value)
    return None


def alike(one: Colour, other: Colour) -> bool:
    """True when text of one colour cannot be read on the other."""
    return all(abs(a - b) <= _SAME for a, b in zip(one, other, strict=True))


def has_background(style: Declarations) -> bool:
    """True when the element paints something of its own behind its text."""
    value = (
        style.get("background", "") + style.get("background-color", "") + style.get("background-image", "")
    )
    return value not in ("", "none", "transparent", "inherit", "initial", "unset")


def _plain(text: str) -> str:
    text = _COMMENT.sub(" ", text) if "/*" in text else text
    if "\\" in text:
        text = _ESCAPE.sub(_unescaped, text)
    return text.lower()


def _unescaped(found: re.Match[str]) -> str:
    code = int(found[1], 16) if found[1] else ord(found[2])
    return chr(code) if 0 < code < 0x110000 else " "


def _pixels(value: str) -> float | None:
    """The first length of a value in pixels, roughly."""
    found = _NUMBER.match(value.strip())
    return float(found[1]) * _PIXELS.get(found[2], 1.0) if found else None


def _at_most(value: str | None, limit: float) -> bool:
    pixels = _pixels(value) if value else None
    return pixels is not None and pixels <= limit


def _not_displayed(style: Declarations) -> bool:
    return style.get("display") == "none" or style.get("content-visibility") == "hidden"


def _faded(style: Declarations) -> bool:
    if style.get("visibility") in ("hidden", "collapse"):
        return True
    value = style.get("opacity", "")
    if "opacity(" in style.get("filter", ""):
        value = style["filter"].partition("opacity(")[2]
    found = _NUMBER.match(value)
    if not found:
        return False
    return float(found[1]) / (100 if found[2] == "%" else 1) <= _FAINT


def _too_small(style: Declarations) -> bool:
    size = style.get("font-size")
    if size is None and "font" in style:
        lengths = [
            number + unit for number, unit in _NUMBER.findall(style["font"][:80]) if unit or number == "0"
        ]
        size = lengths[0] if lengths else None
    return _at_most(size, _TINY)


def _out_of_place(style: Declarations) -> bool:
    if _at_most(style.get("text-indent"), -100.0):
        return True
    if any(_at_most(style.get(margin), _FAR) for margin in _MARGINS):
        return True
    if _moved_far(style.get("transform", "") + " " + style.get("translate", "")):
        return True
    if style.get("position") not in ("absolute", "fixed", "relative"):
        return False
    places = [_pixels(style.get(side, "")) for side in _PLACES]
    far_right = _pixels(style.get("left", "")) or 0.0
    return far_right >= _FAR_RIGHT or any(place is not None and place <= _FAR for place in places)


def _moved_far(transform: str) -> bool:
    inside = transform.partition("translate")[2].partition("(")[2] or transform.strip()
    steps = [
        float(n) * _PIXELS.get(unit, 1.0)
        for n, unit in _NUMBER.findall(inside[:60])
        if unit not in ("%", "deg")
    ]
    return any(step <= _FAR or step >= _FAR_RIGHT for step in steps)


def _clipped(style: Declarations) -> bool:
    clip = style.get("clip", "")
    if clip.startswith("rect(") and style.get("position") in ("absolute", "fixed"):
        edges = [float(number) for number, _ in _NUMBER.findall(clip[:80])]
        if len(edges) == 4 and (edges[2] - edges[0] <= 1 or edges[1] - edges[3] <= 1):
            return True
    path = style.get("clip-path", "") or style.get("-webkit-clip-path", "")
    numbers = [(float(number), unit) for number, unit in _NUMBER.findall(path[:120])]
    if path.startswith("inset(") and numbers:
        return all(unit == "%" and number >= 50 for number, unit in numbers)
    if path.startswith("circle(") and numbers:
        return numbers[0][0] == 0
    if path.startswith("polygon(") and numbers:
        return all(number == 0 for number, _ in numbers)
    return _shrunk(style.get("transform", "") + " " + style.get("scale", ""))


def _shrunk(transform: str) -> bool:
    scale = transform.partition("scale")[2].partition("(")[2] or transform.strip()
    found = _NUMBER.match(scale)
    if found is None or "translate" in transform or "rotate" in transform:
        return False
    return abs(float(found[1])) <= _FAINT


def _boxed_in(style: Declarations) -> bool:
    if "hidden" not in (style.get("overflow"), style.get("overflow-x"), style.get("overflow-y")):
        return False
    sides = ("width", "height", "max-width", "max-height")
    return any(_at_most(style.get(side), 1.0) for side in sides)


def _not_coloured(style: Declarations) -> bool:
    fill = style.get("-webkit-text-fill-color") or style.get("color", "")
    painted = "text" in style.get("background-clip", "") + style.get("-webkit-background-clip", "")
    if painted and has_background(style):
        return False
    if _transparent(fill):
        return True
    text, behind = colour_of(fill), background_of(style)
    return text is not None and behind is not None and alike(text, behind)


def _transparent(colour: str) -> bool:
    if colour == "transparent":
        return True
    if found := _HEX.fullmatch(colour):
        return (len(found[1]) == 4 and found[1][3] == "0") or (len(found[1]) == 8 and found[1][6:] == "00")
    if not colour.startswith(("rgba(", "rgb(", "hsla(", "hsl(")):
        return False
    numbers = [float(number) for number, _ in _NUMBER.findall(colour[:80])]
    return len(numbers) == 4 and numbers[3] <= _FAINT


_MARGINS = ("margin-left", "margin-top")
_PLACES = ("left", "right", "top", "bottom", "inset")
# What a test looks at beside the properties that it asks for first.
_WITH = {
    Hiding.PLACE: ("position",),
    Hiding.CLIP: ("position",),
    Hiding.BOX: ("width", "height"),
    Hiding.COLOUR: ("background",),
}
_TESTS = (
    (Hiding.DISPLAY, {"display", "content-visibility"}, _not_displayed),
    (Hiding.SIZE, {"font-size", "font"}, _too_small),
    (
        Hiding.PLACE,
        {"text-indent", "margin-left", "margin-top", "transform", "translate", *_PLACES},
        _out_of_place,
    ),
    (Hiding.CLIP, {"clip", "clip-path", "-webkit-clip-path", "transform", "scale"}, _clipped),
    (Hiding.BOX, {"overflow", "overflow-x", "overflow-y"}, _boxed_in),
    (Hiding.COLOUR, {"color", "-webkit-text-fill-color"}, _not_coloured),
    (Hiding.FADED, {"visibility", "opacity", "filter"}, _faded),
)
