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
    note: re.Pattern[str]
    conditions: list[re.Pattern[str]]
    kinds: dict[str, re.Pattern[str]]
    """Of weather, each with its words."""
    whole: re.Pattern[str]
    ignored: list[re.Pattern[str]]
    slot: re.Pattern[str]
    follow: re.Pattern[str]
    swap: re.Pattern[str]
    onward: re.Pattern[str]
    levels: dict[str, re.Pattern[str]]
    acts: list[tuple[Act, list[re.Pattern[str]], bool]]
    """Each act with its patterns, and whether a time or a word for arranging speaks against it."""
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
        note=_compiled(raw["note"]),
        conditions=_conditions(raw["conditional"]),
        kinds={kind: _compiled(words) for kind, words in raw["conditional"]["kinds"].items()},
        whole=_compiled(raw["whole"]["words"]),
        ignored=[_compiled(pattern) for pattern in raw["beside"]["ignored"]],
        slot=_compiled(raw["beside"]["slot"]),
        follow=_compiled(raw["beside"]["follow"]),
        swap=_compiled(raw["beside"]["swap"]),
        onward=_compiled(raw["beside"]["onward"]),
        levels={level: _compiled("|".join(raw[level])) for level in ("high", "low")},
        acts=[
            (Act(row["act"]), [_compiled(pattern) for pattern in row["patterns"]], row.get("unless_timed", False))
            for row in raw["act"]
        ],
        markers=_compiled("|".join(raw["create"]["markers"])),
        verbs=_compiled(rf"^(?:{'|'.join(raw['create']['verbs'])}){edge}"),
        answers={name: [_compiled(pattern) for pattern in patterns] for name, patterns in raw["answer"].items()},
    )


def _conditions(raw: dict[str, Any]) -> list[re.Pattern[str]]:
    holes = {"@neg": raw["neg"], "@be": raw.get("be", ""), "@kind": "|".join(raw["kinds"].values())}
    patterns: list[str] = raw["patterns"]
    for hole, words in holes.items():
        patterns = [pattern.replace(hole, words) for pattern in patterns]
    return [_compiled(pattern) for pattern in patterns]


def _compiled(pattern: str) -> re.Pattern[str]:
    for name in ("on2", "on", "to", "shift"):
        pattern = pattern.replace(f"<{name}>", rf"⟦(?P<{name}>\d+)⟧")
    pattern = pattern.replace("<t>", r"⟦\d+⟧")
    return re.compile(pattern, re.IGNORECASE)
