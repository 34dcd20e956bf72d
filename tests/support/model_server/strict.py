"""What vendors refuse in a prompt, so that a prompt which passes here passes there."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

if TYPE_CHECKING:
    from tests.support.model_server.script import Request

Echo = Literal["required", "forbidden"] | None
_NAME = re.compile(r"[a-zA-Z0-9_-]{1,64}")
_ROLES = ("system", "user", "assistant", "tool")
_THOUGHTS = ("reasoning_content", "reasoning")


def refusal_of(request: Request, echo: Echo) -> str | None:
    """Why a vendor would refuse the request; ``None`` when none would."""
    found = [*_in_tools(request), *_in_messages(request.messages), *_in_thoughts(request.messages, echo)]
    return found[0] if found else None


def _in_tools(request: Request) -> Iterator[str]:
    names = [tool["function"]["name"] for tool in request.tools]
    if "tools" in request.wire.options(request.body) and not names:
        yield "tools is an empty list"
    if len(set(names)) < len(names) or not all(_NAME.fullmatch(name) for name in names):
        yield f"tool names: {names}"
    if request.tool_choice not in (None, "auto", "none"):
        yield f"tool_choice {request.tool_choice!r} while thinking"
    if request.tool_choice is not None and not names:
        yield "tool_choice without tools"
    if any(tool["function"].get("parameters", {}).get("type") != "object" for tool in request.tools):
        yield "parameters of a tool are no object"
    if any("strict" in tool["function"] for tool in request.tools):
        yield "strict is OpenAI's alone"


def _in_messages(messages: list[dict[str, Any]]) -> Iterator[str]:
    waiting: set[str] = set()
    for place, message in enumerate(messages):
        role = message.get("role")
        if role not in _ROLES or (role == "system" and place > 0):
            yield f"messages[{place}]: role {role!r}"
        if role == "tool":
            if message.get("tool_call_id") not in waiting:
                yield f"messages[{place}]: answers no call"
            waiting.discard(message.get("tool_call_id", ""))
        elif waiting:
            yield f"messages[{place}]: comes before the answers to {sorted(waiting)}"
            waiting = set()
        calls = message.get("tool_calls") or []
        if not isinstance(message.get("content"), str) and not (calls and message.get("content") is None):
            yield f"messages[{place}]: content {message.get('content')!r}"
        if role in ("user", "assistant") and not (message.get("content") or calls):
            yield f"messages[{place}]: is empty"
        yield from _in_calls(place, calls)
        ids = [call.get("id") for call in calls]
        if len(set(ids)) < len(ids) or not all(ids):
            yield f"messages[{place}]: ids {ids}"
        waiting |= set(filter(None, ids))
    if waiting or not messages or messages[-1]["role"] not in ("user", "tool"):
        yield "the last turn is not for the model to answer"


def _in_calls(place: int, calls: list[dict[str, Any]]) -> Iterator[str]:
    for call in calls:
        function = call.get("function") or {}
        if not _NAME.fullmatch(function.get("name") or ""):
            yield f"messages[{place}]: calls {function.get('name')!r}"
        try:
            arguments = json.loads(function["arguments"])
        except (KeyError, TypeError, ValueError):
            arguments = None
        if not isinstance(arguments, dict):
            yield f'messages[{place}]: the "function.arguments" parameter must be in JSON format'


def _in_thoughts(messages: list[dict[str, Any]], echo: Echo) -> Iterator[str]:
    """DeepSeek wants the reasoning of the running tool loop back; its older models refuse to see it again."""
    if echo is None:
        return
    asked = max((place for place, message in enumerate(messages) if message["role"] == "user"), default=0)
    for place, message in enumerate(messages):
        thought = any(message.get(name) for name in _THOUGHTS)
        wanted = echo == "required" and place > asked and message["role"] == "assistant"
        if thought != wanted:
            yield f"messages[{place}]: reasoning_content must {'' if wanted else 'not '}be passed back"
