"""Numbers as people write them: ``45``, ``四十五``, ``二零二六``, ``twenty-five``, ``半``, ``a``."""

from __future__ import annotations

import re
from functools import lru_cache

from tools.domain.times.lexicon import words

_DIGITS = {char: value for value, char in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_UNITS = {"十": 10, "百": 100, "千": 1000}
_FIXED = {"半": 0.5, "½": 0.5, "廿": 20, "卅": 30, "俩": 2, "仨": 3}


@lru_cache(maxsize=1024)
def number(text: str) -> float | None:
    """The value of a numeral, or ``None``.

    Args:
        text: Lower-case; digits, Chinese numerals below ten thousand, or English number words.
    """
    text = text.strip()
    if text in _FIXED:
        return _FIXED[text]
    if re.fullmatch(r"[0-9]{1,9}(?:\.[0-9]{1,4})?", text):
        return float(text)
    if text and all(char in _DIGITS or char in _UNITS for char in text):
        return _chinese(text)
    return _english(text)


def integer(text: str | None) -> int | None:
    """The whole number a numeral stands for; ``None`` for no numeral or a fraction."""
    value = number(text) if text else None
    return int(value) if value is not None and value == int(value) else None


def year(text: str | None) -> int | None:
    """A year of four digits, or of two: ``26`` is 2026, ``87`` is 1987."""
    value = integer(text)
    if value is None or (value >= 100 and value < 1000):
        return value
    if value < 100:
        return value + (2000 if value < 60 else 1900)
    return value


def _chinese(text: str) -> float | None:
    if not any(char in _UNITS for char in text):
        return float("".join(str(_DIGITS[char]) for char in text))
    total, pending = 0, 0
    for char in text:
        if char in _DIGITS:
            pending = _DIGITS[char]
        else:
            total += (pending or 1) * _UNITS[char]
            pending = 0
    return float(total + pending)


def _english(text: str) -> float | None:
    table = words("en", "number") | words("en", "ordinal")
    total, current, seen = 0.0, 0.0, False
    for word in re.split(r"[\s-]+", text):
        if word == "and" and seen:
            continue
        if word == "hundred" and seen:
            current *= 100
        elif word == "thousand" and seen:
            total, current = total + current * 1000, 0.0
        elif word in table:
            value = float(table[word])
            # "nineteen eighty six" is a year: two pairs of digits side by side.
            pair = 17 <= current <= 20 and value >= 10
            current = current * 100 + value if pair else current + value
            seen = True
        else:
            return None
    return total + current if seen else None
