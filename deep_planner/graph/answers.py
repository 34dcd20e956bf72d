"""What the user's words do to an open question (X14, P5): pick a choice, answer freely, or turn to something else."""

from __future__ import annotations

import json
from typing import Any, Literal

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.runtime import Runtime
from pydantic import BaseModel

from deep_planner.graph.nodes import Parts
from deep_planner.graph.state import Plan, PlannerState
from subagents.history import engine_answer, engine_remark
from subagents.outcomes import task_call_id
from subagents.spec import prompt
from subagents.thinking import Asking
from tools.core.errors import PlannerError
from tools.core.run_settings import PlannerContext
from tools.core.text import Language, text
from tools.domain.todos import ENDED, Answer, Question, Todo, TodoStatus, waiting


class TakenAnswer(BaseModel):
    """How a reply relates to the question."""

    kind: Literal["choice", "answer", "new_request"]
    choice: str | None = None


#: What clients send for "no" without words (human-in-the-loop forms).
REJECTIONS = frozenset({"reject", "ignore"})

TAKE_ANSWER = convert_to_openai_tool(TakenAnswer)
TAKE_ANSWER["function"]["name"] = "take_answer"


async def settle(
    parts: Parts, state: PlannerState, words: str, runtime: Runtime[PlannerContext], *, asked: bool = False
) -> dict[str, Any] | None:
    """The update that an answer to the open question makes, or ``None`` when the words are a new request.

    The planner's own question comes first, then those of items, in order. One that triage asked (``clarify``) has no
    answer but the request, said better. What comes back from the pause itself (``asked``) to a question of the
    planner's goes to the planner, who can tell an answer from a change of subject.
    """
    plan = state["plan"]
    own = plan.get("question")
    if own and not own.get("call_id"):
        return None
    todo = None if own else waiting(state["todos"])[0]
    question = own if todo is None else todo.get("question")
    if question is None:
        return None
    if todo is None and asked:
        taken = TakenAnswer(kind="answer")
    else:
        asking = parts.around.asking(runtime, {**plan, "turn": plan.get("turn", 1) + 1})
        taken = await take(asking, question, words, plan["language"])
    if taken.kind == "new_request":
        return None
    now = parts.around.context(runtime).run_context(parts.clock.now(), plan["language"]).now
    header: Plan = {
        **plan,
        "now": now.isoformat(),
        "turn": plan.get("turn", 1) + 1,
        "wave": [],
        "question": None,
    }
    if todo is None:
        return {"plan": header, "messages": [own_answer(question, words)]}
    update: dict[str, Any] = {"plan": header, "messages": [asked_answer(state, todo, words)]}
    return joined(update, _settled(state, todo, question, taken, words))


def _settled(state: PlannerState, todo: Todo, question: Question, taken: TakenAnswer, words: str) -> dict[str, Any]:
    """What the answer does to the item that asked."""
    picked = next((c for c in question.get("choices", ()) if c["id"] == taken.choice), None)
    if picked and picked.get("decline"):
        return declined(state, todo)
    if picked and question["type"] == "approve":
        return {"todos": [{"id": todo["id"], "question": None}]}
    answer: Answer = {"text": picked["label"] if picked else words}
    if picked and question.get("call"):
        call = question["call"]
        arguments = {**call["args"], **picked["arguments"]}
        answer["call"] = {"name": call["name"], "args": {k: v for k, v in arguments.items() if v is not None}}
        answer["call_id"] = question["call_id"]
        answer["permit"] = bool(picked.get("permit"))
    return {"todos": [{"id": todo["id"], "question": None, "answer": answer}]}


def own_answer(question: Question, words: str) -> AnyMessage:
    """The answer to the planner's own ``ask_user`` call."""
    call_id = question["call_id"]
    return ToolMessage(words, tool_call_id=call_id, id=f"{call_id}/answer", name="ask_user")


def joined(first: dict[str, Any], second: dict[str, Any]) -> dict[str, Any]:
    """Two updates of one node as one: lists joined, the rest replaced."""
    update = dict(first)
    for key, value in second.items():
        update[key] = [*update[key], *value] if isinstance(value, list) and key in update else value
    return update


async def take(asking: Asking, question: Question, words: str, language: Language) -> TakenAnswer:
    """How the user's words relate to a question: by themselves where they name a choice, else by the light model."""
    for choice in question.get("choices", ()):
        rejected = choice.get("decline") and words in REJECTIONS
        if rejected or words.strip() in (choice["id"], choice["label"]):
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
        taken, _ = await asking.shaped(messages, TakenAnswer, TAKE_ANSWER, language, tags=["answer"])
    except PlannerError:
        return TakenAnswer(kind="answer")  # the item's own model reads the words next
    known = any(choice["id"] == taken.choice for choice in question.get("choices", ()))
    return taken if taken.kind != "choice" or known else TakenAnswer(kind="answer")


def ask_call_id(state: PlannerState, todo: Todo) -> str:
    """The id of the ``ask_user`` call that stands for this question of an item."""
    question = todo.get("question") or {}
    return f"ask/{task_call_id(state['plan']['request'], todo)}/{question.get('call_id', question.get('type', ''))}"


def posed(state: PlannerState, todo: Todo) -> bool:
    """Whether the item's question stands in the dialogue already."""
    return any(message.id == ask_call_id(state, todo) for message in state["messages"])


def asked_answer(state: PlannerState, todo: Todo, words: str | None) -> AnyMessage:
    """The answer, as the answer of that call (B03); ``None`` for a question that nobody will answer any more."""
    call_id = ask_call_id(state, todo)
    line = {"id": todo["id"]} | ({"closed": True} if words is None else {"answer": words})
    return engine_answer(f"{call_id}/answer", call_id, json.dumps(line, ensure_ascii=False), "ask_user")


def declined(state: PlannerState, todo: Todo) -> dict[str, Any]:
    """The user said no: the item ends without having acted, which is no failure."""
    return {
        "todos": [skipped(todo, text(state["plan"]["language"], "plan.declined"), "declined")],
        "messages": [outcome_line(state["plan"]["request"], todo, "declined")] if todo.get("runs") else [],
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


def outcome_line(request: int, todo: Todo, because: str) -> AnyMessage:
    """The record of an item that ends without a result.

    The answer of its ``task`` call, or, if it never started, a remark.
    """
    line = json.dumps({"id": todo["id"], "status": TodoStatus.SKIPPED.value, "because": because})
    call_id = task_call_id(request, todo)
    if todo.get("runs"):
        return engine_answer(f"{call_id}/outcome", call_id, line, "task")
    return engine_remark(f"{call_id}/skipped", line)


def close_open(state: PlannerState) -> dict[str, Any]:
    """Close what the last request left open, because the user has moved on.

    LangGraph forgets an interrupt when a new message comes, so nobody else would.
    """
    plan = state.get("plan")
    if not plan:
        return {}
    lines: list[AnyMessage] = []
    own = plan.get("question")
    if own and own.get("call_id"):
        lines.append(own_answer(own, text(plan["language"], "plan.moved_on")))
    unfinished = [todo for todo in state.get("todos", ()) if todo["status"] not in ENDED]
    for todo in unfinished:
        if todo.get("question") and posed(state, todo):
            lines.append(asked_answer(state, todo, None))
        if todo.get("runs"):
            lines.append(outcome_line(plan["request"], todo, "closed"))
    return {
        "messages": lines,
        "todos": [skipped(todo, text(plan["language"], "plan.moved_on"), "closed") for todo in unfinished],
        "task_messages": {todo["id"]: [] for todo in unfinished},
    }
