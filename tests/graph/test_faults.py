"""What breaks stays small: one failed item, a friendly sentence, siblings that finish (A21, A45, A46, A50, D25)."""

from __future__ import annotations

from datetime import date
from pathlib import Path

import pytest

from tests.graph.world import World, by_item, classification, classified, opened, plan, several, single, statuses, todo
from tests.support.scripted_model import Call, Prompt, Said, call
from tools.core.text import Language
from tools.domain.weather import Forecast
from tools.services.weather import SampleWeather

pytestmark = pytest.mark.graph

SECRET = "sk-canary-0a1b2c"


class BrokenWeather:
    """A source that fails in a way nobody foresaw."""

    is_sample = True

    async def forecast(self, city: str, day: date, language: Language) -> Forecast:
        raise RuntimeError(SECRET)

    async def aclose(self) -> None:
        """Nothing to close."""


def always_asking(prompt: Prompt) -> Said:
    return call("query_note", name="r9/none")


async def test_tool_that_raises_fails_its_item_alone(tmp_path: Path) -> None:
    async with opened(tmp_path, weather=BrokenWeather()) as world:
        world.script(
            triage=several,
            planner=[plan(todo("w", "weather"), todo("a", "task", "买菜"))],
            weather=[call("get_weather", date="周六")],
            task=[call("create_task", title="买菜", due_date="明天")],
        )
        result = await world.run("查天气，明天买菜")
        assert statuses(result) == {"w": "failed", "a": "completed"}
        assert await world.titles() == ["买菜"]
        assert "没有做成" in result.reply
        assert SECRET not in str(await world.state())


async def test_model_that_raises_fails_its_item_alone(world: World) -> None:
    world.script(
        triage=several,
        planner=[plan(todo("a", "task", "开会"), todo("b", "task", "买菜")), ""],
        task=by_item(开会=ConnectionError(SECRET), 买菜=call("create_task", title="买菜", due_date="明天")),
    )
    result = await world.run("开会，买菜")
    assert statuses(result) == {"a": "failed", "b": "completed"}
    assert result.status == "failed"
    assert "scripted" in result.todos[0]["outcome"]["summary"]
    assert SECRET not in str(await world.state())


async def test_tool_error_is_an_error_status_not_a_crash(world: World) -> None:
    world.script(triage=single("task"), task=[call("finish_task", title="不存在")])
    result = await world.run("完成不存在")
    assert (result.status, statuses(result)) == ("failed", {"t1": "failed"})
    assert result.todos[0]["outcome"]["status"] == "error"
    assert "未找到匹配任务" in result.reply


async def test_weather_that_is_down_costs_the_advice_alone(tmp_path: Path) -> None:
    async with opened(tmp_path, weather=SampleWeather([], always_unavailable=True)) as world:
        world.script(
            triage=several,
            planner=[plan(todo("a", "task"), todo("w", "weather"), todo("r", "notification", after=["a", "w"]))],
            task=[call("create_task", title="接人", due_date="周六")],
            weather=[call("get_weather", date="周六")],
            notification=[call("schedule_reminder", task_id=1)],
        )
        result = await world.run("周六接人")
        [reminder] = await world.reminders()
        assert statuses(result) == {"a": "completed", "w": "failed", "r": "completed"}
        assert (result.status, world.model.roles.count("planner")) == ("completed", 1)
        assert "天气服务暂时不可用" in result.reply
        assert "伞" not in reminder.content


async def test_arguments_that_no_service_can_use_go_back_to_the_model(world: World) -> None:
    steps = [call("create_task", title="开会", due_date="某个吉日"), call("create_task", title="开会", due_date="明天")]
    world.script(triage=single("task"), task=steps)
    result = await world.run("开会")
    assert (result.status, await world.titles()) == ("completed", ["开会"])
    assert "某个吉日" in world.model.of("task")[1].last


async def test_too_many_calls_of_a_subagent_end_in_a_sentence(world: World) -> None:
    world.script(triage=single("task"), task=always_asking)
    result = await world.run("开会")
    assert len(world.model.of("task")) == 8
    assert (result.status, statuses(result)) == ("failed", {"t1": "failed"})
    assert result.reply.startswith("这件事试了 8 次还没有做完")


async def test_too_many_calls_of_the_planner_end_in_a_sentence(world: World) -> None:
    world.script(triage=several, planner=lambda prompt: call("ls"))
    result = await world.run("开会，买菜")
    assert len(world.model.of("planner")) == 12
    assert (result.status, result.todos) == ("failed", [])
    assert result.reply.startswith("这件事试了 12 次还没有做完")


@pytest.mark.parametrize("role", ["triage", "planner"])
async def test_model_that_is_down_is_a_failed_result(world: World, role: str) -> None:
    world.script(**{"triage": several, role: [ConnectionError(SECRET)]})
    result = await world.run("开会，买菜")
    assert (result.status, result.todos) == ("failed", [])
    assert "scripted" in result.reply
    assert SECRET not in str(await world.state())


async def test_reply_without_a_model_tells_what_was_done(world: World) -> None:
    world.script(
        triage=several,
        planner=[plan(todo("a", "task", "买菜"), todo("b", "task", "开会"))],
        task=by_item(
            买菜=call("create_task", title="买菜", due_date="明天"),
            开会=call("create_task", title="开会", due_date="周六"),
        ),
        reply=[ConnectionError(SECRET)],
    )
    result = await world.run("买菜，开会")
    assert result.status == "completed"
    assert all(word in result.reply for word in ("「买菜」", "「开会」"))


async def test_words_instead_of_a_plan_are_no_success(world: World) -> None:
    world.script(triage=several, planner=["好的，都安排好了！", "真的安排好了！"])
    result = await world.run("开会，买菜")
    assert (result.status, result.todos, await world.titles()) == ("failed", [], [])
    assert "好了" not in result.reply


@pytest.mark.parametrize("reply", ["", "  \n"])
async def test_reply_is_never_blank(world: World, reply: str) -> None:
    world.script(triage=classified("simple_chat"), reply=[reply])
    assert (await world.run("你好")).reply.strip()


async def test_light_model_down_while_plain_strings_look_for_agents(world: World) -> None:
    answers = [classification("complex_workflow"), ConnectionError(SECRET), ConnectionError(SECRET)]
    world.script(triage=answers, planner=[plan("买菜")], task=[call("create_task", title="买菜", due_date="明天")])
    result = await world.run("买菜之类")
    assert result.status in ("completed", "failed")
    assert result.reply
    assert SECRET not in str(await world.state())


async def test_call_without_an_id_still_runs(world: World) -> None:
    nameless = Said(calls=(Call("create_task", {"title": "买菜", "due_date": "明天"}, None),))
    world.script(triage=single("task"), task=[nameless])
    assert (await world.run("买菜")).status == "completed"
    assert await world.titles() == ["买菜"]
