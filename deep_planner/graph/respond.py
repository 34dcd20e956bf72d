"""The reply (A02, P21): the same model and tools, the notes appended for this call only, the reply alone stored."""

from __future__ import annotations

import json
from typing import Any

from langchain_core.messages import AIMessage, HumanMessage
from langgraph.runtime import Runtime

from deep_planner.graph.main_prompt import main_prompt, main_tools
from deep_planner.graph.nodes import Parts
from deep_planner.graph.state import Plan, PlannerState
from subagents.history import PREFIX
from subagents.spec import prompt
from tools.core.errors import PlannerError
from tools.core.run_settings import PlannerContext
from tools.core.text import text
from tools.domain.todos import ENDED, Todo, TodoStatus


class Respond:
    """The last node of every request."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def __call__(self, state: PlannerState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Say what was done. A plan of one item whose summary is a good reply already needs no call."""
        plan, todos = state["plan"], state.get("todos", [])
        plan = {**plan, "status": final_status(plan, todos, self._parts.registry.advisory)}
        if plan.get("error"):
            reply = " ".join(dict.fromkeys([*summaries(todos), plan["error"]]))
        elif todos and all(todo.get("outcome", {}).get("status") == "declined" for todo in todos):
            reply = " ".join(summaries(todos)) or text(plan["language"], "plan.declined")
        elif len(todos) == 1 and todos[0].get("outcome"):
            reply = todos[0]["outcome"]["summary"]
        else:
            reply = with_failures(await self._composed(state, runtime), plan, todos)
        self._parts.around.forget(plan)
        return {"plan": plan, "messages": [AIMessage(reply, id=f"r{plan['request']}/reply")]}

    async def _composed(self, state: PlannerState, runtime: Runtime[PlannerContext]) -> str:
        plan, todos = state["plan"], state.get("todos", [])
        language = plan["language"]
        settings = self._parts.around.context(runtime)
        facts = {"intent": plan.get("intent", ""), "request": plan["text"], "items": [_told(t, state) for t in todos]}
        wish = prompt("deep_planner", language, "respond").substitute(facts=json.dumps(facts, ensure_ascii=False))
        spoken = plan["prompt_language"]
        history = main_prompt(self._parts.registry, state["messages"], spoken, settings)
        try:
            answer = await self._parts.around.asking(runtime, plan).say(
                "strong",
                [*history, HumanMessage(f"{PREFIX}{wish}")],
                main_tools(spoken),
                tool_choice="none",
                tags=["reply"],
            )
        except PlannerError as error:
            return " ".join([*summaries(todos), *([error.message(language)] if not todos else [])])
        return answer.text.strip() or " ".join(summaries(todos)) or text(language, "plan.no_reply")


def with_failures(reply: str, plan: Plan, todos: list[Todo]) -> str:
    """The model's reply, and what it passes over of things that were not done: no success in words either."""
    untold = [
        todo["content"]
        for todo in todos
        if todo["status"] == TodoStatus.FAILED or todo.get("outcome", {}).get("status") == "skipped"
        if todo["content"] not in reply and todo["outcome"]["summary"] not in reply
    ]
    if plan["status"] != "failed" or not untold:
        return reply
    return f"{reply}\n{text(plan['language'], 'plan.not_done', items=text(plan['language'], 'plan.join').join(untold))}"


def summaries(todos: list[Todo]) -> list[str]:
    """What each item came to, in the order of the plan."""
    said = [todo["outcome"]["summary"] for todo in todos if todo.get("outcome")]
    return [summary for summary in dict.fromkeys(said) if summary]


def final_status(plan: Plan, todos: list[Todo], advisory: frozenset[str]) -> str:
    """How the request ended: no success while something that the user asked for was not done.

    An advisory item (the weather) that failed is told in the reply and does not make the request fail (A50).
    """
    if plan["status"] == "failed" or plan.get("error"):
        return "failed"
    if plan.get("intent") == "out_of_domain":
        return "refused"
    alone = len(todos) == 1
    lost = [t for t in todos if t["status"] == TodoStatus.FAILED and (alone or t.get("subagent") not in advisory)]
    cut = [t for t in todos if t["status"] == TodoStatus.SKIPPED and t["outcome"]["status"] == "skipped"]
    undone = [t for t in todos if t["status"] not in ENDED]
    return "failed" if lost or cut or undone else "completed"


def _told(todo: Todo, state: PlannerState) -> dict[str, Any]:
    outcome = todo.get("outcome")
    return {
        "id": todo["id"],
        "content": todo["content"],
        "subagent": todo.get("subagent", ""),
        "status": todo["status"],
        "summary": outcome["summary"] if outcome else "",
        "note": state.get("notes", {}).get(todo.get("note", ""), ""),
    }
