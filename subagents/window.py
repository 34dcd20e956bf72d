"""Reading an item's window: what was called, what came of it, what is still open.

The window is all that an item keeps while it waits for the user. A tool's result stands in it as the artifact of the
tool message, so nothing that was done before a question is forgotten after it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from langchain_core.messages import AIMessage, AnyMessage, ToolCall, ToolMessage

from subagents.history import is_engine
from subagents.state import SubagentState
from tools.core.context import Operation, digest
from tools.core.result import ToolResult
from tools.core.text import Language
from tools.domain.todos import Question
from tools.toolkits.ask_user import ASK_USER
from tools.toolkits.notes import QUERY_NOTE
from tools.toolkits.variables import VAL_SET, use_values

#: On calls that the engine makes in a model's place: the ids of the calls that asked, or that could not be used.
SETTLES = "settles"


@dataclass(frozen=True, slots=True)
class Done:
    """A call of a tool of the item's own, and its result."""

    call: ToolCall
    result: ToolResult


def calls(window: Sequence[AnyMessage]) -> Iterator[ToolCall]:
    """All calls, in order."""
    for message in window:
        if isinstance(message, AIMessage):
            yield from message.tool_calls


def done(window: Sequence[AnyMessage]) -> list[Done]:
    """The calls that were carried out, in order."""
    results = {m.tool_call_id: m.artifact for m in window if isinstance(m, ToolMessage) and m.artifact}
    return [Done(call, ToolResult(**results[call["id"]])) for call in calls(window) if call["id"] in results]


def notes_read(window: Sequence[AnyMessage]) -> list[str]:
    """Names of the notes that were asked for."""
    return [str(call["args"].get("name", "")) for call in calls(window) if call["name"] == QUERY_NOTE]


def values_set(window: Sequence[AnyMessage], language: Language) -> dict[str, str]:
    """The values that the item has set, as JSON texts by key."""
    answered = {message.tool_call_id for message in window if isinstance(message, ToolMessage)}
    values: dict[str, str] = {}
    for call in calls(window):
        if call["name"] == VAL_SET and call["id"] in answered and "key" in call["args"]:
            use_values(VAL_SET, call["args"], values, language)
    return values


def asking_message(window: Sequence[AnyMessage]) -> AIMessage:
    """The last message that a model, or the engine for it, called tools in."""
    return next(message for message in reversed(window) if isinstance(message, AIMessage))


def open_calls(window: Sequence[AnyMessage]) -> list[ToolCall]:
    """The calls of the last model message that nothing has answered yet."""
    answered = {message.tool_call_id for message in window if isinstance(message, ToolMessage)}
    for message in reversed(window):
        if isinstance(message, AIMessage):
            return [call for call in message.tool_calls if call["id"] not in answered]
    return []


def was_refused(window: Sequence[AnyMessage]) -> bool:
    """Whether one of the model's last calls must be made again.

    The engine may have repeated another call of the same message since; the refused one is still missing.
    """
    made = next((m for m in reversed(window) if isinstance(m, AIMessage) and not is_engine(m)), None)
    asked = {call["id"] for call in made.tool_calls} - settled(window) if made else set()
    return any(isinstance(m, ToolMessage) and m.status == "error" and m.tool_call_id in asked for m in window)


def settled(window: Sequence[AnyMessage]) -> set[str]:
    """Ids of the calls that the engine has made again."""
    return {call_id for message in window for call_id in message.additional_kwargs.get(SETTLES, ())}


def questions_asked(window: Sequence[AnyMessage]) -> int:
    """How often the item's model has asked the user of its own accord."""
    return sum(call["name"] == ASK_USER for call in calls(window))


def open_questions(window: Sequence[AnyMessage]) -> list[Done]:
    """Results that ask and that nobody has answered: neither a repeated call, nor words of the user."""
    over = settled(window)
    last_words = max((n for n, m in enumerate(window) if m.type == "human"), default=-1)
    recent = {call["id"] for call in calls(window[last_words + 1 :])}
    return [
        entry
        for entry in done(window)
        if entry.result.asks and entry.call["id"] in recent and entry.call["id"] not in over
    ]


def question(state: SubagentState) -> Question:
    """What the item waits for: its own ``ask_user``, or the first result that asks."""
    for call in open_calls(state["window"]):
        if call["name"] == ASK_USER:
            choices = [{"id": str(n), "label": label} for n, label in enumerate(call["args"].get("choices") or (), 1)]
            words = str(call["args"]["question"])
            return {"type": "ask_user", "question": words, "choices": choices, "call_id": str(call["id"])}
    asking = open_questions(state["window"])[0]
    return {
        "type": asking.result.status.value,
        "question": asking.result.message,
        "choices": [choice.model_dump(mode="json") for choice in asking.result.choices],
        "call": {"name": asking.call["name"], "args": asking.call["args"]},
        "call_id": str(asking.call["id"]),
    }


def operation(state: SubagentState, call: ToolCall) -> Operation:
    """The call's key. Equal calls before it in the stored window are counted, never those in memory (N1)."""
    key = (call["name"], digest(call["args"]))
    before = 0
    for other in calls(state["window"]):
        if other["id"] == call["id"]:
            break
        before += (other["name"], digest(other["args"])) == key
    brief = state["brief"]
    return Operation(brief["thread"], brief["request"], state["item"]["id"], *key, before)


def is_permitted(state: SubagentState, call: ToolCall) -> bool:
    """Whether the user's yes holds for this call: the engine itself repeats it, argument for argument (P5)."""
    answer = state["item"].get("answer")
    if not answer or not answer.get("permit") or not is_engine(asking_message(state["window"])):
        return False
    return answer["call"] == {"name": call["name"], "args": call["args"]}
