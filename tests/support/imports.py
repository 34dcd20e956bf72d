"""Calendar files read and imported, in a line each."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from tests.support.builders import NOW, context, tasks_of
from tests.support.calendars import alarm, event, wrapped
from tools.core.context import RunContext
from tools.core.result import ToolResult
from tools.domain.tasks import Task
from tools.services.ics.importing import ImportService
from tools.services.ics.items import Item
from tools.services.ics.planning import Plan
from tools.services.ics.reading import read_calendar
from tools.store.database import Database
from tools.store.repositories import Tasks

MEETING = event("m@example.com", "SEQUENCE:0", alarm("TRIGGER:-PT15M"))


async def plan_of(database: Database, *entries: str, user: RunContext | None = None) -> Plan:
    return (await ImportService(database).preview(wrapped(*entries), user or context())).plan


async def imported(
    database: Database, *entries: str, user: RunContext | None = None, data: bytes | None = None
) -> ToolResult:
    service = ImportService(database)
    return await service.carry_out(await service.preview(data or wrapped(*entries), user or context()))


async def only(database: Database) -> Task:
    [found] = await tasks_of(database)
    return found


async def saved(database: Database, before: Task, now: datetime = NOW, **changes: Any) -> Task:
    async with database.writing() as session:
        return await Tasks(session, before.user_id).save(replace(before, **changes), now)


def read(*entries: str, zone: str = "Asia/Shanghai", product: str = "-//example//EN") -> list[Item]:
    user = replace(context(), zone=ZoneInfo(zone), now=NOW.astimezone(ZoneInfo(zone)))
    reading = read_calendar(wrapped(*entries, product=product), user)
    assert reading.skipped == ()
    return list(reading.items)


def one(entry: str, zone: str = "Asia/Shanghai", product: str = "-//example//EN") -> Item:
    [item] = read(entry, zone=zone, product=product)
    return item


def refused(*entries: str, zone: str = "Asia/Shanghai") -> list[str]:
    user = replace(context(), zone=ZoneInfo(zone), now=NOW.astimezone(ZoneInfo(zone)))
    return [lost.reason for lost in read_calendar(wrapped(*entries), user).skipped]
