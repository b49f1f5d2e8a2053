"""What a tool takes: one declaration per argument gives its JSON schema and its lenient reading.

Models send `"5"`, `"false"`, `"null"`, `""`, a bare string for a list, or a list as JSON text. All of
these are understood; what is really wrong raises `InvalidArgument` with one sentence.
"""

from __future__ import annotations

import json
import re
from abc import ABC, abstractmethod
from collections.abc import Collection, Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from difflib import get_close_matches
from typing import ClassVar, TypeVar

from research_mcp.core.errors import InvalidArgument
from research_mcp.core.hygiene import clean
from research_mcp.core.wire import JsonValue
from research_mcp.server.texts.shape import ArgumentTexts, ToolText

Value = str | int | bool | tuple[str, ...]

T = TypeVar("T")

_ABSENT = {"", "null", "none", "undefined"}
_TRUE = {"true", "yes", "on", "1"}
_FALSE = {"false", "no", "off", "0"}
_NEXT_ADDRESS = re.compile(r"\s*[,;]?\s+(?=https?://)", re.IGNORECASE)
_MEANT: Mapping[str, frozenset[str]] = {
    name: frozenset(others.split())
    for name, others in (
        ("query", "q question search keywords text prompt"),
        ("time_range", "freshness recency date_range period since days"),
        ("num_results", "count limit n k top_k max_results size results"),
        ("include_domains", "site sites domain domains"),
        ("language", "lang locale hl"),
        ("country", "region location gl"),
        ("url", "uri link page address"),
        ("urls", "url links pages"),
        ("start", "offset start_index from"),
        ("max_chars", "limit length max_length max_tokens"),
    )
}
"""What other tools call the same argument; spelling alone would take `freshness` for `num_results`."""


def shown(value: object) -> str:
    """A rejected value as the sentence shows it: short, on one line."""
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    text = " ".join(text.split())
    return repr(text if len(text) <= 60 else text[:57] + "...")


@dataclass(frozen=True, slots=True, kw_only=True)
class Field(ABC):
    """One argument. `required` fields have no default; `nothing` is what is said of one without a value."""

    nothing: ClassVar[str] = "blank"
    name: str
    required: bool = False

    @abstractmethod
    def schema(self) -> dict[str, JsonValue]:
        """The JSON schema, without the description."""

    @abstractmethod
    def read(self, raw: JsonValue, reading: Reading) -> Value:
        """The value that the client meant. Raises `InvalidArgument`."""

    @property
    @abstractmethod
    def absent(self) -> Value:
        """What an absent argument stands for."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Field):
    """A text of at most `limit` characters, stripped; a required one must not be blank."""

    limit: int
    choices: tuple[str, ...] = ()

    @property
    def absent(self) -> Value:
        """The empty text."""
        return ""

    def schema(self) -> dict[str, JsonValue]:
        """No enum: an empty member is refused by some clients, and the description lists the words."""
        return {"type": "string"} if self.required else {"type": "string", "default": ""}

    def read(self, raw: JsonValue, reading: Reading) -> Value:
        """A number is taken for its digits, a list of one text for that text."""
        if isinstance(raw, list) and len(raw) == 1:
            raw = raw[0]
        if isinstance(raw, bool) or not isinstance(raw, str | int | float):
            raise reading.error("not_text", self, value=shown(raw))
        text = str(raw).strip()
        if self.required and not clean(text).text.strip():
            raise reading.error("blank", self)
        if len(text) > self.limit:
            raise reading.error("too_long", self, length=len(text), limit=self.limit)
        if self.choices and text:
            return self._choice(text, reading)
        return text

    def _choice(self, text: str, reading: Reading) -> str:
        word = text.lower().removeprefix("past").removeprefix("last").strip(" _-")
        found = [choice for choice in self.choices if word in (choice, choice[0])]
        if word in ("any", "all"):
            return ""
        if not found:
            raise reading.error("not_a_choice", self, value=shown(text), choices=", ".join(self.choices))
        return found[0]


@dataclass(frozen=True, slots=True, kw_only=True)
class Integer(Field):
    """A whole number within bounds. `clamp`: what lies outside is moved inside, with a note."""

    default: int
    minimum: int
    maximum: int | None = None
    clamp: bool = False

    @property
    def absent(self) -> Value:
        """The default."""
        return self.default

    def schema(self) -> dict[str, JsonValue]:
        """Inclusive bounds; none above when there is none."""
        schema: dict[str, JsonValue] = {"type": "integer", "default": self.default, "minimum": self.minimum}
        return schema if self.maximum is None else {**schema, "maximum": self.maximum}

    def read(self, raw: JsonValue, reading: Reading) -> Value:
        """`5`, `5.0`, `"5"`."""
        number = self._whole(raw, reading)
        inside = max(number, self.minimum)
        if self.maximum is not None:
            inside = min(inside, self.maximum)
        if inside == number:
            return number
        facts = {"value": number, "minimum": self.minimum, "maximum": self.maximum}
        if not self.clamp:
            raise reading.error("too_small" if self.maximum is None else "out_of_range", self, **facts)
        reading.note("clamped", self, used=inside, **facts)
        return inside

    def _whole(self, raw: JsonValue, reading: Reading) -> int:
        try:
            if not isinstance(raw, bool) and isinstance(raw, str | int | float):
                number = float(raw) if isinstance(raw, str) else raw
                if number == int(number):
                    return int(number)
        except (ValueError, OverflowError):
            pass
        raise reading.error("not_integer", self, value=shown(raw))


@dataclass(frozen=True, slots=True, kw_only=True)
class Flag(Field):
    """True or false."""

    default: bool = False

    @property
    def absent(self) -> Value:
        """The default."""
        return self.default

    def schema(self) -> dict[str, JsonValue]:
        """A plain boolean."""
        return {"type": "boolean", "default": self.default}

    def read(self, raw: JsonValue, reading: Reading) -> Value:
        """`true`, `"false"`, `1`, `"no"`."""
        word = str(raw).strip().lower()
        if isinstance(raw, list | dict) or word not in _TRUE | _FALSE:
            raise reading.error("not_flag", self, value=shown(raw))
        return word in _TRUE


@dataclass(frozen=True, slots=True, kw_only=True)
class TextList(Field):
    """A list of texts, blanks dropped. `commas`: a bare string may hold several, comma-separated."""

    nothing: ClassVar[str] = "no_items"
    limit: int
    commas: bool = False

    @property
    def absent(self) -> Value:
        """No texts."""
        return ()

    def schema(self) -> dict[str, JsonValue]:
        """An array of strings; its bound is stated, so that the model can keep it."""
        schema: dict[str, JsonValue] = {"type": "array", "items": {"type": "string"}}
        if self.required:
            return {**schema, "minItems": 1, "maxItems": self.limit}
        return {**schema, "default": []}

    def read(self, raw: JsonValue, reading: Reading) -> Value:
        """A list, a list as JSON text, one text, or several: lines, addresses in a row, after commas."""
        items = self._items(raw)
        if not all(isinstance(item, str) for item in items):
            raise reading.error("not_list", self, value=shown(raw))
        texts = tuple(item.strip() for item in items if isinstance(item, str) and item.strip())
        if self.required and not texts:
            raise reading.error("no_items", self)
        if len(texts) > self.limit:
            raise reading.error("too_many", self, count=len(texts), limit=self.limit)
        return texts

    def _items(self, raw: JsonValue) -> list[JsonValue]:
        if isinstance(raw, str) and raw.lstrip().startswith("["):
            with suppress(ValueError, RecursionError):  # a bracketed address is taken as it stands
                raw = json.loads(raw)
        if isinstance(raw, list):
            return raw
        if not isinstance(raw, str):
            return [raw]
        lines: Iterable[str] = (line for part in _NEXT_ADDRESS.split(raw) for line in part.splitlines())
        return [part for line in lines for part in (line.split(",") if self.commas else [line])]


class Reading:
    """One call's arguments being read: builds the sentences, keeps the notes."""

    def __init__(self, tool: str, text: ToolText, words: ArgumentTexts) -> None:
        self.notes: list[str] = []
        self._tool = tool
        self._text = text
        self._words = words

    def error(self, kind: str, field: Field, **facts: object) -> InvalidArgument:
        """The sentence `kind` about `field`."""
        return InvalidArgument(self._sentence(kind, field, facts))

    def note(self, kind: str, field: Field, **facts: object) -> None:
        """Keep the sentence `kind` for the answer's notes."""
        self.notes.append(self._sentence(kind, field, facts))

    def ignored(self, name: str) -> None:
        """Keep the sentence about an argument that has no effect any more."""
        self.notes.append(self._words.ignored.format(tool=self._tool, name=name))

    def unknown(self, name: str, known: list[str]) -> InvalidArgument:
        """The sentence about an argument that the tool does not have."""
        asked = name.lower()
        meant = [one for one in known if asked in _MEANT.get(one, ())]
        close = meant[:1] or get_close_matches(asked, known, n=1, cutoff=0.6)
        sentence = self._words.unknown_closest if close else self._words.unknown
        return InvalidArgument(
            sentence.format(tool=self._tool, name=name[:60], names=", ".join(known), closest="".join(close))
        )

    def _sentence(self, kind: str, field: Field, facts: Mapping[str, object]) -> str:
        template: str = getattr(self._words, kind)
        description = self._text.arguments[field.name]
        about = {
            "tool": self._tool,
            "name": field.name,
            "description": description[:1].lower() + description[1:],  # it goes on after a colon
        }
        return template.format(**about, **facts)


@dataclass(frozen=True, slots=True)
class Arguments:
    """The values of one call by name, with the notes that reading them left.

    `zone`: the time zone that the client stated beside them, as it stands there.
    """

    values: Mapping[str, Value]
    notes: tuple[str, ...]
    zone: str = ""

    def text(self, name: str) -> str:
        """The text argument `name`."""
        return self._value(name, str)

    def integer(self, name: str) -> int:
        """The integer argument `name`."""
        return self._value(name, int)

    def flag(self, name: str) -> bool:
        """The true-or-false argument `name`."""
        return self._value(name, bool)

    def texts(self, name: str) -> tuple[str, ...]:
        """The list argument `name`."""
        return self._value(name, tuple)

    def _value(self, name: str, kind: type[T]) -> T:
        value = self.values[name]
        if not isinstance(value, kind):
            raise TypeError(f"argument {name!r} was declared as {type(value).__name__}")
        return value


def input_schema(fields: Iterable[Field], text: ToolText) -> dict[str, JsonValue]:
    """A flat object schema that every client and model provider takes."""
    fields = tuple(fields)
    required: list[JsonValue] = [field.name for field in fields if field.required]
    return {
        "type": "object",
        "properties": {
            field.name: {**field.schema(), "description": text.arguments[field.name]} for field in fields
        },
        **({"required": required} if required else {}),
    }


def read_arguments(
    fields: Iterable[Field], raw: Mapping[str, JsonValue], reading: Reading, ignored: Collection[str] = ()
) -> Arguments:
    """What the client meant. Raises `InvalidArgument` for the first real mistake."""
    by_name = {field.name: field for field in fields}
    for name in raw:
        if name in ignored:
            reading.ignored(name)
        elif name not in by_name:
            raise reading.unknown(name, list(by_name))
    values: dict[str, Value] = {}
    for name, field in by_name.items():
        given = raw.get(name)
        if given is None or _stands_for_nothing(given, field):
            if field.required:
                raise reading.error("missing" if name not in raw else field.nothing, field)
            values[name] = field.absent
        else:
            values[name] = field.read(given, reading)
    return Arguments(values, tuple(reading.notes))


def _stands_for_nothing(given: JsonValue, field: Field) -> bool:
    if not isinstance(given, str) or field.required:
        return False  # a search for the word "null" is a search
    return given.strip().lower() in _ABSENT
