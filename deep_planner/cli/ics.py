"""``deep-planner export --ics`` and ``deep-planner import --ics``: tasks as a calendar file, out and in.

An import is shown before it is done. At a terminal the person is asked; elsewhere nothing is written without ``--yes``.
"""

from __future__ import annotations

import argparse
import json
import sys
from contextlib import suppress
from pathlib import Path
from typing import Any
from uuid import uuid4

from deep_planner.cli.chosen import settings_of
from deep_planner.cli.entry import Exit
from deep_planner.cli.ics_view import JsonView, WordsView
from deep_planner.cli.prompting import person_is_there, prompted
from tools.core.clock import Clock
from tools.core.context import RunContext
from tools.core.result import ResultStatus
from tools.core.text import Language, text
from tools.domain.tasks import TaskStatus
from tools.services.ics.exporting import Export, export_calendar
from tools.services.ics.importing import ImportService, Preview
from tools.services.ics.lines import LARGEST_FILE, CalendarFileError
from tools.services.ics.planning import Action
from tools.services.resolving import resolve_days
from tools.store.database import Database

STDIO = "-"


async def export_ics(arguments: argparse.Namespace, clock: Clock, language: Language) -> int:
    """Write the user's tasks and reminders as a calendar file.

    Raises:
        CalendarFileError: The file cannot be written.
    """
    settings = settings_of(arguments)
    context = settings.context().run_context(clock.now(), settings.language or language)
    first, last = resolve_days(context, arguments.date) if arguments.date else (None, None)
    status = TaskStatus(arguments.status) if arguments.status else None
    database = await Database.open(settings.url, now=clock.now())
    try:
        made = await export_calendar(database, context, first, last, status)
    finally:
        await database.aclose()
    if arguments.ics != STDIO:
        _write(arguments.ics, made.data)
    _tell_export(arguments, made, context.language)
    return Exit.DONE


def _tell_export(arguments: argparse.Namespace, made: Export, language: Language) -> None:
    to_screen = arguments.ics == STDIO
    if arguments.json:
        told: dict[str, Any] = {"file": None if to_screen else arguments.ics}
        told |= {"tasks": made.tasks, "reminders": made.reminders, "left_out": made.alone}
        if to_screen:
            told["ics"] = made.data.decode()
        sys.stdout.write(json.dumps(told, ensure_ascii=False, indent=2) + "\n")
        return
    if to_screen:
        sys.stdout.buffer.write(made.data)
        sys.stdout.flush()
    else:
        words = text(language, "ics.exported", tasks=made.tasks, reminders=made.reminders, place=arguments.ics)
        sys.stdout.write(words + "\n")
    if made.alone:
        sys.stderr.write(text(language, "ics.exported_alone", alone=made.alone) + "\n")


def _write(name: str, data: bytes) -> None:
    """Write the file whole, or leave the one that is there as it is."""
    path = Path(name)
    try:
        if path.exists() and not path.is_file():
            if path.is_dir():
                raise CalendarFileError("folder", name)
            path.write_bytes(data)  # a pipe or a device
            return
        place = path.resolve()
        part = place.with_name(f".{place.name}.{uuid4().hex[:8]}")
        try:
            part.write_bytes(data)
            part.replace(place)
        finally:
            with suppress(OSError):
                part.unlink(missing_ok=True)
    except (OSError, ValueError) as error:
        raise CalendarFileError("unwritable", name, detail=_detail(error)) from error


async def import_ics(arguments: argparse.Namespace, clock: Clock, language: Language) -> int:
    """Show what a calendar file would change, ask, and do it.

    Raises:
        CalendarFileError: The file cannot be read, or is no calendar.
    """
    settings = settings_of(arguments)
    context = settings.context().run_context(clock.now(), settings.language or language)
    view = (JsonView if arguments.json else WordsView)(arguments.ics, context)
    data = _read(arguments.ics)
    database = await Database.open(settings.url, now=clock.now())
    try:
        service = ImportService(database)
        preview = await _previewed(service, data, arguments.ics, context)
        view.preview(preview.plan)
        if not preview.plan.writes:
            view.nothing()
            return Exit.FAILED if preview.plan.of(Action.SKIP) and not preview.plan.of(Action.UNCHANGED) else Exit.DONE
        if not arguments.yes and (arguments.json or not person_is_there()):
            view.how()
            return Exit.WAITING
        if not arguments.yes and not _agreed(context.language):
            view.declined()
            return Exit.DONE
        result = await service.carry_out(preview)
        view.result(result)
        return Exit.DONE if result.status is ResultStatus.SUCCESS else Exit.FAILED
    finally:
        await database.aclose()
        view.close()


async def _previewed(service: ImportService, data: bytes, name: str, context: RunContext) -> Preview:
    try:
        return await service.preview(data, context)
    except CalendarFileError as error:
        error.place = name
        raise


def _agreed(language: Language) -> bool:
    return prompted(text(language, "ics.ask")).lower() in text(language, "ics.yes_words").split()


def _read(name: str) -> bytes:
    """The file, but never much more of it than may be."""
    try:
        if name == STDIO:
            return sys.stdin.buffer.read(LARGEST_FILE + 1)
        if Path(name).is_dir():
            raise CalendarFileError("folder", name)
        with open(name, "rb") as file:
            return file.read(LARGEST_FILE + 1)
    except FileNotFoundError as error:
        raise CalendarFileError("missing", name) from error
    except (OSError, ValueError) as error:
        raise CalendarFileError("unreadable", name, detail=_detail(error)) from error


def _detail(error: Exception) -> str:
    return (error.strerror if isinstance(error, OSError) else None) or str(error)
