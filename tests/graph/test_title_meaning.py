"""Titles in other words, by embeddings over DashScope's wire: offered, never acted on, never needed (A13, P6)."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from deep_planner.models.embeddings import DashScopeTitles
from deep_planner.models.factory import make_titles
from tests.graph.wires import KEY
from tests.graph.world import opened as opened_world
from tests.graph.world import single
from tests.support.builders import TOMORROW, call, opened, stored, task, tasks_of
from tests.support.model_server import ModelServer
from tests.support.scripted_model import call as tool_call
from tools.core.errors import UsageError
from tools.core.result import ResultStatus
from tools.domain.tasks import TaskStatus
from tools.services.finding import Reference
from tools.services.tasks import TaskChanges, TaskService
from tools.store.database import Database

pytestmark = [pytest.mark.graph, pytest.mark.usefixtures("canary_keys")]

MEETING = "Meeting with my manager"
#: What each title means, as a direction.
MEANT = {"见老板": [1.0, 0.1], MEETING: [1.0, 0.2], "买菜": [0.0, 1.0], "不见老板": [1.0, 0.1]}
NAME = "dashscope:text-embedding-v4"


@pytest.fixture
async def server() -> AsyncIterator[ModelServer]:
    with ModelServer([], embed=lambda words: MEANT.get(words, [0.5, 0.5])) as server:
        yield server


@pytest.fixture
async def titles(server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[DashScopeTitles]:
    monkeypatch.setenv("DASHSCOPE_BASE_URL", server.dashscope_url)
    titles = make_titles(NAME)
    yield titles
    await titles.aclose()


@pytest.fixture
async def database(tmp_path: Path) -> AsyncIterator[Database]:
    async with opened(tmp_path) as database:
        for title in (MEETING, "买菜"):
            await stored(database, task(title, day=TOMORROW))
        yield database


async def test_a_title_in_other_words_is_offered(database: Database, titles: DashScopeTitles) -> None:
    service = TaskService(database, titles)
    asking = await service.finish(call("zh"), Reference(title="见老板"))
    assert asking.status is ResultStatus.NEED_CONFIRMATION
    assert [MEETING in choice.label for choice in asking.choices] == [True, False]
    assert {row.status for row in await tasks_of(database)} == {TaskStatus.PENDING}
    await service.finish(call("zh"), Reference(task_id=asking.choices[0].arguments["task_id"]))
    assert [row.title for row in await tasks_of(database) if row.status is TaskStatus.COMPLETED] == [MEETING]


async def test_a_move_keeps_its_date_while_it_asks(database: Database, titles: DashScopeTitles) -> None:
    asking = await TaskService(database, titles).modify(
        call("zh"), Reference(title="见老板"), TaskChanges(due_date="后天")
    )
    assert asking.choices[0].arguments["due_date"] == "2026-02-13"


async def test_words_that_suffice_ask_nobody(database: Database, titles: DashScopeTitles, server: ModelServer) -> None:
    done = await TaskService(database, titles).finish(call("zh"), Reference(title="买菜"))
    assert (done.status, server.embedded) == (ResultStatus.SUCCESS, [])


async def test_the_opposite_is_not_offered(database: Database, titles: DashScopeTitles) -> None:
    result = await TaskService(database, titles).finish(call("zh"), Reference(title="不见老板"))
    assert (result.status, result.choices) == (ResultStatus.ERROR, [])


async def test_each_title_is_sent_once_and_few_at_a_time(titles: DashScopeTitles, server: ModelServer) -> None:
    others = [f"事 {number}" for number in range(25)]
    for _ in range(2):
        await titles.alike("见老板", [*others, MEETING])
    assert sorted(len(body["input"]["texts"]) for body in server.embedded) == [7, 10, 10]


@pytest.mark.parametrize("broken", ["down", "nonsense"])
async def test_without_the_service_words_decide_alone(
    database: Database, broken: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    plain = await TaskService(database).finish(call("zh"), Reference(title="见老板"))
    with ModelServer([], embed=lambda words: ["?"]) as server:  # type: ignore[list-item]
        monkeypatch.setenv("DASHSCOPE_BASE_URL", server.dashscope_url if broken == "nonsense" else "http://127.0.0.1:9")
        titles = make_titles(NAME)
        result = await TaskService(database, titles).finish(call("zh"), Reference(title="见老板"))
        await titles.aclose()
    assert result.model_dump() == plain.model_dump()
    assert "by words alone" in caplog.text
    assert KEY not in caplog.text


async def test_a_setting_switches_it_on(tmp_path: Path, server: ModelServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DASHSCOPE_BASE_URL", server.dashscope_url)
    async with opened_world(tmp_path, title_embeddings=NAME) as world:
        await world.has(MEETING)
        world.script(triage=single("task"), task=[tool_call("finish_task", title="见老板")])
        result = await world.run("见老板完成了")
    assert result.status == "waiting"
    assert result.question is not None
    assert MEETING in result.question.question


@pytest.mark.parametrize("name", ["openai:x", "dashscope:", "text-embedding-v4"])
def test_another_model_is_refused(name: str) -> None:
    with pytest.raises(UsageError, match="dashscope:text-embedding-v4"):
        make_titles(name)
