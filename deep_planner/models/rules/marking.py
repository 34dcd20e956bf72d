"""Time phrases in a request: found, taken apart where they are two, and marked as ``⟦n⟧``."""

from __future__ import annotations

import re
from dataclasses import replace

from deep_planner.models.rules.reading import Situation
from tools.domain.times import Kind, When, parse_when

#: Between two pieces of one time phrase these say that it is two: what is moved, and where to.
MOVES = re.compile(r"改|挪|换|推|调|移|提前|延|reschedule|\b(?:to|until|till)\b", re.IGNORECASE)
#: Looks like a date; what the grammar did not take for one is impossible.
DATE_LIKE = re.compile(
    r"\d{1,2}\s*月\s*\d{1,2}\s*[号日]|\d{4}-\d{1,2}-\d{1,2}"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}(?:st|nd|rd|th)?\b",
    re.IGNORECASE,
)


def apart(words: str, whens: list[When], situation: Situation) -> list[When]:
    """Time phrases, those in two pieces with a word of moving between them taken apart: 把周五的面试改到下午两点."""
    found: list[When] = []
    for when in whens:
        gap = words[when.spans[0][1] : when.spans[-1][0]]
        if len(when.spans) == 1 or not MOVES.search(gap):
            found.append(when)
            continue
        for start, end in when.spans:
            piece = parse_when(words[start:end], situation.now, situation.zone)
            found.append(replace(piece, spans=((start, end),)) if piece else replace(when, spans=((start, end),)))
    return found


def with_impossible(words: str, whens: list[When]) -> list[When]:
    """Dates that look like dates and are none (2月30号) stay times, for the tool to refuse by name; never left out."""
    covered = [span for when in whens for span in when.spans]
    strange = [
        When(found[0], Kind.DATE, spans=(found.span(),), date_given=True)
        for found in DATE_LIKE.finditer(words)
        if not any(start < found.end() and found.start() < end for start, end in covered)
    ]
    return [*whens, *strange]


def mark(words: str, whens: list[When]) -> str:
    """The request with each time phrase as ``⟦n⟧``; a phrase in several pieces leaves its mark at the first."""
    cuts = sorted((start, end, n, first) for n, w in enumerate(whens) for first, (start, end) in enumerate(w.spans))
    out, position = [], 0
    for start, end, number, first in cuts:
        out += [words[position:start], f"⟦{number}⟧" if first == 0 else " "]
        position = end
    return "".join([*out, words[position:]]).replace("　", " ")
