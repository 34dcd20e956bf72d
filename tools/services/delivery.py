"""Delivering due reminders: claim, hand to the channel, mark (A29, X10).

At least once, and once unless something breaks. The lease of a claim keeps two processes from delivering the same
reminder at the same time. A process that dies after the channel took a reminder and before the mark was stored leaves
it due again when the lease ends, so that it is delivered a second time; the same holds for one that was suspended in
between for longer than the lease. Receivers tell such a repeat by the reminder's number.

Reminders are claimed one by one, so that each lease is fresh when its delivery begins and one cancelled meanwhile is
not delivered. Only the reminders of one user and one channel are touched; those of other channels stay pending.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Protocol
from zoneinfo import ZoneInfo

from sqlalchemy.ext.asyncio import AsyncSession

from tools.core.clock import Clock
from tools.core.context import RunContext
from tools.core.text import language_of
from tools.domain.records import Reminder
from tools.services.replanning import arrangement, next_of_series
from tools.store.database import Database
from tools.store.outbox import Claimed, Outbox
from tools.store.repositories import Reminders, Tasks

#: A reminder delivered later than this after its time is called late.
GRACE = timedelta(minutes=2)
#: How long a claim holds: longer than a try may take (``SENDING``) with both of its waits for the database.
LEASE = timedelta(seconds=60)
#: How long a channel may take.
SENDING = timedelta(seconds=30)
#: After so many tries a reminder is given up.
TRIES = 5
#: The pause after the first failed try; each one after it is twice as long.
FIRST_PAUSE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True)
class Delivery:
    """A reminder on its way.

    Attributes:
        reminder: As claimed.
        now: The moment of the delivery, UTC.
        attempt: Which try this is, from 1.
    """

    reminder: Reminder
    now: datetime
    attempt: int

    @property
    def late(self) -> bool:
        """Whether its time is past by more than the grace."""
        return self.now - self.reminder.remind_at > GRACE


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a delivery.

    Attributes:
        delivery: Which one.
        fault: Why the channel did not take it; ``None`` when it did.
        again_at: When it is tried again; ``None`` when it is not.
    """

    delivery: Delivery
    fault: str | None = None
    again_at: datetime | None = None


class ChannelClosedError(Exception):
    """The channel takes nothing any more, whatever the reminder: nobody reads the console."""


class Channel(Protocol):
    """A way to the user."""

    @property
    def name(self) -> str:
        """The ``channel`` of the reminders that go this way."""
        ...

    async def send(self, delivery: Delivery) -> None:
        """Hand the reminder over; returning means that it is out of our hands.

        Raises:
            ChannelClosedError: Delivering ends here, the reminder stays as it was.
            Exception: Any other is a failed try.
        """
        ...


class DeliveryService:
    """Delivers the due reminders of one user.

    Args:
        database: Where the rows are.
        clock: The present moment.
        channel: The way to the user.
        user_id: Whose reminders.
        zone: The user's zone, for the next reminder of a series.
        claimer: A name that no other run has, up to 64 characters.
    """

    def __init__(
        self, database: Database, clock: Clock, channel: Channel, *, user_id: int, zone: ZoneInfo, claimer: str
    ) -> None:
        self._database = database
        self._clock = clock
        self._channel = channel
        self._user_id = user_id
        self._zone = zone
        self._claimer = claimer

    async def due_reminders(self, now: datetime) -> list[Reminder]:
        """What is due at a moment and nobody's, by instant and id; claims nothing."""
        async with self._database.reading() as session:
            return await self._outbox(session).due_reminders(now)

    async def deliver_next(self) -> Outcome | None:
        """Claim the oldest due reminder and deliver it; ``None`` when nothing is due.

        Raises:
            ChannelClosedError: As the channel says; the reminder is due as before.
        """
        now = self._clock.now()
        async with self._open() as outbox:
            claimed = await outbox.claim(now, now + LEASE, limit=1)
        return await self._deliver(claimed[0], now) if claimed else None

    async def deliver_due(self, stopped: Callable[[], bool]) -> AsyncIterator[Outcome]:
        """Deliver until nothing is due, or until ``stopped`` says so between two reminders."""
        while not stopped() and (outcome := await self.deliver_next()):
            yield outcome

    async def watch(
        self, pause: Callable[[], Awaitable[object]], stopped: Callable[[], bool]
    ) -> AsyncIterator[Outcome]:
        """Deliver what is due, pause, and so on until ``stopped`` says so."""
        while not stopped():
            async for outcome in self.deliver_due(stopped):
                yield outcome
            if not stopped():
                await pause()

    async def _deliver(self, claimed: Claimed, now: datetime) -> Outcome:
        delivery = Delivery(claimed.reminder, now, claimed.attempt)
        try:
            async with asyncio.timeout(SENDING.total_seconds()):
                await self._channel.send(delivery)
        except ChannelClosedError:
            async with self._open() as outbox:
                await outbox.release(claimed.reminder.id)
            raise
        except Exception as fault:  # noqa: BLE001 - one reminder's fault must not hold up those behind it
            return await self._failed(delivery, fault)
        async with self._database.writing() as session:
            if await self._outbox(session).mark_sent(claimed.reminder.id):
                await self._go_on(session, delivery)
        return Outcome(delivery)

    async def _go_on(self, session: AsyncSession, delivery: Delivery) -> None:
        """Arrange the reminder of the next date of a series, in the transaction that marks this one as sent."""
        sent = delivery.reminder
        if sent.task_id is None or sent.occurs_on is None:
            return
        series = await Tasks(session, self._user_id).get(sent.task_id)
        now = max(delivery.now, sent.remind_at).astimezone(self._zone)
        context = RunContext(self._user_id, now, self._zone, language_of(sent.content))
        coming = next_of_series(series, sent, context) if series else None
        if coming:
            await Reminders(session, self._user_id).add(**arrangement(coming), now=delivery.now)

    async def _failed(self, delivery: Delivery, fault: Exception) -> Outcome:
        now, number = self._clock.now(), delivery.reminder.id
        again_at = None if delivery.attempt >= TRIES else now + FIRST_PAUSE * 2 ** (delivery.attempt - 1)
        async with self._open() as outbox:
            if again_at is None:
                await outbox.give_up(number, now)
            else:
                await outbox.put_off(number, again_at)
        return Outcome(delivery, f"{type(fault).__name__}: {fault}".removesuffix(": "), again_at)

    @asynccontextmanager
    async def _open(self) -> AsyncIterator[Outbox]:
        """A transaction of its own."""
        async with self._database.writing() as session:
            yield self._outbox(session)

    def _outbox(self, session: AsyncSession) -> Outbox:
        return Outbox(session, self._user_id, self._channel.name, self._claimer)
