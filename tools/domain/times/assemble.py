"""Pieces that belong together, put together."""

from __future__ import annotations

import re
from dataclasses import replace

from tools.domain.times.dates import Dated, DayOfMonth, Relative, Shifted, Weekday, WeekdayBy
from tools.domain.times.days import Day
from tools.domain.times.festivals import Festival
from tools.domain.times.join import join
from tools.domain.times.pieces import Every, Group, Piece, Role, Side
from tools.domain.times.stretches import Coming, Month, PartOf, Week, Year

#: What may stand between two pieces of one expression.
_FILLER = re.compile(
    r"(?:[\s,、的在于@()（）]|那天|当天|这天|-|\b(?:on|at|in|the|of|from|for|around|about|circa|starting|during)\b){0,5}"
)
#: What ends a clause, so that words on both sides of it are two expressions.
_BREAK = re.compile(r"[,，。;；!！?？\n、]|\.\s|然后|接着|\bthen\b|\band\b|再|并且|还要|以及")
_END = re.compile(r"[\s.。!！?？,，]{0,9}$")
_FAR = 40
_BETWEEN = re.compile(r"\bbetween\s{1,2}$")
_AHEAD = (Role.LIMIT_AHEAD, Role.SINCE_AHEAD, Role.EACH)


class _Assembler:
    def __init__(self, text: str) -> None:
        self.text = text
        self.groups: list[Group] = []
        self.current: Group | None = None
        self.ahead: list[Piece] = []
        self.link: Piece | None = None

    def read(self, piece: Piece) -> None:
        """Take the next piece."""
        if piece.role in _AHEAD or piece.wrap:
            self._wait(piece)
        elif piece.role is Role.LINK:
            self._linked(piece)
        elif piece.role in (Role.LIMIT_BEHIND, Role.SINCE_BEHIND):
            self._behind(piece)
        else:
            self._time(piece)

    def _linked(self, piece: Piece) -> None:
        """Wait for the other side of a range; 之间 belongs to the range before it."""
        group = self.current
        if group is None or not self._tight(group.pieces[-1], piece):
            self.link = None
        elif group.right is not None and self.text[piece.end - 1] == "间":
            group.pieces.append(piece)
        else:
            self.link = piece

    def _wait(self, piece: Piece) -> None:
        word = self.text[piece.start : piece.end]
        if word in ("until", "till", "til") and self.current and self._tight(self.current.pieces[-1], piece):
            self.link = piece
        elif self.ahead and not self._tight(self.ahead[-1], piece):
            self.ahead = [piece]
        else:
            self.ahead.append(piece)

    def _behind(self, piece: Piece) -> None:
        if self.current is None or not self._tight(self.current.pieces[-1], piece):
            return
        self._mark(self.current, piece)
        self.current.pieces.append(piece)

    def _time(self, piece: Piece) -> None:
        ahead = self._ahead_of(piece)
        piece = _wrapped(piece, ahead)
        first = ahead[0] if ahead else piece
        group = self.current
        link, self.link, self.ahead = self.link, None, []
        if group is not None:
            tight = self._tight(group.pieces[-1], first)
            if link and self._adjoins(link, first) and self._range(group, piece, link):
                return
            if self._joins(group, piece, tight, first):
                self._add(group, piece, ahead)
                return
        fresh = Group(each=any(p.role is Role.EACH for p in ahead))
        # "mon wed fri": a name that may be a word is a weekday beside one.
        if group is not None and tight and isinstance(piece.day, Weekday) and isinstance(group.left.day, Weekday):
            fresh.weak = False
        self.groups.append(fresh)
        self.current = fresh
        self._add(fresh, piece, ahead)

    def _ahead_of(self, piece: Piece) -> list[Piece]:
        kept: list[Piece] = []
        after = piece
        for waiting in reversed(self.ahead):
            if not self._tight(waiting, after):
                break
            kept.insert(0, waiting)
            after = waiting
        return kept

    def _range(self, group: Group, piece: Piece, link: Piece) -> bool:
        """Open the second half of a range; a dash between a date and a clock is only a dash."""
        begun = group.pieces[0].start
        if self.text[link.start : link.end] == "and" and not _BETWEEN.search(self.text, max(0, begun - 12), begun):
            return False
        if group.every and piece.day and not piece.every:
            group.until = piece.day
            group.pieces += [link, piece]
            return True
        # "Fri to sun": what may be another word is a day across from one.
        weak = piece.weak and not isinstance(piece.day, (DayOfMonth, Weekday))
        if group.right is not None or piece.every or weak or not (piece.day or piece.clock or piece.part):
            return False
        left = group.left
        if left.until or not (left.day or left.clock or left.part):
            return False
        if left.clock is None and left.part is None and piece.day is None and not group.every:
            return False
        group.right = Side()
        self._add(group, piece, [link])
        return True

    def _joins(self, group: Group, piece: Piece, tight: bool, first: Piece) -> bool:
        gap = self.text[group.pieces[-1].end : first.start]
        if not _fits(group, piece, tight=tight):
            return False
        if tight:
            return True
        if piece.weak or group.weak or len(gap) > _FAR:
            return False
        broken = _BREAK.search(gap)
        if broken and not _END.match(self.text, piece.end):
            return False
        return not broken or bool(gap.strip(" ,，"))

    def _add(self, group: Group, piece: Piece, ahead: list[Piece]) -> None:
        side = group.right or group.left
        joined = bool(group.pieces)
        side.day = _both(side.day, piece.day)
        side.part = piece.part or side.part
        side.clock = piece.clock or side.clock
        side.until = piece.until or side.until
        group.every = _repeats(group.every, piece.every)
        group.length = piece.length or group.length
        group.shift = piece.shift if group.shift is None else group.shift
        group.lead = group.lead or piece.lead
        group.limit = group.limit or piece.limit
        group.weak = group.weak and piece.weak and not joined
        for waiting in ahead:
            self._mark(group, waiting)
        group.pieces += [*ahead, piece]

    def _mark(self, group: Group, piece: Piece) -> None:
        word = self.text[piece.start : piece.end]
        if piece.role in (Role.LIMIT_AHEAD, Role.LIMIT_BEHIND):
            group.limit = True
        elif piece.role in (Role.SINCE_AHEAD, Role.SINCE_BEHIND):
            group.since = "after" if re.search(r"(?<!及)(?<!或)(?<!或之)(?<!及之)后|^after|^later", word) else "since"
            if word == "from":
                group.since = "from"
            group.past = group.past or word.startswith("since") or word in ("以来", "自从")
        elif piece.role is Role.EACH:
            group.each = True

    def _tight(self, before: Piece, after: Piece) -> bool:
        return self._fill(before.end, after.start)

    def _adjoins(self, link: Piece, piece: Piece) -> bool:
        return self._fill(link.end, piece.start)

    def _fill(self, start: int, end: int) -> bool:
        return end - start <= _FAR and _FILLER.fullmatch(self.text, start, end) is not None


def _wrapped(piece: Piece, ahead: list[Piece]) -> Piece:
    for waiting in reversed(ahead):
        if waiting.wrap and piece.day:
            piece = replace(piece, day=waiting.wrap(piece.day), weak=False)
    return piece


def _fits(group: Group, piece: Piece, *, tight: bool) -> bool:
    side = group.right or group.left
    if piece.until is not None and group.right is not None:
        return False
    if piece.shift is not None or group.shift is not None or piece.lead or group.lead:
        return False
    if piece.length is not None:
        return group.length is None and (side.clock is not None or tight or group.every is not None)
    if piece.every is not None:
        fits = group.every is None or (tight and _details(group.every, piece.every))
        return fits and side.day is None and group.right is None
    if piece.clock is not None and (side.clock is not None or _whole(side.day)):
        return False
    if piece.part is not None and side.part is not None and not (tight and side.part.segment is piece.part.segment):
        return False
    if piece.part is not None and piece.weak and side.clock and side.clock.half in ("am", "pm"):
        return False
    if piece.day is None:
        return True
    if group.every is not None:
        return tight and _refines(group, piece.day)
    if side.day is not None:
        return tight and _both(side.day, piece.day) is not None and _reconciled(side.day, piece.day)
    return not (_whole(piece.day) and side.clock)


def _whole(day: Day | None) -> bool:
    return isinstance(day, (Month, Year, Week, Coming)) or (isinstance(day, PartOf) and day.share != "last_day")


def _refines(group: Group, day: Day) -> bool:
    every = group.every
    if every is None or every.weekdays or every.days or group.left.day is not None:
        return False
    kinds = {"week": Weekday, "month": DayOfMonth, "year": Dated}
    return every.unit in kinds and isinstance(day, kinds[every.unit])


def _details(every: Every, other: Every) -> bool:
    """Whether a recurrence only says on which days another one falls: weekly, on Thursdays."""
    plain = not (every.weekdays or every.days or every.ordinal or every.month)
    return plain and every.unit == other.unit and other.interval == 1 and bool(other.weekdays or other.days)


def _repeats(every: Every | None, other: Every | None) -> Every | None:
    return replace(other, interval=every.interval) if every and other else every or other


def _reconciled(first: Day, second: Day) -> bool:
    pairs = {(type(first), type(second)), (type(second), type(first))}
    allowed = {
        (Weekday, DayOfMonth),
        (Weekday, Dated),
        (Relative, Dated),
        (Festival, Dated),
        (Relative, Weekday),
        (Week, Weekday),
        (Shifted, Weekday),
        (Month, DayOfMonth),
        (Year, Dated),
        (Year, Month),
    }
    return bool(pairs & allowed)


def _both(first: Day | None, second: Day | None) -> Day | None:
    """One date of two that say the same day ("Friday, 13 February"): the fuller one decides."""
    if first is None or second is None:
        return first or second
    for one, other in ((first, second), (second, first)):
        if isinstance(one, Weekday):
            if isinstance(other, DayOfMonth):
                return replace(other, weekday=one.weekday) if one.weeks is None else other
            if isinstance(other, (Dated, Relative)):
                return other
            if isinstance(other, Shifted):
                return WeekdayBy(one.weekday, other)
            if isinstance(other, Week):
                return Weekday(one.weekday, weeks=other.weeks)
        if isinstance(one, (Relative, Festival)) and isinstance(other, Dated):
            return other
        if isinstance(one, Month) and isinstance(other, DayOfMonth):
            if one.month is None:
                return replace(other, months=one.months)
            return Dated(one.month, other.day, one.year, one.years)
        if isinstance(one, Year) and isinstance(other, (Dated, Month)):
            return replace(other, year=one.year, years=one.years if one.year is None else None)
    return second


def assemble(text: str, pieces: list[Piece]) -> list[Group]:
    """The time expressions of a text, in order; a weak piece alone is one only when it is all there is.

    Args:
        text: The normalised text.
        pieces: What ``scan`` found in it.
    """
    assembler = _Assembler(text)
    for piece in pieces:
        assembler.read(piece)
    alone = len(assembler.groups) == 1
    return join(text, [group for group in assembler.groups if not group.weak or (alone and _is_all(text, group))])


def _is_all(text: str, group: Group) -> bool:
    if group.left.until is not None:
        return False  # "2-14" may be anything
    start, end = group.pieces[0].start, group.pieces[-1].end
    return not (text[:start] + text[end:]).strip(" .。!！?？,，、")
