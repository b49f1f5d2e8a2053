"""Running text made of our own words: plain sentences, the same for the same seed."""

from __future__ import annotations

from random import Random

_WHO = (
    "the harbour master", "an old cartographer", "the night watch", "our second engineer", "the baker's daughter",
    "a travelling surveyor", "the museum's curator", "every apprentice", "the ferry company", "a retired diver",
    "the town council", "her older brother", "the weather office", "a small committee", "the new librarian",
)  # fmt: skip
_DID = (
    "measured", "repainted", "described", "forgot about", "sold", "restored", "photographed", "argued over",
    "catalogued", "rebuilt", "borrowed", "inherited", "tested", "drew a map of", "wrote a letter about",
)  # fmt: skip
_WHAT = (
    "the eastern breakwater", "a crate of brass instruments", "the flooded cellar", "seven copper kettles",
    "an unfinished chart", "the signal tower", "a borrowed rowing boat", "the archive of tide tables",
    "a pair of iron gates", "the winter timetable", "a box of glass negatives", "the oldest crane in town",
    "an abandoned rope walk", "the fish market's roof", "a set of porcelain weights",
)  # fmt: skip
_WHEN = (
    "before the first frost", "in the summer of the long drought", "while the river was closed", "on a Tuesday",
    "after three years of waiting", "without telling anyone", "for the price of a good dinner", "twice in one week",
    "although nobody had asked", "because the insurance demanded it", "during the second flood",
    "with the help of two neighbours", "long after the factory had gone", "under a borrowed name",
)  # fmt: skip
_END = (
    "and the record of it is still kept upstairs", "which surprised the whole street", "and that settled the matter",
    "so the plans had to be changed again", "and no one has improved on it since", "which cost more than expected",
    "and the newspapers noticed only a month later", "so visitors ask about it to this day",
    "and it turned out to be the right decision", "which explains the odd shape of the square",
)  # fmt: skip
_ADJECTIVES = (
    "Quiet",
    "Northern",
    "Copper",
    "Salted",
    "Hidden",
    "Amber",
    "Coastal",
    "Folding",
    "Patient",
    "Woven",
)
_NOUNS = (
    "Lantern",
    "Compass",
    "Anchor",
    "Kettle",
    "Harbour",
    "Ledger",
    "Sextant",
    "Bollard",
    "Rudder",
    "Beacon",
)


class Words:
    """A source of sentences that never repeats one."""

    def __init__(self, seed: str) -> None:
        self._random = Random(seed)
        self._said: set[str] = set()

    def sentence(self) -> str:
        """One sentence of fifteen to thirty words."""
        while True:
            pick = self._random.choice
            text = f"{pick(_WHO)} {pick(_DID)} {pick(_WHAT)} {pick(_WHEN)}, {pick(_END)}."
            if text not in self._said:
                self._said.add(text)
                return text[0].upper() + text[1:]

    def short(self) -> str:
        """A sentence of about ten words."""
        pick = self._random.choice
        text = f"{pick(_WHO)} {pick(_DID)} {pick(_WHAT)} {pick(_WHEN)}."
        return text[0].upper() + text[1:]

    def paragraph(self, sentences: int = 3) -> str:
        """Some sentences."""
        return " ".join(self.sentence() for _ in range(sentences))

    def name(self) -> str:
        """A title of two words and a number."""
        return (
            f"{self._random.choice(_ADJECTIVES)} {self._random.choice(_NOUNS)} {self._random.randint(10, 99)}"
        )

    def heading(self) -> str:
        """A heading of a few words."""
        return f"How {self._random.choice(_WHO)} {self._random.choice(_DID)} {self._random.choice(_WHAT)}"

    def price(self) -> str:
        """An amount of money."""
        return f"${self._random.randint(5, 400)}.{self._random.choice(('00', '50', '95'))}"

    def number(self, low: int, high: int) -> int:
        """A number between two others."""
        return self._random.randint(low, high)
