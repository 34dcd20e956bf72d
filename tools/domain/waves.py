"""Waves: which items of a list may start together, and which can never start (X4, A50)."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

from tools.domain.todos import ENDED, Supervision, Todo, TodoStatus, followers


@dataclass(frozen=True, slots=True)
class Wave:
    """What to do next with a list: items to start together, and items that can never start."""

    start: list[Todo] = field(default_factory=list)
    skip: list[tuple[Todo, str]] = field(default_factory=list)
    """Each with the id of the item that failed it."""


def next_wave(todos: Sequence[Todo], supervision: Supervision, advisory: Collection[str] = ()) -> Wave:
    """Every item that may start now, and every item whose dependency failed.

    Args:
        todos: The list.
        supervision: Under ``every_wave`` only items that the planner marked ``in_progress`` start.
        advisory: Sub-agents whose failure holds nobody up: a reminder is made without the weather (A50).
    """
    status = {todo["id"]: todo["status"] for todo in todos}
    helpful = {todo["id"] for todo in todos if todo.get("subagent") in advisory}
    skip: list[tuple[Todo, str]] = []
    behind = followers(todos)
    lost = [name for name in status if _is_lost(name, status, helpful)]
    while lost:
        cause = lost.pop()
        for todo in behind.get(cause, ()):
            if status[todo["id"]] == TodoStatus.PENDING:
                skip.append((todo, cause))
                status[todo["id"]] = TodoStatus.SKIPPED.value
                if todo["id"] not in helpful:
                    lost.append(todo["id"])
    start = [todo for todo in todos if _may_start(todo, status, supervision)]
    return Wave(start, skip)


def _is_lost(name: str, status: Mapping[str, str], helpful: Collection[str]) -> bool:
    return name not in helpful and status.get(name) in (TodoStatus.FAILED, TodoStatus.SKIPPED)


def _may_start(todo: Todo, status: Mapping[str, str], supervision: Supervision) -> bool:
    if todo.get("question"):
        return False
    if todo.get("answer"):
        return status[todo["id"]] not in ENDED
    # What a wave started has ended or waits by the time of the next one: "in progress" here is the planner's word.
    wanted = {TodoStatus.IN_PROGRESS} if supervision == "every_wave" else {TodoStatus.IN_PROGRESS, TodoStatus.PENDING}
    met = all(status.get(name, TodoStatus.COMPLETED) in ENDED for name in todo.get("depends_on", ()))
    return status[todo["id"]] in wanted and met
