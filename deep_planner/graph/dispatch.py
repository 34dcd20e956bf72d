"""Dispatch: close the last wave, start the next one (A49, E19, X4).

LangGraph idea: a conditional edge may return ``Send`` objects. Each starts a node with a state of its own, all in the
same step, in parallel; what they return is folded together by the reducers, and the edge after them runs once, when
the last has ended. That is a wave.
"""

from __future__ import annotations

from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import Send

from deep_planner.graph.answers import outcome_line, skipped
from deep_planner.graph.nodes import Parts
from deep_planner.graph.state import PlannerState
from subagents.history import engine_call
from subagents.outcomes import task_call_id
from subagents.state import Brief, Parent, SubagentInput
from subagents.window import SETTLES, open_calls
from tools.core.run_settings import PlannerContext
from tools.core.text import text
from tools.domain.todos import ENDED, Todo, TodoStatus, waiting
from tools.domain.waves import next_wave


class Dispatch:
    """The engine's hand on the list; no model is asked here."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def __call__(self, state: PlannerState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Mark what starts and what can never start, and record each start as a ``task`` call."""
        plan = state["plan"]
        supervision = self._parts.around.context(runtime).supervision
        todos, writes, messages = self._without_agent(state)
        wave = next_wave(todos, supervision, self._parts.registry.advisory)
        refused = {todo["id"] for todo in todos if todo.get("outcome", {}).get("status") == "declined"}
        for todo, cause in wave.skip:
            # What only belongs to a thing that was not wanted needs no word of its own.
            why = text(plan["language"], "plan.skipped", content=todo["content"], cause=cause)
            writes.append(skipped(todo, *(("", "declined") if cause in refused else (why, "skipped"))))
            refused |= {todo["id"]} if cause in refused else set()
            messages.append(outcome_line(plan["request"], todo, cause))
        calls = []
        for todo in wave.start:
            runs = todo.get("runs", 0) + (0 if todo.get("answer") else 1)
            writes.append({"id": todo["id"], "status": TodoStatus.IN_PROGRESS.value, "runs": runs})
            if not todo.get("answer"):
                calls.append(_task_call(plan["request"], {**todo, "runs": runs}))
        if calls:
            messages.insert(0, engine_call(f"wave/{calls[0]['id']}", calls))
        ended = list(state.get("write_note_messages", {}))
        return {
            "plan": {**plan, "wave": [todo["id"] for todo in wave.start]},
            "todos": writes,
            "messages": messages,
            "write_note_messages": {todo_id: [] for todo_id in ended},
        }

    def _without_agent(self, state: PlannerState) -> tuple[list[Todo], list[Todo], list[AnyMessage]]:
        """The list, with the open items failed whose sub-agent a thread was written with and this process lacks."""
        plan, known = state["plan"], self._parts.registry
        lost = {t["id"]: t for t in state["todos"] if t["status"] not in ENDED and t.get("subagent") not in known}
        writes: list[Todo] = []
        for todo in lost.values():
            why = text(plan["language"], "plan.no_agent", content=todo["content"], agent=todo.get("subagent", ""))
            writes.append({**skipped(todo, why, "error"), "status": TodoStatus.FAILED.value})
        failed = {todo["id"]: todo for todo in writes}
        todos: list[Todo] = [{**todo, **failed.get(todo["id"], {})} for todo in state["todos"]]
        return todos, writes, [outcome_line(plan["request"], todo, "no_agent") for todo in lost.values()]

    async def route(self, state: PlannerState, runtime: Runtime[PlannerContext]) -> Any:
        """Where it goes on: the wave's sub-agents; else a question, the planner's attention, or the reply."""
        plan, todos = state["plan"], state["todos"]
        if plan["wave"]:
            user = self._parts.around.context(runtime).user_id
            groups = await self._parts.groups(user)
            by_id = {todo["id"]: todo for todo in todos}
            return [self._send(state, by_id[todo_id], groups) for todo_id in plan["wave"]]
        if waiting(todos):
            return "pose"
        return "planner" if self._needs_planner(state, runtime) else "respond"

    def _needs_planner(self, state: PlannerState, runtime: Runtime[PlannerContext]) -> bool:
        plan = state["plan"]
        if not plan.get("by_planner"):
            return False
        settings = self._parts.around.context(runtime)
        rhythm = settings.supervision == "every_wave"
        more = rhythm and any(todo["status"] == TodoStatus.PENDING for todo in state["todos"])
        return more or (settings.reflection and bool(unreported(state, self._parts)))

    def _send(self, state: PlannerState, todo: Todo, groups: list[str]) -> Send:
        plan = state["plan"]
        brief: Brief = {
            "thread": plan["thread"],
            "request": plan["request"],
            "turn": plan.get("turn", 1),
            "text": plan["text"],
            "now": plan["now"],
            "language": plan["language"],
            "notes": state.get("notes", {}),
            "parents": _parents(state, todo),
            "groups": groups,
            "last_turn": plan["last_turn"],
        }
        if plan.get("shares"):
            brief["shares"] = True
        window = window_after_answer(state.get("task_messages", {}).get(todo["id"], []), todo)
        sent: SubagentInput = {"item": todo, "brief": brief, "window": window}
        return Send(str(todo["subagent"]), sent)


def unreported(state: PlannerState, parts: Parts) -> list[str]:
    """Failures (item and run) that the planner has not been woken for; those of advisory sub-agents need no plan."""
    failures = [
        f"{todo['id']}/{todo.get('runs', 1)}"
        for todo in state["todos"]
        if todo["status"] == TodoStatus.FAILED and todo.get("subagent") not in parts.registry.advisory
    ]
    return [failure for failure in failures if failure not in state["plan"].get("reported", ())]


def window_after_answer(window: list[AnyMessage], todo: Todo) -> list[AnyMessage]:
    """The item's window with the user's answer in it, ready to go on.

    A picked choice is the call itself, completed, repeated by the engine; an ``ask_user`` call gets its answer; any
    other words are the user's next message to the item's model.
    """
    answer = todo.get("answer")
    if not answer:
        return window
    place = len(window)
    if call := answer.get("call"):
        call_id = f"{todo['id']}/again/{place}"
        return [*window, engine_call(call_id, [{**call, "id": call_id}], **{SETTLES: [answer["call_id"]]})]
    asking = open_calls(window)
    if asking:
        answers: list[AnyMessage] = [
            ToolMessage(answer["text"], tool_call_id=str(call["id"]), id=f"{call['id']}/answer", name=call["name"])
            for call in asking
        ]
        return [*window, *answers]
    return [*window, HumanMessage(answer["text"], id=f"{todo['id']}/answer/{place}")]


def _parents(state: PlannerState, todo: Todo) -> list[Parent]:
    by_id = {other["id"]: other for other in state["todos"]}
    parents: list[Parent] = []
    for name in todo.get("depends_on", ()):
        if (other := by_id.get(name)) and (outcome := other.get("outcome")):
            parent: Parent = {
                "id": name,
                "task": other["content"],
                "subagent": other.get("subagent", ""),
                "status": other["status"],
                "summary": outcome["summary"],
                "rows": outcome["rows"],
                "note": other.get("note", ""),
            }
            if state["plan"].get("shares"):
                parent["value"] = name
            parents.append(parent)
    return parents


def _task_call(request: int, todo: Todo) -> dict[str, Any]:
    arguments = {"description": todo["content"], "subagent_type": todo.get("subagent", "")}
    return {"name": "task", "args": arguments, "id": task_call_id(request, todo)}
