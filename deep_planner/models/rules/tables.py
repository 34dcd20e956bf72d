"""The tables of what people say (``zh.toml``, ``en.toml``), compiled once."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from importlib.resources import files
from typing import Any

from tools.core.text import Language


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
    DELIBERATE = "deliberate"
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
    Act.DELIBERATE: "deliberation",
}


#: A macro in a pattern.
MACRO = re.compile(r"@([a-z]+)")
#: A pattern that matches nothing, for what a language has no line for.
NOTHING = "(?!)"
NEVER = re.compile(NOTHING)


@dataclass(frozen=True, slots=True)
class Tables:
    """One language's tables, compiled."""

    splits: re.Pattern[str]
    front: re.Pattern[str]
    end: re.Pattern[str]
    trip: re.Pattern[str]
    journeys: list[re.Pattern[str]]
    around_journey: re.Pattern[str]
    day_of_journey: re.Pattern[str]
    pronouns: re.Pattern[str]
    placeholders: re.Pattern[str]
    corrections: re.Pattern[str]
    all_day: re.Pattern[str]
    note: re.Pattern[str]
    conditions: list[re.Pattern[str]]
    kinds: dict[str, re.Pattern[str]]
    """Of weather, each with its words."""
    whole: re.Pattern[str]
    group: re.Pattern[str]
    into: re.Pattern[str]
    completes: re.Pattern[str]
    day_after: re.Pattern[str]
    ignored: list[re.Pattern[str]]
    slot: re.Pattern[str]
    follow: re.Pattern[str]
    swap: re.Pattern[str]
    onward: re.Pattern[str]
    question: re.Pattern[str]
    asks_when: re.Pattern[str]
    loose_start: re.Pattern[str]
    given_up: re.Pattern[str]
    instead: re.Pattern[str]
    levels: dict[str, re.Pattern[str]]
    acts: list[tuple[Act, list[re.Pattern[str]], bool]]
    """Each act with its patterns, and whether a time or a word for arranging speaks against it."""
    markers: re.Pattern[str]
    verbs: re.Pattern[str]
    answers: dict[str, list[re.Pattern[str]]]
    extra: dict[str, re.Pattern[str]]
    """What one language has and another may lack; a name that is not there matches nothing."""

    def optional(self, name: str) -> re.Pattern[str]:
        """The pattern of that name in ``[extra]``, or one that never matches."""
        return self.extra.get(name, NEVER)


@cache
def tables(language: Language) -> Tables:
    """The tables of a language, read once."""
    source = files("deep_planner.models.rules").joinpath(f"{language}.toml")
    raw: dict[str, Any] = tomllib.loads(source.read_text(encoding="utf-8"))
    kinds = "|".join(raw["conditional"]["kinds"].values())
    raw = _filled(raw, {**raw["macros"], "kind": kinds})
    words = raw["words"]
    blank = r"\s*" if language == "zh" else r"(?:\s+|$)"
    edge = "" if language == "zh" else r"\b"
    return Tables(
        splits=_compiled("|".join(words["splits"])),
        front=_compiled(rf"^(?:(?:{'|'.join(words['front'])}){blank})+"),
        end=_compiled(rf"(?:\s*{edge}(?:{'|'.join(words['end'])}))+$"),
        trip=_compiled("|".join(words["trip"])),
        journeys=[_compiled(pattern) for pattern in raw["journey"]["patterns"]],
        # Possessive: words that can be divided in many ways are divided in one, however long they are.
        around_journey=_compiled(rf"(?:(?:{'|'.join(raw['journey']['around'])}){blank})*+"),
        day_of_journey=_compiled(raw["journey"]["day"]),
        pronouns=_compiled(rf"^(?:{'|'.join(words['pronouns'])})$"),
        placeholders=_compiled(rf"^(?:{'|'.join(words['placeholders'])})$"),
        corrections=_compiled(rf"⟦(\d+)⟧[,，。\s]*(?:{'|'.join(words['corrections'])})[,，。\s]*⟦(\d+)⟧"),
        all_day=_compiled(words["all_day"]),
        note=_compiled(words["note"]),
        conditions=[_compiled(pattern) for pattern in raw["conditional"]["patterns"]],
        kinds={kind: _compiled(words) for kind, words in raw["conditional"]["kinds"].items()},
        whole=_compiled(raw["whole"]["words"]),
        group=_compiled(raw["beside"].get("group", NOTHING)),
        into=_compiled(raw["beside"].get("into", NOTHING)),
        completes=_compiled(raw["beside"].get("completes", NOTHING)),
        day_after=_compiled(raw["beside"].get("day_after", NOTHING)),
        ignored=[_compiled(pattern) for pattern in raw["beside"]["ignored"]],
        slot=_compiled(raw["beside"]["slot"]),
        follow=_compiled(raw["beside"]["follow"]),
        swap=_compiled(raw["beside"]["swap"]),
        question=_compiled(raw["beside"]["question"]),
        asks_when=_compiled(raw["beside"]["asks_when"]),
        onward=_compiled(raw["beside"]["onward"]),
        loose_start=_compiled(raw["conditional"]["loose_start"]),
        given_up=_compiled(raw["conditional"]["given_up"]),
        instead=_compiled(raw["conditional"]["instead"]),
        levels={level: _compiled("|".join(words[level])) for level in ("high", "low")},
        acts=[
            (Act(row["act"]), [_compiled(pattern) for pattern in row["patterns"]], row.get("unless_timed", False))
            for row in raw["act"]
        ],
        markers=_compiled("|".join(raw["create"]["markers"])),
        verbs=_compiled(rf"^(?:{'|'.join(raw['create']['verbs'])}){edge}"),
        extra={name: _compiled(pattern) for name, pattern in raw.get("extra", {}).items()},
        answers={name: [_compiled(pattern) for pattern in patterns] for name, patterns in raw["answer"].items()},
    )


def _filled(raw: Any, macros: dict[str, str]) -> Any:
    """The tables with each ``@name`` replaced by what stands under it in ``[macros]``."""
    if isinstance(raw, str):
        return MACRO.sub(lambda found: f"(?:{_filled(macros[found[1]], macros)})", raw)
    if isinstance(raw, list):
        return [_filled(value, macros) for value in raw]
    return {name: _filled(value, macros) for name, value in raw.items()} if isinstance(raw, dict) else raw


def _compiled(pattern: str) -> re.Pattern[str]:
    for name in ("on2", "on", "to", "until", "shift", "stretch"):
        pattern = pattern.replace(f"<{name}>", rf"⟦(?P<{name}>\d+)⟧")
    pattern = pattern.replace("<t>", r"⟦\d+⟧")
    return re.compile(pattern, re.IGNORECASE)
