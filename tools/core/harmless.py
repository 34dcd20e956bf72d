"""What people wrote, made safe to look at: a title must not move the cursor, change colours or turn the line around."""

from __future__ import annotations

import json
import re
import unicodedata
from typing import Any

#: Joiners that hold emoji and scripts together; all other format characters are shown as a mark.
_JOINERS = frozenset("\u200c\u200d")
_MARK = "\ufffd"
_BLANKS = frozenset(("Zs", "Zl", "Zp"))
#: Control and direction characters that ``json.dumps`` would write as they are.
_UNSAFE_IN_JSON = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


def harmless(words: str) -> str:
    """The words in one line: control characters as their pictures (␛), direction overrides and the like as a mark."""
    return "".join(_safe(letter) for letter in words)


def harmless_lines(words: str) -> str:
    """Like ``harmless``, each line by itself."""
    return "\n".join(harmless(line) for line in words.split("\n"))


def harmless_json(value: Any, indent: int | None = 2) -> str:
    """The value as JSON for people and programs; read back it is the same, looked at it is harmless.

    Args:
        value: Plain data.
        indent: Blanks of a level; ``None`` puts all on one line.
    """
    told = json.dumps(value, ensure_ascii=False, indent=indent)
    return _UNSAFE_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", told)


def _safe(letter: str) -> str:
    if letter.isprintable() or letter in _JOINERS:
        return letter
    if letter in "\t\n\r" or unicodedata.category(letter) in _BLANKS:
        return " "
    return chr(0x2400 + ord(letter)) if ord(letter) < 0x20 else _MARK
