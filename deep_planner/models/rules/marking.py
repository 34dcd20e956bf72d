"""Time phrases in a request: found, taken apart where they are two, and marked as ``⟦n⟧``."""

from __future__ import annotations

import re
from dataclasses import replace

from deep_planner.models.rules.reading import Situation
from tools.domain.times import Kind, When, parse_when

#: Between two pieces of one time phrase these say that it is two: what is moved, and where to.
MOVES = re.compile(r"改|挪|换|迟|推|调|移|提前|延|reschedule|\b(?:to|until|till)\b", re.IGNORECASE)
#: After one of these "tomorrow to Friday" is no stretch of time but a move.
MOVERS = re.compile(r"\b(?:move|push|shift|reschedule|postpone|bump|change|switch)\b[^.;!?]{0,80}$", re.IGNORECASE)
FROM_TO = re.compile(r"^(?:from\s+)?(?P<on>.{1,40}?)\s+to\s+(?P<to>.{1,40})$", re.IGNORECASE)
#: A blank between Chinese words and a time says nothing.
AFTER_CHINESE = re.compile(r"(?<=[一-鿿]) {1,4}(?=⟦)")
#: Looks like a date; what the grammar did not take for one is impossible.
DATE_LIKE = re.compile(
    r"\d{1,2}\s*月\s*\d{1,2}\s*[号日]|\d{4}-\d{1,2}-\d{1,2}"
    r"|\b(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.? \d{1,2}(?:st|nd|rd|th)?\b",
    re.IGNORECASE,
)


def apart(words: str, whens: list[When], situation: Situation) -> list[When]:
    """Time phrases, those in two pieces with a word of moving between them taken apart: 把周一的会改到四点."""
    found: list[When] = []
    for when in whens:
        if pieces := _from_to(words, when, situation):
            found += pieces
            continue
        gap = words[when.spans[0][1] : when.spans[-1][0]]
        if len(when.spans) == 1 or not MOVES.search(gap):
            found.append(when)
            continue
        for start, end in when.spans:
            piece = parse_when(words[start:end], situation.now, situation.zone)
            found.append(replace(piece, spans=((start, end),)) if piece else replace(when, spans=((start, end),)))
    return found


def _from_to(words: str, when: When, situation: Situation) -> list[When]:
    """The two ends of what looks like a range and is a move: move it all from Monday to Friday."""
    start, end = when.spans[0][0], when.spans[-1][1]
    ends = FROM_TO.match(words[start:end])
    if when.kind is not Kind.RANGE or when.clock_given or ends is None or not MOVERS.search(words[:start]):
        return []
    pieces = []
    for name in ("on", "to"):
        piece = parse_when(ends[name], situation.now, situation.zone)
        if piece is None:
            return []
        pieces.append(replace(piece, text=ends[name], spans=((start + ends.start(name), start + ends.end(name)),)))
    return [replace(pieces[0], spans=((start, start + ends.end("on")),)), pieces[1]]


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
    marked = "".join([*out, words[position:]]).replace("　", " ")
    return AFTER_CHINESE.sub("", marked)
