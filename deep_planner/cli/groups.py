"""``deep-planner groups``: list, make, rename and remove the user's groups of tasks."""

from __future__ import annotations

import argparse
import shlex
import sys
from typing import Any

from rich.table import Table
from rich.text import Text

from deep_planner.asked import new_thread_id
from deep_planner.cli.chosen import settings_of
from deep_planner.cli.entry import Exit
from deep_planner.cli.prompting import person_is_there, prompted
from deep_planner.cli.shown import console, print_whole, write_json
from tools.core.clock import Clock
from tools.core.context import Call, Operation, RunContext, digest
from tools.core.harmless import harmless
from tools.core.result import ToolResult
from tools.core.text import Language, text
from tools.domain.records import Group
from tools.services.groups import GroupService, group_named
from tools.store.database import Database

#: Answers that mean yes, in either language.
YES = frozenset(("y", "yes", "是", "好", "对"))


async def change_groups(arguments: argparse.Namespace, clock: Clock, language: Language) -> int:
    """Carry out the action; a removal is asked about first.

    Raises:
        UsageError: A name that cannot be, or that no group has.
    """
    settings = settings_of(arguments)
    context = settings.context().run_context(clock.now(), settings.language or language)
    database = await Database.open(settings.url, now=clock.now())
    try:
        service = GroupService(database)
        if arguments.action == "list":
            _show(await service.all(context.user_id), arguments, context)
            return Exit.DONE
        if arguments.action == "remove" and not arguments.yes:
            group, count = await _found(service, arguments.names[0], context)
            ended = _ask(group, count, arguments, context)
            if ended is not None:
                return ended
        result = await _changed(service, arguments, context)
    finally:
        await database.aclose()
    if arguments.json:
        write_json({"status": "completed", **result.data})
    else:
        _say(result.message)
    return Exit.DONE


async def _changed(service: GroupService, arguments: argparse.Namespace, context: RunContext) -> ToolResult:
    """The change, under a key of its own: the same command given twice is meant twice."""
    action, names = arguments.action, arguments.names
    call = Call(context, Operation(f"groups-{new_thread_id()}", 1, "cli", f"group_{action}", digest({"n": names}), 0))
    if action == "add":
        return await service.add(call, *names)
    if action == "rename":
        return await service.rename(call, *names)
    return await service.remove(call, *names)


async def _found(service: GroupService, name: str, context: RunContext) -> tuple[Group, int]:
    groups = dict(await service.all(context.user_id))
    group = group_named(list(groups), name)
    return group, groups[group]


def _ask(group: Group, count: int, arguments: argparse.Namespace, context: RunContext) -> Exit | None:
    """Ask at a terminal; elsewhere tell how to say yes. ``None`` means go on."""
    language, name = context.language, harmless(group.name)
    question = text(language, "groups.ask", name=name, count=count)
    if arguments.json or not person_is_there():
        if arguments.json:
            write_json({"status": "waiting", "id": group.id, "name": group.name, "question": question})
        else:
            _say(question)
        line = f"deep-planner groups remove {shlex.quote(name)} --yes"
        sys.stderr.write(text(language, "groups.ask_how", line=line) + "\n")
        return Exit.WAITING
    if prompted(f"{question}\n{text(language, 'groups.ask_prompt')}").casefold() in YES:
        return None
    _say(text(language, "groups.kept", name=name))
    return Exit.DONE


def _show(groups: list[tuple[Group, int]], arguments: argparse.Namespace, context: RunContext) -> None:
    rows: list[dict[str, Any]] = [{"id": group.id, "name": group.name, "open_tasks": n} for group, n in groups]
    if arguments.json:
        write_json(rows)
        return
    if not rows:
        _say(text(context.language, "groups.none"))
        return
    table = Table(title=text(context.language, "groups.title"), title_justify="left")
    for column in ("id", "name", "tasks"):
        table.add_column(text(context.language, f"groups.column_{column}"))
    for row in rows:
        table.add_row(*(Text(harmless(str(value))) for value in row.values()))
    print_whole(table, console())


def _say(words: str) -> None:
    console().print(harmless(words), soft_wrap=True)
