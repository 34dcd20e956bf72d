"""Groups: unique names, each user's own, one transaction with its journal, tasks that stay (P15, N1, N2)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.builders import call, counts, operation, rows, stored, task, tasks_of
from tools.core.errors import UsageError
from tools.services.groups import LONGEST_NAME, GroupService
from tools.store.database import Database

pytestmark = pytest.mark.unit


@pytest.fixture
def service(database: Database) -> GroupService:
    return GroupService(database)


async def names(service: GroupService, user: int = 1) -> list[str]:
    return [group.name for group, _ in await service.all(user)]


async def journal(database: Database) -> list[tuple[str, int, Any, Any]]:
    return [(row.table_name, row.row_id, row.before, row.after) for row in await rows(database, "journal")]


async def test_a_group_is_made_and_noted(database: Database, service: GroupService) -> None:
    result = await service.add(call(), "  工作 \n 组 ")
    assert (result.message, result.data) == ("已建分组「工作 组」。", {"id": 1, "name": "工作 组"})
    assert await names(service) == ["工作 组"]
    assert await journal(database) == [("groups", 1, None, {"id": 1, "name": "工作 组"})]
    assert (await counts(database))["effects"] == 1


async def test_the_same_call_again_gives_the_same_result(database: Database, service: GroupService) -> None:
    key = operation("group_add")
    first = await service.add(call(key=key), "工作")
    assert await service.add(call(key=key), "工作") == first
    assert await names(service) == ["工作"]
    assert len(await journal(database)) == 1


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("  ", "blank_group"),
        ("\0", "blank_group"),
        ("x" * (LONGEST_NAME + 1), "long_group"),
        ("a\x1b[31mb", "unprintable_group"),
        ("a\u202eb", "unprintable_group"),
        ("工作", "group_taken"),
        ("ｗｏｒｋ", "group_taken"),
        ("WORK ", "group_taken"),
    ],
)
async def test_names_that_cannot_be(database: Database, service: GroupService, name: str, key: str) -> None:
    await service.add(call(), "工作")
    await service.add(call(), "Work")
    before = await journal(database)
    with pytest.raises(UsageError) as refused:
        await service.add(call(), name)
    with pytest.raises(UsageError) as refused_too:
        await service.rename(call(), "工作", name if key != "group_taken" else "work")
    assert (refused.value.key, refused_too.value.key) == (key, key)
    assert refused.value.message("zh") != refused.value.message("en")
    assert await journal(database) == before


async def test_a_name_of_full_length_is_taken(service: GroupService) -> None:
    await service.add(call(), "组" * LONGEST_NAME)
    assert await names(service) == ["组" * LONGEST_NAME]


async def test_a_group_gets_another_name(database: Database, service: GroupService) -> None:
    await service.add(call(), "work")
    result = await service.rename(call("en"), "WORK", "Work")
    assert result.message == "The group “work” is now called “Work”."
    assert (await journal(database))[-1] == ("groups", 1, {"id": 1, "name": "work"}, {"id": 1, "name": "Work"})
    same = await service.rename(call(), "1", "Work")
    assert same.message == "分组「Work」没有变化。"
    assert len(await journal(database)) == 2


async def test_a_removed_group_leaves_its_tasks_and_a_journal_of_both(
    database: Database, service: GroupService
) -> None:
    await service.add(call(), "工作")
    open_, done, other = await stored(
        database, task("写周报", group_id=1), task("开会", group_id=1, status="completed"), task("买菜")
    )
    assert [count for _, count in await service.all(1)] == [1]
    result = await service.remove(call(), "工作")
    assert "2 项任务还在" in result.message
    assert await names(service) == []
    assert {t.id: t.group_id for t in await tasks_of(database)} == {open_.id: None, done.id: None, other.id: None}
    noted = [
        (table, row, (before or {}).get("group_id"), after) for table, row, before, after in await journal(database)
    ]
    assert [(table, row, group) for table, row, group, _ in noted[1:]] == [
        ("tasks", open_.id, 1),
        ("tasks", done.id, 1),
        ("groups", 1, None),
    ]
    assert noted[-1][3] is None


async def test_a_removed_name_may_be_used_again(service: GroupService) -> None:
    await service.add(call(), "工作")
    await service.remove(call(), "工作")
    await service.add(call(), "工作")
    assert await names(service) == ["工作"]


async def test_each_user_has_groups_of_their_own(database: Database, service: GroupService) -> None:
    await service.add(call(), "工作")
    await stored(database, task("写周报", group_id=1))
    with pytest.raises(UsageError, match="no group called"):
        await service.remove(call(user=2), "工作")
    await service.add(call(user=2), "工作")
    assert await names(service) == await names(service, 2) == ["工作"]
    await service.remove(call(user=2), "2")
    assert [t.group_id for t in await tasks_of(database)] == [1]


async def test_an_unknown_group_is_told_with_those_there_are(service: GroupService) -> None:
    await service.add(call(), "工作")
    with pytest.raises(UsageError) as refused:
        await service.rename(call(), "家", "家里")
    assert refused.value.message("zh") == "没有叫「家」的分组。现有分组：工作。"
