"""Text on its way into and out of calendars."""

from __future__ import annotations

import unicodedata

from tools.core.text import LANGUAGES, text
from tools.domain.segments import TimeSegment
from tools.services.proposals import clean_words


def without_controls(words: str) -> str:
    """Without what no calendar may hold: control characters other than line breaks and tabs."""
    plain = clean_words(words).replace("\r\n", "\n").replace("\r", "\n")
    return "".join(letter for letter in plain if letter in "\n\t" or unicodedata.category(letter) != "Cc")


def one_line(words: str) -> str:
    """In one line, without control characters."""
    return " ".join(without_controls(words).split())


def escaped(words: str) -> str:
    """As the value of a text property (RFC 5545, 3.3.11).

    icalendar's own escaping takes a backslash before a capital N, as in a Windows path, for a line break.
    """
    plain = without_controls(words).replace("\\", "\\\\").replace(";", "\\;").replace(",", "\\,")
    return plain.replace("\n", "\\n")


def segment_names() -> frozenset[str]:
    """What the parts of the day are called in any of our languages."""
    return frozenset(text(language, f"when.segment_{one.value}") for language in LANGUAGES for one in TimeSegment)
