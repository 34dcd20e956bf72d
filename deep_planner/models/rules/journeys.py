"""A journey of several days (X19): found in a request, and said again in the items of its plan.

下周去杭州玩三天 is one request and many items: the days are looked for in the calendar, each gets a task, a forecast
and a reminder, and something must be packed. :mod:`travelling` does the items.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from functools import cache
from typing import Literal

from deep_planner.models.rules.clauses import CLAUSE_END, SLOT
from deep_planner.models.rules.frames import Frame
from deep_planner.models.rules.marking import mark
from deep_planner.models.rules.reading import Situation
from deep_planner.models.rules.tables import Act, Tables
from tools.core.text import LANGUAGES, Language, phrase, text
from tools.domain.cities import find_city
from tools.domain.times import Kind, When, find_whens

#: A journey is one of the first things said; in a longer text it is part of a story.
LONGEST = 300
#: A longer one is one task, a trip (P17): a list of its days would be no plan, and a workflow ends at ten items (D05).
FEWEST_DAYS, MOST_DAYS = 2, 6
#: With more, the items of each day's forecast would not go into a workflow.
SHORT_DAYS = 3
DAYS_OF_WEEK = 7
SECONDS_PER_DAY = 24 * 3600
#: Where the words of the journey stood.
HERE = "⟪⟫"

Part = Literal["days", "days_any", "day_with", "day", "weather", "weathers", "pack"]
PARTS: tuple[Part, ...] = ("days", "days_any", "day_with", "day", "weather", "weathers", "pack")


@dataclass(frozen=True, slots=True)
class Journey:
    """Where to, for how many days, and the words of when; ``when`` is empty if nothing was said of it."""

    place: str
    days: int
    when: str = ""

    @property
    def city(self) -> str:
        """The place as the gazetteer knows it; empty for one that has no forecast."""
        mention = find_city(self.place)
        return self.place if mention else ""

    @property
    def is_short(self) -> bool:
        """Whether each day has its own forecast; of a longer one the weather is asked for all at once."""
        return self.days <= SHORT_DAYS

    def words(self, part: str, language: Language, day: int = 1, wanted: str = "") -> str:
        """What an item of the plan says, or what a task is called; ``day`` counts from 1."""
        facts = {"place": self.place, "days": self.days, "when": self.when, "n": day, "wanted": wanted}
        return text(language, f"offline.journey.{part}", **facts)


@dataclass(frozen=True, slots=True)
class Leg:
    """What one item of a journey's plan is about."""

    part: Part
    journey: Journey
    day: int
    wanted: str
    """What the user wants to do on the day."""
    language: Language
    """Of the item, and so of all that comes of it."""


def journey_in(words: str, situation: Situation, rules: Tables) -> tuple[Frame, str] | None:
    """The journey of a request as a frame, and what else the request says; ``None`` when there is none."""
    for pattern in rules.journeys if len(words) <= LONGEST else ():
        found = pattern.search(words)
        if found and (read := _read(words, found, situation, rules)):
            return read
    return None


def leg_of(item: str) -> Leg | None:
    """What an item is about, from the very lines that :meth:`Journey.words` writes; ``None`` for any other item."""
    for language in LANGUAGES:
        for part in PARTS:
            if found := _line(part, language).fullmatch(item):
                said = found.groupdict()
                journey = Journey(said["place"], int(said["days"]), said.get("when") or "")
                return Leg(part, journey, int(said.get("n") or 1), said.get("wanted") or "", language)
    return None


def _read(words: str, found: re.Match[str], situation: Situation, rules: Tables) -> tuple[Frame, str] | None:
    mention = find_city(found["place"])
    known = "city" in found.re.groupindex
    if known and mention is None:
        return None
    start = found.start()
    if known and mention:  # 安排下周杭州三日游: what stands before the city is no part of its name
        start = min(found.start("days"), found.start("place") + mention.start)
    around = f"{words[:start]} {HERE} {words[found.end() :]}"
    whens = find_whens(around, situation.now, situation.zone)
    clauses = [clause.strip() for clause in CLAUSE_END.split(mark(around, whens))]
    of_it = [clause for clause in clauses if _says_no_more(clause, rules)]
    if not any(HERE in clause for clause in of_it):
        return None
    said = [whens[int(number)] for clause in of_it for number in SLOT.findall(clause)]
    dated = next((when for when in said if when.date_given), None)
    days = _days(found.groupdict().get("days"), situation) or _length_of(said)
    if days < FEWEST_DAYS:
        return None
    place = mention.city.name(situation.language) if mention else found["place"]
    frame = Frame(Act.CREATE, words, words[start : found.end()].strip(), city=place)
    frame = replace(frame, when=" ".join(dated.text.split()) if dated else "")
    others = [SLOT.sub(lambda slot: whens[int(slot[1])].text, clause) for clause in clauses if clause not in of_it]
    if days <= MOST_DAYS:
        by_day = {clause: _of_day(clause, days, situation, rules) for clause in others if clause}
        rest = "，".join(clause for clause, wanted in by_day.items() if wanted is None)
        return replace(frame, days=days, by_day=tuple(filter(None, by_day.values()))), rest
    rest = "，".join(filter(None, others))
    title = text(situation.language, "offline.journey.long", place=place)
    return replace(frame, title=title, description=frame.title, trip=True), rest


def _says_no_more(clause: str, rules: Tables) -> bool:
    """Whether a clause only says when, or that a plan is wanted: 下周, 帮我安排一下, "plan it for me"."""
    return rules.around_journey.fullmatch(" ".join(SLOT.sub(" ", clause).replace(HERE, " ").split())) is not None


def _of_day(clause: str, days: int, situation: Situation, rules: Tables) -> tuple[int, str] | None:
    """What a clause wants on one day of the journey (第二天上午去灵隐寺), which is no day of the calendar."""
    found = rules.day_of_journey.fullmatch(clause)
    number = _days(found["n"], situation) if found else 0
    return (number, found["wanted"].strip()) if found and 1 <= number <= days else None


def _days(number: str | None, situation: Situation) -> int:
    """A number in words as one: 三, "three"; 0 for none."""
    words = f"{number}天" if situation.language == "zh" else f"{number} days"
    lengths = find_whens(words, situation.now, situation.zone) if number else []
    return next((length.seconds // SECONDS_PER_DAY for length in lengths if length.seconds), 0)


def _length_of(whens: list[When]) -> int:
    """The days of a length (下周去杭州旅游，三天), or of a stretch such as 周三到周五; 0 when neither was said."""
    for when in whens:
        if when.kind is Kind.DURATION and when.seconds:
            return when.seconds // SECONDS_PER_DAY
        if when.kind is Kind.RANGE and not when.clock_given and when.start and when.end:
            days = (when.end.date() - when.start.date()).days
            if days < DAYS_OF_WEEK:  # "next week" says when, not how long
                return days
    return 0


@cache
def _line(part: Part, language: Language) -> re.Pattern[str]:
    """The pattern of an item's line: its holes are what is to be read."""
    escaped = re.escape(phrase(language, f"offline.journey.{part}"))
    holes = {"place": ".+", "when": ".+", "wanted": ".+", "days": r"\d+", "n": r"\d+"}
    for name, hole in holes.items():
        escaped = escaped.replace(rf"\{{{name}\}}", f"(?P<{name}>{hole})")
    return re.compile(escaped)
