"""What the user's words do to an open question (X14, P5): pick a choice, answer freely, or turn to something else."""

from __future__ import annotations

import json
from typing import Any, Literal

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.runtime import Runtime
from pydantic import BaseModel

from deep_planner.graph.nodes import Parts
from deep_planner.graph.state import PlannerState
from subagents.history import engine_answer
from subagents.runner import task_call_id
from subagents.spec import prompt
from tools.core.errors import PlannerError
from tools.core.run_settings import PlannerContext
from tools.core.text import Language, text
from tools.domain.todos import ENDED, Answer, Question, Todo, TodoStatus, waiting


class TakenAnswer(BaseModel):
    """How a reply relates to the question."""

    kind: Literal["choice", "answer", "new_request"]
    choice: str | None = None


TAKE_ANSWER = convert_to_openai_tool(TakenAnswer)
TAKE_ANSWER["function"]["name"] = "take_answer"


async def settle(
    parts: Parts, state: PlannerState, words: str, runtime: Runtime[PlannerContext]
) -> dict[str, Any] | None:
    """The update that an answer to the first open question makes, or ``None`` when the words are a new request."""
    todo = waiting(state["todos"])[0]
    question = todo["question"]
    if question is None:
        return None
    language = state["plan"]["language"]
    taken = await _take(parts, question, words, language)
    if taken.kind == "new_request":
        return None
    picked = next((c for c in question.get("choices", ()) if c["id"] == taken.choice), None)
    now = parts.around.context(runtime).run_context(parts.clock.now(), language).now
    update: dict[str, Any] = {
        "plan": {**state["plan"], "now": now.isoformat(), "wave": []},
        "messages": [asked_answer(state, todo, words)],
    }
    if picked and picked.get("decline"):
        return update | declined(state, todo, language)
    if picked and question["type"] == "approve":
        return update | {"todos": [{"id": todo["id"], "question": None}]}
    answer: Answer = {"text": words}
    if picked and question.get("call"):
        call = question["call"]
        arguments = {**call["args"], **picked["arguments"]}
        answer["call"] = {"name": call["name"], "args": {k: v for k, v in arguments.items() if v is not None}}
        answer["permit"] = bool(picked.get("permit"))
    return update | {"todos": [{"id": todo["id"], "question": None, "answer": answer}]}


async def _take(parts: Parts, question: Question, words: str, language: Language) -> TakenAnswer:
    for choice in question.get("choices", ()):
        if words.strip() in (choice["id"], choice["label"]):
            return TakenAnswer(kind="choice", choice=choice["id"])
    asked = {
        "type": question["type"],
        "question": question["question"],
        "choices": [{"id": c["id"], "label": c["label"]} for c in question.get("choices", ())],
        "reply": words,
    }
    messages: list[AnyMessage] = [
        SystemMessage(prompt("deep_planner", language, "answer").substitute()),
        HumanMessage(json.dumps(asked, ensure_ascii=False)),
    ]
    try:
        taken, _ = await parts.around.models.shaped(messages, TakenAnswer, TAKE_ANSWER, language, tags=["answer"])
    except PlannerError:
        return TakenAnswer(kind="answer")  # the item's own model reads the words next
    known = any(choice["id"] == taken.choice for choice in question.get("choices", ()))
    return taken if taken.kind != "choice" or known else TakenAnswer(kind="answer")


def ask_call_id(state: PlannerState, todo: Todo) -> str:
    """The id of the ``ask_user`` call that stands for this question of an item."""
    return f"ask/{task_call_id(state['plan']['request'], todo)}"


def asked_answer(state: PlannerState, todo: Todo, words: str) -> AnyMessage:
    """The answer, as the answer of that call (B03)."""
    call_id = ask_call_id(state, todo)
    line = {"id": todo["id"], "answer": words}
    return engine_answer(f"{call_id}/answer", call_id, json.dumps(line, ensure_ascii=False), "ask_user")


def declined(state: PlannerState, todo: Todo, language: Language) -> dict[str, Any]:
    """The user said no: the item ends without having acted, which is no failure."""
    return {
        "todos": [skipped(todo, text(language, "plan.declined"), "declined")],
        "task_messages": {todo["id"]: []},
    }


def skipped(todo: Todo, summary: str, status: str) -> Todo:
    """An item that ends without having acted."""
    return {
        "id": todo["id"],
        "status": TodoStatus.SKIPPED.value,
        "outcome": {"status": status, "rows": [], "summary": summary},
        "question": None,
        "answer": None,
    }


def close_open(state: PlannerState) -> dict[str, Any]:
    """Close what the last request left open, because the user has moved on.

    LangGraph forgets an interrupt when a new message comes, so nobody else would.
    """
    unfinished = [todo for todo in state.get("todos", ()) if todo["status"] not in ENDED]
    if not unfinished:
        return {}
    closed = text(state["plan"]["language"], "plan.moved_on")
    lines = []
    for todo in unfinished:
        if todo.get("question"):
            call_id, line = ask_call_id(state, todo), {"id": todo["id"], "closed": True}
            lines.append(engine_answer(f"{call_id}/answer", call_id, json.dumps(line), "ask_user"))
    return {
        "messages": lines,
        "todos": [skipped(todo, closed, "closed") for todo in unfinished],
        "task_messages": {todo["id"]: [] for todo in unfinished},
    }
