"""The offline brain, asked as the graph asks it; and what it wants, in a few words that a table can hold."""

from __future__ import annotations

import json
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from typing import Any, cast

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage

from deep_planner.graph.answers import TAKE_ANSWER
from deep_planner.graph.main_prompt import main_prompt, main_tools
from deep_planner.graph.triage import CLASSIFY
from deep_planner.models.rules import OfflineRules
from subagents.briefing import opening
from subagents.history import PREFIX, engine_remark
from subagents.note_taker import WRITE_NOTE
from subagents.registry import Registry
from subagents.spec import SubagentSpec, prompt
from subagents.state import Brief, Parent
from tests.support.builders import NOW, context
from tools.core.run_settings import PlannerContext
from tools.core.text import Language, language_of, text
from tools.domain.todos import Todo
from tools.services.resolving import Timing, resolve, resolve_days
from tools.toolkits.ask_user import ask_user_tool
from tools.toolkits.notes import query_note_tool

AGENTS = ("task", "calendar", "weather", "notification")
TOOLS = {
    "task": ["create_task", "query_tasks", "modify_task", "finish_task", "remove_task"],
    "calendar": ["get_day_schedule", "find_free_slots"],
    "weather": ["get_weather"],
    "notification": ["schedule_reminder", "list_reminders", "cancel_reminder"],
}
REGISTRY = Registry(SubagentSpec(name, lambda language: []) for name in AGENTS)
MODEL = OfflineRules()


@contextmanager
def cpu_seconds(most: float) -> Iterator[None]:
    """Fail when the block uses more processor time: what never ends is stopped, a busy machine is not blamed."""

    def stop(_signal: int, _frame: object) -> None:
        raise AssertionError(f"more than {most} s of processor time")

    before = signal.signal(signal.SIGVTALRM, stop)
    signal.setitimer(signal.ITIMER_VIRTUAL, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)


def schema(name: str) -> dict[str, Any]:
    """A tool by name alone: the brain reads no more of it."""
    return {"type": "function", "function": {"name": name, "description": "", "parameters": {"type": "object"}}}


def triage_prompt(words: str, last_turn: dict[str, Any] | None = None) -> list[AnyMessage]:
    system = prompt("deep_planner", language_of(words), "triage").substitute(agents=REGISTRY.described("zh"))
    given = {"request": words} | ({"last_turn": last_turn} if last_turn else {})
    return [SystemMessage(system), HumanMessage(json.dumps(given, ensure_ascii=False))]


def plan_prompt(words: str, now: datetime = NOW) -> list[AnyMessage]:
    language = language_of(words)
    weekday = text(language, f"when.weekday_{now.weekday()}")
    facts = {"request": 1, "now": f"{now:%Y-%m-%d %H:%M}", "weekday": weekday, "timezone": "Asia/Shanghai"}
    remark = engine_remark("r1/opened", text(language, "plan.opened", **facts))
    return main_prompt(REGISTRY, [HumanMessage(words), remark], language, PlannerContext())


def reply_prompt(words: str, items: list[dict[str, Any]] | None = None, intent: str = "") -> list[AnyMessage]:
    language = language_of(words)
    facts = {"intent": intent, "request": words, "items": items or []}
    wish = prompt("deep_planner", language, "respond").substitute(facts=json.dumps(facts, ensure_ascii=False))
    return [*plan_prompt(words), HumanMessage(f"{PREFIX}{wish}")]


def work_prompt(
    agent: str,
    item: str,
    request: str,
    *,
    parents: list[Parent] | None = None,
    last_turn: str = "",
    now: datetime = NOW,
) -> list[AnyMessage]:
    language = language_of(request)
    brief = cast(
        Brief,
        {"text": request, "language": language, "notes": {}, "parents": parents or [], "groups": []}
        | {"last_turn": last_turn, "thread": "t", "request": 1, "now": now.isoformat()},
    )
    role = prompt("subagents", language, agent)
    return opening(role, brief, cast(Todo, {"id": "t1", "content": item}), context(language, now=now, city="北京"))


def said(messages: list[AnyMessage], tools: list[dict[str, Any]], **options: Any) -> AIMessage:
    return cast(AIMessage, MODEL.bind_tools(tools, **options).invoke(messages))


def sorted_as(words: str) -> dict[str, Any]:
    """What triage makes of a request."""
    (call,) = said(triage_prompt(words), [CLASSIFY]).tool_calls
    return call["args"]


def planned(words: str, now: datetime = NOW) -> list[dict[str, Any]]:
    """The items of the plan; none when no plan was written."""
    calls = said(plan_prompt(words, now), main_tools(language_of(words))).tool_calls
    return list(calls[0]["args"]["todos"]) if calls else []


def worked(agent: str, item: str, request: str, **fields: Any) -> AIMessage:
    """What a sub-agent's model says to its item."""
    language = language_of(request)
    tools = [*map(schema, TOOLS[agent]), query_note_tool(language), ask_user_tool(language)]
    return said(work_prompt(agent, item, request, **fields), tools)


def replied(words: str, items: list[dict[str, Any]] | None = None) -> str:
    """The reply to the user."""
    return said(reply_prompt(words, items), main_tools(language_of(words)), tool_choice="none").text


def noted(item: str, results: list[dict[str, Any]], language: Language) -> dict[str, Any]:
    """What the note agent writes."""
    system = prompt("subagents", language, "note").substitute()
    human = HumanMessage(json.dumps({"item": item, "results": results}, ensure_ascii=False))
    (call,) = said([SystemMessage(system), human], [WRITE_NOTE]).tool_calls
    return call["args"]


def taken(reply: str, choices: list[tuple[str, str]], kind: str = "conflict") -> dict[str, Any]:
    """How a reply to a question is read."""
    asked = {"type": kind, "question": "?", "choices": [{"id": i, "label": label} for i, label in choices]}
    human = HumanMessage(json.dumps({**asked, "reply": reply}, ensure_ascii=False))
    (call,) = said(
        [SystemMessage(prompt("deep_planner", "zh", "answer").substitute()), human], [TAKE_ANSWER]
    ).tool_calls
    return call["args"]


def carried_out(words: str, *, last_turn: str = "", now: datetime = NOW) -> tuple[str, list[str]]:
    """Intent, and the gist of every call, as the request goes through triage, plan and sub-agents."""
    sorting = sorted_as(words)
    intent, agent = sorting["intent"], sorting.get("subagent")
    items: list[dict[str, Any]] = []
    if agent and intent in ("single_task", "information_query"):
        items = [{"id": "t1", "content": words, "subagent": agent}]
    elif intent in ("complex_workflow", "single_task", "information_query"):
        items = planned(words, now)
    by_id = {item["id"]: item for item in items}
    gists = []
    for item in items:
        parents = [_parent(by_id[name]) for name in item.get("depends_on", ())]
        answer = worked(item["subagent"], item["content"], words, parents=parents, last_turn=last_turn, now=now)
        gists += [gist(call["name"], call["args"], language_of(words), now) for call in answer.tool_calls]
    return intent, gists


def _parent(item: dict[str, Any]) -> Parent:
    rows = ["task:1"] if item["subagent"] == "task" else []
    parent = {"id": item["id"], "task": item["content"], "subagent": item["subagent"], "status": "completed"}
    return cast(Parent, parent | {"summary": f"[{item['subagent']}]", "rows": rows, "note": f"r1/{item['id']}"})


def gist(name: str, args: dict[str, Any], language: Language, now: datetime = NOW) -> str:
    """A call in a few words: ``create 买菜 @02-12 15:00``."""
    around = context(language, now=now)
    if name == "ask_user":
        return "ask"
    if name in ("get_day_schedule", "find_free_slots", "get_weather", "query_tasks", "list_reminders"):
        parts = [_days(around, args.get("date") or args.get("due_date"))]
        parts += [str(args[key]) for key in ("city", "start_hour", "end_hour", "status", "priority") if key in args]
        return " ".join([name.split("_")[1 if name.startswith(("get", "find")) else 0], *filter(None, parts)])
    target = f"#{args['task_id']}" if "task_id" in args else bare(args.get("title") or args.get("task_title") or "")
    if name == "schedule_reminder":
        parts = [target, _time(resolve(around, args["task_date"])) if "task_date" in args else ""]
        parts += [f"at {args['remind_at']}"] if "remind_at" in args else []
        return " ".join(["remind", *filter(None, parts), *(["weather"] if "weather_info" in args else [])])
    if name == "cancel_reminder":
        return f"cancel reminder #{args['reminder_id']}"
    parts = [target, f"on {_days(around, args['on_date'])[1:]}" if "on_date" in args else ""]
    parts += [f"as {args['new_title']}" if "new_title" in args else ""]
    words = [args.get(key) for key in ("due_date", "start_time", "end_time", "time_segment")]
    parts += [_time(resolve(around, *words)) if any(words) else "", args.get("priority", "")]
    parts += ["all of it"] if args.get("whole_series") else []
    return " ".join([name.split("_")[0], *filter(None, parts)])


def bare(title: str) -> str:
    """A title without the 去 that may stand before any action."""
    return title.removeprefix("去").lower()


def _time(timing: Timing) -> str:
    day = f"@{timing.day:%m-%d}" if timing.day else "@"
    day += f"~{timing.rule}" if timing.rule else ""
    if timing.start is None:
        return f"{day} {timing.segment.value}" if timing.segment else day
    return f"{day} {timing.start:%H:%M}" + (f"-{timing.end:%H:%M}" if timing.end else "")


def _days(around: Any, words: str | None) -> str:
    if not words:
        return ""
    first, last = resolve_days(around, words)
    segment = resolve(around, words, purpose="query").segment
    days = f"@{first:%m-%d}" + (f"..{last:%m-%d}" if last != first else "")
    return f"{days} {segment.value}" if segment else days
