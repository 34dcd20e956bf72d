"""A specialist's dialogue with the user (B04): several rounds, two specialists at once, and a change of subject."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graph.world import World, by_item, plan, several, single, statuses, todo
from tests.support.scripted_model import Prompt, Said, call

pytestmark = pytest.mark.graph


def asking(name: str, title: str, day: str) -> list[Said]:
    """Three questions, then the task."""
    return [
        *(call("ask_user", question=f"{name}{n}") for n in (1, 2, 3)),
        call("create_task", title=title, due_date=day),
    ]


def taken(prompt: Prompt) -> Said:
    """The light model takes the words for an answer, unless they ask for something new."""
    return call("take_answer", kind="new_request" if "天气" in prompt.told["reply"] else "answer")


def told(world: World, item: str) -> list[list[str]]:
    """What the item's model had been answered, at each of its calls."""
    prompts = [prompt for prompt in world.model.of("task") if prompt.told["item"] == item]
    return [[message.text for message in prompt.messages if message.type == "tool"] for prompt in prompts]


@pytest.fixture
async def two(world: World) -> World:
    """Two specialists that ask three times each, beside an item that is simply done."""
    items = [todo("a", "task", "甲"), todo("b", "task", "乙"), todo("c", "task", "丙")]
    world.script(
        triage=several,
        planner=[plan(*items)],
        answer=taken,
        task=by_item(
            甲=asking("甲问", "订车", "明天"),
            乙=asking("乙问", "订座", "周六"),
            丙=call("create_task", title="散步", due_date="周六"),
        ),
    )
    return world


async def test_two_specialists_ask_in_turn_for_three_rounds_across_processes(two: World) -> None:
    result = await two.run("三件事")
    assert await two.titles() == ["散步"], "the item that is ready does not wait"
    heard: list[tuple[Any, ...]] = []
    while result.question is not None:
        assert len((await two.snapshot()).interrupts) == 1
        heard.append((result.question.todo_id, result.question.question))
        await two.reopen()
        result = await two.answer(f"答{result.question.question}")
    assert heard == [(item, f"{name}问{n}") for n in (1, 2, 3) for item, name in (("a", "甲"), ("b", "乙"))]
    assert (result.status, statuses(result)) == ("completed", {"a": "completed", "b": "completed", "c": "completed"})
    assert await two.titles() == ["订车", "散步", "订座"]
    assert told(two, "甲")[3] == ["答甲问1", "答甲问2", "答甲问3"]
    assert told(two, "乙")[3] == ["答乙问1", "答乙问2", "答乙问3"]


async def test_what_one_specialist_is_told_the_other_never_sees(two: World) -> None:
    await two.run("三件事")
    await two.answer("金丝雀")
    await two.answer("乙的答案")
    for prompt in two.model.of("task"):
        if prompt.told["item"] == "乙":
            assert "金丝雀" not in prompt.text


async def test_change_of_subject_in_the_second_round_closes_the_dialogue(two: World) -> None:
    await two.run("三件事")
    for words in ("一", "二"):
        await two.answer(words)
    await two.reopen()
    two.script(triage=single("weather"), weather=[call("get_weather", date="周六")])
    result = await two.answer("算了，周六天气怎么样")
    assert (result.status, list(statuses(result))) == ("completed", ["t1"])
    assert "小雨" in result.reply
    assert await two.titles() == ["散步"]
    state = await two.state()
    assert state["task_messages"] == {}
    assert state["plan"]["request"] == 2


async def test_the_rest_of_the_plan_goes_on_while_two_wait(world: World) -> None:
    """Items that depend on nobody who asks are done in the same run, wave after wave."""
    items = [todo("a", "task", "甲"), todo("c", "task", "丙"), todo("d", "notification", "提醒丙", ["c"])]
    world.script(
        triage=several,
        planner=[plan(*items)],
        task=by_item(甲=[call("ask_user", question="哪天？")], 丙=call("create_task", title="散步", due_date="周六")),
        notification=[call("schedule_reminder", task_id=1)],
    )
    result = await world.run("三件事")
    assert statuses(result) == {"a": "in_progress", "c": "completed", "d": "completed"}
    assert [reminder.task_id for reminder in await world.reminders()] == [1]
