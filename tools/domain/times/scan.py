"""A text, cut into pieces by the rule tables."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from tools.domain.times import make_clocks, make_counts, make_days, make_lengths, make_repeats, make_spans
from tools.domain.times.found import Found
from tools.domain.times.lexicon import LANGUAGES, Rule, decoys, grammar, starts
from tools.domain.times.pieces import Piece

#: A page of text has some thousand such places.
_PATIENCE = 8_000

Maker = Callable[[Found], Piece | None]


@cache
def _maker(name: str) -> Maker:
    for module in (make_days, make_counts, make_spans, make_clocks, make_lengths, make_repeats):
        if hasattr(module, name):
            made: Maker = getattr(module, name)
            return made
    raise LookupError(f"a rule names the maker {name!r}, which no make_*.py defines")


def scan(text: str) -> list[Piece]:
    """The pieces of a normalised text, in order; they do not overlap.

    Reading stops after ``_PATIENCE`` places where a piece might begin, so that no text takes long.
    """
    begin, skip = starts(), decoys()
    pieces: list[Piece] = []
    position = 0
    for _ in range(_PATIENCE):
        start = begin.search(text, position)
        if start is None:
            break
        at = start.start()
        position = at + 1
        decoy = skip.match(text, at)
        if decoy:
            position = max(decoy.end(), position)
            continue
        for language in _languages(text[at]):
            compiled = grammar(language)
            match = compiled.master.match(text, at)
            if match is None or match.lastindex is None or match.end() == at:
                continue
            position = match.end()
            piece = _made(compiled.rules[match.lastindex - 1], text, at)
            if piece is not None:
                pieces.append(piece)
            break
    return pieces


def _languages(char: str) -> tuple[str, ...]:
    if char.isascii():
        return ("en",) if char.isalpha() else LANGUAGES
    return ("en",) if char == "½" else ("zh",)


def _made(rule: Rule, text: str, at: int) -> Piece | None:
    match = rule.regex.match(text, at)
    return _maker(rule.make)(Found(match, rule.language)) if match else None
