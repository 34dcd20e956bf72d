"""The todo list: its shapes and its reducer (seed 004, X18).

The rules of writing and changing items are in ``plan_writing``, those of starting them in ``waves``.
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import StrEnum
from typing import Any, Literal

from typing_extensions import TypedDict


class TodoStatus(StrEnum):
    """Where an item stands. ``done`` (seed 004) is read as ``completed``, the word that existing clients show."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"


ENDED = frozenset({TodoStatus.COMPLETED, TodoStatus.FAILED, TodoStatus.SKIPPED})

#: ``on_attention``: all ready items start and the planner is woken when something needs it. ``every_wave``: the
#: planner marks what is next after each wave (seed 004's rhythm).
Supervision = Literal["on_attention", "every_wave"]


class ToolRequest(TypedDict):
    """A tool call by name and arguments."""

    name: str
    args: dict[str, Any]


class Question(TypedDict, total=False):
    """What an item waits for."""

    type: str
    """``conflict``, ``need_confirmation``, ``ask_user`` or ``approve``."""
    question: str
    """The sentence for the user."""
    choices: list[dict[str, Any]]
    """Ways on, as ``Choice`` dumps; empty when any answer will do."""
    call: ToolRequest
    """The call that asked; a choice repeats it."""
    call_id: str
    """Its id in the item's window."""


class Answer(TypedDict, total=False):
    """What the user said to an item's question; read by the next dispatch of the item."""

    text: str
    """The user's words."""
    call: ToolRequest
    """The completed call of the picked choice."""
    call_id: str
    """Id of the call that asked."""
    permit: bool
    """Whether the service may do what the rule refused, once, for exactly ``call`` (P5)."""


class Outcome(TypedDict):
    """How an item ended."""

    status: str
    """The weightiest ``ToolResult`` status, or ``error``."""
    rows: list[str]
    """Rows written or found, for example ``task:5``."""
    summary: str
    """One sentence for the reply. Never shown to the planner (it may quote untrusted text)."""


class Todo(TypedDict, total=False):
    """One item of the plan."""

    id: str
    content: str
    status: str
    subagent: str
    depends_on: list[str]
    steps: list[str]
    note: str
    """Key of its note, once written."""
    outcome: Outcome
    question: Question | None
    """Set while it waits for the user; its status stays ``in_progress`` (X20)."""
    answer: Answer | None
    runs: int
    """How often it was dispatched."""
    reads: list[str]
    """Notes it read: a changed item re-runs only what depends on it (N4)."""
    drop: bool
    """A write with this removes the item."""


def merge_todos(current: list[Todo], writes: Sequence[list[Todo]]) -> list[Todo]:
    """Fold writes into the list: by id, order kept, only what a write names is changed (the state's reducer).

    A field that is ``None`` is cleared; ``{"id": .., "drop": True}`` removes the item. Never in place (X18).
    """
    merged = {todo["id"]: todo for todo in current}
    for write in writes:
        for change in write:
            if change.get("drop"):
                merged.pop(change["id"], None)
                continue
            fields = {**merged.get(change["id"], {}), **change}
            merged[change["id"]] = {k: v for k, v in fields.items() if v is not None}  # type: ignore[assignment]
    return list(merged.values())


def followers(todos: Sequence[Todo]) -> dict[str, list[Todo]]:
    """The items that depend on each item."""
    behind: dict[str, list[Todo]] = {}
    for todo in todos:
        for dependency in set(todo.get("depends_on", ())):
            behind.setdefault(dependency, []).append(todo)
    return behind


def waiting(todos: Sequence[Todo]) -> list[Todo]:
    """The items with an open question, in order."""
    return [todo for todo in todos if todo.get("question")]
