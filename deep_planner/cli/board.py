"""What a view knows of a run: the items, their calls, what is being said; no terminal in it.

Everything that is kept here has been made harmless: titles, arguments and messages come from outside.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from deep_planner.events import (
    Asked,
    DeliberationStep,
    Event,
    Finished,
    IntentRecognized,
    IntentStarted,
    NoteWritten,
    Reasoning,
    Retrying,
    TodoChanged,
    Token,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
    WorkflowGenerated,
    WorkflowStarted,
)
from tools.core.harmless import harmless
from tools.core.text import Language, text

#: So much of what arrives is kept for the line that shows it, in characters.
LONGEST_TAIL = 300
#: Who works where: the item and its agent; ``None`` of both is the reply.
Source = tuple[str | None, str | None]


@dataclass
class CallLine:
    """A tool call under its item.

    Attributes:
        id: The call's.
        name: The tool.
        arguments: Their text as far as it has arrived; at the end, the values that were carried out.
        status: Empty until it has ended; then that of ``ToolCallFinished``.
        message: What the tool said.
    """

    id: str
    name: str
    arguments: str = ""
    status: str = ""
    message: str = ""


@dataclass(frozen=True)
class Murmur:
    """A line that a working agent said (``agents``) or thought (``reasoning``), or a deliberation's step (``step``)."""

    kind: str
    todo_id: str | None
    agent: str | None
    words: str


@dataclass
class Board:
    """A run as far as it has been told.

    Attributes:
        shown: ``agents`` and ``reasoning``: which murmurs are wanted.
        todos: The items as they stand, by id.
        calls: Their calls, by item; those of the planner itself under ``None``.
        tails: The unfinished lines of murmurs, by kind and source.
        stage: What happens before there is a plan: a key of the catalogue, or empty.
    """

    shown: frozenset[str] = frozenset()
    todos: dict[str, dict[str, Any]] = field(default_factory=dict)
    calls: dict[str | None, list[CallLine]] = field(default_factory=dict)
    tails: dict[tuple[str, Source], str] = field(default_factory=dict)
    stage: str = ""

    def recall(self, todos: Iterable[Mapping[str, Any]]) -> None:
        """The plan of a thread as it stands before a run goes on with it."""
        self.todos = {todo["id"]: dict(todo) for todo in todos}
        self.calls, self.tails, self.stage = {}, {}, ""

    def take(self, event: Event) -> list[Murmur]:
        """Something happened; gives the murmurs that are whole now."""
        source = (event.todo_id, event.agent)
        if isinstance(event, Token) and event.agent is not None:
            return self._murmured("agents", source, event.text)
        if isinstance(event, Reasoning):
            return self._murmured("reasoning", source, event.text)
        ended = list(self._ended(source, everything=isinstance(event, Finished | Asked)))
        if isinstance(event, DeliberationStep):
            return [*ended, Murmur("step", *source, harmless(event.words))]
        if isinstance(event, Retrying):
            self._void(source)
        elif isinstance(event, TodoChanged):
            self.stage = ""
            self.todos[str(event.todo_id)] = event.todo
        elif isinstance(event, ToolCallStarted | ToolCallArguments | ToolCallFinished):
            self._called(event)
        else:
            self._stage(event)
        return ended

    def _stage(self, event: Event) -> None:
        if isinstance(event, IntentStarted):
            self.recall(())  # a new request makes a new plan
            self.stage = "sorting"
        elif isinstance(event, WorkflowStarted):
            self.stage = "planning"
        elif isinstance(event, IntentRecognized | WorkflowGenerated | Token | NoteWritten):
            self.stage = ""

    def _called(self, event: ToolCallStarted | ToolCallArguments | ToolCallFinished) -> None:
        lines = self.calls.setdefault(event.todo_id, [])
        line = next((line for line in lines if line.id == event.call_id), None)
        if line is None:
            line = CallLine(event.call_id, "" if isinstance(event, ToolCallArguments) else harmless(event.name))
            lines.append(line)
        if isinstance(event, ToolCallArguments):
            line.arguments = (line.arguments + harmless(event.piece))[-LONGEST_TAIL:]
        elif isinstance(event, ToolCallFinished):
            line.arguments = harmless(", ".join(f"{name}={value}" for name, value in event.args.items()))
            line.status, line.message = event.status, harmless(event.message)

    def _void(self, source: Source) -> None:
        """The call starts over: what it said so far does not count."""
        todo_id = source[0]
        self.calls[todo_id] = [line for line in self.calls.get(todo_id, ()) if line.status]

    def _murmured(self, kind: str, source: Source, words: str) -> list[Murmur]:
        if kind not in self.shown:
            return []
        *whole, rest = (self.tails.get((kind, source), "") + words).split("\n")
        self.tails[kind, source] = rest
        return [Murmur(kind, *source, harmless(line)) for line in whole if line.strip()]

    def _ended(self, source: Source, *, everything: bool) -> Iterator[Murmur]:
        """Whoever does something else has said what there was to say."""
        for kind, speaker in list(self.tails):
            if everything or speaker == source:
                rest = self.tails.pop((kind, speaker))
                if rest.strip():
                    yield Murmur(kind, *speaker, harmless(rest))


def retrying_line(event: Retrying, language: Language) -> str:
    """One line about a model that did not answer."""
    facts = {"model": event.model, "reason": event.reason}
    if event.instead is not None:
        return harmless(text(language, "chat.instead", instead=event.instead, **facts))
    return harmless(text(language, "chat.retrying", seconds=f"{event.seconds:g}", **facts))


def call_line(call: CallLine, language: Language) -> str:
    """A call in a line: what came of it first, since the end of a long line is cut."""
    mark = {"": "…", "success": "✓", "refused": "✗", "error": "✗"}.get(call.status, "?")
    status = "" if call.status in ("", "success") else f" ({text(language, f'chat.call_{call.status}')})"
    return f"{mark} {call.name}{status} {call.arguments}".rstrip()


def murmur_line(murmur: Murmur, language: Language) -> str:
    """Who says it, and what; a step names its speaker itself."""
    if murmur.kind == "step":
        return f"    {murmur.words}"
    who = " ".join(harmless(name) for name in (murmur.todo_id, murmur.agent) if name)
    thinks = text(language, "chat.thinks") if murmur.kind == "reasoning" else ""
    return f"{who or text(language, 'chat.reply')}{thinks}: {murmur.words.strip()}"
