"""The calendar agent's tools (A17, A18)."""

from __future__ import annotations

from langchain_core.tools import BaseTool
from pydantic import Field

from tools.core.context import Call
from tools.core.result import ToolResult
from tools.core.text import Language
from tools.services.calendar import CalendarService
from tools.toolkits.making import Arguments, domain_tool


class GetDaySchedule(Arguments):
    """Which day."""

    date: str | None = None


class FindFreeSlots(Arguments):
    """Which day, and between which hours."""

    date: str | None = None
    start_hour: int | None = Field(None, ge=0, le=23)
    end_hour: int | None = Field(None, ge=1, le=24)


def calendar_tools(service: CalendarService, language: Language) -> list[BaseTool]:
    """get_day_schedule, find_free_slots."""

    async def schedule(call: Call, given: GetDaySchedule) -> ToolResult:
        return await service.day_schedule(call, given.date)

    async def slots(call: Call, given: FindFreeSlots) -> ToolResult:
        return await service.free_slots(call, given.date, given.start_hour, given.end_hour)

    return [
        domain_tool("get_day_schedule", GetDaySchedule, schedule, language),
        domain_tool("find_free_slots", FindFreeSlots, slots, language),
    ]
