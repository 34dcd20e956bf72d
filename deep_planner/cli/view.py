"""What is seen while a request runs: on standard error the plan, on standard output the reply."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from types import TracebackType
from typing import Any, Self

from deep_planner.cli.board import Board, murmur_line, retrying_line
from deep_planner.cli.shown import show
from deep_planner.cli.typewriter import Typewriter
from deep_planner.events import Event, NoteWritten, OpenQuestion, Retrying, RunResult, TodoChanged, Token
from deep_planner.settings import Settings
from tools.core.harmless import harmless, harmless_json, harmless_lines
from tools.core.text import Language, text

MARKS = {"pending": "○", "in_progress": "◐", "completed": "●", "failed": "✗", "skipped": "–"}


class View:
    """The base: shows nothing but what has to be said.

    Args:
        language: The language of its words.
        shown: ``agents``, ``reasoning``: what is shown besides the plan and the reply.
    """

    def __init__(self, language: Language, shown: frozenset[str] = frozenset()) -> None:
        self.language: Language = language
        self.board = Board(shown)

    def recall(self, todos: Iterable[Mapping[str, Any]]) -> None:
        """The plan as it stands before a run goes on with it."""
        self.board.recall(todos)

    def __enter__(self) -> Self:
        """A run begins."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """A run has ended, however it ended."""

    def header(self, settings: Settings) -> None:
        """Which model works, and where the rows are."""

    def event(self, event: Event) -> None:
        """Something happened."""

    def line(self, words: str) -> None:
        """A line that must be seen, whatever the view (reminders, how to answer)."""
        show(harmless_lines(words) + "\n", sys.stderr)

    def question(self, question: OpenQuestion) -> None:
        """A question and its choices."""
        self.line("\n".join(question_lines(question)))

    def reply(self, result: RunResult) -> None:
        """The reply, as far as it has not been seen yet."""


class QuietView(View):
    """For ``--json``: the result alone, which its caller writes."""


class EventsView(View):
    """For ``--events``: every event as a line of JSON, at once."""

    def event(self, event: Event) -> None:
        """One line."""
        show(harmless_json(event.model_dump(mode="json"), indent=None) + "\n", sys.stdout)


class PlainView(View):
    """A line for each change: for pipes and logs."""

    def __init__(self, language: Language, shown: frozenset[str] = frozenset()) -> None:
        super().__init__(language, shown)
        self._typewriter = Typewriter()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is not None:
            self._typewriter.broken_off()

    def header(self, settings: Settings) -> None:
        """Model and database."""
        for line in header_lines(settings, self.language):
            self.line(line)

    def line(self, words: str) -> None:
        """A line, never in the middle of the reply."""
        self._typewriter.step_aside()
        super().line(words)

    def event(self, event: Event) -> None:
        """One line for a change of an item, a new note, a model that does not answer."""
        for murmur in self.board.take(event):
            self.line(murmur_line(murmur, self.language))
        if isinstance(event, Token) and event.agent is None:
            self._typewriter.piece(event.text)
        elif isinstance(event, Retrying):
            if event.agent is None:
                self._typewriter.void()
            self.line(retrying_line(event, self.language))
        elif isinstance(event, TodoChanged):
            self.line(todo_line(event.todo, self.language))
        elif isinstance(event, NoteWritten):
            self.line(f"    {text(self.language, 'cli.note', key=event.key)}")

    def reply(self, result: RunResult) -> None:
        """End the typed reply, or write it."""
        self._typewriter.end(result.reply)


def view_for(language: Language, shown: frozenset[str], *, json: bool, events: bool) -> View:
    """The view that fits where the words go."""
    if events:
        return EventsView(language)
    if json:
        return QuietView(language)
    if not sys.stderr.isatty():
        return PlainView(language, shown)
    from deep_planner.cli.tree_view import TreeView  # noqa: PLC0415 - rich's live display is for terminals alone

    return TreeView(language, shown)


def header_lines(settings: Settings, language: Language) -> list[str]:
    """Which model works, and where the rows are."""
    offline = settings.model == "offline:rules"
    model = text(language, "cli.model_offline") if offline else text(language, "cli.model_line", model=settings.model)
    place = settings.database if "://" not in settings.database else settings.database.rpartition("@")[2]
    return [model, text(language, "cli.database_line", place=place)]


def question_lines(question: OpenQuestion) -> list[str]:
    """A question, and its choices by number."""
    numbered = [f"  {number}. {choice['label']}" for number, choice in enumerate(question.choices, start=1)]
    return [question.question, *numbered]


def picked(question: OpenQuestion, words: str) -> str:
    """The answer that the words give: a number picks a choice, all else stands as it is."""
    words = words.strip()
    if words.isdecimal() and 1 <= int(words) <= len(question.choices):
        return question.choices[int(words) - 1]["id"]
    return words


def todo_line(todo: dict[str, Any], language: Language) -> str:
    """An item and how it stands: ``● t1 … [task] done``."""
    status = "waiting" if todo.get("question") else f"status_{todo['status']}"
    agent = agent_name(todo.get("subagent", ""), language)
    content = harmless(todo["content"])
    return f"{MARKS[todo['status']]} {todo['id']} {content} [{agent}] {text(language, f'cli.{status}')}"


def agent_name(name: str, language: Language) -> str:
    """What people call a sub-agent; one of their own by its own name."""
    try:
        return text(language, f"cli.agent_{name}")
    except KeyError:
        return name
