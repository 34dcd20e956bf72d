"""Which task a title means (A13, A14, P6, P8)."""

from __future__ import annotations

import subprocess
import sys
from datetime import date, datetime, time
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.domain.conflicts import by_start
from tools.domain.lookup import Lookup, LookupKind, find_tasks
from tools.domain.similarity import canonical_title, decisive_words, own_words
from tools.domain.tasks import Task, TaskStatus

pytestmark = pytest.mark.unit

NOW = datetime(2026, 2, 11, 10, tzinfo=ZoneInfo("Asia/Shanghai"))
YESTERDAY, TODAY, TOMORROW = date(2026, 2, 10), date(2026, 2, 11), date(2026, 2, 12)


def task(title: str, id: int = 1, day: date = TODAY, start: int | None = None, status: str = "pending") -> Task:
    return Task(id, 1, title, day, None if start is None else time(start), status=TaskStatus(status))


def found(lookup: Lookup) -> tuple[str, list[int]]:
    return lookup.kind.value, [each.id for each in lookup.tasks]


@pytest.mark.parametrize(
    ("title", "tasks", "expected"),
    [
        pytest.param("写周报", [task("写周报", 4)], ("one", [4]), id="A14 one match"),
        pytest.param(
            "开会",
            [task("开会", 3, start=16), task("开会", 2, start=9), task("开会", 1, start=16)],
            ("many", [2, 1, 3]),
            id="A14 several: candidates, by date, start, id",
        ),
        pytest.param("写周报", [], ("none", []), id="A14 none"),
        pytest.param("", [task("写周报")], ("none", []), id="A15 no title"),
        pytest.param("拿包裹", [task("取快递")], ("one", [1]), id="the same words after normalisation"),
        pytest.param("周报", [task("写周报"), task("写月报", 2)], ("one", [1]), id="a part of the title"),
        pytest.param("去学校接孩子放学", [task("接娃")], ("one", [1]), id="the task's title is a part"),
        pytest.param("客户合同", [task("给客户寄合同")], ("many", [1]), id="the words, but not side by side: ask"),
        pytest.param("明早的写周报", [task("写周报")], ("one", [1]), id="the title is a part of what was said"),
        pytest.param("快递", [task("寄快递"), task("取快递", 2)], ("many", [1, 2]), id="a part of two titles"),
        pytest.param(
            "写周报", [task("写周报", 1), task("写周报总结", 2)], ("one", [1]), id="the same words beat a part"
        ),
        pytest.param("发邮件给王经理", [task("给王经理发邮件")], ("one", [1]), id="a duplicate's title"),
        pytest.param("开会", [task("和小王开会讨论预算")], ("one", [1]), id="a part as it was written"),
        pytest.param("art", [task("start the project")], ("none", []), id="a part of a word is no part of a title"),
        pytest.param("mom", [task("call mum")], ("one", [1]), id="one English word"),
        pytest.param("开会", [task("学会游泳")], ("none", []), id="one character names nothing"),
        pytest.param("开会", [task("项目评审会")], ("many", [1]), id="one character at the end: ask"),
        pytest.param("李总的预算会", [task("和李总开预算会")], ("many", [1]), id="a resemblance is only offered"),
        pytest.param("call the dentits", [task("call the dentist")], ("many", [1]), id="a slip of the keyboard: ask"),
        pytest.param("取快递", [task("寄快递")], ("none", []), id="取 is not 寄"),
        pytest.param("买菜", [task("卖菜")], ("none", []), id="买 is not 卖"),
        pytest.param("去北京", [task("去南京")], ("none", []), id="北京 is not 南京"),
        pytest.param("写周报", [task("写月报")], ("none", []), id="周报 is not 月报"),
        pytest.param("买菜", [task("不买菜")], ("none", []), id="not is no part"),
        pytest.param("预约牙医", [task("取消预约牙医")], ("none", []), id="cancelling is no part"),
        pytest.param("weekly report", [task("write monthly report")], ("none", []), id="weekly is not monthly"),
        pytest.param("写周报", [task("写周报", status="cancelled")], ("none", []), id="cancelled tasks are gone"),
    ],
)
def test_find_tasks_of_today(title: str, tasks: list[Task], expected: tuple[str, list[int]]) -> None:
    assert found(find_tasks(title, tasks, now=NOW)) == expected


@pytest.mark.parametrize(
    ("day", "tasks", "expected"),
    [
        pytest.param(None, [task("开会"), task("开会", 2, TOMORROW)], ("one", [1]), id="today first"),
        pytest.param(None, [task("开会", 2, TOMORROW)], ("one", [2]), id="to come, unique: act"),
        pytest.param(None, [task("开会", 2, YESTERDAY)], ("one", [2]), id="overdue, unique: act"),
        pytest.param(
            None, [task("开会", 2, TOMORROW), task("开会", 3, YESTERDAY)], ("many", [3, 2]), id="several elsewhere: ask"
        ),
        pytest.param(TOMORROW, [task("开会"), task("开会", 2, TOMORROW)], ("one", [2]), id="the date that was named"),
        pytest.param(TOMORROW, [task("开会")], ("none", []), id="the date that was named, and no other"),
        pytest.param(None, [task("开会", status="completed")], ("already_done", [1]), id="completed today"),
        pytest.param(
            TOMORROW,
            [task("开会", day=TOMORROW, status="completed")],
            ("already_done", [1]),
            id="completed on the date",
        ),
        pytest.param(
            None,
            [task("开会", 1, date(2026, 1, 5), status="completed"), task("开会", 2, YESTERDAY, status="completed")],
            ("already_done", [2]),
            id="completed before: the newest",
        ),
        pytest.param(
            None,
            [task("开会", 1, status="completed"), task("开会", 2, start=15)],
            ("one", [2]),
            id="one of today is completed, one is not",
        ),
        pytest.param(
            None,
            [task("开会", 1, status="completed"), task("开会", 2, TOMORROW)],
            ("many", [2]),
            id="today's is completed: ask before taking tomorrow's",
        ),
        pytest.param(
            TOMORROW,
            [task("开会", 1, status="completed"), task("开会", 2, TOMORROW)],
            ("one", [2]),
            id="today's is completed, but tomorrow was named",
        ),
        pytest.param(
            None,
            [task("和小王开会", 1, status="completed"), task("开会", 2, TOMORROW)],
            ("one", [2]),
            id="what is completed today has another title",
        ),
        pytest.param(
            None,
            [task("项目评审会", 1), task("开会", 2, TOMORROW)],
            ("one", [2]),
            id="a title elsewhere beats a resemblance today",
        ),
    ],
)
def test_find_tasks_by_date(day: date | None, tasks: list[Task], expected: tuple[str, list[int]]) -> None:
    assert found(find_tasks("开会", tasks, now=NOW, day=day)) == expected


TITLES = [
    "写周报",
    "写月报",
    "取快递",
    "寄快递",
    "拿包裹",
    "买菜",
    "卖菜",
    "去北京",
    "去南京",
    "开会",
    "项目会",
    "call mom",
    "call dad",
]
tasks = st.lists(
    st.builds(
        task,
        st.sampled_from(TITLES),
        st.integers(1, 50),
        st.sampled_from([YESTERDAY, TODAY, TOMORROW]),
        st.none() | st.integers(0, 23),
        st.sampled_from([status.value for status in TaskStatus]),
    ),
    max_size=8,
    unique_by=lambda each: each.id,
)
wanted = st.sampled_from([*TITLES, "快递", "报", "周报", "call", "京", ""])


@given(wanted, tasks, st.none() | st.sampled_from([YESTERDAY, TODAY, TOMORROW]))
def test_what_is_found_fits_its_kind(title: str, tasks: list[Task], day: date | None) -> None:
    lookup = find_tasks(title, tasks, now=NOW, day=day)
    assert list(lookup.tasks) == sorted(lookup.tasks, key=by_start)
    assert all(each in tasks and day in (None, each.date) for each in lookup.tasks)
    statuses = {each.status for each in lookup.tasks}
    match lookup.kind:
        case LookupKind.ONE:
            assert len(lookup.tasks) == 1
            assert statuses == {TaskStatus.PENDING}
        case LookupKind.MANY:
            assert statuses == {TaskStatus.PENDING}
        case LookupKind.ALREADY_DONE:
            assert statuses == {TaskStatus.COMPLETED}
        case LookupKind.NONE:
            assert not lookup.tasks


@given(wanted, tasks)
def test_nothing_found_contradicts_what_was_asked(title: str, tasks: list[Task]) -> None:
    for each in find_tasks(title, tasks, now=NOW).tasks:
        assert not all(own_words(title, each.title))
        assert decisive_words(title) == decisive_words(each.title)


@given(st.sampled_from(TITLES), tasks)
def test_a_pending_task_of_today_is_found_by_its_title(title: str, tasks: list[Task]) -> None:
    mine = [each.id for each in tasks if each.date == TODAY and each.status is TaskStatus.PENDING]
    same = [each.id for each in tasks if each.id in mine and canonical_title(each.title) == canonical_title(title)]
    if same:
        kind, ids = found(find_tasks(title, tasks, now=NOW))
        assert sorted(ids) == sorted(same)
        assert kind == ("one" if len(same) == 1 else "many")


def test_the_order_of_the_tasks_does_not_matter() -> None:
    listed = [task("开会", 3, start=9), task("开会", 1, start=16), task("开会", 2)]
    assert found(find_tasks("开会", listed, now=NOW)) == found(find_tasks("开会", listed[::-1], now=NOW))


def test_importing_the_module_does_not_load_rapidfuzz() -> None:
    program = "import sys, tools.domain.lookup; print('rapidfuzz' in sys.modules)"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"
