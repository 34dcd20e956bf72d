"""The state of the main graph (E02, design section 2).

LangGraph idea: each key is a channel; what a node returns is *written* to it, and the channel's reducer folds the
writes of a step together, also those of parallel sub-agents. ``DeltaChannel`` stores the writes instead of the whole
value, so that checkpoints grow with what happened, not with its square. Its rules: a reducer is a pure fold, mints no
ids, and deletes on an explicit marker.
"""

from __future__ import annotations

from typing import Annotated, NotRequired

from langchain_core.messages import AnyMessage
from langgraph.channels import DeltaChannel
from typing_extensions import TypedDict

from subagents.state import merge_messages, merge_windows
from tools.core.text import Language
from tools.domain.notes import merge_notes
from tools.domain.todos import Question, Todo, merge_todos


class Plan(TypedDict, total=False):
    """The header of the request at work. Triage starts it anew; other nodes replace it whole."""

    thread: str
    """The thread's id; part of operation keys."""
    request: int
    """Number of the request on its thread, from 1; part of note keys and operation keys."""
    turn: int
    """The user's turn within the request: 1, and one more with each answer; limits are counted for a turn (A46)."""
    text: str
    """The user's words."""
    now: str
    """The run's frozen moment, ISO 8601; set anew when the user answers a question."""
    language: Language
    """Language of the request and of the reply."""
    prompt_language: Language
    """Language of the main prompt and its tools: that of the thread's first request, so that the prefix holds (E13)."""
    intent: str
    """simple_chat, single_task, complex_workflow, information_query or uncertain (D01); or out_of_domain (X8)."""
    confidence: float
    explanation: str
    status: str
    """``running``, ``completed``, ``failed`` or ``refused``."""
    error: str
    """Why it failed, in the user's language."""
    wave: list[str]
    """Ids of the items that the last dispatch started."""
    reported: list[str]
    """Failures (item and run) that the planner has been woken for."""
    planner_calls: int
    """Planner calls in this request, against the limit (A46)."""
    by_planner: bool
    """Whether the planner wrote the list; a list of one that triage made has no planner to wake."""
    last_turn: str
    """The turn before this one as JSON, for follow-ups (P7); empty on a new thread."""
    question: Question | None
    """A question of the planner's own (``ask_user``) or of triage (``clarify``); items keep theirs themselves."""
    shown: int
    """How often the plan was shown before it ran (``plan_first``)."""
    reviewed: bool
    """The user has approved the plan, or it need not be shown."""
    complaint: str
    """What could not be done of the last edit; said when the plan is shown again."""
    shares: bool
    """Whether the items share values (D24): those of a workflow that was handed in."""
    tainted: bool
    """The planner has read a note in this request: from now on new items that write need the user's yes (D4)."""


class PlannerInput(TypedDict):
    """What a caller sends: messages, the last of which is the request."""

    messages: Annotated[list[AnyMessage], DeltaChannel(merge_messages)]
    draft: NotRequired[list[Todo] | None]
    """A list to carry out as it is, instead of having one planned (``execute_workflow``)."""


class PlannerOutput(TypedDict):
    """What a caller gets."""

    messages: Annotated[list[AnyMessage], DeltaChannel(merge_messages)]
    todos: Annotated[list[Todo], DeltaChannel(merge_todos)]
    notes: Annotated[dict[str, str], DeltaChannel(merge_notes)]
    plan: Plan


class PlannerState(PlannerOutput):
    """All that the main graph keeps of a thread."""

    task_messages: Annotated[dict[str, list[AnyMessage]], DeltaChannel(merge_windows)]
    """The window of each item that waits for an answer; emptied when it ends (X17)."""
    write_note_messages: Annotated[dict[str, list[AnyMessage]], DeltaChannel(merge_windows)]
    """The note agent's dialogue of each item, until the next dispatch has taken note of its end (E20)."""
    draft: NotRequired[list[Todo] | None]
    """See ``PlannerInput``; triage takes it and clears it."""
