"""The roles of the sub-agents: one item, one call, its arguments taken from the words."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from deep_planner.models.rules.deciding import decided
from deep_planner.models.rules.frames import Frame
from deep_planner.models.rules.reading import (
    ASK_USER,
    QUERY_NOTE,
    Said,
    Situation,
    call,
    row_ids,
    situation_of,
    task_of,
)
from deep_planner.models.rules.sorting import is_remind_new
from deep_planner.models.rules.tables import AGENTS, Act, tables
from deep_planner.models.rules.travelling import travelled
from deep_planner.models.rules.understanding import understand
from tools.core.text import language_of, text
from tools.domain.segments import segment_at
from tools.domain.times import Kind, When, find_whens, parse_when

DONE_WORDS = re.compile(r"(?:完成|做完)了|\b(?:done|finished|completed)\b", re.IGNORECASE)
#: Longer words name a task, whatever number stands in them.
LONGEST_ORDINAL = 12


def task(messages: Sequence[BaseMessage]) -> Said:
    """create_task, query_tasks, modify_task, finish_task, remove_task."""
    situation, given = situation_of(messages), task_of(messages)
    earlier = _earlier(messages)
    if earlier and isinstance(messages[-1], HumanMessage):
        return _answered(earlier, messages[-1].text, situation)
    asked = bool(earlier and earlier["name"] == ASK_USER)
    if earlier and not asked:
        return Said()
    if step := travelled(messages, given, situation):
        return step
    words = messages[-1].text if asked else given["item"]
    if asked and any(pattern.search(words) for pattern in tables(language_of(words)).answers["no"]):
        return Said(text(situation.language, "offline.left"))
    # What was asked for belongs to the request that lacked it: 删个任务 … 买蛋糕那个.
    read = _frame(words, replace(situation, before=given["item"], told="") if asked else situation, "task")
    if read is None:
        return _ask(situation)
    frame = decided(read, messages, given, situation)
    if isinstance(frame, Said):
        return frame
    if frame.act is Act.CREATE and _is_of_reminder(frame, given, situation):
        return _create(frame, situation, moment=True)
    return _done(frame, given, situation)


def _done(frame: Frame, given: dict[str, Any], situation: Situation) -> Said:
    """The call that does what a frame wants."""
    if frame.act is Act.CREATE:
        return _create(frame, situation)
    if frame.act is Act.QUERY:
        done = "completed" if DONE_WORDS.search(frame.text) else None
        return call("query_tasks", due_date=frame.when or None, priority=frame.priority or None, status=done)
    reference = _reference(frame, given)
    if not reference:
        return call(ASK_USER, question=text(situation.language, "offline.which"))
    if frame.act is Act.FINISH:
        return call("finish_task", **reference)
    if frame.act is Act.REMOVE:
        return call("remove_task", **reference)
    changes = {
        "new_title": frame.new_title or None,
        "priority": frame.priority or None,
        "group_id": frame.group or None,
    }
    if frame.shift:
        return call("modify_task", **reference, start_time=frame.shift)
    if frame.longer:
        return call("modify_task", **reference, end_time=frame.longer)
    return call("modify_task", **reference, **changes, **_when(frame.when, situation))


def calendar(messages: Sequence[BaseMessage]) -> Said:
    """get_day_schedule, find_free_slots."""
    situation, given = situation_of(messages), task_of(messages)
    earlier = _earlier(messages)
    if earlier and earlier["name"] != ASK_USER:
        return Said()
    if step := travelled(messages, given, situation):
        return step
    frame = _frame(given["item"], situation, "calendar")
    if frame is None or frame.act is Act.SCHEDULE:
        return call("get_day_schedule", date=(frame.when if frame else None) or None)
    when = find_whens(frame.when, situation.now, situation.zone, purpose="query")
    ranged = next((w for w in when if w.kind is Kind.RANGE and w.clock_given and w.start and w.end), None)
    if ranged and ranged.start and ranged.end:
        end = ranged.end.hour + (ranged.end.minute > 0) or 24
        return call("find_free_slots", date=ranged.start.date().isoformat(), start_hour=ranged.start.hour, end_hour=end)
    return call("find_free_slots", date=frame.when or None)


def weather(messages: Sequence[BaseMessage]) -> Said:
    """get_weather."""
    situation, given = situation_of(messages), task_of(messages)
    if _earlier(messages):
        return Said()
    if step := travelled(messages, given, situation):
        return step
    frame = _frame(given["item"], situation, "weather")
    return call("get_weather", city=(frame.city if frame else None) or None, date=(frame.when if frame else "") or None)


def notification(messages: Sequence[BaseMessage]) -> Said:
    """schedule_reminder, list_reminders, cancel_reminder."""
    situation, given = situation_of(messages), task_of(messages)
    if _earlier(messages):
        return Said()
    read = _frame(given["item"], situation, "notification")
    frame = decided(read, messages, given, situation) if read else None
    if isinstance(frame, Said):
        return frame
    if frame is not None and frame.act is Act.LIST_REMINDERS:
        return call("list_reminders", date=frame.when or None)
    if frame is not None and frame.act is Act.CANCEL_REMINDER:
        ids = row_ids(_last_rows(given), "reminder")
        place = ordinal(frame.title)
        if place is not None and -len(ids) <= place < len(ids):
            return call("cancel_reminder", reminder_id=ids[place])
        if frame.title:
            return call("cancel_reminder", task_title=frame.title)
        return call("cancel_reminder", reminder_id=ids[-1]) if ids else call("list_reminders")
    return _schedule(frame, given, situation)


def _schedule(frame: Frame | None, given: dict[str, Any], situation: Situation) -> Said:
    parents = given.get("parents", [])
    ids = [n for parent in parents for n in row_ids(parent["rows"], "task")]
    news = [p["summary"] for p in parents if p["subagent"] == "weather" and p["status"] == "completed"]
    remind = frame.remind if frame else ""
    if (
        frame
        and not remind
        and not frame.on
        and any(w.clock_given for w in find_whens(frame.when, situation.now, situation.zone))
    ):
        remind = frame.when
    arguments: dict[str, Any] = {"weather_info": " ".join(news) or None, "remind_at": remind or None}
    if not ids and not (frame and frame.title):
        ids = row_ids(_last_rows(given), "task")
    if ids:
        return call("schedule_reminder", task_id=ids[0], **arguments)
    if frame is None or not frame.title:
        return _ask(situation)
    day = frame.on or (None if remind == frame.when else frame.when)
    return call("schedule_reminder", task_title=frame.title, task_date=day or None, **arguments)


def _is_of_reminder(frame: Frame, given: dict[str, Any], situation: Situation) -> bool:
    """Whether the request wants a reminder at the task's time: it is then a moment and takes no time (P18, P24)."""
    wanted = understand(given["request"], situation)
    return any(is_remind_new(other) and other.title == frame.title for other in wanted)


def _create(frame: Frame, situation: Situation, *, moment: bool = False) -> Said:
    times = _moment(frame.when, situation) if moment else {}
    return call(
        "create_task",
        title=frame.title,
        priority=frame.priority or None,
        time_segment="all_day" if frame.all_day else None,
        description=frame.description or None,
        group_id=frame.group or None,
        **_when(frame.when, situation) | times,
    )


def _moment(words: str, situation: Situation) -> dict[str, str]:
    """The time of a reminder's task, its end at its start; nothing without a clock time or with a choice of dates."""
    when = parse_when(words, situation.now, situation.zone) if words else None
    if when is None or not when.clock_given or when.start is None or when.end or when.choices:
        return {}
    clock = f"{when.start:%H:%M}"
    if when.rrule:
        return {"end_time": clock}
    return {"due_date": when.start.date().isoformat(), "start_time": clock, "end_time": clock}


def _when(words: str, situation: Situation) -> dict[str, str]:
    """A time phrase as arguments: the tool reads the user's own words."""
    return {"due_date": words} if words else {}


def _reference(frame: Frame, given: dict[str, Any]) -> dict[str, Any]:
    """The task by its name; that of the last turn, or one of its list, when only "it" or "the second" was said (P7)."""
    if frame.everything:
        return {"everything": True, "on_date": frame.on or None}
    ids = row_ids(_last_rows(given), "task")
    place = ordinal(frame.title)
    if place is not None and ids:
        return {"task_id": ids[place]} if -len(ids) <= place < len(ids) else {}
    whole = {"whole_series": True} if frame.whole else {}
    if frame.title:
        return {"title": frame.title, "on_date": frame.on or None} | whole
    return {"task_id": ids[0]} | whole if len(ids) == 1 else {}


def ordinal(words: str) -> int | None:
    """Which of a list the words mean: 第二个 is 1, "the last one" is -1."""
    rules = tables(language_of(words)).answers
    if len(words) > LONGEST_ORDINAL:
        return None
    if any(pattern.search(words) for pattern in rules["last"]):
        return -1
    return next((n for n, pattern in enumerate(rules["ordinals"]) if pattern.search(words)), None)


def _last_rows(given: dict[str, Any]) -> list[str]:
    last = given.get("last_turn")
    return list(json.loads(last)["rows"]) if last else []


def _frame(words: str, situation: Situation, agent: str) -> Frame | None:
    frames = understand(words, situation)
    if all(AGENTS.get(frame.act) != agent for frame in frames):
        frames = understand(words, replace(situation, before="", told=""))
    return next((frame for frame in frames if AGENTS.get(frame.act) == agent), None)


def _earlier(messages: Sequence[BaseMessage]) -> dict[str, Any] | None:
    """The item's last own call, if it has made one."""
    for message in reversed(messages):
        if isinstance(message, AIMessage) and message.tool_calls and message.tool_calls[-1]["name"] != QUERY_NOTE:
            return dict(message.tool_calls[-1])
        if isinstance(message, ToolMessage):
            continue
    return None


def _answered(earlier: dict[str, Any], words: str, situation: Situation) -> Said:
    """The same call at another time, when the answer names one: what it leaves open stays as it was."""
    whens = find_whens(words, situation.now, situation.zone)
    old = _told(earlier["args"], situation)
    if not whens:
        return _ask(situation)
    new = whens[0]
    keep = {k: v for k, v in earlier["args"].items() if k not in ("due_date", "start_time", "end_time", "time_segment")}
    day = new.date if new.date_given else (old.date if old else new.date)
    if new.clock_given or new.segment or old is None or not old.clock_given:
        near = segment_at(old.start) if old and old.start and old.clock_given else None
        again = parse_when(new.text, situation.now, situation.zone, near=near) or new
        return call(earlier["name"], **keep, **_times(again, day))
    return call(earlier["name"], **keep, **_times(old, day))


def _told(arguments: dict[str, Any], situation: Situation) -> When | None:
    """The time of the call as it was worded."""
    start, end = arguments.get("start_time"), arguments.get("end_time")
    clock = f"{start}-{end}" if start and end else start
    words = " ".join(str(word) for word in (arguments.get("due_date"), clock) if word)
    found = find_whens(words, situation.now, situation.zone) if words else []
    return found[0] if found else None


def _times(when: When, day: date | None) -> dict[str, Any]:
    """A time as arguments, on a day."""
    times: dict[str, Any] = {"due_date": day.isoformat() if day else None}
    if when.clock_given and when.start:
        times["start_time"] = f"{when.start:%H:%M}"
        times["end_time"] = f"{when.end:%H:%M}" if when.kind is Kind.RANGE and when.end else None
    elif when.segment:
        times["time_segment"] = when.segment.value
    return times


def _ask(situation: Situation) -> Said:
    return call(ASK_USER, question=text(situation.language, "offline.what"))
