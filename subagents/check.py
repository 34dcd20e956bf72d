"""Only whole tool calls run: strict arguments, a known tool, nothing cut off, no id twice (B09, design section 1).

What is not whole is answered with an error tool message, so that the model can call again; nothing of it is ever
executed, and it is stored with empty arguments, because vendors refuse histories with broken JSON in them.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from typing import NamedTuple

from langchain_core.messages import AIMessage, AnyMessage, ToolCall, ToolMessage
from pydantic import BaseModel, ValidationError
from typing_extensions import TypedDict

from tools.core.text import Language, text

#: Reasons of a provider to stop in mid-sentence; what came so far cannot be trusted.
CUT_OFF = frozenset({"length", "max_tokens", "content_filter"})
#: Under what providers say why they stopped.
ENDS = ("finish_reason", "stop_reason", "stopReason", "done_reason")
#: What stands between an id and our number when a provider uses one twice.
AGAIN = "~"


class Unread(TypedDict):
    """A call of a known tool whose arguments cannot be used: what the parser may try to read (B05)."""

    call_id: str
    name: str
    raw: str
    """The arguments as the model wrote them."""
    reason: str


class Checked(NamedTuple):
    """A model's message after the check."""

    stored: AIMessage
    """The message to store, with every call in it; those that must not run have no arguments."""
    refusals: list[ToolMessage]
    """An error tool message for each call that must not run."""
    unread: list[Unread]
    """Those among them that only their arguments keep from running."""


def whole_calls(
    answer: AIMessage,
    shapes: Mapping[str, type[BaseModel]],
    language: Language,
    before: Sequence[AnyMessage] = (),
) -> Checked:
    """Sort a model's calls.

    Args:
        answer: What the model said.
        shapes: Arguments of the tools that it was given, by name.
        language: Language of the error messages.
        before: The dialogue so far. Some providers number the calls of each message from zero; an id that is taken
            gets an ending.
    """
    faults: dict[str, str] = {}
    raws: dict[str, str] = {}
    calls: dict[str, ToolCall] = {}
    taken = {call["id"] for message in before if isinstance(message, AIMessage) for call in message.tool_calls}
    cut = is_cut(answer)
    for number, call in enumerate(answer.tool_calls):
        call_id = _free_id(call["id"] or f"{answer.id}/{number}", taken)
        fault = text(language, "plan.call_cut") if cut else _fault(call, shapes, language)
        if call_id in calls:
            fault = text(language, "plan.call_twice", id=call_id)
        if fault:
            faults[call_id] = fault
            raws[call_id] = json.dumps(call["args"], ensure_ascii=False)
        calls[call_id] = ToolCall(name=call["name"], args={} if fault else call["args"], id=call_id, type="tool_call")
    for number, broken in enumerate(answer.invalid_tool_calls):
        call_id = _free_id(broken["id"] or f"{answer.id}/broken/{number}", taken)
        faults[call_id] = text(language, "plan.call_broken", reason=broken["error"] or "invalid JSON")
        raws[call_id] = broken["args"] or ""
        calls[call_id] = ToolCall(name=broken["name"] or "unknown", args={}, id=call_id, type="tool_call")
    made = len(answer.tool_calls) + len(answer.invalid_tool_calls)
    stored = AIMessage(
        content=answer.content,
        id=answer.id,
        tool_calls=list(calls.values()),
        usage_metadata=answer.usage_metadata,
        response_metadata=answer.response_metadata,
        additional_kwargs={k: v for k, v in answer.additional_kwargs.items() if k != "tool_calls"},
    )
    refusals = [
        ToolMessage(fault, tool_call_id=call_id, id=f"{call_id}/answer", name=calls[call_id]["name"], status="error")
        for call_id, fault in faults.items()
    ]
    readable = [] if cut or len(calls) < made else [call_id for call_id in faults if calls[call_id]["name"] in shapes]
    unread: list[Unread] = [
        {"call_id": i, "name": calls[i]["name"], "raw": raws[i], "reason": faults[i]} for i in readable
    ]
    return Checked(stored, refusals, unread)


def is_cut(answer: AIMessage) -> bool:
    """Whether an answer broke off: at a limit, by a filter, or, when nobody said that it ended, with its stream."""
    ends = [str(answer.response_metadata[name]) for name in ENDS if answer.response_metadata.get(name)]
    return not ends or any(end in CUT_OFF for end in ends)


def _free_id(call_id: str, taken: Collection[str | None]) -> str:
    number = 1
    free = call_id
    while free in taken:
        number += 1
        free = f"{call_id}{AGAIN}{number}"
    return free


def given_id(call_id: str) -> str:
    """The id that the provider gave to a call, without our ending."""
    return call_id.partition(AGAIN)[0]


def _fault(call: ToolCall, shapes: Mapping[str, type[BaseModel]], language: Language) -> str | None:
    shape = shapes.get(call["name"])
    if shape is None:
        return text(language, "plan.unknown_tool", tool=call["name"], known=", ".join(shapes))
    try:
        shape.model_validate(call["args"])
    except ValidationError as error:
        reason = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
        return text(language, "plan.bad_arguments", tool=call["name"], reason=reason)
    return None
