"""Only whole tool calls run: strict arguments, a known tool, nothing cut off, no id twice (B09, design section 1).

What is not whole is answered with an error tool message, so that the model can call again; nothing of it is ever
executed, and it is stored with empty arguments, because vendors refuse histories with broken JSON in them.
"""

from __future__ import annotations

from collections.abc import Mapping

from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from pydantic import BaseModel, ValidationError

from tools.core.text import Language, text

#: Reasons of a provider to stop in mid-sentence; what came so far cannot be trusted.
CUT_OFF = frozenset({"length", "max_tokens", "content_filter"})


def whole_calls(
    answer: AIMessage, shapes: Mapping[str, type[BaseModel]], language: Language
) -> tuple[AIMessage, list[ToolMessage]]:
    """Sort a model's calls.

    Args:
        answer: What the model said.
        shapes: Arguments of the tools that it was given, by name.
        language: Language of the error messages.

    Returns:
        The message to store, with every call in it, and an error tool message for each call that must not run.
    """
    faults: dict[str, str] = {}
    calls: list[ToolCall] = []
    cut = str(answer.response_metadata.get("finish_reason", "")) in CUT_OFF
    for number, call in enumerate(answer.tool_calls):
        call_id = call["id"] or f"{answer.id}/{number}"
        if any(call_id == other["id"] for other in calls):
            continue
        fault = text(language, "plan.call_cut") if cut else _fault(call, shapes, language)
        if fault:
            faults[call_id] = fault
        calls.append(ToolCall(name=call["name"], args={} if fault else call["args"], id=call_id, type="tool_call"))
    for number, broken in enumerate(answer.invalid_tool_calls):
        call_id = broken["id"] or f"{answer.id}/broken/{number}"
        faults[call_id] = text(language, "plan.call_broken", reason=broken["error"] or "invalid JSON")
        calls.append(ToolCall(name=broken["name"] or "unknown", args={}, id=call_id, type="tool_call"))
    stored = AIMessage(
        content=answer.content,
        id=answer.id,
        tool_calls=calls,
        usage_metadata=answer.usage_metadata,
        response_metadata=answer.response_metadata,
        additional_kwargs={k: v for k, v in answer.additional_kwargs.items() if k != "tool_calls"},
    )
    names = {call["id"]: call["name"] for call in calls}
    refusals = [
        ToolMessage(fault, tool_call_id=call_id, id=f"{call_id}/answer", name=names[call_id], status="error")
        for call_id, fault in faults.items()
    ]
    return stored, refusals


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
