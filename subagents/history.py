"""One pure function from stored messages to what a model is shown.

The engine records what it does in the dialogue as tool calls and tool messages, because existing clients draw
sub-agent cards and questions from these. Thinking models refuse histories with tool calls that they did not write,
so a model is shown the engine's records as plain text. Each message renders by itself, and only ever appends: prompt
n is a prefix of prompt n + 1 (E13).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage

ENGINE = "engine"
#: What stands before the engine's own words. The main prompt explains it.
PREFIX = "[engine] "


def engine_call(message_id: str, calls: Sequence[dict[str, Any]], **marks: Any) -> AIMessage:
    """Tool calls that the engine makes on its own account: dispatches, questions, repeated calls."""
    tool_calls = [{"type": "tool_call", **call} for call in calls]
    return AIMessage(id=message_id, content="", tool_calls=tool_calls, additional_kwargs={ENGINE: True, **marks})


def engine_answer(message_id: str, call_id: str, content: str, name: str) -> ToolMessage:
    """The answer to a call of the engine's own."""
    return ToolMessage(
        id=message_id, tool_call_id=call_id, content=content, name=name, additional_kwargs={ENGINE: True}
    )


def engine_remark(message_id: str, content: str) -> SystemMessage:
    """Something the engine tells the model, for example the time of a request."""
    return SystemMessage(id=message_id, content=content, additional_kwargs={ENGINE: True})


def is_engine(message: AnyMessage) -> bool:
    """Whether the engine wrote it."""
    return bool(message.additional_kwargs.get(ENGINE))


def render(messages: Sequence[AnyMessage]) -> list[AnyMessage]:
    """The history as a model is shown it.

    A model's own call is followed at once by its answers, wherever the store has them: a question that the user
    passed over is closed only after the new request has come in.
    """
    answers: dict[str, ToolMessage] = {
        message.tool_call_id: message
        for message in messages
        if isinstance(message, ToolMessage) and not is_engine(message)
    }
    shown: list[AnyMessage] = []
    for message in messages:
        if isinstance(message, ToolMessage):
            if is_engine(message):
                shown.append(HumanMessage(f"{PREFIX}{message.text}"))
        elif is_engine(message):
            if not isinstance(message, AIMessage):
                shown.append(HumanMessage(f"{PREFIX}{message.text}"))
        else:
            shown.append(message)
            if isinstance(message, AIMessage):
                shown.extend(answers[call["id"] or ""] for call in message.tool_calls if call["id"] in answers)
    return shown
