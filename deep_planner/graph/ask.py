"""Asking the user: one question at a time, in the main graph, whatever asked it (X14, B02, B03).

LangGraph idea: ``interrupt(value)`` ends the run with a value for the caller and stores the state. When the caller
comes back with ``Command(resume=answer)``, in the same process or another, the node starts again from its top and
``interrupt`` returns the answer. Nothing with an effect may therefore stand before it.
"""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.messages import HumanMessage, ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from deep_planner.graph.answers import ask_call_id, close_open, joined, settle
from deep_planner.graph.nodes import Parts
from deep_planner.graph.state import PlannerState
from subagents.history import engine_call, is_engine
from tools.core.run_settings import PlannerContext
from tools.domain.todos import Question, Todo, waiting

ASK_USER = "ask_user"


async def pose(state: PlannerState) -> dict[str, Any]:
    """Put the next question of an item into the dialogue as an ``ask_user`` call: existing clients draw it there."""
    todo = waiting(state["todos"])[0]
    call_id = ask_call_id(state, todo)
    call = {"name": ASK_USER, "args": _arguments(_of(todo)), "id": call_id}
    return {"messages": [engine_call(call_id, [call])]}


class Ask:
    """The node that pauses."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def __call__(self, state: PlannerState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Pause, then put the answer where it belongs."""
        own = state["plan"].get("question")
        todos = waiting(state.get("todos", []))
        question = own or _of(todos[0])
        words = words_of(interrupt(asked(question, None if own else todos[0]["id"])))
        settled = await settle(self._parts, state, words, runtime, asked=True)
        if settled is not None:
            return settled
        moved_on = {"messages": [HumanMessage(words)], "plan": {**state["plan"], "question": None}}
        return joined(close_open(state), moved_on)


async def after_asking(state: PlannerState) -> Literal["triage", "planner", "pose", "dispatch"]:
    """A new request starts over; the planner's own answer wakes it; else the next question, then work."""
    last = state["messages"][-1]
    if isinstance(last, HumanMessage):
        return "triage"
    if isinstance(last, ToolMessage) and not is_engine(last):
        return "planner"
    return "pose" if waiting(state.get("todos", [])) else "dispatch"


def asked(question: Question, todo_id: str | None) -> dict[str, Any]:
    """What a client is shown: our own keys, and those that existing clients read."""
    arguments = _arguments(question)
    return {
        "type": question["type"],
        "todo_id": todo_id,
        "question": question["question"],
        "choices": [{"id": c["id"], "label": c["label"]} for c in question.get("choices", ())],
        "action_requests": [
            {"name": ASK_USER, "args": {**arguments, "answer": ""}, "description": question["question"]}
        ],
        "review_configs": [
            {
                "actionName": ASK_USER,
                "allowedDecisions": ["edit", "reject"],
                "action_name": ASK_USER,
                "allowed_decisions": ["edit", "reject"],
            }
        ],
    }


def words_of(answer: Any) -> str:
    """The user's words from any of the forms that clients send back.

    A bare string, ``{"answer": ..}``, or ``{"decisions": [{"type": "edit", "edited_action": {"args": ..}}]}``; a
    rejection without words is a no.
    """
    if isinstance(answer, list):
        answer = {"decisions": answer} if answer and isinstance(answer[0], dict) else "".join(map(str, answer[:1]))
    if not isinstance(answer, dict):
        return "" if answer is None else str(answer)
    if "answer" in answer:
        return str(answer["answer"])
    decisions = answer.get("decisions")
    decision = decisions[0] if isinstance(decisions, list) and decisions else answer
    return _decided(decision) if isinstance(decision, dict) else str(decision)


def _decided(decision: dict[str, Any]) -> str:
    arguments: Any = decision.get("edited_action") or decision
    while isinstance(arguments, dict) and arguments.get("args"):
        arguments = arguments["args"]
    if isinstance(arguments, dict) and arguments.get("answer"):
        return str(arguments["answer"])
    if isinstance(arguments, str):
        return arguments
    return str(decision.get("message") or decision.get("type") or "")


def _of(todo: Todo) -> Question:
    question = todo.get("question")
    if question is None:
        raise AssertionError(f"item {todo['id']} has no question")
    return question


def _arguments(question: Question) -> dict[str, Any]:
    labels = [choice["label"] for choice in question.get("choices", ())]
    return {"question": question["question"]} | ({"choices": labels} if labels else {})
