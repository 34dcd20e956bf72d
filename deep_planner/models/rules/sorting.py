"""Two roles that sort: triage, and taking an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.messages import BaseMessage

from deep_planner.models.rules.frames import Frame
from deep_planner.models.rules.reading import Said, Situation, call, turn_before
from deep_planner.models.rules.tables import AGENTS, Act, tables
from deep_planner.models.rules.understanding import understand
from tools.core.text import language_of
from tools.domain.times import find_whens

#: Acts that only ask.
QUERIES = frozenset({Act.QUERY, Act.SCHEDULE, Act.FREE, Act.WEATHER, Act.LIST_REMINDERS, Act.DELIBERATE})
CHAT = frozenset({Act.GREET, Act.THANKS, Act.HELP})
#: Sorting needs no calendar: whether a phrase is a time does not depend on the day.
ANY_DAY = datetime(2026, 1, 7, 9, 0, tzinfo=UTC)
ISO_DAY = re.compile(r"\d{4}-\d{2}-\d{2}")
DAY = re.compile(r"(\d{1,2})(?:号|日|th\b|st\b|nd\b|rd\b)")
WORD = re.compile(r"[a-z]+(?=['’]s\b)|[\w]+(?<!_)", re.ASCII)
#: Words that tell no choice from another.
LOOSE_WORDS = frozenset(
    (
        "the",
        "one",
        "with",
        "at",
        "on",
        "in",
        "for",
        "about",
        "a",
        "s",
        "please",
        "i",
        "mean",
        "meant",
        "my",
        "to",
        "of",
        "it",
        "that",
        "is",
    )
)
#: The choices of a plan that is shown before it runs, by what they are elsewhere.
PLAN_CHOICES = {"approve": "yes", "reject": "no"}
DAY_WORDS = ("今天", "明天", "后天", "today", "tomorrow")


def classify(messages: Sequence[BaseMessage]) -> Said:
    """The role of triage (D01-D03)."""
    asked = json.loads(messages[1].text)
    words = asked["request"]
    before, told = turn_before(asked.get("last_turn"))
    situation = Situation(ANY_DAY.astimezone(ZoneInfo("UTC")), language_of(words), None, before, told)
    frames = understand(words, situation)
    intent, sure, agent = _sorted(frames, before)
    explanation = ", ".join(frame.act.value for frame in frames) or Act.UNKNOWN.value
    return call("classify_intent", intent=intent, confidence=sure, explanation=explanation, subagent=agent)


def _sorted(frames: list[Frame], before: str = "") -> tuple[str, float, str | None]:
    work = [frame for frame in frames if frame.act in AGENTS]
    if not work:
        acts = {frame.act for frame in frames}
        if Act.OUT_OF_DOMAIN in acts:
            return "out_of_domain", 0.95, None
        chatting = bool(acts & CHAT) and acts <= CHAT | {Act.UNKNOWN}
        return ("simple_chat", 0.95, None) if chatting else ("uncertain", 0.3, None)
    if work == frames[:1] and not before and is_begun(work[0]):
        return "uncertain", 0.3, None
    first, sure = work[0], min(frame.sure for frame in work)
    if len(work) > 1 or first.trip or first.days or is_remind_new(first) or first.condition or first.slot:
        return "complex_workflow", sure, None
    kind = "information_query" if first.act in QUERIES else "single_task"
    return kind, sure, AGENTS[first.act]


def is_remind_new(frame: Frame) -> bool:
    """A reminder of something with a time of its own makes the task as well (P18)."""
    return frame.act is Act.REMIND and not frame.about and bool(frame.title and frame.when)


def is_begun(frame: Frame) -> bool:
    """A reminder of nothing, at no time: there is something to ask before anyone sets to work."""
    return frame.act is Act.REMIND and not (frame.title or frame.when or frame.remind)


def take_answer(messages: Sequence[BaseMessage]) -> Said:
    """The role of reading a reply to a question."""
    asked = json.loads(messages[-1].text)
    words, choices = str(asked["reply"]).strip(), asked["choices"]
    known = {PLAN_CHOICES.get(choice["id"], choice["id"]): choice["id"] for choice in choices}
    picked = pick(words, [{**choice, "id": name} for name, choice in zip(known, choices, strict=True)])
    if picked is not None:
        return call("take_answer", kind="choice", choice=known[picked])
    if asked["type"] != "ask_user" and _is_new_request(words):
        return call("take_answer", kind="new_request")
    return call("take_answer", kind="answer")


def pick(words: str, choices: list[dict[str, Any]]) -> str | None:
    """The id of the choice that the words pick, if they pick one."""
    if not choices:
        return None
    rules = tables(language_of(words)).answers
    ids = [choice["id"] for choice in choices]
    if "no" in ids and _any(rules["no"], words):
        return "no"
    for which in ("one", "all"):
        if which in ids and _any(rules[which], words):
            return which
    options = [choice for choice in choices if choice["id"] not in ("yes", "no")]
    if options and _any(rules["last"], words):
        return str(options[-1]["id"])
    if dated := _by_date(words, options):
        return dated
    for number, pattern in enumerate(rules["ordinals"]):
        if options and number < len(options) and pattern.search(words):
            return str(options[number]["id"])
    bare = words
    for filler in rules["fillers"]:
        bare = filler.sub("", bare) or bare
    named = [choice for choice in choices if _names(bare, choice)]
    named = named if len(named) == 1 else _by_words(bare, options)
    if len(named) == 1:
        return str(named[0]["id"])
    situation = Situation(ANY_DAY.astimezone(ZoneInfo("UTC")), language_of(words))
    if find_whens(words, situation.now, situation.zone):
        return None  # another time is no yes to this one
    return "yes" if "yes" in ids and _any(rules["yes"], words) else None


def _by_date(words: str, options: list[dict[str, Any]]) -> str | None:
    """The one choice of dates whose day is said: 12号, the 13th, 今天, tomorrow."""
    said = words.lower()
    days = {int(day) for day in DAY.findall(said)}
    named = {name for name in DAY_WORDS if name in said}
    found = [
        str(option["id"])
        for option in options
        if ISO_DAY.fullmatch(str(option["id"]))
        and (int(str(option["id"])[8:]) in days or any(name in str(option["label"]).lower() for name in named))
    ]
    return found[0] if len(found) == 1 else None


def _by_words(words: str, options: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """The choices whose label holds each word that is said, in any order, a clock time in any form."""
    said = [word for word in WORD.findall(words.lower()) if word not in LOOSE_WORDS]
    now = ANY_DAY.astimezone(ZoneInfo("UTC"))
    clocks = [when for when in find_whens(words, now, ZoneInfo("UTC")) if when.clock_given and when.start]
    if clocks and not any(when.date_given for when in clocks):
        starts = [f"{when.start:%H:%M}" for when in clocks if when.start]
        # Where it begins; the end of a free stretch is no choice: "改到四点" is another time than 15:00-16:00.
        begins = re.compile(rf"(?<![-–])(?:{'|'.join(starts)})")
        return [option for option in options if begins.search(str(option["label"]))]
    labels = [(option, set(WORD.findall(str(option["label"]).lower()))) for option in options]
    return [option for option, words in labels if said and words.issuperset(said)]


def _names(words: str, choice: dict[str, Any]) -> bool:
    label = str(choice["label"]).lower()
    said = words.lower()
    return said in label if len(said) > 1 else said == label


def _any(patterns: list[re.Pattern[str]], words: str) -> bool:
    return any(pattern.search(words) for pattern in patterns)


def _is_new_request(words: str) -> bool:
    situation = Situation(ANY_DAY.astimezone(ZoneInfo("UTC")), language_of(words))
    if not words:
        return False
    if _any(tables(language_of(words)).answers["same_time"], words):
        return False
    frames = understand(words, situation)
    if not frames or all(frame.act is Act.UNKNOWN for frame in frames):
        return False
    first = frames[0]
    if first.act is Act.MODIFY:
        return bool(first.title)
    if first.act is Act.CREATE:
        return bool(find_whens(words, situation.now, situation.zone)) and len(first.title) > 1
    return first.act in AGENTS
