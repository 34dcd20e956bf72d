"""The store on SQLite and on PostgreSQL: the same behaviour, also when several write at once.

What the store's unit tests say of any database is said here of both; below it, what needs several writers.
"""

from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from deep_planner.asked import LONGEST_THREAD
from deep_planner.directory import Directory
from deep_planner.locks import locks_of
from tests.support.builders import (
    NOW,
    TOMORROW,
    at,
    call,
    counts,
    operation,
    put_file,
    reminded,
    reminders_of,
    rows,
    stored,
    task,
    tasks_of,
)
from tests.support.postgres import Postgres, postgres_server, programs
from tests.unit.tools import test_effects as effects
from tests.unit.tools import test_store as store
from tools.core.clock import FrozenClock
from tools.core.errors import StoreError
from tools.core.result import ResultStatus, ToolResult
from tools.domain.plan_writing import LONGEST_ID
from tools.domain.records import ReminderStatus, ThreadStatus
from tools.domain.tasks import TaskStatus
from tools.services.calendar import CalendarService
from tools.services.finding import Reference
from tools.services.notifications import NewReminder, NotificationService
from tools.services.tasks import NewTask, TaskChanges, TaskService
from tools.store.database import Database, sqlite_url
from tools.store.effects import once
from tools.store.repositories import People

pytestmark = pytest.mark.graph

ROOT = Path(__file__).parents[2]
#: How many do the same at once.
MANY = 6
NO_PROGRAMS = "no PostgreSQL programs (initdb, postgres) on this machine"


@pytest.fixture(scope="module")
def postgres() -> Iterator[Postgres]:
    place = programs()
    if place is None:
        pytest.skip(NO_PROGRAMS)
    with postgres_server(place) as server:
        yield server


@pytest.fixture(params=["sqlite", "postgresql"])
async def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """A database that is empty yet, or migrated where ``database`` is to be open."""
    path, open_already = tmp_path / "new" / "planner.db", "database" in request.fixturenames
    if request.param == "sqlite":
        if open_already:
            path.parent.mkdir()
            put_file(path)
        return sqlite_url(path)
    server: Postgres = request.getfixturevalue("postgres")
    if not open_already:
        return await server.new_database()
    if server.migrated is None:
        async with opened(await server.new_database()) as database:
            server.migrated = database.engine.url.database
    return await server.new_database(server.migrated or "")


@asynccontextmanager
async def opened(url: str) -> AsyncIterator[Database]:
    """The database, migrated, with the users 1 and 2."""
    database = await Database.open(url, now=NOW)
    try:
        async with database.writing() as session:
            await People(session).ensure_user(2, NOW)
        yield database
    finally:
        await database.aclose()


@pytest.fixture
async def database(url: str) -> AsyncIterator[Database]:
    async with opened(url) as database:
        yield database


Behaviour = Callable[..., Awaitable[None]]
ANYWHERE: list[tuple[Behaviour, tuple[str, ...]]] = [
    (store.test_the_migrations_make_the_tables, ()),
    (store.test_rows_go_with_what_they_hang_on, ()),
    (store.test_a_group_that_goes_leaves_its_tasks, ()),
    (store.test_nothing_hangs_on_what_is_not_there, ()),
    (store.test_one_pending_reminder_at_an_instant, ()),
    (store.test_instants_are_kept_in_utc_and_come_back_aware, ()),
    (store.test_a_naive_instant_is_refused, ()),
    (store.test_no_update_is_lost, ()),
    (store.test_the_version_column_itself_stands_guard, ()),
    *((store.test_another_users_row_is_not_found, (write,)) for write in ("save", "remove", "get")),
    (store.test_a_transaction_that_fails_leaves_nothing, ()),
    (effects.test_the_same_key_gives_the_first_result_again, ()),
    *((effects.test_every_part_of_the_key_counts, (part,)) for part in ("occurrence", "thread")),
    (effects.test_a_result_that_asks_stores_nothing_and_may_be_asked_again, ()),
    (effects.test_a_question_must_not_have_written, ()),
    (effects.test_what_raises_leaves_nothing, ()),
    *((effects.test_no_receipt_or_no_journal_means_no_row, (table,)) for table in ("effects", "journal")),
    (effects.test_the_journal_holds_before_and_after_of_every_row, ()),
]


@pytest.mark.parametrize(
    ("behaviour", "arguments"), ANYWHERE, ids=["-".join((each.__name__, *given)) for each, given in ANYWHERE]
)
async def test_as_the_unit_tests_say(database: Database, behaviour: Behaviour, arguments: tuple[str, ...]) -> None:
    await behaviour(database, *arguments)


async def test_the_life_of_a_task(database: Database) -> None:
    """Made, reminded of, moved with its reminder, found, done; all of it written down."""
    tasks, notes = TaskService(database), NotificationService(database, lambda line: None)
    made = await tasks.create(call(), NewTask("拜访客户😀", "2026-02-14", "15:00", "16:00", description="带\x00合同"))
    assert (made.status, made.rows) == ("success", ["task:1"])
    arranged = await notes.schedule(call(), NewReminder(task_id=1))
    assert arranged.rows == ["reminder:1"]
    moved = await tasks.modify(call(), Reference(task_id=1), TaskChanges(due_date="2026-02-15"))
    assert moved.status == "success"
    [reminder] = await reminders_of(database)
    assert reminder.remind_at > at("02-14 00:00")
    found = await tasks.query(call(), "2026-02-15")
    assert found.rows == ["task:1"]
    listed = await notes.coming(call(), "2026-02-14")
    assert listed.rows == ["reminder:1"]
    done = await tasks.finish(call(), Reference(title="拜访客户"))
    assert done.status == "success"
    [row] = await tasks_of(database)
    assert (row.title, row.status, row.start_time) == ("拜访客户😀", TaskStatus.COMPLETED, at("15:00").time())
    assert [each.status for each in await reminders_of(database)] == [ReminderStatus.CANCELLED]
    assert await counts(database) == {"tasks": 1, "reminders": 1, "effects": 4, "journal": 6}


async def test_the_life_of_a_series(database: Database) -> None:
    """Made, reminded of, one date done: rule, exception, the row of that date, and the reminder of the next one."""
    tasks, notes = TaskService(database), NotificationService(database, lambda line: None)
    await tasks.create(call(), NewTask("站会", "每周一9点到9点半"))
    await notes.schedule(call(), NewReminder(task_id=1))
    await tasks.finish(call(), Reference(title="站会", on_date="下周一"))
    series, single = await tasks_of(database)
    if series.rrule is None:
        series, single = single, series
    assert (series.rrule, series.exdates) == ("FREQ=WEEKLY;BYDAY=MO", (date(2026, 2, 16),))
    assert (single.series_id, single.status, single.date) == (series.id, "completed", date(2026, 2, 16))
    cancelled, pending = await reminders_of(database)
    assert (cancelled.status, pending.status, pending.occurs_on) == ("cancelled", "pending", date(2026, 2, 23))
    assert (await CalendarService(database).day_schedule(call(), "2026-02-23")).rows == ["task:1"]


async def test_long_names_of_thread_and_item(database: Database) -> None:
    """A thread's name comes from a client, an item's from a model: the longest that are let in fit every column."""
    key = replace(operation(), thread=f"1234567890:{'线' * LONGEST_THREAD}", item="t" * LONGEST_ID)
    result = await once(database, call(key=key), effects.adding())
    assert await once(database, call(key=key), effects.adding()) == result
    assert (await counts(database))["tasks"] == 1


async def test_opening_again_keeps_what_is_there(url: str) -> None:
    key = operation()
    async with opened(url) as database:
        first = await once(database, call(key=key), effects.adding("写周报"))
    async with opened(url) as database:
        assert [row.title for row in await tasks_of(database)] == ["写周报"]
        assert await once(database, call(key=key), effects.adding()) == first


@pytest.mark.parametrize("handles", [1, 2])
async def test_concurrent_calls_with_one_key_write_one_row(url: str, handles: int) -> None:
    async with opened(url) as one, opened(url) as other:
        key, places = operation(), [one, (one, other)[handles - 1]] * (MANY // 2)
        made = await asyncio.gather(*(once(place, call(key=key), effects.adding()) for place in places))
        assert {result.model_dump_json() for result in made} == {made[0].model_dump_json()}
        assert await counts(one) == {"tasks": 1, "reminders": 0, "effects": 1, "journal": 1}


async def test_one_of_many_that_want_the_same_hour_gets_it(database: Database) -> None:
    service = TaskService(database)
    wanted = [NewTask(f"第{n}件事", "2026-02-12", "15:00", "16:00") for n in range(MANY)]
    made = await asyncio.gather(*(service.create(call(), new) for new in wanted))
    assert sorted(result.status for result in made) == ["conflict"] * (MANY - 1) + ["success"]
    assert (await counts(database))["tasks"] == 1


async def test_users_do_not_stand_in_each_others_way(database: Database) -> None:
    service, new = TaskService(database), NewTask("开会", "2026-02-12", "15:00", "16:00")
    made = await asyncio.gather(*(service.create(call(user=user), new) for user in (1, 2)))
    assert [result.status for result in made] == ["success"] * 2


async def test_one_reminder_however_many_arrange_it_at_once(database: Database) -> None:
    (row,) = await stored(database, task("开会", "15:00", day=TOMORROW))
    service = NotificationService(database, lambda line: None)
    made = await asyncio.gather(*(service.schedule(call(), NewReminder(task_id=row.id)) for _ in range(MANY)))
    assert {(result.status, *result.rows) for result in made} == {("success", "reminder:1")}
    assert (await counts(database))["reminders"] == 1


async def test_concurrent_changes_of_one_task_follow_each_other(database: Database) -> None:
    (row,) = await stored(database, task("开会", "15:00", day=TOMORROW))
    service, which = TaskService(database), Reference(task_id=row.id)
    fields = [{"new_title": "例会"}, {"priority": "high"}, {"description": "带电脑"}]
    made = await asyncio.gather(*(service.modify(call(), which, TaskChanges(**each)) for each in fields))
    assert [result.status for result in made] == ["success"] * 3
    [after] = await tasks_of(database)
    assert (after.title, after.priority, after.description, after.version) == (
        "例会",
        "high",
        "带电脑",
        row.version + 3,
    )
    assert len(await rows(database, "journal")) == 3


async def test_a_writer_that_fails_lets_the_next_one_write(database: Database) -> None:
    async def breaks(_work: Any) -> ToolResult:
        raise OSError("broken")

    tries = [once(database, call(), perform) for perform in (breaks, effects.adding()) * (MANY // 2)]
    made = await asyncio.gather(*tries, return_exceptions=True)
    assert [isinstance(result, OSError) for result in made] == [True, False] * (MANY // 2)
    assert all(result.status is ResultStatus.SUCCESS for result in made if isinstance(result, ToolResult))
    assert (await counts(database))["tasks"] == MANY // 2


async def test_a_reminder_goes_with_its_task(database: Database) -> None:
    (row,) = await stored(database, task("开会", "15:00", day=TOMORROW))
    await reminded(database, row, at("13:00"))

    async def perform(work: Any) -> ToolResult:
        await work.remove_task(row)
        return ToolResult(status=ResultStatus.SUCCESS, message="ok")

    await once(database, call(), perform)
    assert await counts(database) == {"tasks": 0, "reminders": 0, "effects": 1, "journal": 2}


async def test_a_thread_is_held_by_one_run_and_freed_with_its_session(url: str) -> None:
    async with opened(url) as one, opened(url) as other:
        mine, theirs = locks_of(url, one), locks_of(url, other)
        assert [await mine.take("1:t"), await mine.take("1:t"), await theirs.take("1:t")] == [True, False, False]
        assert [await theirs.is_taken("1:t"), await mine.is_taken("1:t"), await theirs.is_taken("2:t")] == [
            True,
            True,
            False,
        ]
        assert await theirs.take("2:t")
        await mine.give_back("1:t")
        assert [await theirs.is_taken("1:t"), await theirs.take("1:t")] == [False, True]
        for locks in (mine, theirs):
            await locks.aclose()


HOLD = """
import asyncio, sys
from datetime import UTC, datetime
from deep_planner.locks import locks_of
from tools.store.database import Database
async def hold():
    database = await Database.open(sys.argv[1], now=datetime.now(UTC))
    locks = locks_of(sys.argv[1], database)
    print(await locks.take("1:t"), flush=True)
    await asyncio.Event().wait()
asyncio.run(hold())
"""


async def test_a_killed_process_holds_no_thread(url: str) -> None:
    async with opened(url) as database:
        locks = locks_of(url, database)
        pipe = asyncio.subprocess.PIPE
        process = await asyncio.create_subprocess_exec(sys.executable, "-c", HOLD, url, stdout=pipe, cwd=ROOT)
        try:
            assert process.stdout is not None
            assert await process.stdout.readline() == b"True\n"
            assert not await locks.take("1:t")
        finally:
            process.kill()
            await process.communicate()
        # The kernel frees a file at once; a server has to notice first that its client has gone.
        while not await locks.take("1:t"):
            assert url.startswith("postgresql")
        await locks.aclose()


async def test_the_directory_of_threads(database: Database, url: str) -> None:
    locks = locks_of(url, database)
    mine, theirs = (Directory(database, locks, user, FrozenClock(NOW)) for user in (1, 2))
    async with mine.busy("周末") as before, mine.written("周末", "买菜\x00😀", "") as ending:
        assert before is None
        assert [record.status for record in await mine.all()] == ["running"]
        ending.status = ThreadStatus.WAITING
    [record] = await mine.all()
    assert (record.name, record.first_request, record.status, record.updated_at) == (
        "周末",
        "买菜\ufffd😀",
        "waiting",
        NOW,
    )
    assert await theirs.all() == []
    async with theirs.written("周末", "看牙", ""):
        """The same name, and cut off."""
    assert [(each.first_request, each.status) for each in await theirs.all()] == [("看牙", "interrupted")]
    saver = InMemorySaver()
    removed = await mine.remove("周末", saver)
    assert (removed, await mine.all(), len(await theirs.all())) == (record, [], 1)
    await locks.aclose()


def test_processes_that_open_a_new_database_at_once_all_succeed(url: str) -> None:
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", store.OPEN, url]
    made = [
        subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, text=True, cwd=ROOT) for _ in range(MANY // 2)
    ]
    for process in made:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    said = [process.communicate(timeout=120) for process in made]
    assert [(process.returncode, *each) for process, each in zip(made, said, strict=True)] == [(0, "", "")] * len(made)


async def test_opening_at_once_in_one_process(url: str) -> None:
    opening = [Database.open(url, now=NOW) for _ in range(MANY)]
    # Bounded, because what goes wrong here is that they wait for each other.
    made = await asyncio.wait_for(asyncio.gather(*opening, return_exceptions=True), 60)
    for database in made:
        if isinstance(database, Database):
            await database.aclose()
    assert [error for error in made if isinstance(error, BaseException)] == []


async def test_a_server_without_that_database_is_told_clearly(postgres: Postgres) -> None:
    refused = await store.refusal(postgres.url("nothing"))
    assert refused.key == "database_unwritable"
    for language in ("zh", "en"):
        words = refused.message(language)  # type: ignore[arg-type]
        assert '"nothing"' in words
        assert "secret" not in words


async def test_no_server_is_told_clearly(tmp_path: Path) -> None:
    refused: StoreError = await store.refusal(f"postgresql+asyncpg://me:secret@/planner?host={tmp_path}")
    assert refused.key == "database_unwritable"
    assert "secret" not in refused.message("zh") + str(refused)
