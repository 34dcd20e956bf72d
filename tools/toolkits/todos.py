"""``write_todo`` and ``update_todo`` (seed 004, E03-E08, X4). The rules are in ``tools.domain.todos``."""

from __future__ import annotations

from functools import cache
from typing import Any, Literal

from pydantic import Field

from tools.core.text import Language
from tools.toolkits.making import Arguments, state_tool

WRITE_TODO = "write_todo"
UPDATE_TODO = "update_todo"


class TodoItem(Arguments):
    """One item; everything but its content may be left out."""

    content: str = Field(min_length=1)
    id: str | None = None
    subagent: str | None = None
    depends_on: list[str] | None = None
    steps: list[str] | None = None


class TodoChange(Arguments):
    """A change of one item, named by id (or by content, if only one item has it)."""

    id: str | None = None
    content: str | None = None
    status: Literal["pending", "in_progress", "completed", "done"] | None = None
    subagent: str | None = None
    depends_on: list[str] | None = None
    drop: bool | None = None


class WriteTodo(Arguments):
    """The whole plan, once."""

    todos: list[TodoItem | str] = Field(min_length=1)


class UpdateTodo(Arguments):
    """Only what changes."""

    changes: list[TodoChange] = Field(default_factory=list)
    add: list[TodoItem | str] = Field(default_factory=list)


@cache
def todo_tools(language: Language) -> tuple[dict[str, Any], dict[str, Any]]:
    """The schemas of both."""
    return state_tool(WRITE_TODO, WriteTodo, language), state_tool(UPDATE_TODO, UpdateTodo, language)
