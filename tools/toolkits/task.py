"""The task agent's tools (A08-A11): one intent, one tool."""

from __future__ import annotations

from typing import Annotated, Literal

from langchain_core.tools import BaseTool
from pydantic import WithJsonSchema

from tools.core.context import Call
from tools.core.result import ToolResult
from tools.core.text import Language
from tools.services.finding import Reference
from tools.services.tasks import NewTask, TaskChanges, TaskService
from tools.toolkits.making import Arguments, domain_tool

Segment = Literal["early_morning", "morning", "forenoon", "noon", "afternoon", "evening", "all_day"]
Level = Literal["low", "medium", "high"]
# These are shown to models as plain strings: what one tool has listed need not be paid for again with every call.
SameSegment = Annotated[Segment, WithJsonSchema({"type": "string"})]
SameLevel = Annotated[Level, WithJsonSchema({"type": "string"})]
GroupName = Annotated[int | str, WithJsonSchema({"type": "string"})]


class CreateTask(Arguments):
    """A new task."""

    title: str
    due_date: str | None = None
    start_time: str | None = None
    end_time: str | None = None
    time_segment: Segment | None = None
    priority: Level | None = None
    group_id: GroupName | None = None
    description: str | None = None
    repeat: str | None = None


class QueryTasks(Arguments):
    """Which tasks to list."""

    status: Literal["pending", "completed", "cancelled"] | None = None
    due_date: str | None = None
    priority: Level | None = None


class TaskReference(Arguments):
    """Which task is meant."""

    title: str | None = None
    task_id: int | None = None
    on_date: str | None = None
    whole_series: bool | None = None

    def reference(self) -> Reference:
        """For the service."""
        return Reference(self.task_id, self.title, self.on_date, whole_series=bool(self.whole_series))


class EndTask(TaskReference):
    """Which task is meant, or that all tasks of a date are."""

    everything: bool | None = None

    def reference(self) -> Reference:
        """For the service."""
        return Reference(self.task_id, self.title, self.on_date, bool(self.everything), bool(self.whole_series))


class ModifyTask(EndTask):
    """Which task, and its new values."""

    new_title: str | None = None
    due_date: str | None = None
    start_time: str | None = None
    end_time: str | None = None
    time_segment: SameSegment | None = None
    priority: SameLevel | None = None
    group_id: GroupName | None = None
    description: str | None = None
    repeat: str | None = None


def task_tools(service: TaskService, language: Language) -> list[BaseTool]:
    """create_task, query_tasks, modify_task, finish_task, remove_task."""

    async def create(call: Call, given: CreateTask) -> ToolResult:
        values = given.model_dump(exclude={"group_id"})
        return await service.create(call, NewTask(**values, group=_name(given.group_id)))

    async def query(call: Call, given: QueryTasks) -> ToolResult:
        return await service.query(call, given.due_date, given.status, given.priority)

    async def modify(call: Call, given: ModifyTask) -> ToolResult:
        values = given.model_dump(exclude={"group_id", "title", "task_id", "on_date", "everything", "whole_series"})
        return await service.modify(call, given.reference(), TaskChanges(**values, group=_name(given.group_id)))

    async def finish(call: Call, given: EndTask) -> ToolResult:
        return await service.finish(call, given.reference())

    async def remove(call: Call, given: EndTask) -> ToolResult:
        return await service.remove(call, given.reference())

    return [
        domain_tool("create_task", CreateTask, create, language),
        domain_tool("query_tasks", QueryTasks, query, language),
        domain_tool("modify_task", ModifyTask, modify, language),
        domain_tool("finish_task", EndTask, finish, language),
        domain_tool("remove_task", EndTask, remove, language),
    ]


def _name(group: int | str | None) -> str | None:
    return None if group is None else str(group)
