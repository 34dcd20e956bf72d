"""From a sentence to what is wanted: clauses, acts and slots, by the tables of each language.

Time phrases are found first and stand as ``⟦n⟧`` while the tables are matched, so that a pattern can say where a
time belongs: 把⟦0⟧的开会改到⟦1⟧ moves what stands on ⟦0⟧ to ⟦1⟧.
"""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from deep_planner.models.rules.reading import Situation
from tools.core.text import Language, language_of
from tools.domain.cities import find_city
from tools.domain.times import Kind, When, find_whens

#: A longer clause is no request but pasted text; patterns are not tried on it.
LONGEST_CLAUSE = 300
#: Clauses of one request that are read.
MOST_CLAUSES = 40
LONGEST_REQUEST = 20_000
ENGLISH_WORD = re.compile(r"[A-Za-z']+")
BLANKS = re.compile(r"[^\S\n]+")
SLOT = re.compile(r"⟦(\d+)⟧")


class Act(StrEnum):
    """What a clause wants."""

    CREATE = "create"
    QUERY = "query"
    MODIFY = "modify"
    FINISH = "finish"
    REMOVE = "remove"
    SCHEDULE = "schedule"
    FREE = "free"
    WEATHER = "weather"
    REMIND = "remind"
    LIST_REMINDERS = "list_reminders"
    CANCEL_REMINDER = "cancel_reminder"
    GREET = "greet"
    THANKS = "thanks"
    HELP = "help"
    OUT_OF_DOMAIN = "out_of_domain"
    UNKNOWN = "unknown"


#: Which sub-agent does it.
AGENTS: dict[Act, str] = {
    Act.CREATE: "task",
    Act.QUERY: "task",
    Act.MODIFY: "task",
    Act.FINISH: "task",
    Act.REMOVE: "task",
    Act.SCHEDULE: "calendar",
    Act.FREE: "calendar",
    Act.WEATHER: "weather",
    Act.REMIND: "notification",
    Act.LIST_REMINDERS: "notification",
    Act.CANCEL_REMINDER: "notification",
}


SMALL_TALK = frozenset({Act.GREET, Act.THANKS, Act.HELP})


@dataclass(frozen=True, slots=True)
class Frame:
    """One thing wanted.

    Attributes:
        act: What is to be done.
        text: The clause, in the user's words.
        title: Name of the task, its time words taken out (P22).
        when: The words of its time; for a change, of the time it moves to.
        on: The words of the date it stands on (P6).
        remind: The words of the time of a reminder: an offset, or a time of its own.
        city: A city that was named.
        priority: low or high, if it was said.
        new_title: The new name, for a change.
        all_day: It takes the whole day.
        everything: It is about all tasks of the date.
        trip: It is a trip: the weather and a reminder belong to it (P17).
        sure: 0 to 1.
    """

    act: Act
    text: str
    title: str = ""
    when: str = ""
    on: str = ""
    remind: str = ""
    city: str = ""
    priority: str = ""
    new_title: str = ""
    all_day: bool = False
    everything: bool = False
    trip: bool = False
    sure: float = 0.95


@dataclass(frozen=True, slots=True)
class Tables:
    """One language's tables, compiled."""

    splits: re.Pattern[str]
    front: re.Pattern[str]
    end: re.Pattern[str]
    trip: re.Pattern[str]
    pronouns: re.Pattern[str]
    placeholders: re.Pattern[str]
    corrections: re.Pattern[str]
    all_day: re.Pattern[str]
    levels: dict[str, re.Pattern[str]]
    acts: list[tuple[Act, list[re.Pattern[str]]]]
    markers: re.Pattern[str]
    verbs: re.Pattern[str]
    answers: dict[str, list[re.Pattern[str]]]


@cache
def tables(language: Language) -> Tables:
    """The tables of a language, read once."""
    source = files("deep_planner.models.rules").joinpath(f"{language}.toml")
    raw: dict[str, Any] = tomllib.loads(source.read_text(encoding="utf-8"))
    blank = r"\s*" if language == "zh" else r"(?:\s+|$)"
    edge = "" if language == "zh" else r"\b"
    return Tables(
        splits=_compiled("|".join(raw["splits"])),
        front=_compiled(rf"^(?:(?:{'|'.join(raw['front'])}){blank})+"),
        end=_compiled(rf"(?:\s*{edge}(?:{'|'.join(raw['end'])}))+$"),
        trip=_compiled("|".join(raw["trip"])),
        pronouns=_compiled(rf"^(?:{'|'.join(raw['pronouns'])})$"),
        placeholders=_compiled(rf"^(?:{'|'.join(raw['placeholders'])})$"),
        corrections=_compiled(rf"⟦(\d+)⟧[,，。\s]*(?:{'|'.join(raw['corrections'])})[,，。\s]*⟦(\d+)⟧"),
        all_day=_compiled(raw["all_day"]),
        levels={level: _compiled("|".join(raw[level])) for level in ("high", "low")},
        acts=[(Act(row["act"]), [_compiled(pattern) for pattern in row["patterns"]]) for row in raw["act"]],
        markers=_compiled("|".join(raw["create"]["markers"])),
        verbs=_compiled(rf"^(?:{'|'.join(raw['create']['verbs'])}){edge}"),
        answers={name: [_compiled(pattern) for pattern in patterns] for name, patterns in raw["answer"].items()},
    )


def _compiled(pattern: str) -> re.Pattern[str]:
    for name in ("on2", "on", "to"):
        pattern = pattern.replace(f"<{name}>", rf"⟦(?P<{name}>\d+)⟧")
    pattern = pattern.replace("<t>", r"⟦\d+⟧")
    return re.compile(pattern, re.IGNORECASE)


def understand(words: str, situation: Situation) -> list[Frame]:
    """What a request wants, one frame a thing, in order; an empty list when nothing is understood."""
    # One blank for many: patterns with \s+ would go over a long gap again and again. Our own marks are no words.
    words = BLANKS.sub(" ", words[:LONGEST_REQUEST]).replace("⟦", "[").replace("⟧", "]")
    reader = _Reader(words, situation, tables(spoken_in(words)))
    frames = [frame for clause in reader.clauses() if (frame := reader.frame(clause))]
    return _tied(frames)


def spoken_in(words: str) -> Language:
    """Whose grammar a request follows: English with a Chinese name in it (Can you move 健身 to tomorrow) is English."""
    chinese = sum("一" <= letter <= "鿿" for letter in words)
    return "zh" if chinese and chinese >= len(ENGLISH_WORD.findall(words)) else "en"


def _tied(frames: list[Frame]) -> list[Frame]:
    """Leave out what is not understood beside what is, and small talk beside work (X9)."""
    work = [frame for frame in frames if frame.act in AGENTS]
    return work or frames


class _Reader:
    """Reads one request."""

    def __init__(self, words: str, situation: Situation, rules: Tables) -> None:
        self._rules = rules
        self._whens = find_whens(words, situation.now, situation.zone)
        self._marked = rules.corrections.sub(self._corrected, _mark(words, self._whens))
        self._day = ""

    def _corrected(self, found: re.Match[str]) -> str:
        """The second of two times, on the date of the first when it names none."""
        first, second = (self._whens[int(number)] for number in found.groups())
        if first.date_given and not second.date_given and first.date:
            text = f"{first.date.isoformat()} {second.text}"
            self._whens[int(found[2])] = replace(second, text=text, date_given=True)
        return f"⟦{found[2]}⟧"

    def clauses(self) -> list[str]:
        parts = [part.strip(" 　") for part in self._rules.splits.split(self._marked)]
        return _joined([part for part in parts if part], self._rules)[:MOST_CLAUSES]

    def frame(self, clause: str) -> Frame | None:
        if len(clause) > LONGEST_CLAUSE:
            return Frame(Act.UNKNOWN, self._said(clause[:LONGEST_CLAUSE]), sure=0.1)
        core, said = self._trimmed(clause) or clause, self._said(clause)
        for act, patterns in self._rules.acts:
            for pattern in patterns:
                # Small talk is whole as it is said: 早上好 holds a time, 你能做什么 what is taken off other requests.
                if found := pattern.search(said if act in SMALL_TALK else core):
                    return self._inherit(self._matched(act, found, clause, core), clause)
        return self._inherit(self._created(clause, core), clause)

    def _trimmed(self, clause: str) -> str:
        core = self._rules.end.sub("", self._rules.front.sub("", clause.strip()))
        return core.strip(" 　,，:：")

    def _matched(self, act: Act, found: re.Match[str], clause: str, core: str) -> Frame:
        groups = {name: value for name, value in found.groupdict().items() if value}
        slots = [int(number) for number in SLOT.findall(core)]
        on = groups.get("on") or groups.get("on2")
        to = groups.get("to")
        rest = [n for n in slots if str(n) not in (on, to)]
        title = self._title(groups.get("title") or groups.get("title2") or "")
        frame = Frame(act, self._said(clause), title, priority=self._level(clause, groups))
        frame = replace(frame, new_title=self._title(groups.get("new_title", "")), city=self._city(clause))
        if groups.get("all") or groups.get("all2"):
            frame = replace(frame, everything=True, title="")
        if act is Act.REMIND:
            return self._reminding(frame, rest)
        if act is Act.MODIFY:
            return replace(frame, when=self._words([int(to)] if to else []), on=self._words([int(on)] if on else rest))
        if act in (Act.FINISH, Act.REMOVE, Act.CANCEL_REMINDER):
            return replace(frame, on=self._words([int(on)] if on else rest))
        return replace(frame, when=self._words(rest))

    def _reminding(self, frame: Frame, slots: list[int]) -> Frame:
        """An offset is the reminder's time; any other time is that of the task."""
        offsets = [n for n in slots if self._whens[n].kind is Kind.DURATION]
        times = [n for n in slots if n not in offsets]
        trip = bool(self._rules.trip.search(frame.title))
        return replace(frame, when=self._words(times), remind=self._words(offsets), trip=trip)

    def _created(self, clause: str, core: str) -> Frame:
        """No act was named: a time and something to do make a task; so does a verb."""
        bare = self._trimmed(SLOT.sub(" ", core))
        marked = bool(self._rules.markers.search(bare))
        bare = self._rules.markers.sub("", bare, count=1) if marked else bare
        all_day = bool(self._rules.all_day.search(bare))
        title = self._title(self._rules.all_day.sub(" ", bare))
        title = "" if self._rules.placeholders.search(title) else title
        slots = [int(number) for number in SLOT.findall(core)]
        act = Act.CREATE if title and (slots or marked or self._rules.verbs.search(title)) else Act.UNKNOWN
        return Frame(
            act,
            self._said(clause),
            title,
            when=self._words(slots),
            city=self._city(clause),
            priority=self._level(clause, {}),
            all_day=all_day,
            trip=bool(self._rules.trip.search(title)),
            sure=0.95 if slots or marked else 0.8 if act is Act.CREATE else 0.3,
        )

    def _title(self, words: str) -> str:
        words = SLOT.sub(" ", words)
        for pattern in self._rules.levels.values():
            words = pattern.sub("", words)
        words = self._rules.end.sub("", self._rules.front.sub("", words.strip())).strip()
        words = re.sub(r"^(?:的|在|于|the|on|at|to|a|an)\s+|^[的：:]|[的：:,，、]$", "", words, flags=re.IGNORECASE)
        words = re.sub(r"\s+", " ", re.sub(r"(?<=[一-鿿])\s+(?=[一-鿿])", "", words)).strip(" 「」“”\"'")
        return "" if self._rules.pronouns.search(words) else words

    def _level(self, clause: str, groups: dict[str, str]) -> str:
        said = {"高": "high", "低": "low", "中": "medium"}.get(groups.get("level", ""), groups.get("level", ""))
        if said:
            return said.lower()
        return next((level for level, pattern in self._rules.levels.items() if pattern.search(clause)), "")

    def _city(self, clause: str) -> str:
        mention = find_city(self._said(clause))
        return mention.city.name(language_of(clause)) if mention else ""

    def _inherit(self, frame: Frame, clause: str) -> Frame:
        """A clock time without a date is on the date that the clause before named: 明天9点交周报，3点去银行."""
        slots = [self._whens[int(number)] for number in SLOT.findall(clause)]
        dated = [when for when in slots if when.date_given]
        if dated:
            self._day = dated[0].date.isoformat() if dated[0].date else ""
        elif self._day and frame.act in (Act.CREATE, Act.WEATHER, Act.FREE, Act.SCHEDULE) and not frame.on:
            return replace(frame, when=f"{self._day} {frame.when}".strip())
        return frame

    def _words(self, slots: list[int]) -> str:
        return " ".join(self._whens[number].text for number in slots)

    def _said(self, clause: str) -> str:
        return SLOT.sub(lambda found: self._whens[int(found[1])].text, clause)


def _mark(words: str, whens: list[When]) -> str:
    """The request with each time phrase as ``⟦n⟧``; a phrase in several pieces leaves its mark at the first."""
    cuts = sorted((start, end, n, first) for n, w in enumerate(whens) for first, (start, end) in enumerate(w.spans))
    out, position = [], 0
    for start, end, number, first in cuts:
        out += [words[position:start], f"⟦{number}⟧" if first == 0 else " "]
        position = end
    return "".join([*out, words[position:]]).replace("　", " ")


def _joined(parts: list[str], rules: Tables) -> list[str]:
    """A part that is a time or a priority alone belongs to its neighbour: 明天，去买菜; go swimming, tomorrow."""
    joined: list[str] = []
    for part in parts:
        rest = SLOT.sub("", part)
        for level in rules.levels.values():
            rest = level.sub("", rest)
        alone = not rest.strip()
        if joined and (alone or not SLOT.sub("", joined[-1]).strip()):
            joined[-1] = f"{joined[-1]} {part}"
        else:
            joined.append(part)
    return joined
