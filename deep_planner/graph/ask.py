"""Asking the user: one question at a time, in the main graph, whatever asked it (X14, B02, B03).

LangGraph idea: ``interrupt(value)`` ends the run with a value for the caller and stores the state. When the caller
comes back with ``Command(resume=answer)``, in the same process or another, the node starts again from its top and
``interrupt`` returns the answer. Nothing with an effect may therefore stand before it.
"""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.messages import AnyMessage, HumanMessage, ToolMessage
from langgraph.runtime import Runtime
from langgraph.types import interrupt

from deep_planner.graph.answers import ask_call_id, close_open, settle
from deep_planner.graph.nodes import Parts
from deep_planner.graph.state import PlannerState
from subagents.history import engine_call
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
        if own:
            return self._own_answer(state, own, words)
        settled = await settle(self._parts, state, words, runtime)
        if settled is not None:
            return settled
        closing = close_open(state)
        return closing | {"messages": [*closing["messages"], HumanMessage(words)]}

    def _own_answer(self, state: PlannerState, question: Question, words: str) -> dict[str, Any]:
        """An answer to the planner goes to its call; one to triage is the request, said better."""
        message: AnyMessage = HumanMessage(words)
        if call_id := question.get("call_id"):
            message = ToolMessage(words, tool_call_id=call_id, id=f"{call_id}/answer", name=ASK_USER)
        return {"messages": [message], "plan": {**state["plan"], "question": None}}


async def after_asking(state: PlannerState) -> Literal["triage", "planner", "pose", "dispatch"]:
    """A new request starts over; the planner's own answer wakes it; else the next question, then work."""
    last = state["messages"][-1]
    if isinstance(last, HumanMessage):
        return "triage"
    if waiting(state.get("todos", [])):
        return "pose"
    return "planner" if not last.additional_kwargs else "dispatch"


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

    A bare string, ``{"answer": ..}``, or ``{"decisions": [{"type": "edit", "edited_action": {"args": ..}}]}``.
    """
    if isinstance(answer, list) and answer:
        answer = answer[0] if isinstance(answer[0], str) else {"decisions": answer}
    if not isinstance(answer, dict):
        return str(answer)
    if "answer" in answer:
        return str(answer["answer"])
    for decision in answer.get("decisions") or [answer]:
        edited = decision.get("edited_action") or decision
        arguments = edited.get("args", {})
        if isinstance(arguments, dict) and isinstance(arguments.get("args"), dict):
            arguments = arguments["args"]
        if arguments.get("answer"):
            return str(arguments["answer"])
        if decision.get("message"):
            return str(decision["message"])
        return str(decision.get("type", ""))
    return ""


def _of(todo: Todo) -> Question:
    question = todo.get("question")
    if question is None:
        raise AssertionError(f"item {todo['id']} has no question")
    return question


def _arguments(question: Question) -> dict[str, Any]:
    labels = [choice["label"] for choice in question.get("choices", ())]
    return {"question": question["question"]} | ({"choices": labels} if labels else {})
