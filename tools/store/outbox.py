"""The reminders table as a queue: what is due, who has it, and what became of it.

A claim is a lease on a pending row (``claimed_by``, ``claimed_until``), taken by one statement, so that of any number
of processes exactly one gets the row. Whoever dies with a claim loses it when the lease ends. ``attempts`` counts
claims; ``next_attempt_at`` holds a row back after its channel has refused it, and ``failed_at`` is the moment at which
it was given up: the delivery has failed, the reminder is still the user's to move (which starts anew) or to cancel.

These writes are no tool calls and pass by ``tools.store.effects``: the row is its own receipt.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, and_, or_, select, update
from sqlalchemy.ext.asyncio import AsyncSession
from sqlalchemy.sql.dml import ReturningUpdate

from tools.domain.records import Reminder, ReminderStatus
from tools.store.repositories import reminder_of
from tools.store.tables import ReminderRow


@dataclass(frozen=True, slots=True)
class Claimed:
    """A reminder that is the claimer's until its lease ends; ``attempt`` counts from 1."""

    reminder: Reminder
    attempt: int


class Outbox:
    """The reminders of one user on one channel, as one claimer sees them.

    Args:
        session: The transaction to work in.
        user_id: Whose reminders.
        channel: Only reminders of this channel.
        claimer: A name that no other claimer has, up to 64 characters.
    """

    def __init__(self, session: AsyncSession, user_id: int, channel: str, claimer: str) -> None:
        self._session = session
        self._user_id = user_id
        self._channel = channel
        self._claimer = claimer

    async def due_reminders(self, now: datetime) -> list[Reminder]:
        """What could be claimed now, by instant and id; takes nothing."""
        query = select(ReminderRow).where(_is_due(self._user_id, self._channel, now))
        rows = await self._session.scalars(query.order_by(ReminderRow.remind_at, ReminderRow.id))
        return [reminder_of(row) for row in rows]

    async def claim(self, now: datetime, until: datetime, limit: int) -> list[Claimed]:
        """Take up to ``limit`` due reminders, the oldest first; nobody else gets them before ``until``."""
        statement = claiming(self._user_id, self._channel, self._claimer, now=now, until=until, limit=limit)
        rows = await self._session.scalars(statement, execution_options={"synchronize_session": False})
        claimed = [Claimed(reminder_of(row), row.attempts) for row in rows]
        return sorted(claimed, key=lambda one: (one.reminder.remind_at, one.reminder.id))

    async def mark_sent(self, reminder_id: int) -> bool:
        """The channel took it. ``False`` when it is no longer the claimer's: cancelled, moved, or taken over."""
        return await self._settle(reminder_id, status=ReminderStatus.SENT.value)

    async def put_off(self, reminder_id: int, until: datetime) -> bool:
        """The channel refused it; nobody tries again before ``until``. The answer is as of ``mark_sent``."""
        return await self._settle(reminder_id, next_attempt_at=until)

    async def give_up(self, reminder_id: int, now: datetime) -> bool:
        """The channel refused it for the last time. The answer is as of ``mark_sent``."""
        return await self._settle(reminder_id, failed_at=now)

    async def release(self, reminder_id: int) -> bool:
        """It was not tried after all: as if it had not been claimed. The answer is as of ``mark_sent``."""
        return await self._settle(reminder_id, attempts=ReminderRow.attempts - 1)

    async def _settle(self, reminder_id: int, **values: Any) -> bool:
        mine = and_(
            ReminderRow.id == reminder_id,
            ReminderRow.user_id == self._user_id,
            ReminderRow.status == ReminderStatus.PENDING.value,
            ReminderRow.claimed_by == self._claimer,
        )
        statement = update(ReminderRow).where(mine).values(claimed_by=None, claimed_until=None, **values)
        settled = await self._session.scalars(
            statement.returning(ReminderRow.id), execution_options={"synchronize_session": False}
        )
        return settled.one_or_none() is not None


def claiming(
    user_id: int, channel: str, claimer: str, *, now: datetime, until: datetime, limit: int
) -> ReturningUpdate[ReminderRow]:
    """The statement of a claim.

    On SQLite writers come one after another. On PostgreSQL the inner query locks what it picks and skips what others
    have locked; being a CTE with a lock it runs once, however the update is planned, so that ``limit`` holds.
    """
    due = (
        select(ReminderRow.id)
        .where(_is_due(user_id, channel, now))
        .order_by(ReminderRow.remind_at, ReminderRow.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
        .cte("due")
    )
    return (
        update(ReminderRow)
        .where(ReminderRow.id.in_(select(due.c.id)))
        .values(claimed_by=claimer, claimed_until=until, attempts=ReminderRow.attempts + 1)
        .returning(ReminderRow)
    )


def _is_due(user_id: int, channel: str, now: datetime) -> ColumnElement[bool]:
    return and_(
        ReminderRow.user_id == user_id,
        ReminderRow.channel == channel,
        ReminderRow.status == ReminderStatus.PENDING.value,
        ReminderRow.remind_at <= now,
        ReminderRow.failed_at.is_(None),
        or_(ReminderRow.claimed_until.is_(None), ReminderRow.claimed_until <= now),
        or_(ReminderRow.next_attempt_at.is_(None), ReminderRow.next_attempt_at <= now),
    )
