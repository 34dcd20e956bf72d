"""What a stream tells: typed events, each with the item and the agent that it belongs to."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from deep_planner.models.ledger import Usage
from subagents.deliberation.schemas import DeliberationResult
from tools.core.text import Language
from tools.domain.todos import Todo

Status = Literal["completed", "failed", "refused", "waiting", "interrupted"]


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
        status: ``completed``, ``failed`` (something asked for was not done), ``refused`` (out of domain), ``waiting``
            (see ``question``), or ``interrupted`` (it was told to stop; ``resume`` goes on).
        reply: What to tell the user; empty while waiting.
        question: The open question.
        todos: The plan as it stands.
        notes: The thread's notes by key.
        thread_id: Where to go on.
        intent: What triage took the request for.
        language: The language of the request, and so of the reply.
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
    language: Language | None = None
    usage: dict[str, Usage] = Field(default_factory=dict)


class Event(BaseModel):
    """The base of all events."""

    model_config = ConfigDict(frozen=True)

    todo_id: str | None = None
    agent: str | None = None


class IntentStarted(Event):
    """Triage begins (D22)."""

    type: Literal["intent:recognition-start"] = "intent:recognition-start"
    request: str


class IntentRecognized(Event):
    """What the request was taken for (D02, D22)."""

    type: Literal["intent:recognized"] = "intent:recognized"
    intent: str
    confidence: float
    explanation: str = ""
    needs_multi_agent: bool = False


class WorkflowStarted(Event):
    """The plan is being made (D22)."""

    type: Literal["workflow:generation-start"] = "workflow:generation-start"
    request: str


class WorkflowGenerated(Event):
    """The plan as it was first written (D22).

    Attributes:
        todos: Its items.
        workflow: The same in the shape of seed 003 (D04), as ``Workflow.as_json`` gives it.
    """

    type: Literal["workflow:generated"] = "workflow:generated"
    todos: list[dict[str, Any]]
    workflow: dict[str, Any]


class TodoChanged(Event):
    """An item as it now stands."""

    type: Literal["todo_changed"] = "todo_changed"
    todo: dict[str, Any]


class ToolCallStarted(Event):
    """A model begins a tool call; what it will say is not checked yet."""

    type: Literal["tool_call_started"] = "tool_call_started"
    call_id: str
    name: str


class ToolCallArguments(Event):
    """A piece of a call's arguments, as raw text, in the order in which it arrives (B01)."""

    type: Literal["tool_call_arguments"] = "tool_call_arguments"
    call_id: str
    piece: str


class ToolCallFinished(Event):
    """What came of a call.

    Attributes:
        args: The arguments that were carried out; empty for a call that was refused.
        status: ``success``, ``conflict``, ``need_confirmation`` or ``error`` of the tool; ``refused`` for a call that
            was not whole and did nothing (B09).
        message: What the tool said; it may hold text from outside.
    """

    type: Literal["tool_call_finished"] = "tool_call_finished"
    call_id: str
    name: str
    args: dict[str, Any]
    status: Literal["success", "conflict", "need_confirmation", "error", "refused"]
    message: str


class NoteWritten(Event):
    """A shared note."""

    type: Literal["note_written"] = "note_written"
    key: str
    note: str


class Token(Event):
    """A piece of the reply; with an ``agent``, of what that agent says while it works."""

    type: Literal["token"] = "token"
    text: str


class Reasoning(Event):
    """A piece of a thinking model's reasoning (B14); ``agent`` is empty for that of the reply."""

    type: Literal["reasoning"] = "reasoning"
    text: str


class Retrying(Event):
    """A model did not answer and is asked again, or another one instead.

    What its agent said in this call so far is void: the answer starts over.

    Attributes:
        model: Who did not answer.
        reason: Kind of failure and status; never a provider's own words, which may echo a key.
        seconds: How long it is waited for.
        instead: Who is asked now, when it is another model.
    """

    type: Literal["retrying"] = "retrying"
    model: str
    reason: str
    seconds: float
    instead: str | None = None


class DeliberationStep(Event):
    """One step of a deliberation (seed 002); ``agent`` is ``moderator``, ``expert`` or ``critic``.

    Attributes:
        step: ``framed``, ``answered``, ``reviewed``, ``judged`` or ``concluded``.
        round: From 1; 0 before the first.
        words: What the step came to, in the language of the question.
        score: The critic's, 0 to 100.
        stopped: Why it is over, at its end.
    """

    type: Literal["deliberation:step"] = "deliberation:step"
    step: Literal["framed", "answered", "reviewed", "judged", "concluded"]
    round: int
    words: str
    score: int | None = None
    stopped: str | None = None


class Deliberated(Event):
    """A deliberation that runs by itself has ended; always its last event."""

    type: Literal["deliberation:finished"] = "deliberation:finished"
    result: DeliberationResult
    usage: dict[str, Usage] = Field(default_factory=dict)


class Asked(Event):
    """The run stopped at a question."""

    type: Literal["asked"] = "asked"
    question: OpenQuestion


class Finished(Event):
    """The run ended, or waits; always the last event."""

    type: Literal["finished"] = "finished"
    result: RunResult


#: What nodes tell of their own accord: the same fields as plain values, since sub-agents know nothing of this module.
Told = Annotated[
    IntentStarted
    | IntentRecognized
    | WorkflowStarted
    | WorkflowGenerated
    | ToolCallFinished
    | Retrying
    | DeliberationStep,
    Field(discriminator="type"),
]
TOLD: TypeAdapter[Told] = TypeAdapter(Told)
