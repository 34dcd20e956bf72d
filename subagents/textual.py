"""Tool calls in plain text, for models that have no tool calling of their own.

The tools stand in the system prompt, a call is one JSON object as the whole answer, and a result is told in words. What
comes back passes the same check as any other call: a model that names the tool and leaves its arguments wrong or empty
has said what it wants, and the parser makes the arguments (seed 001).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage, ToolMessage
from langchain_core.messages.tool import tool_call
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from subagents.history import PREFIX
from subagents.spec import prompt
from tools.core.text import Language

CALLS = "tool_calls"


def in_text(
    messages: Sequence[AnyMessage], tools: Sequence[BaseTool | dict[str, Any]], language: Language
) -> list[AnyMessage]:
    """The prompt with tools, calls and results as text; it keeps what is cached, since the tools stay at its head."""
    schemas = [convert_to_openai_tool(tool)["function"] for tool in tools]
    how = prompt("subagents", language, "tools_in_text").substitute(tools=json.dumps(schemas, ensure_ascii=False))
    told: list[AnyMessage] = []
    for message in messages:
        if isinstance(message, SystemMessage) and not told:
            told.append(SystemMessage(f"{message.text}\n\n{how}"))
        elif isinstance(message, AIMessage) and message.tool_calls:
            calls = [{"name": call["name"], "arguments": call["args"]} for call in message.tool_calls]
            told.append(AIMessage(json.dumps({CALLS: calls}, ensure_ascii=False)))
        elif isinstance(message, ToolMessage):
            told.append(HumanMessage(f"{PREFIX}{message.name}: {message.text}"))
        else:
            told.append(message)
    return told


def with_calls(answer: AIMessage) -> AIMessage:
    """The answer with the calls that it holds as text; words that are no such object stay words."""
    words = answer.text.strip().removeprefix("```json").removeprefix("```").removesuffix("```").strip()
    try:
        made = json.loads(words)[CALLS]
        calls = [
            tool_call(name=str(call["name"]), args=_object(call.get("arguments")), id=f"{answer.id}/{number}")
            for number, call in enumerate(made)
        ]
    except (ValueError, TypeError, KeyError, AttributeError):
        return answer
    return answer.model_copy(update={"content": "", "tool_calls": calls})


def _object(arguments: Any) -> dict[str, Any]:
    # Anything else is what the check refuses and the parser reads again.
    return arguments if isinstance(arguments, dict) else {}
