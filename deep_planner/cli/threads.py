"""``deep-planner threads``: what was asked on each thread, how it stands, and how to go on."""

from __future__ import annotations

import argparse
import shlex
import sys
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from deep_planner.cli.chosen import settings_of
from deep_planner.cli.entry import Exit
from deep_planner.cli.listing import print_table
from deep_planner.cli.shown import console, fitted, write_json
from deep_planner.directory import Directory
from deep_planner.locks import locks_of
from deep_planner.settings import Settings
from tools.core.clock import Clock
from tools.core.harmless import harmless
from tools.core.text import Language, text
from tools.domain.records import ThreadRecord, ThreadStatus
from tools.store.database import Database

#: So much of a request is shown on a terminal, in cells.
MOST = 40
COLUMNS = ["thread", "request", "last", "requests", "state", "changed"]


async def show_threads(arguments: argparse.Namespace, clock: Clock, language: Language) -> int:
    """List the user's threads, or remove one.

    Raises:
        ThreadError: The thread to remove is unknown or busy.
    """
    settings = settings_of(arguments)
    language = settings.language or language
    database = await Database.open(settings.url, now=clock.now())
    locks = locks_of(settings.url, database)
    directory = Directory(database, locks, settings.user_id, clock)
    try:
        if arguments.action == "remove":
            _tell_removed(arguments.names[0], await _removed(directory, settings, arguments.names[0]), language)
        elif arguments.json:
            write_json([as_json(record, ZoneInfo(settings.zone)) for record in await directory.all()])
        else:
            print_threads(await directory.all(), ZoneInfo(settings.zone), language)
    finally:
        await locks.aclose()
        await database.aclose()
    return Exit.DONE


async def _removed(directory: Directory, settings: Settings, thread: str) -> ThreadRecord | None:
    from deep_planner.threads import open_threads  # noqa: PLC0415 - a list of rows needs no LangGraph

    async with open_threads(settings.url) as saver:
        return await directory.remove(thread, saver)


def _tell_removed(thread: str, removed: ThreadRecord | None, language: Language) -> None:
    console().print(removed_words(thread, removed, language), soft_wrap=True)


def removed_words(thread: str, removed: ThreadRecord | None, language: Language) -> str:
    """What was removed, and what was not."""
    if removed is None:
        return text(language, "threads.removed_bare", thread=harmless(thread))
    request, count = harmless(removed.first_request), removed.requests
    return text(language, "threads.removed", thread=harmless(thread), count=count, request=request)


def print_threads(records: list[ThreadRecord], zone: ZoneInfo, language: Language, current: str = "") -> None:
    """The table, and under it how to go on where something is open."""
    rows = [_row(record, zone, language) for record in records]
    telling = any(record.last_request != record.first_request for record in records)
    columns = [name for name in COLUMNS if name != "last" or telling]
    print_table("threads", columns, [[row[name] for name in columns] for row in rows], language)
    out = console()
    for record in records:
        if record.name != current and (words := how_to_go_on(record, language)):
            out.print(words, style="dim", soft_wrap=True)


def _row(record: ThreadRecord, zone: ZoneInfo, language: Language) -> dict[str, str]:
    cells = MOST if sys.stdout.isatty() else None
    return {
        "thread": record.name,
        "request": fitted(harmless(record.first_request), cells),
        "last": fitted(harmless(record.last_request), cells),
        "requests": str(record.requests),
        "state": text(language, f"threads.status_{record.status.value}"),
        "changed": f"{record.updated_at.astimezone(zone):%Y-%m-%d %H:%M}",
    }


def how_to_go_on(record: ThreadRecord, language: Language) -> str:
    """What to type to answer its question, or to go on with what was cut off; empty when nothing is open."""
    if record.status not in (ThreadStatus.WAITING, ThreadStatus.INTERRUPTED):
        return ""
    name = harmless(shlex.quote(record.name))
    return text(language, f"threads.how_{record.status.value}", name=harmless(record.name), thread=name)


def as_json(record: ThreadRecord, zone: ZoneInfo) -> dict[str, Any]:
    """The row for programs; instants in the user's zone, with its offset."""

    def local(moment: datetime) -> str:
        return moment.astimezone(zone).isoformat(timespec="seconds")

    return {
        "thread": record.name,
        "first_request": record.first_request,
        "last_request": record.last_request,
        "requests": record.requests,
        "status": record.status.value,
        "started_at": local(record.started_at),
        "updated_at": local(record.updated_at),
    }
