"""Mends what was typed in haste before a request is read: traditional characters, slips and abbreviations.

Only what is read is mended. Names of tasks keep the user's own characters (:func:`as_written`), and what stands in
quotation marks is left alone.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.resources import files
from typing import Any

from tools.core.text import Language

#: Words that a slip of the finger is looked for in; shorter ones are too much alike.
SHORTEST = 5
#: A word of this length may hold two slips.
LONG = 8
WORD = re.compile(r"(?<![\w'/@.-])[A-Za-z]+(?:'[a-z]+)?(?![\w/@-])")
WITH = re.compile(r"(?<!\w)w/(?=\s?\w)", re.IGNORECASE)
#: "Change it to 8" names an hour.
TO_HOUR = re.compile(
    r"\b((?:change|move|make|push|put|shift|set|bring|do) (?:it|that|this)(?: (?:back|forward|up))?(?: to)?)"
    r" (?:at )?(\d{1,2})(?=\s*(?:$|[.,!?]|instead|please|then))",
    re.IGNORECASE,
)
#: "Can we do the review at 9 instead" moves it.
INSTEAD = re.compile(r"\b(?:do|have|make|hold) (?=(?:the|my|our) [^.,;!?]{1,60}\binstead\b)", re.IGNORECASE)
#: "Squeeze in 30 minutes" is a length, not "in 30 minutes".
SQUEEZE = re.compile(
    r"\b(squeeze|fit|slot|pencil|block|get) (?:in|out|off) (?=(?:\d|an?\b|half\b|one\b|two\b))", re.IGNORECASE
)
#: Chinese words that run into the next one (看一下周五 is no 下周五, 晚半小时 no evening); the other word is as long.
LENGTH_AHEAD = r"(?=(?:[半一两二三四五六七八九十]|\d{1,2})个?(?:半)?(?:小时|钟头|分钟|刻钟|天|星期|礼拜|周))"
ALIKE = (
    (re.compile(r"一下(?=周|星期|礼拜|个月|个星期|个礼拜)"), "　　"),
    (re.compile(r"一下(?=下+个?(?:周|星期|礼拜|月))"), "　　"),
    (re.compile(r"(?<=[半一两二三四五六七八九十\d])个钟(?!头)"), "小时"),
    (re.compile(rf"(?<![今明昨当后早])晚{LENGTH_AHEAD}"), "迟"),
    (re.compile(rf"(?<![今明昨当后])早{LENGTH_AHEAD}"), "先"),
)
UNITS = r"(?:hours?|hrs?|minutes?|mins?)"
DAYS = (
    r"(?:mon|tues?|wed|thu(?:rs?)?|fri|sat|sun)(?:day|nesday|sday|urday)?"
    r"|tomorrow|today|tonight|evening|morning|afternoon"
)
MOVED_BY = rf"([^.,;!?]{{1,40}}?) ((?:half )?an?|\d{{1,3}}|one|two|three) ({UNITS})"
#: English turns that the tables or the time grammar would take for something else, and the plain form of each.
PLAIN = (
    # "the dentist is now at 4" says that it has been moved
    (re.compile(r"\b(?:is|are) now (?=(?:at|on|in)\b)", re.IGNORECASE), "is moved to "),
    (re.compile(rf"\b(\d{{1,3}}) free ({UNITS})\b", re.IGNORECASE), r"free \1 \2"),
    (re.compile(" & "), " and "),
    # British half four is half past four
    (re.compile(r"\bhalf (?=\d{1,2}(?![\d:.]|\s?(?:hours?|hrs?|min|of|price|kg|dozen)))", re.IGNORECASE), "half past "),
    # a bare hour behind a day: haircut sat 11
    (re.compile(rf"\b({DAYS}) (\d{{1,2}})(?=\s*(?:$|[,.!?]))", re.IGNORECASE), r"\1 at \2"),
    (re.compile(r"\b(tonight|evening|morning|afternoon) (\d{1,2})(?=\s+[a-z])", re.IGNORECASE), r"\1 at \2"),
    # "make the dentist an hour later" is a move by an hour
    (
        re.compile(
            rf"\b(?:make|move|push|shift|start|have) {MOVED_BY} later\b",
            re.IGNORECASE,
        ),
        r"push \1 back by \2 \3",
    ),
    (
        re.compile(
            rf"\b(?:make|move|bring|shift|start|have) {MOVED_BY} earlier\b",
            re.IGNORECASE,
        ),
        r"bring \1 forward by \2 \3",
    ),
)
#: Faces, hearts and waves beside the words, and a drawl at the end of a clause, say nothing.
DECORATION = re.compile(
    "[\U0001f600-\U0001f64f\U0001f910-\U0001f917\U0001f920-\U0001f92f\U0001f970-\U0001f97a\U0001f44b-\U0001f44f"
    "\U0001f493-\U0001f49f\U0001f31e\U0001f305\U0001f389\U0001f4aa\u2600\u263a\u2728\u2764\ufe0f\u200d]"
    "|(?<![\\d点半分])[~～]+(?=\\s*(?:$|[，。！？,.!?]))"
)
QUOTES = re.compile(r"([\"“「][^\"”」]{1,200}[\"”」]|(?<!\w)'[^']{2,200}'(?!\w))")


@dataclass(frozen=True, slots=True)
class _Spelling:
    fold: dict[int, str]
    words: dict[str, str]
    keywords: tuple[str, ...]
    apart: frozenset[str]
    alike: tuple[tuple[re.Pattern[str], str], ...]


@cache
def _spelling() -> _Spelling:
    source = files("deep_planner.models.rules").joinpath("spelling.toml")
    raw: dict[str, Any] = tomllib.loads(source.read_text(encoding="utf-8"))
    keywords = raw["keywords"]
    return _Spelling(
        fold={ord(pair[0]): pair[1] for pair in raw["fold"].split()},
        words=raw["words"],
        keywords=tuple(keywords["words"]),
        apart=frozenset(keywords["apart"]) | frozenset(keywords["words"]),
        alike=tuple((re.compile(row["pattern"]), row["read"]) for row in raw["alike"]),
    )


def mended(words: str, language: Language) -> str:
    """A request as it is read: folded to simplified characters of the same length, or with its slips mended."""
    if language == "zh":
        folded = words.translate(_spelling().fold)
        for pattern, other in (*ALIKE, *_spelling().alike):
            folded = pattern.sub(other, folded)
        return DECORATION.sub(lambda found: " " * len(found[0]), folded)
    parts = QUOTES.split(words)
    parts[::2] = [_mended(part) for part in parts[::2]]
    return "".join(parts)


def as_written(piece: str, read: str, written: str) -> str:
    """A piece of what was read, in the characters of what was written; the two are of the same length."""
    place = read.find(piece) if piece and len(read) == len(written) and read != written else -1
    return piece if place < 0 else written[place : place + len(piece)]


def _mended(words: str) -> str:
    plain = WORD.sub(_one, WITH.sub("with ", words))
    for pattern, other in PLAIN:
        plain = pattern.sub(other, plain)
    plain = SQUEEZE.sub(r"\1 ", INSTEAD.sub("move ", plain))
    return TO_HOUR.sub(r"\1 \2 o'clock", plain)


def _one(found: re.Match[str]) -> str:
    return _word(found[0])


@lru_cache(maxsize=4096)
def _word(word: str) -> str:
    spelling, lower = _spelling(), word.lower()
    if lower in spelling.words:
        return spelling.words[lower]
    if len(word) < SHORTEST or lower in spelling.apart or word.isupper():
        return word
    from rapidfuzz.distance import OSA  # noqa: PLC0415 - the import costs start-up time, and most words are short

    for keyword in spelling.keywords:
        slips = 2 if len(keyword) >= LONG else 1
        if lower[0] == keyword[0] and 0 < OSA.distance(lower, keyword, score_cutoff=slips) <= slips:
            return word if keyword + "s" == lower else keyword
    return word
