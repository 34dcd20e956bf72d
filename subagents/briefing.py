"""What a sub-agent is told: one JSON object in its system prompt, one in its first message.

JSON, because a title that contains line breaks and headings must not look like a new part of the prompt (P13).
"""

from __future__ import annotations

import json
from string import Template
from typing import Any

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage

from subagents.spec import with_instructions
from subagents.state import Brief
from tools.core.context import RunContext
from tools.core.text import text
from tools.domain.segments import segment_at
from tools.domain.todos import Todo


def context_block(context: RunContext, groups: list[str], notes: list[str]) -> str:
    """Date, part of the day, place, groups (A07) and the names of the notes (E15), as one line of JSON."""
    now = context.now
    facts: dict[str, Any] = {
        "now": now.isoformat(timespec="minutes"),
        "weekday": text(context.language, f"when.weekday_{now.weekday()}"),
        "segment": segment_at(now).value,
        "timezone": str(context.zone),
        "city": context.city,
        "groups": groups,
        "notes": notes,
    }
    return json.dumps({name: fact for name, fact in facts.items() if fact}, ensure_ascii=False)


def opening(role: Template, brief: Brief, item: Todo, context: RunContext, instructions: str = "") -> list[AnyMessage]:
    """The first two messages of an item's window: the role, and the task."""
    system = role.substitute(context=context_block(context, brief["groups"], list(brief["notes"])))
    task: dict[str, Any] = {
        "request": brief["text"],
        "item": item["content"],
        "steps": item.get("steps"),
        "parents": brief["parents"],
        "last_turn": brief["last_turn"],
    }
    given = {key: value for key, value in task.items() if value}
    return [SystemMessage(with_instructions(system, instructions)), HumanMessage(json.dumps(given, ensure_ascii=False))]
