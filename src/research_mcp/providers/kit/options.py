"""What the value of an option must look like, declared beside the type that reads it.

`bootstrap` holds the values against it, since it alone knows the variable behind an option.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

_ON = frozenset({"1", "true", "yes", "on"})
_OFF = frozenset({"0", "false", "no", "off"})
_HANDLES = re.compile(r"[\s,;，]+")
_HANDLE = re.compile(r"[A-Za-z0-9_]{1,15}")
_EMAIL = re.compile(r"[^@\s]+@[^@\s.]+(?:\.[^@\s.]+)+", re.ASCII)


@dataclass(frozen=True, slots=True)
class Rule:
    """Which values `fits` takes, and `says`, the words that tell an operator what to write instead.

    `shown`: whether a message may repeat the value, which it must not where a key may be pasted.
    """

    fits: Callable[[str], bool]
    says: str
    shown: bool = True


def is_yes(word: str) -> bool:
    """Whether a switch is on; blank is off."""
    return word.strip().lower() in _ON


def is_no(word: str) -> bool:
    """Whether a switch is off in so many words; blank is not."""
    return word.strip().lower() in _OFF


def handles(text: str) -> list[str]:
    """The accounts in a list between commas or spaces, without their `@`."""
    return [name.lstrip("@") for name in _HANDLES.split(text) if name.lstrip("@")]


def few_handles(most: int) -> Rule:
    """A list of at most `most` accounts of X."""

    def fits(text: str) -> bool:
        names = handles(text)
        return 0 < len(names) <= most and all(map(_HANDLE.fullmatch, names))

    return Rule(fits, f"write at most {most} names of accounts with commas between them, like xai,nasa")


def _is_share(text: str) -> bool:
    try:
        return 0 <= float(text) <= 1
    except ValueError:
        return False


def _is_count(text: str) -> bool:
    return bool(re.fullmatch(r"\s*[0-9]{1,9}\s*", text))


SWITCH = Rule(lambda word: is_yes(word) or is_no(word), "set on or off")
COUNT = Rule(_is_count, "write digits like 100000, or 0 for any")
NUMBER = Rule(_is_count, "write the number alone, in digits")
OWN_NUMBER = Rule(_is_count, "write the number alone, in digits", shown=False)
SHARE = Rule(_is_share, "write a number from 0 (all) to 1, like 0.1")
EMAIL = Rule(lambda text: bool(_EMAIL.fullmatch(text)), "write one e-mail address, like you@example.org")
