"""What a thread's stored state says: how the run stands, and how it goes on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from langgraph.types import Command, StateSnapshot

from deep_planner.events import RunResult
from deep_planner.models.ledger import Usage
from deep_planner.streaming import question_of
from subagents.history import is_engine
from tools.core.errors import ThreadError
from tools.core.text import Language, language_of, text
from tools.domain.records import ThreadRecord, ThreadStatus

#: Stands for "there is nothing left to run" where ``None`` tells the graph to go on.
NOTHING = object()


def outcome_of(state: StateSnapshot, thread: str, usage: Mapping[str, Usage], language: Language | None) -> RunResult:
    """What has come of the request so far.

    Args:
        state: The thread's newest state, with values.
        thread: Its name.
        usage: What the run has spent.
        language: That of the settings; ``None`` leaves it to the request.
    """
    values = state.values
    plan = values.get("plan") or {"status": "interrupted"}  # who was stopped before triage has none yet
    question = question_of(state.interrupts[0].value) if state.interrupts else None
    status, reply, spoken = plan["status"], "", _language(values, language)
    if question:
        status = "waiting"
    elif state.tasks:
        status, reply = "interrupted", text(spoken, "plan.stopped")
    else:
        reply = [m.text for m in values["messages"] if m.type == "ai" and not is_engine(m)][-1]
    return RunResult(
        status=status,
        reply=reply,
        question=question,
        todos=values.get("todos", []),
        notes=values.get("notes", {}),
        thread_id=thread,
        intent=plan.get("intent", ""),
        language=spoken,
        usage=dict(usage),
    )


def _language(values: dict[str, Any], chosen: Language | None) -> Language:
    """That of the request at work, also when triage has not yet told it."""
    said = next((message.text for message in reversed(values.get("messages", ())) if message.type == "human"), "")
    return (values.get("plan") or {}).get("language") or chosen or language_of(said)


def checkpoint_of(state: StateSnapshot) -> str:
    """The id of a thread's newest checkpoint; empty when nothing is stored of it."""
    return str(state.config["configurable"].get("checkpoint_id", ""))


def going_on(thread: str, answer: str | None, before: ThreadRecord | None, state: StateSnapshot) -> Any:
    """What to hand the graph so that a run goes on; ``NOTHING`` when all is done already and only to be told again.

    Args:
        thread: Its name.
        answer: What the user said to the open question; ``None`` to go on where the run was cut off.
        before: What the directory knew of the thread.
        state: Its newest state.

    Raises:
        ThreadError: No such thread, nothing to go on with, or a request that never reached the graph.
    """
    cut_off = before is not None and before.status in (ThreadStatus.RUNNING, ThreadStatus.INTERRUPTED)
    if before and cut_off and answer is None and before.checkpoint == checkpoint_of(state):
        raise ThreadError("never_started", thread=thread, request=before.last_request)
    if not state.values:
        raise ThreadError("unknown_thread", thread=thread)
    if answer is None and (state.interrupts or (cut_off and not state.tasks)):
        return NOTHING
    if not state.tasks or (answer is not None and not state.interrupts):
        raise ThreadError("no_question", thread=thread)
    return Command(resume=answer) if state.interrupts else None
