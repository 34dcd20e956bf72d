"""The tables (seed 000 section 9, design section 3).

Tasks keep the local date and wall time that the user meant; instants (``remind_at``, ``created_at``) are UTC.
"""

from __future__ import annotations

from datetime import date, datetime, time
from typing import Any

from sqlalchemy import JSON, Date, ForeignKey, Index, MetaData, String, Text, Time, UniqueConstraint, text
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, validates

from tools.store.types import UtcDateTime

NAMES = {
    "ix": "ix_%(column_0_label)s",
    "uq": "uq_%(table_name)s_%(column_0_name)s",
    "ck": "ck_%(table_name)s_%(constraint_name)s",
    "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


class Base(DeclarativeBase):
    """All tables; constraints are named by convention so that migrations can find them."""

    metadata = MetaData(naming_convention=NAMES)
    type_annotation_map = {datetime: UtcDateTime, date: Date, time: Time, dict[str, Any]: JSON}  # noqa: RUF012


class UserRow(Base):
    """A person; every other row hangs on one."""

    __tablename__ = "users"

    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(100))
    city: Mapped[str | None] = mapped_column(String(100))
    timezone: Mapped[str | None] = mapped_column(String(64))
    created_at: Mapped[datetime]


class GroupRow(Base):
    """A user's own group of tasks, for example 工作."""

    __tablename__ = "groups"
    __table_args__ = (UniqueConstraint("user_id", "name"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    name: Mapped[str] = mapped_column(String(100))


class TaskRow(Base):
    """A task: local date and wall time in the user's zone, a version that grows with each change."""

    __tablename__ = "tasks"
    __table_args__ = (
        Index("ix_tasks_user_status_date", "user_id", "status", "date"),
        # The series are few, and every look at a date asks for them. With the date in it SQLite prefers this one.
        Index(
            "ix_tasks_series",
            "user_id",
            "status",
            "date",
            sqlite_where=text("rrule IS NOT NULL"),
            postgresql_where=text("rrule IS NOT NULL"),
        ),
        Index("uq_tasks_user_id_uid", "user_id", "uid", unique=True),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    title: Mapped[str] = mapped_column(Text)
    date: Mapped[date]
    start_time: Mapped[time | None]
    end_time: Mapped[time | None]
    time_segment: Mapped[str] = mapped_column(String(20))
    priority: Mapped[str] = mapped_column(String(10))
    status: Mapped[str] = mapped_column(String(20))
    group_id: Mapped[int | None] = mapped_column(ForeignKey("groups.id", ondelete="SET NULL"))
    description: Mapped[str | None] = mapped_column(Text)
    blocks_day: Mapped[bool]
    version: Mapped[int] = mapped_column()
    rrule: Mapped[str | None] = mapped_column(String(300))
    exdates: Mapped[list[str] | None] = mapped_column(JSON)
    series_id: Mapped[int | None]
    uid: Mapped[str | None] = mapped_column(String(255))
    created_at: Mapped[datetime]
    updated_at: Mapped[datetime]

    __mapper_args__ = {"version_id_col": version}  # noqa: RUF012 - the mapper reads it as a plain dict


class ReminderRow(Base):
    """A reminder: an instant and its text. ``reason`` names the rule that chose the instant (N10).

    The columns from ``claimed_until`` to ``failed_at`` are those of the delivery, see ``tools.store.outbox``. They
    leave the public status alone (A28): a reminder on its way, or given up, is still ``pending`` and can be moved or
    cancelled. ``occurs_on`` is the date of the series that it rings for.
    """

    __tablename__ = "reminders"
    __table_args__ = (
        # One pending reminder for a task at an instant, whoever asks twice; cancelled ones may repeat.
        Index(
            "uq_reminders_pending",
            "task_id",
            "remind_at",
            "channel",
            unique=True,
            sqlite_where=text("status = 'pending'"),
            postgresql_where=text("status = 'pending'"),
        ),
        Index("ix_reminders_status_remind_at", "status", "remind_at"),
        Index("ix_reminders_user_id", "user_id"),
    )

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    task_id: Mapped[int | None] = mapped_column(ForeignKey("tasks.id", ondelete="CASCADE"))
    remind_at: Mapped[datetime]
    content: Mapped[str] = mapped_column(Text)
    reason: Mapped[str] = mapped_column(String(20))
    status: Mapped[str] = mapped_column(String(20))
    channel: Mapped[str] = mapped_column(String(20))
    created_at: Mapped[datetime]
    claimed_until: Mapped[datetime | None]
    claimed_by: Mapped[str | None] = mapped_column(String(64))
    attempts: Mapped[int] = mapped_column(default=0, server_default="0")
    next_attempt_at: Mapped[datetime | None]
    failed_at: Mapped[datetime | None]
    occurs_on: Mapped[date | None]

    @validates("remind_at")
    def _start_anew(self, _name: str, value: datetime) -> datetime:
        """A reminder that is moved owes a whole new delivery, whatever became of the one under way."""
        if self.remind_at is not None and self.remind_at != value:
            self.attempts = 0
            self.claimed_until = self.claimed_by = self.next_attempt_at = self.failed_at = None
        return value


class EffectRow(Base):
    """The receipt of one effect: its operation key and the result to give again (N1)."""

    __tablename__ = "effects"

    key: Mapped[str] = mapped_column(String(400), primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    result: Mapped[dict[str, Any]]
    created_at: Mapped[datetime]


class JournalRow(Base):
    """One changed row, before and after, by (user, thread, request, item): what undo will read (N2)."""

    __tablename__ = "journal"
    __table_args__ = (Index("ix_journal_user_thread_request", "user_id", "thread", "request"),)

    id: Mapped[int] = mapped_column(primary_key=True)
    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"))
    thread: Mapped[str] = mapped_column(String(200))
    request: Mapped[int]
    item: Mapped[str] = mapped_column(String(100))
    tool: Mapped[str] = mapped_column(String(50))
    table_name: Mapped[str] = mapped_column(String(30))
    row_id: Mapped[int]
    before: Mapped[dict[str, Any] | None]
    after: Mapped[dict[str, Any] | None]
    at: Mapped[datetime]


class ThreadRow(Base):
    """What the directory knows of a thread; its state proper is in LangGraph's checkpoints.

    ``status`` is ``running`` from the beginning of a run to its end, so that a run that was killed is left with it.
    ``checkpoint`` is the newest one before the last request: while it still is, nothing was stored of the request.
    It is empty on a thread that had none, and NULL once a later run has gone on with the request.
    """

    __tablename__ = "threads"
    __table_args__ = (Index("ix_threads_user_id_updated_at", "user_id", "updated_at"),)

    user_id: Mapped[int] = mapped_column(ForeignKey("users.id", ondelete="CASCADE"), primary_key=True)
    name: Mapped[str] = mapped_column(String(100), primary_key=True)
    first_request: Mapped[str] = mapped_column(Text)
    last_request: Mapped[str] = mapped_column(Text)
    requests: Mapped[int]
    status: Mapped[str] = mapped_column(String(20))
    checkpoint: Mapped[str | None] = mapped_column(String(100))
    started_at: Mapped[datetime]
    updated_at: Mapped[datetime]
