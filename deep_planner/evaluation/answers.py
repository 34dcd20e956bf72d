"""Whether a reply holds the facts that it must, in the right language."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Iterator

from deep_planner.evaluation.cases import Answer
from deep_planner.evaluation.reasons import Reason, holds
from tools.core.text import Language

_HAN = re.compile(r"[一-鿿]")
_LATIN = re.compile(r"[A-Za-z]{2,}")

_PART = r"(?P<part{n}>凌晨|清晨|早上|早晨|上午|中午|下午|傍晚|晚上|夜里|am|pm)?"
_CLOCK = (
    rf"{_PART}\s*(?P<hour{{n}}>\d{{{{1,2}}}})"
    r"(?:[:点时](?P<minute{n}>\d{{2}}|半|一刻|三刻)?分?整?)?\s*(?P<half{n}>am\b|pm\b|a\.m\.|p\.m\.)?"
)
_RANGE = re.compile(
    _CLOCK.format(n=1) + r"\s*(?:-|–|—|−|~|～|至|到|\bto\b|\buntil\b|\btill\b|\band\b)+\s*" + _CLOCK.format(n=2)
)
_LATE = ("中午", "下午", "傍晚", "晚上", "夜里", "pm", "p.m.")
_QUARTERS = {"半": 30, "一刻": 15, "三刻": 45}
_NUMERALS = {numeral: str(n) for n, numeral in enumerate((*"一二三四五六七八九十", "十一", "十二"), 1)} | {"两": "2"}
_NUMERAL = re.compile(r"(?:十[一二]?|[一二两三四五六七八九])(?=[点时])")


def answer_faults(reply: str, answer: Answer) -> list[Reason]:
    """The facts that a reply lacks, or should not hold."""
    faults = [Reason("not_mentioned", {"piece": piece}) for piece in answer.mentions if not holds(piece, reply)]
    if answer.mentions_any and not any(holds(piece, reply) for piece in answer.mentions_any):
        faults.append(Reason("none_mentioned", {"pieces": answer.mentions_any}))
    faults += [Reason("mentioned", {"piece": piece}) for piece in answer.not_mentions if holds(piece, reply)]
    places = [reply.casefold().find(piece.casefold()) for piece in answer.order]
    if -1 in places or places != sorted(places):
        faults.append(Reason("order", {"pieces": answer.order}))
    if answer.free_slots:
        told = set(ranges(reply))
        if not any(set(slots) <= told for slots in answer.free_slots):
            faults.append(Reason("free_slots", {"want": answer.free_slots, "got": sorted(told)}))
    return faults


def ranges(reply: str) -> Iterator[str]:
    """The spans of time that a reply names, as ``HH:MM-HH:MM``, in any usual wording."""
    plain = _NUMERAL.sub(lambda word: _NUMERALS[word[0]], unicodedata.normalize("NFKC", reply).lower())
    for found in _RANGE.finditer(plain):
        groups = found.groupdict()
        first, second = (_half(groups, n) for n in ("1", "2"))
        start, end = (_hour_and_minute(groups, n) for n in ("1", "2"))
        if start is None or end is None:
            continue
        # "2 to 3:30 pm" and 下午2点到3点半 name the half of the day once.
        starts = [_shifted(start, first)] if first else [start, _shifted(start, second)]
        ends = [_shifted(end, second)] if second else [end, _shifted(end, first)]
        for begin in starts:
            for stop in ends:
                if begin < stop:
                    yield f"{begin // 60:02}:{begin % 60:02}-{stop // 60:02}:{stop % 60:02}"


def _half(groups: dict[str, str | None], n: str) -> str:
    return groups[f"half{n}"] or groups[f"part{n}"] or ""


def _hour_and_minute(groups: dict[str, str | None], n: str) -> int | None:
    hour, said = int(groups[f"hour{n}"] or 0), groups[f"minute{n}"] or "0"
    minute = _QUARTERS.get(said) if said in _QUARTERS else int(said)
    return hour * 60 + minute if minute is not None and hour <= 24 and minute < 60 else None


def _shifted(minutes: int, half: str) -> int:
    """Minutes of the day: 3 in the afternoon is 15; 12 am is midnight, 12 in the afternoon noon."""
    if half in _LATE:
        return minutes + 720 if minutes < 720 and not (half == "中午" and minutes >= 600) else minutes
    return minutes - 720 if half in ("am", "a.m.") and 720 <= minutes < 780 else minutes


def language_faults(reply: str, asked_in: Iterable[Language], quoted: Iterable[str]) -> list[Reason]:
    """Whether the reply is in the script of one of the languages.

    Args:
        reply: What the user reads.
        asked_in: The language of the case, and that of the turn's own words.
        quoted: Words that may stand in it as they are: titles, cities, what the user typed.
    """
    if not reply.strip():
        return [Reason("silent")]
    wanted = set(asked_in)
    own = reply
    for piece in sorted({piece for piece in quoted if piece}, key=len, reverse=True):
        own = own.replace(piece, " ")
    han, latin = len(_HAN.findall(own)), len(_LATIN.findall(own))
    if ("zh" in wanted and han and han >= latin) or ("en" in wanted and latin and not han):
        return []
    return [Reason("language", {"want": sorted(wanted)})]
