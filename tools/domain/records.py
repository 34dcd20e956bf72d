"""The other values besides ``Task``: a person, a group, a reminder, a thread as stored."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum


class ReminderStatus(StrEnum):
    """The life of a reminder (A28)."""

    PENDING = "pending"
    SENT = "sent"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class User:
    """Whose rows they are; ``timezone`` is an IANA name."""

    id: int
    name: str
    city: str | None
    timezone: str | None


@dataclass(frozen=True, slots=True)
class Group:
    """A user's own group of tasks."""

    id: int
    name: str


@dataclass(frozen=True, slots=True)
class Reminder:
    """One reminder; ``remind_at`` is an instant in UTC, ``reason`` the rule that chose it.

    ``occurs_on`` is the date of the series that it belongs to; ``None`` for a single task.
    """

    id: int
    user_id: int
    task_id: int | None
    remind_at: datetime
    content: str
    reason: str
    status: ReminderStatus
    channel: str
    occurs_on: date | None = None


class ThreadStatus(StrEnum):
    """How a thread stands; all but the first and the last are how its last run ended."""

    RUNNING = "running"
    WAITING = "waiting"
    COMPLETED = "completed"
    FAILED = "failed"
    REFUSED = "refused"
    INTERRUPTED = "interrupted"


@dataclass(frozen=True, slots=True)
class ThreadRecord:
    """One thread; instants are UTC, ``requests`` counts what was said to begin a run, answers left out.

    ``checkpoint`` is the newest one before the last request, empty on a thread that had none; ``None`` once a later run
    has gone on with that request.
    """

    name: str
    first_request: str
    last_request: str
    requests: int
    status: ThreadStatus
    checkpoint: str | None
    started_at: datetime
    updated_at: datetime
