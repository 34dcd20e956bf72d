"""The calendar agent: its tools and limits; what it tells its model is in ``prompts``."""

from __future__ import annotations

from functools import partial

from subagents.spec import SubagentSpec
from tools.services.calendar import CalendarService
from tools.toolkits.calendar import calendar_tools


def calendar_agent(service: CalendarService) -> SubagentSpec:
    """The spec of the calendar agent."""
    return SubagentSpec("calendar", partial(calendar_tools, service))
