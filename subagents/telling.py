"""What a sub-agent or the planner tells the run's stream of its own accord: events as plain data."""

from __future__ import annotations

from typing import Any

from langchain_core.messages import ToolCall, ToolMessage

from subagents.check import given_id


def call_finished(call: ToolCall, answer: ToolMessage, agent: str, todo_id: str | None = None) -> dict[str, Any]:
    """A call has been answered, by its tool or by the engine's refusal."""
    result = answer.artifact or {}
    status = result.get("status") or ("refused" if answer.status == "error" else "success")
    return {
        "type": "tool_call_finished",
        "agent": agent,
        "todo_id": todo_id,
        "call_id": given_id(str(call["id"])),
        "name": call["name"],
        "args": call["args"],
        "status": status,
        "message": result.get("message") or answer.text,
    }
