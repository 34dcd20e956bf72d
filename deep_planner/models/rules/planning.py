"""The role of the planner: a plan from the request, and its care under ``every_wave``."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import timedelta
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage

from deep_planner.models.rules.conditions import FREE, worded
from deep_planner.models.rules.deciding import free_when
from deep_planner.models.rules.frames import Frame
from deep_planner.models.rules.journeys import Journey
from deep_planner.models.rules.reading import (
    ENGINE,
    Said,
    Situation,
    call,
    last_human,
    prompt_language,
    request_situation,
)
from deep_planner.models.rules.sorting import is_remind_new
from deep_planner.models.rules.tables import AGENTS, Act
from deep_planner.models.rules.understanding import understand
from tools.core.text import Language, language_of, text
from tools.domain.times import find_whens, parse_when

#: Characters of a workflow's description (D05).
LONGEST_DESCRIPTION = 300
#: Words that tell the day of a reminder from that of its task.
RELATIVE = re.compile(
    r"到点|准时|(?P<before>前一(?:天|晚|日)|头一?天|提前一(?:天|晚)|the (?:day|night|evening) before)"
    r"|当天|那天|on the day|that (?:day|morning)",
    re.IGNORECASE,
)


def plan(messages: Sequence[BaseMessage]) -> Said:
    """``write_todo`` at the start of a request, ``update_todo`` after a wave, nothing when nothing is to be changed."""
    written = _written(messages)
    if written is None:
        items = plan_items(last_human(messages), request_situation(messages))
        return call("write_todo", todos=items) if items else Said()
    changes = _next_changes(written, messages)
    return call("update_todo", changes=changes) if changes else Said()


def workflow(messages: Sequence[BaseMessage]) -> Said:
    """``generate_workflow``: the same plan as a graph, each item one step; no plan, no call."""
    request = last_human(messages)
    items = plan_items(request, request_situation(messages))
    if not items:
        return Said()
    nodes = [
        {
            "id": item["id"],
            "type": item["subagent"],
            "name": item["content"][:100],
            "desc": item["content"],
            "steps": [{"stepNumber": number, "desc": item["content"]}],
            "dependencies": item.get("depends_on", []),
        }
        for number, item in enumerate(items, start=1)
    ]
    described = text(language_of(request), "offline.workflow", request=request[:280]) + _wishes(messages)
    return call(
        "generate_workflow",
        id="workflow-1",
        name=request[:100],
        description=described[:LONGEST_DESCRIPTION],
        agentGraph=nodes,
    )


def _wishes(messages: Sequence[BaseMessage]) -> str:
    """What the plan has to keep to besides, in brackets: rules cannot weigh it, but every agent is told it."""
    language = prompt_language(messages)
    head = f"{ENGINE}{text(language, 'plan.requirements', wishes='')}"
    told = next((m.text.removeprefix(ENGINE).strip() for m in messages if m.text.startswith(head.rstrip())), "")
    return text(language, "offline.wishes", wishes=told) if told else ""


def plan_items(request: str, situation: Situation) -> list[dict[str, Any]]:
    """The items of a plan: each frame one, a trip three, a reminder of something new two (P17, P18)."""
    return _Plan(language_of(request), understand(request, situation), situation).items


class _Plan:
    """The items of one request, frame after frame."""

    def __init__(self, language: Language, frames: list[Frame], situation: Situation) -> None:
        self.items: list[dict[str, Any]] = []
        self._language, self._frames, self._situation = language, frames, situation
        self._task_id, self._task_title, self._task_when = "", "", ""
        for frame in frames:
            if frame.act in AGENTS:
                self._plan(frame)

    def _plan(self, frame: Frame) -> None:
        under = self._under(frame)
        if frame.act is Act.REMIND and not is_remind_new(frame) and self._task_id:
            # Beside a task of the same request a time of its own is the reminder's.
            remind = self._beside_day(frame) if RELATIVE.search(frame.text) else frame.remind or frame.when
            self._remind(replace(frame, title=frame.title or self._task_title, remind=remind), [self._task_id, *under])
        elif is_remind_new(frame):
            self._task_id = self._add("task", frame, _worded(frame, self._language, self._situation), under)
            exact = _clock_words(frame, self._situation)
            self._remind(replace(frame, remind=frame.remind or exact), [self._task_id])
        elif frame.days and not frame.condition:
            self._journey(Journey(frame.city, frame.days, frame.when), dict(frame.by_day))
        elif frame.act is Act.CREATE and frame.trip:
            self._trip(frame, under)
        else:
            made = self._add(AGENTS[frame.act], frame, _worded(frame, self._language, self._situation), under)
            if frame.act is Act.CREATE:
                self._task_id, self._task_title, self._task_when = made, frame.title, frame.when

    def _trip(self, frame: Frame, under: list[str]) -> None:
        self._task_id, self._task_title = self._add("task", frame, frame.text, under), frame.title
        self._task_when = frame.when
        others = {other.act for other in self._frames if other is not frame}
        needed = [self._task_id]
        if Act.WEATHER not in others and frame.condition in ("", FREE):
            needed.append(self._add("weather", None, _weather(frame, self._language, self._situation)))
        if Act.REMIND not in others:
            # The weather of the day that the way out leads away from is no news of this one.
            self._remind(frame, [*needed, *(under if frame.condition and not frame.on else ())])

    def _journey(self, journey: Journey, by_day: Mapping[int, str]) -> None:
        """Days that are free, a task for each and its weather, what is to be packed, and reminders (X19)."""

        def add(agent: str, part: str, day: int = 1, needed: Sequence[str] = ()) -> str:
            return self._add(agent, None, journey.words(part, self._language, day, by_day.get(day, "")), needed)

        numbers = range(1, journey.days + 1)
        free = add("calendar", "days" if journey.when else "days_any")
        days: list[str] = []
        for n in numbers:
            days.append(add("task", "day_with" if n in by_day else "day", n, days[:1] or [free]))
        first = days[0]
        asked = [] if not journey.city else ["weather"] * journey.days if journey.is_short else ["weathers"]
        weather = [add("weather", part, n, [first]) for n, part in enumerate(asked, start=1)]
        packed = add("task", "pack", needed=[first, *weather])
        add("notification", "remind", needed=[first, *weather[:1]])
        if journey.is_short:
            add("notification", "remind_pack", needed=[packed])

    def _beside_day(self, frame: Frame) -> str:
        """The time of a reminder that is told from the task's day: 前一天晚上8点. Without a clock time the rule's."""
        found, now, zone = RELATIVE.search(frame.text), self._situation.now, self._situation.zone
        day = parse_when(self._task_when, now, zone) if self._task_when else None
        clocks = [when.start for when in find_whens(frame.text, now, zone) if when.clock_given and when.start]
        if found and day and found[0] in ("到点", "准时"):
            return self._task_when if day.clock_given else ""
        if found is None or day is None or day.date is None or not clocks:
            return ""
        on = day.date - timedelta(days=1 if found["before"] else 0)
        return f"{on.isoformat()} {clocks[0]:%H:%M}"

    def _under(self, frame: Frame) -> list[str]:
        """The item that finds out what the frame depends on: the weather (P23), or the free time."""
        if frame.condition == FREE or frame.slot:
            content = text(self._language, "offline.free", when=free_when(frame, self._situation))
            return [self._add("calendar", None, " ".join(content.split()))]
        if frame.condition:
            day = replace(frame, when=frame.on or frame.when)
            content = _weather(day, self._language, self._situation)
            asked = next((item["id"] for item in self.items if item["content"] == content), None)
            return [asked or self._add("weather", None, content)]
        return []

    def _add(self, agent: str, frame: Frame | None, content: str, depends_on: Sequence[str] = ()) -> str:
        if frame and frame.condition:
            content = worded(frame.condition, content, self._language)
        item: dict[str, Any] = {"id": f"t{len(self.items) + 1}", "content": content, "subagent": agent}
        self.items.append(item | ({"depends_on": list(depends_on)} if depends_on else {}))
        return str(item["id"])

    def _remind(self, frame: Frame, needed: list[str]) -> None:
        title = frame.title or frame.text
        name = "offline.remind_at" if frame.remind else "offline.remind"
        self._add("notification", None, text(self._language, name, title=title, remind=frame.remind), needed)


def _clock_words(frame: Frame, situation: Situation) -> str:
    """The words of the time, when they name a clock time: the reminder is then exactly then (P18)."""
    when = parse_when(frame.when, situation.now, situation.zone) if frame.when else None
    return frame.when if when and when.clock_given else ""


def _weather(frame: Frame, language: Language, situation: Situation) -> str:
    """The weather of the task's own day: 周末 is Saturday to a task, but both days to a question (P16)."""
    when = parse_when(frame.when, situation.now, situation.zone) if frame.when else None
    day = when.date.isoformat() if when and when.date else ""
    return " ".join(text(language, "offline.weather", city=frame.city, when=day).split())


def _worded(frame: Frame, language: Language, situation: Situation) -> str:
    """The clause, with the date that it takes over from the one before; a reminder's task is its time and title."""
    if frame.act is Act.REMIND and is_remind_new(frame):
        plain = text(language, "offline.create", when=frame.when, title=frame.title)
        read = understand(plain, situation)
        # "Move the laundry in 25 minutes" would move a task.
        made = len(read) == 1 and read[0].act is Act.CREATE
        return plain if made else text(language, "offline.create_named", when=frame.when, title=frame.title)
    if frame.act in (Act.CREATE, Act.WEATHER, Act.FREE, Act.SCHEDULE) and frame.when:
        day = frame.when.split(" ", 1)[0]
        if day not in frame.text and day[:4].isdecimal():
            return f"{day} {frame.text}"
    return frame.text


def _written(messages: Sequence[BaseMessage]) -> list[dict[str, Any]] | None:
    """The items that this request's ``write_todo`` wrote, or ``None`` before it."""
    for message in reversed(messages):
        if isinstance(message, HumanMessage) and not message.text.startswith(ENGINE):
            return None
        if isinstance(message, AIMessage):
            for made in message.tool_calls:
                if made["name"] == "write_todo":
                    return list(made["args"]["todos"])
    return None


def _next_changes(items: list[dict[str, Any]], messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    """Under ``every_wave``: what ended is done, what is free to start is in progress (E05, E06)."""
    if "in_progress" not in messages[0].text:
        return []
    ended, started = _course(messages)
    started |= {items[0]["id"]}
    done = [name for name, status in ended.items() if status == "completed"]
    said = {change["id"] for change in _said_done(messages)}
    ready = [
        item["id"]
        for item in items
        if item["id"] not in started and all(name in ended for name in item.get("depends_on", ()))
    ]
    if not ready:
        return []
    finished = [{"id": name, "status": "done"} for name in done if name not in said]
    return [*finished, *({"id": name, "status": "in_progress"} for name in ready)]


def _course(messages: Sequence[BaseMessage]) -> tuple[dict[str, str], set[str]]:
    ended: dict[str, str] = {}
    started: set[str] = set()
    for message in messages:
        if isinstance(message, HumanMessage) and not message.text.startswith(ENGINE):
            ended, started = {}, set()
        elif message.text.startswith(f"{ENGINE}{{"):
            line = json.loads(message.text.removeprefix(ENGINE))
            if "status" in line:
                ended[line["id"]] = line["status"]
        elif isinstance(message, AIMessage):
            started |= {c["id"] for c in _changes(message) if c.get("status") == "in_progress"}
    return ended, started | set(ended)


def _said_done(messages: Sequence[BaseMessage]) -> list[dict[str, Any]]:
    said: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, HumanMessage) and not message.text.startswith(ENGINE):
            said = []
        elif isinstance(message, AIMessage):
            said += [change for change in _changes(message) if change.get("status") == "done"]
    return said


def _changes(message: AIMessage) -> list[dict[str, Any]]:
    return [
        change
        for made in message.tool_calls
        if made["name"] == "update_todo"
        for change in made["args"].get("changes", ())
    ]
