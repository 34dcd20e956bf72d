"""What goes into a sub-agent, what it works on, and what comes out.

LangGraph idea: a graph may have an input and an output schema narrower than its state. ``SubagentInput`` is the
allow-list of what a sub-agent may see (E11, E12); nothing else of the main state can reach it, because nothing else
is sent. ``SubagentOutput`` is all that flows back into the main graph's channels.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any, NotRequired

from langchain_core.messages import AnyMessage, RemoveMessage, convert_to_messages
from langgraph.channels import DeltaChannel
from typing_extensions import TypedDict

from subagents.check import Unread
from tools.core.text import Language
from tools.domain.todos import Todo


def merge_messages(current: list[AnyMessage], writes: Sequence[Any]) -> list[AnyMessage]:
    """Fold messages into a list: append, or replace the one with the same id; ``RemoveMessage`` removes.

    A message without an id is appended as it is: a reducer that minted ids would give other ones at each replay.
    """
    merged = list(current)
    place = {message.id: index for index, message in enumerate(merged) if message.id}
    for write in writes:
        for message in convert_to_messages(write if isinstance(write, list) else [write]):
            if isinstance(message, RemoveMessage):
                merged = [kept for kept in merged if kept.id != message.id]
                place = {kept.id: index for index, kept in enumerate(merged) if kept.id}
            elif message.id and message.id in place:
                merged[place[message.id]] = message  # type: ignore[call-overload]
            else:
                merged.append(message)  # type: ignore[arg-type]
                if message.id:
                    place[message.id] = len(merged) - 1
    return merged


def merge_windows(
    current: dict[str, list[AnyMessage]], writes: Sequence[dict[str, list[AnyMessage]]]
) -> dict[str, list[AnyMessage]]:
    """Fold windows by todo id; an empty window removes the key (X17, X20)."""
    merged = dict(current)
    for write in writes:
        for todo_id, window in write.items():
            if window:
                merged[todo_id] = window
            else:
                merged.pop(todo_id, None)
    return merged


class Parent(TypedDict):
    """What an item is told of one that it depends on: never the payload, only where it is (D14, D15)."""

    id: str
    task: str
    subagent: str
    status: str
    summary: str
    rows: list[str]
    note: str
    value: NotRequired[str]
    """In a workflow: the key that its result is kept under."""


class Brief(TypedDict):
    """What an item may know of the run."""

    thread: str
    request: int
    turn: int
    """The user's turn within the request: 1, and one more with each answer."""
    text: str
    """The user's request."""
    now: str
    """The run's frozen moment, ISO 8601 with offset."""
    language: Language
    notes: dict[str, str]
    """The shared notes, read through ``query_note`` only; the prompt lists their names."""
    parents: list[Parent]
    groups: list[str]
    """Names of the user's groups (A07)."""
    shares: NotRequired[bool]
    """Whether the items share values: those of a workflow (D24)."""
    last_turn: str
    """The thread's last request, reply and rows as JSON, for requests such as "the second one" (P7); or empty."""


class SubagentInput(TypedDict):
    """Sent by the dispatch, one for each item of a wave."""

    item: Todo
    brief: Brief
    window: list[AnyMessage]
    """The item's earlier window when it goes on after an answer, else empty."""


class SubagentOutput(TypedDict, total=False):
    """What an item gives back to the main graph, in the main graph's own keys."""

    todos: list[Todo]
    notes: dict[str, str]
    messages: list[AnyMessage]
    task_messages: dict[str, list[AnyMessage]]
    write_note_messages: dict[str, list[AnyMessage]]


class SubagentState(SubagentOutput, total=False):
    """The state of one item at work.

    LangGraph idea: a ``DeltaChannel`` stores what was written, not the whole list, so that a checkpoint's size does
    not grow with the history.
    """

    item: Todo
    """The todo item; written by the dispatch."""
    brief: Brief
    """What it may know; written by the dispatch."""
    window: Annotated[list[AnyMessage], DeltaChannel(merge_messages)]
    """The dialogue of this item alone (``task_messages`` of seed 004)."""
    unread: list[Unread]
    """Calls of the last answer whose arguments the parser may try to read."""
    repairs: int
    """How many bad calls were sent back to the model."""
    calls: int
    """How many model calls it made."""
    failure: str
    """Why it cannot go on, in the run's language; set once."""
