"""From LangGraph's stream to our events.

LangGraph idea: one stream carries several modes at once. ``updates`` tells what each node wrote, ``messages`` what
models say piece by piece, with the tags of the call, and ``custom`` what a node says of its own accord.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, Literal

from langchain_core.messages import AIMessage, AIMessageChunk

from deep_planner.events import (
    TOLD,
    Asked,
    Event,
    NoteWritten,
    OpenQuestion,
    Reasoning,
    Retrying,
    TodoChanged,
    Token,
    ToolCallArguments,
    ToolCallFinished,
    ToolCallStarted,
)
from subagents.thinking import INTERNAL, SHAPED, speaker_of
from tools.domain.todos import Todo, merge_todos

MODES: list[Literal["custom", "updates", "messages"]] = ["custom", "updates", "messages"]


class Translation:
    """One run's stream, translated part by part.

    Args:
        todos: The list as it stood before the run.
    """

    def __init__(self, todos: list[Todo]) -> None:
        self.todos = todos
        self._reply = _Reply()
        self._calls = _Calls()

    def events(self, namespace: tuple[str, ...], mode: str, part: Any) -> Iterator[Event]:
        """The events of one part of the stream."""
        if mode == "custom":
            yield from self._told(part)
        elif mode == "messages":
            yield from self._said(*part)
        elif not namespace:
            for node, update in part.items():
                yield from self._outer(node, update)

    def _told(self, part: Any) -> Iterator[Event]:
        event = TOLD.validate_python(part)
        if isinstance(event, ToolCallFinished):
            yield from self._calls.unheard(event)
        elif isinstance(event, Retrying) and event.agent is None:
            self._reply = _Reply()
        yield event

    def _said(self, message: Any, metadata: dict[str, Any]) -> Iterator[Event]:
        """What a model says: reasoning, words, calls; the engine's own questions to a model stay inside."""
        tags = metadata.get("tags") or ()
        speaker = speaker_of(tags)
        if speaker is None or INTERNAL in tags or not isinstance(message, AIMessage):
            return
        agent, todo_id = speaker
        if thought := reasoning_of(message):
            yield Reasoning(text=thought, agent=agent, todo_id=todo_id)
        if SHAPED in tags:
            return
        words = message.text if agent else self._reply.take(message.text)
        if words:
            yield Token(text=words, agent=agent, todo_id=todo_id)
        yield from self._calls.begun(message, agent, todo_id)

    def _outer(self, node: str, update: Any) -> Iterator[Event]:
        if node == "__interrupt__":
            for pause in update:
                yield Asked(todo_id=pause.value.get("todo_id"), question=question_of(pause.value))
            return
        if not isinstance(update, dict):
            return
        if writes := update.get("todos"):
            self.todos = merge_todos(self.todos, [writes])
            changed = {write["id"] for write in writes}
            for todo in self.todos:
                if todo["id"] in changed:
                    yield TodoChanged(todo_id=todo["id"], agent=todo.get("subagent"), todo=dict(todo))
        for key, note in (update.get("notes") or {}).items():
            todo_id = key.partition("/")[2]
            agent = next((todo.get("subagent") for todo in self.todos if todo["id"] == todo_id), None)
            yield NoteWritten(todo_id=todo_id, agent=agent, key=key, note=note)
        if node == "respond":
            for message in update.get("messages") or ():
                if rest := self._reply.rest(message.text):
                    yield Token(text=rest)


class _Reply:
    """The reply's pieces: blanks wait for the word after them, so that the pieces join to the stored reply."""

    def __init__(self) -> None:
        self.said = ""
        self._blank = ""

    def rest(self, reply: str) -> str:
        """What the stored reply has beyond what was said: all of it when no model said it."""
        return reply.removeprefix(self.said) if reply.startswith(self.said) else ""

    def take(self, piece: str) -> str:
        words = self._blank + piece
        words = words if self.said else words.lstrip()
        piece = words.rstrip()
        self._blank = words[len(piece) :]
        self.said += piece
        return piece


class _Calls:
    """The calls that models have begun: their name comes once, their arguments in pieces under an index."""

    def __init__(self) -> None:
        self._ids: dict[tuple[str | None, Any], str] = {}

    def begun(self, message: AIMessage, agent: str | None, todo_id: str | None) -> Iterator[Event]:
        pieces: list[Any] = (
            list(message.tool_call_chunks)
            if isinstance(message, AIMessageChunk)
            else [{**call, "index": n, "args": _text(call["args"])} for n, call in enumerate(message.tool_calls)]
        )
        for piece in pieces:
            index = piece["id"] if piece["index"] is None else piece["index"]
            key = (message.id, index)
            if key not in self._ids:
                self._ids[key] = piece["id"] or f"{message.id}/{index}"
                name = piece["name"] or ""
                yield ToolCallStarted(call_id=self._ids[key], name=name, agent=agent, todo_id=todo_id)
            if piece["args"]:
                yield ToolCallArguments(call_id=self._ids[key], piece=piece["args"], agent=agent, todo_id=todo_id)

    def unheard(self, end: ToolCallFinished) -> Iterator[Event]:
        """The beginning of a call that no model was heard to make: the engine repeats it, or it was made before."""
        if end.call_id not in self._ids.values():
            about: dict[str, Any] = {"call_id": end.call_id, "agent": end.agent, "todo_id": end.todo_id}
            yield ToolCallStarted(name=end.name, **about)
            yield ToolCallArguments(piece=_text(end.args), **about)


def _text(arguments: Any) -> str:
    return json.dumps(arguments, ensure_ascii=False)


def reasoning_of(message: AIMessage) -> str:
    """What a thinking model thought, wherever its vendor puts it."""
    thought = message.additional_kwargs.get("reasoning_content")
    if thought:
        return str(thought)
    blocks = message.content if isinstance(message.content, list) else ()
    return "".join(
        str(block.get("reasoning") or block.get("thinking") or "") for block in blocks if isinstance(block, dict)
    )


def question_of(value: dict[str, Any]) -> OpenQuestion:
    """Our own part of an interrupt's value."""
    return OpenQuestion(
        type=value["type"], todo_id=value.get("todo_id"), question=value["question"], choices=value["choices"]
    )
