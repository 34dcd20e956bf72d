"""What a stream tells: typed events, each with the item and the agent that it belongs to."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from deep_planner.models.ledger import Usage
from tools.domain.todos import Todo

Status = Literal["completed", "failed", "refused", "waiting"]


class OpenQuestion(BaseModel):
    """A question that waits for the user."""

    model_config = ConfigDict(frozen=True)

    type: str
    todo_id: str | None
    question: str
    choices: list[dict[str, str]] = Field(default_factory=list)


class RunResult(BaseModel):
    """What came of a request.

    Attributes:
        status: ``completed``, ``failed`` (something asked for was not done), ``refused`` (out of domain), or
            ``waiting`` (see ``question``).
        reply: What to tell the user; empty while waiting.
        question: The open question.
        todos: The plan as it stands.
        notes: The thread's notes by key.
        thread_id: Where to go on.
        intent: What triage took the request for.
        usage: Model calls and tokens by role and model.
    """

    model_config = ConfigDict(frozen=True)

    status: Status
    reply: str
    question: OpenQuestion | None = None
    todos: list[Todo] = Field(default_factory=list)
    notes: dict[str, str] = Field(default_factory=dict)
    thread_id: str
    intent: str = ""
    usage: dict[str, Usage] = Field(default_factory=dict)


class Event(BaseModel):
    """The base of all events."""

    model_config = ConfigDict(frozen=True)

    todo_id: str | None = None
    agent: str | None = None


class TodoChanged(Event):
    """An item as it now stands."""

    type: Literal["todo_changed"] = "todo_changed"
    todo: dict[str, Any]


class ToolCall(Event):
    """A sub-agent calls one of its tools."""

    type: Literal["tool_call"] = "tool_call"
    name: str
    args: dict[str, Any]


class NoteWritten(Event):
    """A shared note."""

    type: Literal["note_written"] = "note_written"
    key: str
    note: str


class Token(Event):
    """A piece of the reply."""

    type: Literal["token"] = "token"
    text: str


class Asked(Event):
    """The run stopped at a question."""

    type: Literal["asked"] = "asked"
    question: OpenQuestion


class Finished(Event):
    """The run ended, or waits; always the last event."""

    type: Literal["finished"] = "finished"
    result: RunResult
