"""The plan before anything acts: shown, changed, approved or turned down (``plan_first``), through one interrupt."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final, Literal

from langchain_core.messages import HumanMessage
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from deep_planner.graph.answers import close_open, joined, skipped, take
from deep_planner.graph.nodes import Parts
from deep_planner.graph.plan_edits import Verdict, from_data, from_words
from deep_planner.graph.state import Plan, PlannerState
from deep_planner.graph.triage import agent_for
from subagents.history import engine_answer, engine_call
from tools.core.run_settings import PlannerContext
from tools.core.text import Language, text
from tools.domain.plan_writing import PlanError, check_agents
from tools.domain.todos import Question, Todo, TodoStatus

#: The call under which existing clients draw the plan.
APPROVE_PLAN = "approve_plan"
PLAN = "plan"
YES: Final = "approve"
NO: Final = "reject"


class Review:
    """Shows the plan, and does what is said to it."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    def wanted(self, state: PlannerState, runtime: Runtime[PlannerContext]) -> bool:
        """Whether the plan is still to be shown before anything acts."""
        plan = state["plan"]
        asked = self._parts.around.context(runtime).plan_first
        return bool(asked and state.get("todos") and not plan.get("reviewed"))

    async def present(self, state: PlannerState) -> dict[str, Any]:
        """Put the plan into the dialogue as a call that waits for its answer."""
        plan, todos = state["plan"], state["todos"]
        shown = plan.get("shown", 0) + 1
        question = self._question(plan, todos)
        call = {"name": APPROVE_PLAN, "args": {"todos": _items(todos)}, "id": _call_id(plan, shown)}
        header: Plan = {**plan, "shown": shown, "question": question, "complaint": ""}
        return {"plan": header, "messages": [engine_call(str(call["id"]), [call])]}

    async def review(self, state: PlannerState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Pause with the plan; nothing has acted yet, and nothing acts before the answer."""
        said = interrupt(_asked(state))
        settled = await self.settle(state, said, runtime)
        if settled is not None:
            return settled
        moved_on = {"messages": [HumanMessage(_words(said))], "plan": {**state["plan"], "question": None}}
        return joined(close_open(state), moved_on)

    async def settle(self, state: PlannerState, said: Any, runtime: Runtime[PlannerContext]) -> dict[str, Any] | None:
        """The update that the answer makes; ``None`` when it is a new request."""
        plan, todos = state["plan"], state["todos"]
        language = plan["language"]
        header: Plan = {**plan, "turn": plan.get("turn", 1) + 1, "wave": [], "question": None}
        try:
            verdict = await self._verdict(state, header, said, runtime)
            if verdict is None:
                return None
            check_agents(verdict.writes, self._parts.registry.names)
        except PlanError as error:
            header["complaint"] = text(language, f"plan.{error.key}", **error.facts)
            return self._answered(header, [], "unclear")
        if verdict.kind == NO:
            why = text(language, "plan.rejected")
            gone = [skipped(todo, why if n == 0 else "", "declined") for n, todo in enumerate(todos)]
            return self._answered({**header, "reviewed": True}, gone, NO)
        await self._assign(verdict.writes, header, runtime)
        if verdict.kind == "unclear":
            header["complaint"] = text(language, "plan.unclear_edit")
        return self._answered({**header, "reviewed": verdict.kind == YES}, verdict.writes, verdict.kind)

    async def _verdict(
        self, state: PlannerState, header: Plan, said: Any, runtime: Runtime[PlannerContext]
    ) -> Verdict | None:
        todos, language = state["todos"], header["language"]
        data = _data(said)
        if data is not None:
            return from_data(todos, data)
        words = _words(said).strip()
        said_so = words.casefold()
        if said_so in {YES, text(language, "plan.approve_plan"), *text(language, "plan.yes_words").split()}:
            return Verdict(YES)
        if said_so in {NO, text(language, "plan.reject_plan"), *text(language, "plan.no_words").split()}:
            return Verdict(NO)
        verdict = from_words(todos, words) if words else Verdict("unclear")
        if verdict.kind != "unclear":
            return verdict
        question = state["plan"].get("question") or self._question(header, todos)
        taken = await take(self._parts.around.asking(runtime, header), question, words, language)
        if taken.kind == "new_request":
            return None
        return Verdict(YES if taken.choice == YES else NO if taken.choice == NO else "unclear")

    async def _assign(self, writes: list[Todo], header: Plan, runtime: Runtime[PlannerContext]) -> None:
        for todo in writes:
            if todo.get("content") and not todo.get("subagent"):
                asking = self._parts.around.asking(runtime, header)
                todo["subagent"] = await agent_for(asking, self._parts.registry, todo["content"], header["language"])

    def _answered(self, header: Plan, writes: list[Todo], kind: str) -> dict[str, Any]:
        call_id = _call_id(header, header.get("shown", 1))
        line = json.dumps({"plan": kind})
        return {
            "plan": header,
            "todos": writes,
            "messages": [engine_answer(f"{call_id}/answer", call_id, line, APPROVE_PLAN)],
        }

    def _question(self, plan: Plan, todos: list[Todo]) -> Question:
        language = plan["language"]
        lines = [_line(number, todo, language) for number, todo in enumerate(todos, start=1)]
        words = [plan.get("complaint", ""), text(language, "plan.review"), *lines, text(language, "plan.review_how")]
        choices: list[dict[str, Any]] = [
            {"id": YES, "label": text(language, "plan.approve_plan")},
            {"id": NO, "label": text(language, "plan.reject_plan"), "decline": True},
        ]
        return {"type": PLAN, "question": "\n".join(filter(None, words)), "choices": choices}


async def after_review(state: PlannerState) -> Literal["triage", "present", "dispatch", "respond"]:
    """A new request starts over; a changed plan is shown again; an approved one runs."""
    if isinstance(state["messages"][-1], HumanMessage):
        return "triage"
    if not state["plan"].get("reviewed"):
        return "present"
    over = all(todo["status"] == TodoStatus.SKIPPED for todo in state["todos"])
    return "respond" if over else "dispatch"


def _line(number: int, todo: Todo, language: Language) -> str:
    after = f"  ← {', '.join(todo['depends_on'])}" if todo.get("depends_on") else ""
    return f"{number}. {todo['id']} {todo['content']} [{todo.get('subagent', '')}]{after}"


def _items(todos: list[Todo]) -> list[dict[str, Any]]:
    names = ("id", "content", "subagent", "depends_on", "steps")
    return [{name: todo[name] for name in names if todo.get(name)} for todo in todos]  # type: ignore[literal-required]


def _asked(state: PlannerState) -> dict[str, Any]:
    question, items = state["plan"]["question"], _items(state["todos"])
    if question is None:
        raise AssertionError("a plan is presented before it is reviewed")
    allowed = ["approve", "edit", "reject"]
    config = {"actionName": APPROVE_PLAN, "action_name": APPROVE_PLAN}
    return {
        "type": PLAN,
        "todo_id": None,
        "question": question["question"],
        "choices": [{"id": choice["id"], "label": choice["label"]} for choice in question["choices"]],
        "todos": items,
        "action_requests": [{"name": APPROVE_PLAN, "args": {"todos": items}, "description": question["question"]}],
        "review_configs": [{**config, "allowedDecisions": allowed, "allowed_decisions": allowed}],
    }


def _call_id(plan: Plan, shown: int) -> str:
    return f"plan/r{plan['request']}/{shown}"


def _decision(said: Any) -> Any:
    if isinstance(said, Mapping) and said.get("decisions"):
        said = said["decisions"]
    return said[0] if isinstance(said, list) and said else said


def _data(said: Any) -> Mapping[str, Any] | None:
    """The edits as data, in our own form or in that of human-in-the-loop clients."""
    decision = _decision(said)
    if not isinstance(decision, Mapping):
        return None
    edited = decision.get("edited_action") or decision
    arguments = (
        edited.get("args") if isinstance(edited, Mapping) and isinstance(edited.get("args"), Mapping) else edited
    )
    return arguments if isinstance(arguments, Mapping) and {"todos", "changes", "add"} & set(arguments) else None


def _words(said: Any) -> str:
    decision = _decision(said)
    if isinstance(decision, Mapping):
        return str(decision.get("answer") or decision.get("message") or decision.get("type") or "")
    return "" if decision is None else str(decision)
