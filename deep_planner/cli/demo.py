"""``deep-planner demo``: three requests carried out before your eyes, in a world of samples that is thrown away."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.rule import Rule

from deep_planner.cli.arguments import screen_language
from deep_planner.cli.entry import Exit
from deep_planner.cli.shown import console, write_json
from deep_planner.cli.view import todo_line
from deep_planner.demo.world import Row, Scenario, Script, World, folder_for, open_world, read_script
from deep_planner.events import Event, Finished, NoteWritten, RunResult, TodoChanged
from tools.core.clock import Clock
from tools.core.harmless import harmless
from tools.core.text import Language, text

DATABASE = "planner.db"

#: Tasks and reminders.
Rows = tuple[list[Row], list[Row]]


class Stage:
    """Where the demonstration is told: on standard output as it goes, or not at all for ``--json``.

    Args:
        out: The console; ``None`` keeps silent.
        language: The language of the words around.
    """

    def __init__(self, out: Console | None, language: Language) -> None:
        self._out = out
        self.language: Language = language

    def say(self, name: str, style: str = "", **facts: object) -> None:
        """One sentence of the catalogue."""
        self.line(text(self.language, f"demo.{name}", **facts), style)

    def line(self, words: str, style: str = "") -> None:
        """One line."""
        if self._out:
            self._out.print(harmless(words), style=style or None, soft_wrap=True)

    def rule(self, name: str, **facts: object) -> None:
        """A heading."""
        if self._out:
            self._out.print(Rule(text(self.language, f"demo.{name}", **facts), align="left"))


async def show_demo(arguments: argparse.Namespace, _clock: Clock, _language: Language) -> int:
    """Run the scenarios; 1 when one of them did not come to its end."""
    language = screen_language(["demo", *(["--lang", arguments.lang] if arguments.lang else [])])
    stage = Stage(None if arguments.json else console(), language)
    script = read_script()
    with folder_for(arguments.keep) as folder:
        path = folder / DATABASE
        try:
            async with open_world(script, path, language, lambda line: stage.line(f"  {line}")) as world:
                told = await _play(script, world, stage)
        finally:
            # Said also when something went wrong: nobody else knows where the file is.
            if arguments.keep:
                sys.stderr.write(text(language, "demo.kept", path=path) + "\n")
    if not folder.exists():
        stage.say("removed", "dim")
    if arguments.json:
        write_json(_whole(script, told, language, path if arguments.keep else None))
    return Exit.DONE if all(scenario["status"] == "completed" for scenario in told) else Exit.FAILED


async def _play(script: Script, world: World, stage: Stage) -> list[dict[str, Any]]:
    at = f"{script.now:%Y-%m-%d %H:%M} ({script.timezone})"
    stage.say("samples", "yellow", at=at, city=script.city.words(stage.language))
    stage.say("planner", "dim")
    stage.say("before")
    rows = await world.rows()
    _show_rows(rows, rows, stage)
    return [await _scene(scenario, world, stage) for scenario in script.scenarios]


async def _scene(scenario: Scenario, world: World, stage: Stage) -> dict[str, Any]:
    """One request: what is asked, how the list goes, what is noted, replied and stored."""
    request = scenario.request.words(stage.language)
    before = await world.rows()
    stage.rule(f"scenario_{scenario.id}", section=scenario.section)
    stage.say("request", "bold", request=request)
    stage.say("todos")
    result = await _watched(world, request, stage)
    stage.say("notes")
    for key, note in result.notes.items():
        stage.line(f"  {key}: {gist(note)}", "dim")
    stage.say("reply", "bold green", reply=result.reply or (result.question.question if result.question else ""))
    stage.say("rows")
    tasks, reminders = after = await world.rows()
    _show_rows(after, before, stage)
    told = result.model_dump(mode="json", include={"status", "reply", "question", "todos", "notes"})
    return {
        "id": scenario.id,
        "section": scenario.section,
        "request": request,
        **told,
        "tasks": tasks,
        "reminders": reminders,
    }


async def _watched(world: World, request: str, stage: Stage) -> RunResult:
    """Carry the request out and tell each change of the list."""
    last: Event | None = None
    async for last in world.planner.stream(request):
        if isinstance(last, TodoChanged):
            stage.line(f"  {todo_line(last.todo, stage.language)}")
        elif isinstance(last, NoteWritten):
            stage.line(f"      {text(stage.language, 'cli.note', key=last.key)}", "dim")
    if not isinstance(last, Finished):
        raise AssertionError("a stream ends with Finished")
    return last.result


def gist(note: str) -> str:
    """What a note says; the data under it is for the other agents."""
    return note.partition("\n")[0]


def _show_rows(now: Rows, before: Rows, stage: Stage) -> None:
    """All rows, each with a mark when it is new (+) or changed (~)."""
    for table, rows, known in zip(("tasks", "reminders"), now, before, strict=True):
        old = {row["id"] for row in known}
        for row in rows:
            mark = " " if row in known else "~" if row["id"] in old else "+"
            stage.line(f"  {mark} {table} #{row['id']}: {_row_words(row)}", "" if mark == " " else "cyan")
        if not rows:
            stage.say("no_rows", "dim", table=table)


def _row_words(row: Row) -> str:
    """The columns that hold something, as they are stored."""
    return ", ".join(f"{name}={value}" for name, value in row.items() if value is not None and name != "id")


def _whole(script: Script, told: list[dict[str, Any]], language: Language, kept: Path | None) -> dict[str, Any]:
    return {
        "language": language,
        "model": "offline:rules",
        "clock": {"now": script.now.isoformat(), "sample": True},
        "weather": {"city": script.city.words(language), "sample": True},
        "database": str(kept) if kept else None,
        "scenarios": told,
    }
