"""A whole answer's tool calls, read strictly."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from langchain_core.messages import InvalidToolCall, ToolCall
from langchain_core.messages.tool import invalid_tool_call, tool_call


def read_calls(raw: Iterable[dict[str, Any]] | None) -> tuple[list[ToolCall], list[InvalidToolCall]]:
    """The calls with a name and a JSON object, and the broken ones; nothing is guessed or completed.

    Args:
        raw: Calls as on OpenAI's wire and DashScope's: ``{"id", "function": {"name", "arguments"}}``.
    """
    calls, broken = [], []
    for call in raw or ():
        function = call.get("function") or {}
        name, words, call_id = function.get("name"), function.get("arguments"), call.get("id")
        arguments, fault = _object(words)
        if arguments is None or not name:
            shown = words if isinstance(words, str) else json.dumps(words, ensure_ascii=False)
            broken.append(invalid_tool_call(name=name, args=shown, id=call_id, error=fault or "no name"))
        else:
            calls.append(tool_call(name=name, args=arguments, id=call_id))
    return calls, broken


def _object(words: Any) -> tuple[dict[str, Any] | None, str]:
    """The arguments, or what is wrong with them; a call without arguments has empty ones."""
    try:
        value = json.loads(words or "{}") if words is None or isinstance(words, str) else words
    except ValueError as error:
        return None, str(error)
    return (value, "") if isinstance(value, dict) else (None, "expected a JSON object")
