"""What an ended item gives back to the main graph (E19, D18)."""

from __future__ import annotations

import json
from typing import Any

from subagents.history import engine_answer
from subagents.state import Brief
from tools.core.result import ResultStatus, ToolResult
from tools.core.text import text
from tools.domain.notes import note_key
from tools.domain.todos import Todo, TodoStatus


def closed(item: Todo, brief: Brief, results: list[ToolResult], note: str, summary: str) -> dict[str, Any]:
    """What an ended item gives back: its status, its note, its outcome line (references, no free text)."""
    key = note_key(brief["request"], item["id"])
    failed = results[-1].status is ResultStatus.ERROR
    status = TodoStatus.FAILED if failed else TodoStatus.COMPLETED
    rows = list(dict.fromkeys(row for result in results for row in result.rows))
    line = {"id": item["id"], "status": status.value, "note": key, "result": results[-1].status.value, "rows": rows}
    call_id = task_call_id(brief["request"], item)
    return {
        "todos": [
            {
                "id": item["id"],
                "status": status.value,
                "note": key,
                "outcome": {"status": results[-1].status.value, "rows": rows, "summary": summary},
                "question": None,
                "answer": None,
            }
        ],
        "notes": {key: note},
        "messages": [engine_answer(f"{call_id}/outcome", call_id, json.dumps(line, ensure_ascii=False), "task")],
        "task_messages": {item["id"]: []},
    }


def left_undone(item: Todo, brief: Brief, reason: str) -> dict[str, Any]:
    """An item that its own sub-agent left undone after reading what it depends on (P23): no failure, and not done."""
    line = {"id": item["id"], "status": TodoStatus.SKIPPED.value, "because": "left_undone"}
    call_id = task_call_id(brief["request"], item)
    summary = text(brief["language"], "plan.left_undone", content=item["content"], reason=reason)
    return {
        "todos": [
            {
                "id": item["id"],
                "status": TodoStatus.SKIPPED.value,
                "outcome": {"status": "declined", "rows": [], "summary": summary},
                "question": None,
                "answer": None,
            }
        ],
        "messages": [engine_answer(f"{call_id}/outcome", call_id, json.dumps(line, ensure_ascii=False), "task")],
        "task_messages": {item["id"]: []},
    }


def task_call_id(request: int, item: Todo) -> str:
    """The id of the ``task`` call that stands for this dispatch of an item."""
    return f"task/{note_key(request, item['id'])}/{item.get('runs', 1)}"
