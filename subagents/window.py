"""Reading an item's window: which calls are open, what their keys are, what they wait for."""

from __future__ import annotations

from langchain_core.messages import AIMessage, AnyMessage, ToolCall, ToolMessage

from subagents.history import is_engine
from subagents.state import SubagentState
from tools.core.context import Operation, digest
from tools.core.result import ToolResult
from tools.domain.todos import Question
from tools.toolkits.ask_user import ASK_USER


def asking_message(window: list[AnyMessage]) -> AIMessage:
    """The last message that a model, or the engine for it, called tools in."""
    return next(message for message in reversed(window) if isinstance(message, AIMessage))


def open_calls(window: list[AnyMessage]) -> list[ToolCall]:
    """The calls of the last model message that nothing has answered yet."""
    answered = {message.tool_call_id for message in window if isinstance(message, ToolMessage)}
    for message in reversed(window):
        if isinstance(message, AIMessage):
            return [call for call in message.tool_calls if call["id"] not in answered]
    return []


def was_refused(window: list[AnyMessage]) -> bool:
    """Whether one of the last message's calls must be made again."""
    asked = {call["id"] for call in asking_message(window).tool_calls}
    return any(isinstance(m, ToolMessage) and m.status == "error" and m.tool_call_id in asked for m in window)


def operation(state: SubagentState, call: ToolCall) -> Operation:
    """The call's key. Equal calls before it in the stored window are counted, never those in memory (N1)."""
    key = (call["name"], digest(call["args"]))
    before = 0
    for message in state["window"]:
        for other in message.tool_calls if isinstance(message, AIMessage) else ():
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


def question(state: SubagentState) -> Question:
    """What the item waits for: its own ``ask_user``, or a tool's result that asks."""
    for call in open_calls(state["window"]):
        if call["name"] == ASK_USER:
            choices = [{"id": str(n), "label": label} for n, label in enumerate(call["args"].get("choices") or (), 1)]
            question = str(call["args"]["question"])
            return {"type": "ask_user", "question": question, "choices": choices, "call_id": str(call["id"])}
    asking = next(entry for entry in reversed(state["results"]) if ToolResult(**entry["result"]).asks)
    result, call = ToolResult(**asking["result"]), asking["call"]
    return {
        "type": result.status.value,
        "question": result.message,
        "choices": [choice.model_dump(mode="json") for choice in result.choices],
        "call": {"name": call["name"], "args": call["args"]},
        "call_id": str(call["id"]),
    }
