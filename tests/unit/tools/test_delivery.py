"""Delivery of due reminders: one claimer each, leases, back-off, giving up, the late label, watching (A29, X10)."""

from __future__ import annotations

import asyncio
import tempfile
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from alembic import command
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import create_engine, text
from sqlalchemy.dialects import postgresql, sqlite

from tests.support.builders import NOW, SHANGHAI, at, opened, reminded, reminders_of, rows, stored, task
from tools.domain.records import Reminder, ReminderStatus
from tools.services.delivery import FIRST_PAUSE, GRACE, LEASE, TRIES, ChannelClosedError, Delivery, DeliveryService
from tools.store.database import Database, sqlite_url
from tools.store.migrations.upgrade import config
from tools.store.outbox import Outbox, claiming
from tools.store.repositories import Reminders
from tools.store.tables import ReminderRow

pytestmark = pytest.mark.unit

SECOND = timedelta(seconds=1)


@dataclass
class HandClock:
    """Shows what it was set to."""

    moment: datetime = NOW

    def now(self) -> datetime:
        return self.moment


@dataclass
class Taker:
    """A channel that remembers what it took, or refuses."""

    name: str = "console"
    fault: Exception | None = None
    taken: list[Delivery] = field(default_factory=list)

    async def send(self, delivery: Delivery) -> None:
        if self.fault:
            raise self.fault
        self.taken.append(delivery)

    @property
    def ids(self) -> list[int]:
        return [delivery.reminder.id for delivery in self.taken]


@pytest.fixture
def clock() -> HandClock:
    return HandClock()


def service(
    database: Database, clock: HandClock, channel: object, claimer: str = "a", user: int = 1
) -> DeliveryService:
    return DeliveryService(database, clock, channel, user_id=user, zone=SHANGHAI, claimer=claimer)  # type: ignore[arg-type]


async def due(database: Database, *moments: datetime, user: int = 1) -> list[Reminder]:
    """Pending reminders at these moments, of a task each."""
    tasks = await stored(database, *(task(user_id=user) for _ in moments))
    return [await reminded(database, *pair) for pair in zip(tasks, moments, strict=True)]


async def delivered(service: DeliveryService) -> list[object]:
    """Why each try of one run failed, or ``None``."""
    return [outcome.fault async for outcome in service.deliver_due(lambda: False)]


async def the_row(database: Database) -> ReminderRow:
    (row,) = await rows(database, "reminders")
    assert isinstance(row, ReminderRow)
    return row


async def statuses(database: Database, user: int = 1) -> list[str]:
    return [reminder.status.value for reminder in await reminders_of(database, user)]


async def change(database: Database, reminder: Reminder, **fields: object) -> None:
    async with database.writing() as session:
        await Reminders(session, reminder.user_id).save(replace(reminder, **fields))  # type: ignore[arg-type]


async def test_due_ones_are_delivered_oldest_first_and_marked(database: Database, clock: HandClock) -> None:
    second, first, future = await due(database, NOW, NOW - SECOND, NOW + SECOND)
    taker = Taker()
    one = service(database, clock, taker)
    assert await one.due_reminders(NOW) == [first, second]
    assert await delivered(one) == [None, None]
    assert taker.ids == [first.id, second.id]
    assert await statuses(database) == ["sent", "sent", "pending"]
    assert (await delivered(one), await one.due_reminders(NOW)) == ([], [])
    clock.moment = future.remind_at
    assert await delivered(one) == [None]
    assert taker.ids[2:] == [future.id]


@pytest.mark.parametrize("status", [ReminderStatus.CANCELLED, ReminderStatus.SENT])
async def test_what_is_not_pending_is_never_delivered(
    database: Database, clock: HandClock, status: ReminderStatus
) -> None:
    (reminder,) = await due(database, NOW)
    await change(database, reminder, status=status)
    assert await delivered(service(database, clock, Taker())) == []
    assert await statuses(database) == [status.value]


async def test_only_the_users_own_and_only_of_the_channel(database: Database, clock: HandClock) -> None:
    await due(database, NOW)
    (foreign,) = await due(database, NOW, user=2)
    other, mine = Taker(name="sms"), Taker()
    assert await delivered(service(database, clock, other)) == []
    assert await delivered(service(database, clock, mine, user=2)) == [None]
    assert (other.ids, mine.ids) == ([], [foreign.id])
    assert await statuses(database) == ["pending"]


async def test_a_claim_takes_so_many_and_nobody_else_gets_them(database: Database) -> None:
    made = await due(database, *(NOW - SECOND * number for number in range(5)))
    oldest = [reminder.id for reminder in reversed(made)]
    got = []
    for claimer, limit in (("a", 2), ("b", 2), ("c", 9), ("a", 9)):
        async with database.writing() as session:
            claimed = await Outbox(session, 1, "console", claimer).claim(NOW, NOW + LEASE, limit)
        got.append([one.reminder.id for one in claimed])
    assert got == [oldest[:2], oldest[2:4], oldest[4:], []]


async def test_a_claim_ends_with_its_lease(database: Database, clock: HandClock) -> None:
    (reminder,) = await due(database, NOW)
    async with database.writing() as session:
        await Outbox(session, 1, "console", "dead").claim(NOW, NOW + LEASE, 1)
    assert await statuses(database) == ["pending"], "a claim is no status"
    taker = Taker()
    clock.moment = NOW + LEASE - SECOND
    assert await delivered(service(database, clock, taker)) == []
    clock.moment = NOW + LEASE
    assert await delivered(service(database, clock, taker)) == [None]
    assert [(one.reminder.id, one.attempt) for one in taker.taken] == [(reminder.id, 2)]
    async with database.writing() as session:
        assert not await Outbox(session, 1, "console", "dead").mark_sent(reminder.id)


async def test_who_lost_a_claim_settles_nothing(database: Database) -> None:
    (reminder,) = await due(database, NOW)
    later = NOW + LEASE
    async with database.writing() as session:
        lost, now = (Outbox(session, 1, "console", claimer) for claimer in ("lost", "now"))
        await lost.claim(NOW, later, 1)
        await now.claim(later, later + LEASE, 1)
        number = reminder.id
        answers = [
            await lost.mark_sent(number),
            await lost.put_off(number, later),
            await lost.give_up(number, later),
            await lost.release(number),
        ]
        assert answers == [False] * 4
        assert await now.mark_sent(number)


async def test_a_refusal_backs_off_and_the_fifth_gives_up(database: Database, clock: HandClock) -> None:
    await due(database, NOW)
    taker = Taker(fault=OSError("no space left"))
    one = service(database, clock, taker)
    for number in range(1, TRIES):
        outcome = await one.deliver_next()
        assert outcome is not None
        pause = FIRST_PAUSE * 2 ** (number - 1)
        assert (outcome.fault, outcome.again_at) == ("OSError: no space left", clock.moment + pause)
        assert outcome.delivery.attempt == number
        clock.moment += pause - SECOND
        assert await one.deliver_next() is None
        clock.moment += SECOND
    outcome = await one.deliver_next()
    assert outcome is not None
    assert (outcome.delivery.attempt, outcome.again_at) == (TRIES, None)
    row = await the_row(database)
    assert (row.attempts, row.failed_at, row.status) == (TRIES, clock.moment, "pending")
    clock.moment += timedelta(days=365)
    taker.fault = None
    assert (await one.deliver_next(), await one.due_reminders(clock.moment)) == (None, [])


async def test_a_refused_one_does_not_hold_up_the_others(database: Database, clock: HandClock) -> None:
    bad, good = await due(database, NOW - SECOND, NOW)

    class Picky(Taker):
        async def send(self, delivery: Delivery) -> None:
            if delivery.reminder.id == bad.id and delivery.attempt < 3:
                raise RuntimeError
            await super().send(delivery)

    taker = Picky()
    one = service(database, clock, taker)
    assert await delivered(one) == ["RuntimeError", None]
    clock.moment += FIRST_PAUSE
    assert await delivered(one) == ["RuntimeError"]
    clock.moment += FIRST_PAUSE * 2
    assert await delivered(one) == [None]
    assert (taker.ids, await statuses(database)) == ([good.id, bad.id], ["sent", "sent"])


async def test_a_moved_one_starts_anew(database: Database, clock: HandClock) -> None:
    (reminder,) = await due(database, NOW)
    refuses = service(database, clock, Taker(fault=OSError()))
    for _ in range(TRIES):
        assert len(await delivered(refuses)) == 1
        clock.moment += timedelta(hours=1)
    await change(database, reminder, content="换了说法")
    assert (await the_row(database)).failed_at is not None, "other words for it do not bring it back"
    await change(database, reminder, remind_at=clock.moment + SECOND)
    row = await the_row(database)
    assert (row.attempts, row.failed_at, row.next_attempt_at, row.claimed_by) == (0, None, None, None)
    clock.moment += SECOND
    taker = Taker()
    assert await delivered(service(database, clock, taker)) == [None]
    assert taker.taken[0].attempt == 1


@pytest.mark.parametrize(
    ("meanwhile", "left"),
    [({"status": ReminderStatus.CANCELLED}, "cancelled"), ({"remind_at": at("18:00")}, "pending"), ({}, "sent")],
)
async def test_what_the_user_did_during_the_delivery_stands(
    database: Database, clock: HandClock, meanwhile: dict[str, object], left: str
) -> None:
    (reminder,) = await due(database, NOW)

    class Slow(Taker):
        async def send(self, delivery: Delivery) -> None:
            await super().send(delivery)
            await change(database, reminder, **meanwhile)

    assert await delivered(service(database, clock, Slow())) == [None]
    assert await statuses(database) == [left]
    clock.moment = at("18:00")
    assert len(await delivered(service(database, clock, Taker()))) == (left == "pending")


async def test_a_closed_channel_ends_it_and_costs_nothing(database: Database, clock: HandClock) -> None:
    await due(database, NOW, NOW)
    with pytest.raises(ChannelClosedError):
        await delivered(service(database, clock, Taker(fault=ChannelClosedError())))
    taker = Taker()
    assert await delivered(service(database, clock, taker, "b")) == [None, None]
    assert [one.attempt for one in taker.taken] == [1, 1]


async def test_a_channel_that_hangs_is_cut_off(
    database: Database, clock: HandClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    await due(database, NOW)
    monkeypatch.setattr("tools.services.delivery.SENDING", timedelta(0))

    class Hanging(Taker):
        async def send(self, delivery: Delivery) -> None:
            await asyncio.Event().wait()

    assert await delivered(service(database, clock, Hanging())) == ["TimeoutError"]


@pytest.mark.parametrize(("after", "late"), [(timedelta(0), False), (GRACE, False), (GRACE + SECOND, True)])
async def test_late_is_more_than_the_grace(database: Database, clock: HandClock, after: timedelta, late: bool) -> None:
    (reminder,) = await due(database, NOW)
    clock.moment = reminder.remind_at + after
    taker = Taker()
    assert await delivered(service(database, clock, taker)) == [None]
    assert [one.late for one in taker.taken] == [late]


async def test_stopping_falls_between_two_reminders(database: Database, clock: HandClock) -> None:
    await due(database, NOW, NOW, NOW)
    taker = Taker()
    outcomes = service(database, clock, taker).deliver_due(lambda: len(taker.taken) == 2)
    assert len([outcome async for outcome in outcomes]) == 2
    assert await statuses(database) == ["sent", "sent", "pending"]
    assert [row.claimed_by for row in await rows(database, "reminders")] == [None] * 3


async def test_watching_looks_again_after_each_pause(database: Database, clock: HandClock) -> None:
    await due(database, NOW, NOW + timedelta(minutes=3))
    taker, pauses = Taker(), []

    async def pause() -> None:
        clock.moment += timedelta(minutes=1)
        pauses.append(len(taker.taken))

    watching = service(database, clock, taker).watch(pause, lambda: len(pauses) == 5)
    assert len([outcome async for outcome in watching]) == 2
    assert pauses == [1, 1, 1, 2, 2]


async def test_claimers_with_a_connection_each_at_once(tmp_path: Path, clock: HandClock) -> None:
    async with AsyncExitStack() as stack:
        databases = [await stack.enter_async_context(opened(tmp_path)) for _ in range(4)]
        made = await due(databases[0], *[NOW] * 40)
        taker = Taker()
        services = [service(database, clock, taker, str(n)) for n, database in enumerate(databases)]
        await asyncio.gather(*(delivered(one) for one in services))
    assert sorted(taker.ids) == [reminder.id for reminder in made]


async def steps(database: Database, claimer: str, log: list[int]) -> AsyncIterator[None]:
    """A claimer that goes one step at a time: to its claim, to its print, to its mark."""
    while True:
        async with database.writing() as session:
            claimed = await Outbox(session, 1, "console", claimer).claim(NOW, NOW + LEASE, 1)
        if not claimed:
            return
        yield
        log.append(claimed[0].reminder.id)
        yield
        async with database.writing() as session:
            assert await Outbox(session, 1, "console", claimer).mark_sent(claimed[0].reminder.id)
        yield


async def interleaved(folder: Path, many: int, claimers: int, order: list[int]) -> tuple[list[int], list[int]]:
    """The reminders, and what was printed when the claimers moved in this order and then all to their ends."""
    log: list[int] = []
    async with opened(folder) as database:
        made = await due(database, *[NOW] * many)
        going = [steps(database, str(number), log) for number in range(claimers)]
        for number in order:
            await anext(going[number % claimers], None)
        for one in going:
            async for _ in one:
                pass
        assert await statuses(database) == ["sent"] * many
    return [reminder.id for reminder in made], log


@settings(deadline=None, max_examples=25)
@given(many=st.integers(0, 4), claimers=st.integers(1, 4), order=st.lists(st.integers(0, 3), max_size=24))
def test_each_is_delivered_exactly_once_in_any_interleaving(many: int, claimers: int, order: list[int]) -> None:
    with tempfile.TemporaryDirectory() as folder:
        made, log = asyncio.run(interleaved(Path(folder), many, claimers, order))
    assert Counter(log) == Counter(made)


def test_the_claim_is_one_statement_on_both_databases() -> None:
    statement = claiming(1, "console", "a", now=NOW, until=NOW + LEASE, limit=3)
    said = {name: str(statement.compile(dialect=name)) for name in (postgresql.dialect(), sqlite.dialect())}
    on_postgresql, on_sqlite = said.values()
    assert "FOR UPDATE SKIP LOCKED" in on_postgresql
    assert "FOR UPDATE" not in on_sqlite
    for each in (on_postgresql, on_sqlite):
        assert (each.count("LIMIT"), each.count("UPDATE reminders"), each.count("RETURNING")) == (1, 1, 1)


async def test_a_database_of_the_first_revision_goes_on(tmp_path: Path, clock: HandClock) -> None:
    path = tmp_path / "old.db"
    options = config()
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        options.attributes["connection"] = connection
        command.upgrade(options, "0001")
        connection.execute(text("INSERT INTO users (id, name, created_at) VALUES (1, 'local', '2026-01-01')"))
        row = "(1, NULL, '2026-02-10 12:00:00', '旧的', 'explicit', 'pending', 'console', '2026-01-01')"
        columns = "user_id, task_id, remind_at, content, reason, status, channel, created_at"
        connection.execute(text(f"INSERT INTO reminders ({columns}) VALUES {row}"))
    database = await Database.open(sqlite_url(path), now=NOW)
    taker = Taker()
    assert await delivered(service(database, clock, taker)) == [None]
    assert [(one.reminder.content, one.late, one.attempt) for one in taker.taken] == [("旧的", True, 1)]
    await database.aclose()
    with engine.begin() as connection:
        options.attributes["connection"] = connection
        command.downgrade(options, "0001")
        assert connection.execute(text("SELECT status FROM reminders")).scalars().all() == ["sent"]
    engine.dispose()
