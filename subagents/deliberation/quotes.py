"""Every criticism quotes the answer; one that quotes what is not there is dropped and counted (C08, N11)."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

from subagents.deliberation.schemas import Answer, Issue

#: A shorter quote stands in every answer and shows nothing.
SHORTEST_QUOTE = 2


def stands_in(quote: str, answer: Answer) -> bool:
    """Whether an answer says these words, in one of its passages.

    Width and blanks make no difference: a model that copies a line changes them without knowing. All else does.
    """
    plain = _plain(quote)
    return len(plain) >= SHORTEST_QUOTE and any(plain in _plain(passage) for passage in answer.passages)


def quoted(issues: Iterable[Issue], answer: Answer) -> tuple[list[Issue], int]:
    """The issues that quote the answer, in order, and how many do not."""
    every = list(issues)
    kept = [issue for issue in every if stands_in(issue.quote, answer)]
    return kept, len(every) - len(kept)


def _plain(words: str) -> str:
    return "".join(unicodedata.normalize("NFKC", words).split())
