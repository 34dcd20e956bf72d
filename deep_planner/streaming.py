"""From LangGraph's stream to our events.

LangGraph idea: one stream carries several modes at once. ``updates`` tells what each node wrote, ``tasks`` which node
began with what input (so that the steps inside a sub-agent can be told to their item), ``messages`` the tokens.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal

from langchain_core.messages import AIMessage, AIMessageChunk

from deep_planner.events import Asked, Event, NoteWritten, OpenQuestion, TodoChanged, Token, ToolCall
from subagents.history import is_engine
from tools.domain.todos import Todo, merge_todos

MODES: list[Literal["tasks", "updates", "messages"]] = ["tasks", "updates", "messages"]


class Translation:
    """One run's stream, translated part by part.

    Args:
        todos: The list as it stood before the run.
    """

    def __init__(self, todos: list[Todo]) -> None:
        self.todos = todos
        self._items: dict[str, Todo] = {}
        self._spoken = False

    def events(self, namespace: tuple[str, ...], mode: str, part: Any) -> Iterator[Event]:
        """The events of one part of the stream."""
        if mode == "tasks":
            self._begin(namespace, part)
        elif mode == "messages":
            yield from self._token(*part)
        elif namespace:
            yield from self._inner(namespace, part)
        else:
            for node, update in part.items():
                yield from self._outer(node, update)

    def _begin(self, namespace: tuple[str, ...], part: dict[str, Any]) -> None:
        given = part.get("input")
        if not namespace and isinstance(given, dict) and "item" in given and "brief" in given:
            self._items[f"{part['name']}:{part['id']}"] = given["item"]

    def _token(self, chunk: Any, metadata: dict[str, Any]) -> Iterator[Event]:
        if isinstance(chunk, AIMessageChunk) and "reply" in (metadata.get("tags") or ()) and chunk.text:
            self._spoken = True
            yield Token(text=chunk.text)

    def _inner(self, namespace: tuple[str, ...], part: dict[str, Any]) -> Iterator[Event]:
        item = self._items.get(namespace[0])
        update = part.get("model")
        if item is None or not isinstance(update, dict):
            return
        for message in update.get("window") or ():
            if isinstance(message, AIMessage):
                for call in message.tool_calls:
                    yield ToolCall(todo_id=item["id"], agent=item.get("subagent"), name=call["name"], args=call["args"])

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
            yield NoteWritten(todo_id=todo_id, key=key, note=note)
        if node == "respond" and not self._spoken:
            for message in update.get("messages") or ():
                if isinstance(message, AIMessage) and not is_engine(message):
                    yield Token(text=message.text)


def question_of(value: dict[str, Any]) -> OpenQuestion:
    """Our own part of an interrupt's value."""
    return OpenQuestion(
        type=value["type"], todo_id=value.get("todo_id"), question=value["question"], choices=value["choices"]
    )
