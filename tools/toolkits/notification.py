"""The notification agent's tools (A23, A24)."""

from __future__ import annotations

from typing import Self

from langchain_core.tools import BaseTool
from pydantic import model_validator

from tools.core.context import Call
from tools.core.result import ToolResult
from tools.core.text import Language
from tools.services.notifications import NewReminder, NotificationService
from tools.toolkits.making import Arguments, domain_tool


class ScheduleReminder(Arguments):
    """The task to be reminded of, and the user's own wish for the time, if there is one."""

    task_id: int | None = None
    task_title: str | None = None
    task_date: str | None = None
    task_time: str | None = None
    weather_info: str | None = None
    remind_at: str | None = None


class ListReminders(Arguments):
    """Of which date; all when left out."""

    date: str | None = None


class CancelReminder(Arguments):
    """Which reminder: its number, or the task that it belongs to."""

    reminder_id: int | None = None
    task_title: str | None = None

    @model_validator(mode="after")
    def _names_one(self) -> Self:
        if self.reminder_id is None and not self.task_title:
            raise ValueError("give reminder_id or task_title")
        return self


def notification_tools(service: NotificationService, language: Language) -> list[BaseTool]:
    """schedule_reminder, list_reminders, cancel_reminder."""

    async def schedule(call: Call, given: ScheduleReminder) -> ToolResult:
        return await service.schedule(call, NewReminder(**given.model_dump()))

    async def listing(call: Call, given: ListReminders) -> ToolResult:
        return await service.coming(call, given.date)

    async def cancel(call: Call, given: CancelReminder) -> ToolResult:
        return await service.cancel(call, given.reminder_id, given.task_title)

    return [
        domain_tool("schedule_reminder", ScheduleReminder, schedule, language),
        domain_tool("list_reminders", ListReminders, listing, language),
        domain_tool("cancel_reminder", CancelReminder, cancel, language),
    ]
