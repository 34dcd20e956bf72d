"""Effects happen once: the receipt, the journal and the row are one transaction (N1)."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import Awaitable, Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError

from tests.support.builders import (
    NOW,
    TOMORROW,
    at,
    call,
    counts,
    opened,
    operation,
    reminded,
    rows,
    stored,
    task,
    tasks_of,
)
from tools.core.context import Call, digest
from tools.core.result import Choice, ResultStatus, ToolResult
from tools.domain.tasks import TaskStatus
from tools.store.attempts import at_most_once
from tools.store.database import Database, sqlite_url
from tools.store.effects import Work, once

pytestmark = pytest.mark.unit

Perform = Callable[[Work], Awaitable[ToolResult]]


def adding(title: str = "写周报", runs: list[str] | None = None) -> Perform:
    async def perform(work: Work) -> ToolResult:
        if runs is not None:
            runs.append(title)
        row = await work.add_task(task(title, day=TOMORROW))
        return ToolResult(status=ResultStatus.SUCCESS, message=title, rows=[f"task:{row.id}"], data={"n": [1, None]})

    return perform


async def test_the_same_key_gives_the_first_result_again(database: Database) -> None:
    key, runs = operation(), list[str]()
    first = await once(database, call(key=key), adding("写周报", runs))
    again = await once(database, call("en", key=key, now=at("02-13 09:00")), adding("别的", runs))
    assert first == again
    assert runs == ["写周报"]
    assert await counts(database) == {"tasks": 1, "reminders": 0, "effects": 1, "journal": 1}


@pytest.mark.parametrize("other", ["occurrence", "item", "request", "thread", "tool", "digest"])
async def test_every_part_of_the_key_counts(database: Database, other: str) -> None:
    key = operation()
    changed = replace(key, **{other: 9 if other in ("occurrence", "request") else "other"})
    await once(database, call(key=key), adding())
    await once(database, call(key=changed), adding())
    assert (await counts(database))["tasks"] == 2


async def test_a_result_that_asks_stores_nothing_and_may_be_asked_again(database: Database) -> None:
    asking = ToolResult(status=ResultStatus.CONFLICT, message="?", choices=[Choice(id="yes", label="yes")])
    key = operation()

    async def ask(work: Work) -> ToolResult:
        return asking

    assert await once(database, call(key=key), ask) == asking
    assert (await counts(database))["effects"] == 0
    assert (await once(database, call(key=key), adding())).status == "success"


async def test_a_question_must_not_have_written(database: Database) -> None:
    async def sloppy(work: Work) -> ToolResult:
        await work.add_task(task())
        return ToolResult(status=ResultStatus.NEED_CONFIRMATION, message="?")

    with pytest.raises(AssertionError):
        await once(database, call(), sloppy)
    assert set((await counts(database)).values()) == {0}


async def test_what_raises_leaves_nothing(database: Database) -> None:
    async def breaks(work: Work) -> ToolResult:
        await work.add_task(task())
        raise OSError

    with pytest.raises(OSError):  # noqa: PT011 - any will do
        await once(database, call(), breaks)
    assert set((await counts(database)).values()) == {0}


@pytest.mark.parametrize("table", ["effects", "journal"])
async def test_no_receipt_or_no_journal_means_no_row(database: Database, table: str) -> None:
    def refuse(_connection: Any, _cursor: Any, statement: str, *_rest: Any) -> None:
        if statement.startswith(f"INSERT INTO {table}"):
            raise OSError(table)

    event.listen(database.engine.sync_engine, "before_cursor_execute", refuse)
    with pytest.raises(OSError, match=table):
        await once(database, call(key=(key := operation())), adding())
    event.remove(database.engine.sync_engine, "before_cursor_execute", refuse)
    assert set((await counts(database)).values()) == {0}
    await once(database, call(key=key), adding())
    assert (await counts(database))["tasks"] == 1


@pytest.mark.parametrize("handles", [1, 2])
async def test_concurrent_calls_with_one_key_write_one_row(tmp_path: Path, handles: int) -> None:
    async with opened(tmp_path) as one, opened(tmp_path) as other:
        key = operation()
        places = [one, (one, other)[handles - 1]]
        made = await asyncio.gather(*(once(place, call(key=key), adding()) for place in places * 4))
        assert {result.model_dump_json() for result in made} == {made[0].model_dump_json()}
        assert await counts(one) == {"tasks": 1, "reminders": 0, "effects": 1, "journal": 1}


async def test_a_writer_that_finds_the_file_locked_writes_nothing(tmp_path: Path) -> None:
    async with opened(tmp_path) as database, opened(tmp_path) as other:
        async with other.writing() as session:
            await session.execute(text("SELECT 1"))  # takes the write lock
            async with database.engine.connect() as connection:
                await connection.exec_driver_sql("PRAGMA busy_timeout=1")
            with pytest.raises(OperationalError, match="locked"):
                await once(database, call(), adding())
        assert (await counts(database))["tasks"] == 0
        await once(database, call(), adding())
        assert (await counts(database))["tasks"] == 1


async def test_the_journal_holds_before_and_after_of_every_row(database: Database) -> None:
    (row,) = await stored(database, task("开会", "15:00", day=TOMORROW))
    reminder = await reminded(database, row, at("20:00"))

    async def perform(work: Work) -> ToolResult:
        await work.save_task(row, replace(row, status=TaskStatus.COMPLETED))
        await work.add_reminder(task_id=row.id, remind_at=at("21:00"), content="c", reason="explicit")
        await work.remove_task(await work.tasks.get(row.id) or row)
        return ToolResult(status=ResultStatus.SUCCESS, message="ok")

    made = call()
    await once(database, made, perform)
    entries = await rows(database, "journal")
    assert [(e.table_name, bool(e.before), bool(e.after)) for e in entries] == [
        ("tasks", True, True),
        ("reminders", False, True),
        ("reminders", True, False),
        ("reminders", True, False),
        ("tasks", True, False),
    ]
    assert (entries[0].before["status"], entries[0].after["status"]) == ("pending", "completed")
    assert (entries[0].before["start_time"], entries[0].after["version"]) == ("15:00:00", row.version + 1)
    assert entries[2].before["id"] == reminder.id
    assert entries[2].before["remind_at"].startswith("2026-02-11T12:00:00")
    for entry in entries:
        key = (entry.user_id, entry.thread, entry.request, entry.item, entry.tool, entry.at)
        assert key == (1, "thread", 1, "t1", made.operation.tool, NOW)


async def test_receipts_outlive_the_process(tmp_path: Path) -> None:
    key = operation()
    async with opened(tmp_path) as database:
        first = await once(database, call(key=key), adding())
    again = await Database.open(sqlite_url(tmp_path / "planner.db"), now=NOW)
    assert await once(again, call(key=key), adding()) == first
    assert (await counts(again))["tasks"] == 1
    await again.aclose()


@settings(max_examples=15, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 1)), max_size=12))
def test_however_calls_repeat_each_intended_one_happens_once(sequence: list[tuple[int, int]]) -> None:
    async def play(folder: Path) -> None:
        async with opened(folder) as database:
            for number, occurrence in sequence:
                key = operation(number=number, occurrence=occurrence)
                await once(database, call(key=key), adding(f"{number}/{occurrence}"))
            titles = [row.title for row in await tasks_of(database)]
            assert sorted(titles) == sorted({f"{number}/{occurrence}" for number, occurrence in sequence})

    with tempfile.TemporaryDirectory() as folder:
        asyncio.run(play(Path(folder)))


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3),
    max_leaves=5,
)
arguments = st.dictionaries(st.text(max_size=5), values, max_size=5)


@given(arguments, st.randoms(use_true_random=False))
def test_a_digest_knows_no_order_and_no_none(given_arguments: dict[str, Any], random: Any) -> None:
    shuffled = list(given_arguments.items())
    random.shuffle(shuffled)
    without = {name: value for name, value in given_arguments.items() if value is not None}
    assert digest(given_arguments) == digest(dict(shuffled)) == digest(without)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ({"title": "a"}, {"title": "b"}),
        ({"title": "1"}, {"title": 1}),
        ({"title": "a"}, {"name": "a"}),
        ({"title": "a", "date": "b"}, {"title": "ab"}),
        ({"x": ["a", "b"]}, {"x": ["b", "a"]}),
        ({"title": ""}, {}),
        ({"title": "\ud800"}, {"title": "?"}),
    ],
)
def test_different_arguments_have_different_digests(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert digest(one) != digest(other)
    assert len(digest(one)) == 16


def test_a_call_is_not_permitted_by_itself() -> None:
    assert not Call(call().context, operation()).permitted


UNSURE = ToolResult(status=ResultStatus.NEED_CONFIRMATION, message="again?")


def acting(runs: list[str], fault: BaseException | None = None) -> Callable[[], Awaitable[ToolResult]]:
    async def act() -> ToolResult:
        runs.append("act")
        if fault:
            raise fault
        return ToolResult(status=ResultStatus.SUCCESS, message="done")

    return act


async def test_what_another_program_does_happens_once(database: Database) -> None:
    made, runs = call(key=operation()), list[str]()
    results = [await at_most_once(database, made, acting(runs), UNSURE) for _ in range(2)]
    assert (runs, [result.message for result in results]) == (["act"], ["done", "done"])


@pytest.mark.parametrize("fault", [RuntimeError("x"), asyncio.CancelledError()])
async def test_what_was_cut_off_is_not_done_again_unasked(database: Database, fault: BaseException) -> None:
    made, runs = call(key=operation()), list[str]()
    with pytest.raises(type(fault)):
        await at_most_once(database, made, acting(runs, fault), UNSURE)
    assert await at_most_once(database, made, acting(runs), UNSURE) == UNSURE
    assert runs == ["act"]


async def test_of_two_at_once_one_acts(database: Database) -> None:
    made, runs = call(key=operation()), list[str]()
    both = (at_most_once(database, made, acting(runs), UNSURE) for _ in range(2))
    messages = {result.message for result in await asyncio.gather(*both)}
    assert runs == ["act"]
    assert messages <= {"done", "again?"}
