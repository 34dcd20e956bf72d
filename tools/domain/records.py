"""The other values besides ``Task``: a person, a group, a reminder as stored."""

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
