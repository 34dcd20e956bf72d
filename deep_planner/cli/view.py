"""What is seen on standard error while a request runs: a live tree on a terminal, plain lines elsewhere."""

from __future__ import annotations

import sys
from types import TracebackType
from typing import Any, Self

from rich.console import Console
from rich.live import Live
from rich.text import Text
from rich.tree import Tree

from deep_planner.events import Asked, Event, NoteWritten, OpenQuestion, TodoChanged
from deep_planner.settings import Settings
from tools.core.harmless import harmless, harmless_lines
from tools.core.text import Language, text

MARKS = {"pending": "○", "in_progress": "◐", "completed": "●", "failed": "✗", "skipped": "–"}
STYLES = {"pending": "dim", "in_progress": "cyan", "completed": "green", "failed": "red", "skipped": "yellow"}


class View:
    """The base: shows nothing but what has to be said."""

    def __init__(self, language: Language) -> None:
        self.language: Language = language

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        return None

    def header(self, settings: Settings) -> None:
        """Which model works, and where the rows are."""

    def event(self, event: Event) -> None:
        """Something happened."""

    def line(self, words: str) -> None:
        """A line that must be seen, whatever the view (reminders, how to answer)."""
        sys.stderr.write(harmless_lines(words) + "\n")

    def question(self, question: OpenQuestion) -> None:
        """A question and its choices."""
        self.line(question.question)
        for number, choice in enumerate(question.choices, start=1):
            self.line(f"  {number}. {choice['label']}")


class QuietView(View):
    """For ``--json``: the result alone."""


class PlainView(View):
    """A line for each change: for pipes and logs."""

    def header(self, settings: Settings) -> None:
        """Model and database."""
        for line in header_lines(settings, self.language):
            self.line(line)

    def event(self, event: Event) -> None:
        """One line for a change of an item or a new note."""
        if isinstance(event, TodoChanged):
            self.line(todo_line(event.todo, self.language))
        elif isinstance(event, NoteWritten):
            self.line(f"    {text(self.language, 'cli.note', key=event.key)}")


class TreeView(View):
    """A tree that changes in place."""

    def __init__(self, language: Language) -> None:
        super().__init__(language)
        self._console = Console(stderr=True, highlight=False)
        self._todos: dict[str, dict[str, Any]] = {}
        self._live: Live | None = None

    def __enter__(self) -> Self:
        self._live = Live(console=self._console, auto_refresh=False)
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._live:
            self._live.stop()
            self._live = None

    def header(self, settings: Settings) -> None:
        """Model and database, dimmed."""
        for line in header_lines(settings, self.language):
            self._console.print(Text(line, style="dim"))

    def event(self, event: Event) -> None:
        """Redraw when an item changed."""
        if isinstance(event, TodoChanged):
            self._todos[str(event.todo_id)] = event.todo
        if self._live and self._todos and isinstance(event, TodoChanged | NoteWritten | Asked):
            self._live.update(self._tree(), refresh=True)

    def line(self, words: str) -> None:
        """A line above the tree."""
        self._console.print(Text(harmless_lines(words)))

    def _tree(self) -> Tree:
        tree = Tree(Text(text(self.language, "cli.plan"), style="bold"))
        for todo in self._todos.values():
            branch = tree.add(Text(todo_line(todo, self.language), style=STYLES[todo["status"]]))
            if note := todo.get("note"):
                branch.add(Text(text(self.language, "cli.note", key=note), style="dim"))
        return tree


def header_lines(settings: Settings, language: Language) -> list[str]:
    """Which model works, and where the rows are."""
    offline = settings.model == "offline:rules"
    model = text(language, "cli.model_offline") if offline else text(language, "cli.model_line", model=settings.model)
    place = settings.database if "://" not in settings.database else settings.database.rpartition("@")[2]
    return [model, text(language, "cli.database_line", place=place)]


def todo_line(todo: dict[str, Any], language: Language) -> str:
    """An item and how it stands: ``● t1 … [task] done``."""
    status = "waiting" if todo.get("question") else f"status_{todo['status']}"
    agent = _agent(todo.get("subagent", ""), language)
    content = harmless(todo["content"])
    return f"{MARKS[todo['status']]} {todo['id']} {content} [{agent}] {text(language, f'cli.{status}')}"


def _agent(name: str, language: Language) -> str:
    try:
        return text(language, f"cli.agent_{name}")
    except KeyError:
        return name
