"""A match of one rule, with what its words mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from tools.domain.times import numerals
from tools.domain.times.lexicon import words
from tools.domain.times.pieces import Piece


@dataclass(frozen=True, slots=True)
class Found:
    """The groups a rule caught."""

    match: re.Match[str]
    language: str

    def get(self, *names: str) -> str | None:
        """The first of these groups that took part; a pattern has several names for one slot (``d``, ``d2``)."""
        groups = self.match.groupdict()
        return next((groups[name] for name in names if groups.get(name) is not None), None)

    def number(self, *names: str) -> float | None:
        """The numeral caught."""
        text = self.get(*names)
        return numerals.number(text) if text else None

    def integer(self, *names: str) -> int | None:
        """The whole number caught; an ordinal ending (``4th``) is no part of it."""
        text = self.get(*names)
        return numerals.integer(re.sub(r"(?<=\d) ?(?:st|nd|rd|th)$", "", text)) if text else None

    def year(self, *names: str) -> int | None:
        """The year caught, of two digits or four."""
        text = self.get(*names)
        return numerals.year(text.lstrip("'")) if text else None

    def word(self, table: str, *names: str) -> Any:
        """What the word caught means in a word list, or ``None``."""
        text = self.get(*names)
        return words(self.language, table).get(" ".join(text.rstrip(".").split())) if text else None

    def is_within(self) -> bool:
        """Whether the words set a limit: 两天内, within two days; "within the next two days" does not."""
        text = self.match.group()
        return text.endswith("内") or (text.startswith("within") and "next" not in text)

    def piece(self, **slots: Any) -> Piece:
        """A piece as long as the match."""
        return Piece(self.match.start(), self.match.end(), language=self.language, **slots)
