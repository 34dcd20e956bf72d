"""One spelling for the many ways a phone types the same words, character for character."""

from __future__ import annotations

from functools import cache

from tools.domain.times.lexicon import tables


@cache
def _spelling() -> dict[int, str]:
    full_width = {code: chr(code - 0xFEE0) for code in range(0xFF01, 0xFF5F)}
    return {0x3000: " ", **full_width, **{ord(old): new for old, new in tables("zh")["variants"].items()}}


def normalise(text: str) -> str:
    """Half-width, simplified, lower-case text of the same length, so that offsets keep their meaning."""
    plain = text.translate(_spelling())
    lower = plain.lower()
    return lower if len(lower) == len(plain) else "".join(c.lower() if len(c.lower()) == 1 else c for c in plain)
