"""The roles of the sub-agents: one item, one call, its arguments taken from the words."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage

from deep_planner.models.rules.frames import AGENTS, Act, Frame, understand
from deep_planner.models.rules.reading import Said, Situation, call, row_ids, situation_of, task_of
from tools.core.text import text
from tools.domain.times import Kind, find_whens


def task(messages: Sequence[BaseMessage]) -> Said:
    """create_task, query_tasks, modify_task, finish_task, remove_task."""
    situation, given = situation_of(messages), task_of(messages)
    earlier = _earlier(messages)
    if earlier and isinstance(messages[-1], HumanMessage):
        return _answered(earlier, messages[-1].text, situation)
    if earlier:
        return Said()
    frame = _frame(given["item"], situation, "task")
    if frame is None:
        return _ask(situation)
    if frame.act is Act.CREATE:
        return _create(frame, situation)
    if frame.act is Act.QUERY:
        return call("query_tasks", due_date=frame.when or None, priority=frame.priority or None)
    reference = _reference(frame, given)
    if frame.act is Act.FINISH:
        return call("finish_task", **reference)
    if frame.act is Act.REMOVE:
        return call("remove_task", **reference)
    changes = {"new_title": frame.new_title or None, "priority": frame.priority or None}
    return call("modify_task", **reference, **changes, **_when(frame.when, situation))


def calendar(messages: Sequence[BaseMessage]) -> Said:
    """get_day_schedule, find_free_slots."""
    situation, given = situation_of(messages), task_of(messages)
    if _earlier(messages):
        return Said()
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
    frame = _frame(given["item"], situation, "weather")
    return call("get_weather", city=(frame.city if frame else None) or None, date=(frame.when if frame else "") or None)


def notification(messages: Sequence[BaseMessage]) -> Said:
    """schedule_reminder, list_reminders, cancel_reminder."""
    situation, given = situation_of(messages), task_of(messages)
    if _earlier(messages):
        return Said()
    frame = _frame(given["item"], situation, "notification")
    if frame is not None and frame.act is Act.LIST_REMINDERS:
        return call("list_reminders", date=frame.when or None)
    if frame is not None and frame.act is Act.CANCEL_REMINDER:
        ids = row_ids(_last_rows(given), "reminder")
        return call("cancel_reminder", reminder_id=ids[0]) if ids else call("list_reminders")
    return _schedule(frame, given, situation)


def _schedule(frame: Frame | None, given: dict[str, Any], situation: Situation) -> Said:
    parents = given.get("parents", [])
    ids = [n for parent in parents for n in row_ids(parent["rows"], "task")]
    news = [p["summary"] for p in parents if p["subagent"] == "weather" and p["status"] == "completed"]
    remind = frame.remind if frame else ""
    arguments: dict[str, Any] = {"weather_info": " ".join(news) or None, "remind_at": remind or None}
    if not ids and not (frame and frame.title):
        ids = row_ids(_last_rows(given), "task")
    if ids:
        return call("schedule_reminder", task_id=ids[0], **arguments)
    if frame is None or not frame.title:
        return _ask(situation)
    return call("schedule_reminder", task_title=frame.title, task_date=frame.when or None, **arguments)


def _create(frame: Frame, situation: Situation) -> Said:
    return call("create_task", title=frame.title, priority=frame.priority or None, **_when(frame.when, situation))


def _when(words: str, situation: Situation) -> dict[str, str]:
    """A time phrase as arguments: the tool reads the user's own words."""
    return {"due_date": words} if words else {}


def _reference(frame: Frame, given: dict[str, Any]) -> dict[str, Any]:
    """The task by its name, or the last turn's when only "it" was said (P7)."""
    if frame.title:
        return {"title": frame.title, "on_date": frame.on or None}
    ids = row_ids(_last_rows(given), "task")
    return {"task_id": ids[0]} if ids else {}


def _last_rows(given: dict[str, Any]) -> list[str]:
    last = given.get("last_turn")
    return list(json.loads(last)["rows"]) if last else []


def _frame(words: str, situation: Situation, agent: str) -> Frame | None:
    frames = understand(words, situation)
    return next((frame for frame in frames if AGENTS.get(frame.act) == agent), None)


def _earlier(messages: Sequence[BaseMessage]) -> dict[str, Any] | None:
    """The item's last own call, if it has made one."""
    for message in reversed(messages):
        if isinstance(message, AIMessage) and message.tool_calls:
            return dict(message.tool_calls[-1])
        if isinstance(message, ToolMessage):
            continue
    return None


def _answered(earlier: dict[str, Any], words: str, situation: Situation) -> Said:
    """The same call at another time, when the answer names one; else ask again plainly."""
    whens = find_whens(words, situation.now, situation.zone)
    if not whens:
        return _ask(situation)
    keep = {k: v for k, v in earlier["args"].items() if k not in ("end_time", "time_segment")}
    when = whens[0]
    old = str(earlier["args"].get("due_date") or "")
    before = find_whens(old, situation.now, situation.zone) if old else []
    day = "" if when.date_given or not before or not before[0].date else before[0].date.isoformat()
    return call(earlier["name"], **{**keep, "due_date": f"{day} {when.text}".strip()})


def _ask(situation: Situation) -> Said:
    return call("ask_user", question=text(situation.language, "offline.what"))
