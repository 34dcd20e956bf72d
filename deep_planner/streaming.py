"""From LangGraph's stream to our events.

LangGraph idea: one stream carries several modes at once. ``updates`` tells what each node wrote, ``messages`` the
tokens, ``custom`` what a node says of its own accord (here: the calls inside a sub-agent, with their item).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from langchain_core.messages import AIMessage, AIMessageChunk

from deep_planner.events import Asked, Event, NoteWritten, OpenQuestion, TodoChanged, Token, ToolCall
from subagents.history import is_engine
from tools.domain.todos import Todo, merge_todos

MODES: list[Literal["custom", "updates", "messages"]] = ["custom", "updates", "messages"]


class Translation:
    """One run's stream, translated part by part.

    Args:
        todos: The list as it stood before the run.
    """

    def __init__(self, todos: list[Todo]) -> None:
        self.todos = todos
        self._spoken = False
        self._blank = ""

    def events(self, namespace: tuple[str, ...], mode: str, part: Any) -> Iterator[Event]:
        """The events of one part of the stream."""
        if mode == "custom":
            if call := part.get("tool_call"):
                yield ToolCall(**call)
        elif mode == "messages":
            yield from self._token(*part)
        elif not namespace:
            for node, update in part.items():
                yield from self._outer(node, update)

    def _token(self, chunk: Any, metadata: dict[str, Any]) -> Iterator[Event]:
        """A piece of the reply; blanks wait for the word after them, so that the pieces join to the stored reply."""
        if not isinstance(chunk, AIMessageChunk) or "reply" not in (metadata.get("tags") or ()):
            return
        words = self._blank + chunk.text
        words = words if self._spoken else words.lstrip()
        said = words.rstrip()
        self._blank = words[len(said) :]
        if said:
            self._spoken = True
            yield Token(text=said)

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
        if node == "respond" and not self._spoken:
            for message in update.get("messages") or ():
                if isinstance(message, AIMessage) and not is_engine(message):
                    yield Token(text=message.text)


def question_of(value: dict[str, Any]) -> OpenQuestion:
    """Our own part of an interrupt's value."""
    return OpenQuestion(
        type=value["type"], todo_id=value.get("todo_id"), question=value["question"], choices=value["choices"]
    )
