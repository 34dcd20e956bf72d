"""The one shape every tool answers in (A16, seed 000 section 5.4)."""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any

from pydantic import BaseModel, ConfigDict, Field


class ResultStatus(StrEnum):
    """What came of a tool call (X3: its own enum, not that of a todo or a task)."""

    SUCCESS = "success"
    CONFLICT = "conflict"
    NEED_CONFIRMATION = "need_confirmation"
    ERROR = "error"


class TaskInfo(BaseModel):
    """A task as models and programs see it: local ISO date, ``HH:MM`` wall times, the RRULE of one that comes back.

    ``all_day`` is true for one that the user said takes the whole day (P11).
    """

    model_config = ConfigDict(frozen=True)

    id: int
    title: str
    date: str
    start_time: str | None = None
    end_time: str | None = None
    time_segment: str
    priority: str
    status: str
    group_id: int | None = None
    description: str | None = None
    repeats: str | None = None
    all_day: bool | None = None


class Choice(BaseModel):
    """One way to answer a tool's question: the same call, completed.

    Picking it makes the engine repeat the call with ``arguments`` laid over the old ones, so no model has to word
    the call again. ``permit`` marks the user's yes to what the rule refused; it holds for that one call (P5).
    """

    model_config = ConfigDict(frozen=True)

    id: str
    label: str
    arguments: dict[str, Any] = Field(default_factory=dict)
    permit: bool = False
    decline: bool = False


class ToolResult(BaseModel):
    """Status and message, and what the message is about.

    Attributes:
        status: Success, conflict, need_confirmation or error.
        message: One to three sentences for the user, in the run's language, no ids, no ISO dates (P21).
        task: The task acted on.
        conflicting_tasks: The tasks in the way, by start and id.
        data: What one agent has to tell, for example ``free_slots`` or a forecast.
        rows: Row references such as ``"task:5"``; all that the planner sees of a result besides its status.
        choices: With conflict and need_confirmation: the ways on.
    """

    model_config = ConfigDict(frozen=True)

    status: ResultStatus
    message: str
    task: TaskInfo | None = None
    conflicting_tasks: list[TaskInfo] = Field(default_factory=list)
    data: dict[str, Any] = Field(default_factory=dict)
    rows: list[str] = Field(default_factory=list)
    choices: list[Choice] = Field(default_factory=list)

    @property
    def asks(self) -> bool:
        """Whether the call waits for the user."""
        return self.status in (ResultStatus.CONFLICT, ResultStatus.NEED_CONFIRMATION)

    def for_model(self) -> str:
        """The result as JSON for a model's window: empty parts left out, choices by label."""
        content = self.model_dump(mode="json", exclude_defaults=True, exclude={"choices"})
        if self.choices:
            content["choices"] = [choice.label for choice in self.choices]
        return json.dumps(content, ensure_ascii=False)
