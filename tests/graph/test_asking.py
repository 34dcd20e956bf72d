"""Questions (X14, B02-B04, P5, A14, A41, A42): one interrupt at a time, and the answer goes where it belongs."""

from __future__ import annotations

from typing import Any

import pytest

from tests.graph.world import TODAY, World, by_item, plan, several, single, statuses, todo
from tests.support.scripted_model import call

pytestmark = pytest.mark.graph

CLASH = {"title": "面试", "due_date": "明天", "start_time": "15:30", "end_time": "16:30"}


@pytest.fixture
async def busy(world: World) -> World:
    """Tomorrow from 15 to 16 is taken; the next request wants 15:30."""
    await world.has("开会", "15:00-16:00")
    world.script(triage=single("task"), task=[call("create_task", **CLASH)])
    return world


async def value(world: World) -> dict[str, Any]:
    """What a client is shown."""
    [interrupt] = (await world.snapshot()).interrupts
    return dict(interrupt.value)


async def test_conflict_shows_our_keys_and_those_of_existing_clients(busy: World) -> None:
    result = await busy.run("明天下午三点半面试")
    shown = await value(busy)
    labels = [choice["label"] for choice in shown["choices"]]
    assert (shown["type"], shown["todo_id"]) == ("conflict", "t1")
    assert "「开会」" in shown["question"]
    assert (labels[0], labels[-1]) == ("还是要建", "算了")
    assert shown["action_requests"] == [
        {
            "name": "ask_user",
            "args": {"question": shown["question"], "choices": labels, "answer": ""},
            "description": shown["question"],
        }
    ]
    allowed = ["edit", "reject"]
    assert shown["review_configs"] == [
        {
            "actionName": "ask_user",
            "allowedDecisions": allowed,
            "action_name": "ask_user",
            "allowed_decisions": allowed,
        }
    ]
    assert (result.status, result.reply, result.question and result.question.question) == (
        "waiting",
        "",
        shown["question"],
    )
    assert statuses(result) == {"t1": "in_progress"}
    assert await busy.titles() == ["开会"]


async def test_question_is_the_last_message_as_a_call(busy: World) -> None:
    """Clients draw the approval box only if the last message calls what the action request names."""
    await busy.run("明天下午三点半面试")
    last = (await busy.state())["messages"][-1]
    assert [made["name"] for made in last.tool_calls] == ["ask_user"]
    assert last.tool_calls[0]["args"]["question"] == (await value(busy))["question"]


async def test_yes_makes_exactly_one_row(busy: World) -> None:
    await busy.run("明天下午三点半面试")
    result = await busy.answer("还是要建")
    assert (result.status, statuses(result)) == ("completed", {"t1": "completed"})
    assert await busy.titles() == ["开会", "面试"]
    assert len(busy.model.of("task")) == 1, "the engine repeats the call, not the model"
    assert (await busy.state())["task_messages"] == {}


@pytest.mark.parametrize("words", ["yes", "还是要建"])
async def test_choice_is_taken_by_id_or_label_without_a_model(busy: World, words: str) -> None:
    await busy.run("明天下午三点半面试")
    await busy.answer(words)
    assert busy.model.of("answer") == []


async def test_other_words_for_a_choice_are_read_by_the_light_model(busy: World) -> None:
    busy.script(answer=[call("take_answer", kind="choice", choice="yes")])
    await busy.run("明天下午三点半面试")
    result = await busy.answer("没事，建吧")
    [prompt] = busy.model.of("answer")
    assert (result.status, await busy.titles()) == ("completed", ["开会", "面试"])
    assert prompt.told["reply"] == "没事，建吧"
    assert {"id": "yes", "label": "还是要建"} in prompt.told["choices"]


async def test_choice_that_was_not_offered_is_a_free_answer(busy: World) -> None:
    busy.script(answer=[call("take_answer", kind="choice", choice="force")])
    busy.script(task=[call("create_task", **CLASH), call("query_tasks")])
    await busy.run("明天下午三点半面试")
    await busy.answer("硬来")
    assert busy.model.of("task")[1].last == "硬来"
    assert await busy.titles() == ["开会"]


async def test_permission_is_used_up_by_one_call(world: World) -> None:
    await world.has("开会", "15:00-16:00")
    steps = [call("create_task", **CLASH), call("create_task", **CLASH)]
    item = todo("a", "task", "面试两次", steps=["面试", "再面试"])
    world.script(triage=several, planner=[plan(item)], task=steps)
    await world.run("面试两次")
    result = await world.answer("还是要建")
    assert (result.status, await world.titles()) == ("waiting", ["开会", "面试"])
    assert result.question is not None
    assert result.question.type == "conflict"


async def test_permission_does_not_reach_another_request(busy: World) -> None:
    await busy.run("明天下午三点半面试")
    await busy.answer("还是要建")
    busy.script(task=[call("create_task", **CLASH | {"title": "体检"})])
    result = await busy.run("明天下午三点半体检")
    assert (result.status, await busy.titles()) == ("waiting", ["开会", "面试"])


async def test_free_slot_is_taken(busy: World) -> None:
    await busy.run("明天下午三点半面试")
    slot = next(c for c in (await value(busy))["choices"] if c["id"] not in ("yes", "no"))
    result = await busy.answer(slot["label"])
    [new] = [task for task in await busy.tasks() if task.title == "面试"]
    assert result.status == "completed"
    assert f"{new.start_time:%H:%M}-{new.end_time:%H:%M}" == slot["id"]


async def test_slot_that_was_taken_meanwhile_asks_again(busy: World) -> None:
    """Picking another time is no yes to a clash."""
    await busy.run("明天下午三点半面试")
    slot = next(c for c in (await value(busy))["choices"] if c["id"] not in ("yes", "no"))
    await busy.has("体检", slot["id"])
    result = await busy.answer(slot["label"])
    assert (result.status, sorted(await busy.titles())) == ("waiting", ["体检", "开会"])
    assert result.question is not None
    assert "「体检」" in result.question.question


async def test_no_makes_no_row_and_is_no_failure(busy: World) -> None:
    await busy.run("明天下午三点半面试")
    result = await busy.answer("算了")
    assert (result.status, statuses(result), result.reply) == ("completed", {"t1": "skipped"}, "好的，这一项没有做。")
    assert await busy.titles() == ["开会"]
    assert (await busy.state())["task_messages"] == {}


async def test_no_to_an_item_is_no_failure_of_its_dependants(world: World) -> None:
    await world.has("开会", "15:00-16:00")
    items = [todo("a", "task", "面试"), todo("b", "notification", "提醒", ["a"])]
    world.script(triage=several, planner=[plan(*items)], task=[call("create_task", **CLASH)])
    await world.run("面试并提醒")
    result = await world.answer("算了")
    assert (result.status, statuses(result)) == ("completed", {"a": "skipped", "b": "skipped"})


async def test_free_answer_reaches_the_items_model(busy: World) -> None:
    later = call("create_task", **CLASH | {"start_time": "17:00", "end_time": "18:00"})
    busy.script(task=[call("create_task", **CLASH), later], answer=[call("take_answer", kind="answer")])
    await busy.run("明天下午三点半面试")
    result = await busy.answer("改到下午五点")
    second = busy.model.of("task")[1]
    assert [m.type for m in second.messages] == ["system", "human", "ai", "tool", "human"]
    assert second.last == "改到下午五点"
    assert (result.status, [f"{t.start_time:%H}" for t in await busy.tasks()]) == ("completed", ["15", "17"])


async def test_answer_goes_on_in_another_process(busy: World) -> None:
    await busy.run("明天下午三点半面试")
    await busy.reopen()
    result = await busy.answer("还是要建")
    assert (result.status, await busy.titles()) == ("completed", ["开会", "面试"])
    await busy.reopen()
    assert await busy.titles() == ["开会", "面试"]


async def test_two_items_ask_one_after_the_other(world: World) -> None:
    await world.has("开会", "15:00-16:00")
    clash = [call("create_task", **CLASH | {"title": title}) for title in ("面试", "体检")]
    items = [todo("a", "task", "面试"), todo("b", "task", "体检"), todo("c", "task", "散步")]
    walk = call("create_task", title="散步", due_date="周六")
    world.script(triage=several, planner=[plan(*items)], task=by_item(面试=clash[0], 体检=clash[1], 散步=walk))
    first = await world.run("三件事")
    assert (first.question and first.question.todo_id, statuses(first)["c"]) == ("a", "completed")
    await world.reopen()
    second = await world.answer("算了")
    assert (second.question and second.question.todo_id, len((await world.snapshot()).interrupts)) == ("b", 1)
    assert len(world.model.of("task")) == 3, "nothing was dispatched before all had their answers"
    await world.reopen()
    last = await world.answer("还是要建")
    assert statuses(last) == {"a": "skipped", "b": "completed", "c": "completed"}
    assert sorted(await world.titles()) == ["体检", "开会", "散步"]
    assert last.status == "completed"


async def test_dependants_wait_for_the_answer(world: World) -> None:
    await world.has("开会", "15:00-16:00")
    items = [todo("a", "task", "面试"), todo("b", "notification", "提醒", ["a"])]
    world.script(triage=several, planner=[plan(*items)], task=[call("create_task", **CLASH)])
    first = await world.run("面试并提醒")
    assert statuses(first) == {"a": "in_progress", "b": "pending"}
    world.script(notification=[call("schedule_reminder", task_id=2)])
    assert statuses(await world.answer("还是要建")) == {"a": "completed", "b": "completed"}
    assert [reminder.task_id for reminder in await world.reminders()] == [2]


async def test_past_time_needs_a_yes(world: World) -> None:
    world.script(triage=single("task"), task=[call("create_task", title="晨跑", due_date="今天", start_time="07:00")])
    result = await world.run("今天早上七点晨跑")
    assert result.question is not None
    assert (result.question.type, await world.titles()) == ("need_confirmation", [])
    await world.answer("还是要建")
    assert [(t.title, t.date.day) for t in await world.tasks()] == [("晨跑", 12)]


async def test_candidate_is_chosen(world: World) -> None:
    for title in ("买菜和水果", "买菜和牛奶"):
        await world.has(title, day=TODAY)
    world.script(triage=single("task"), task=[call("finish_task", title="买菜")])
    result = await world.run("买菜做完了")
    assert result.question is not None
    assert result.question.type == "need_confirmation"
    chosen = next(c for c in result.question.choices if "牛奶" in c["label"])
    assert (await world.answer(chosen["label"])).status == "completed"
    assert {t.title: t.status.value for t in await world.tasks()} == {
        "买菜和水果": "pending",
        "买菜和牛奶": "completed",
    }


async def test_subagent_asks_of_its_own_accord(world: World) -> None:
    steps = [
        call("ask_user", question="哪天？", choices=["明天", "周六"]),
        call("create_task", title="买菜", due_date="周六"),
    ]
    world.script(triage=single("task"), task=steps)
    result = await world.run("买菜")
    shown = await value(world)
    assert (shown["type"], shown["todo_id"], shown["question"]) == ("ask_user", "t1", "哪天？")
    assert [choice["label"] for choice in shown["choices"]] == ["明天", "周六"]
    assert statuses(result) == {"t1": "in_progress"}
    await world.reopen()
    result = await world.answer("周六")
    second = world.model.of("task")[1]
    assert (second.messages[-1].type, second.last) == ("tool", "周六")
    assert (result.status, [t.date.day for t in await world.tasks()]) == ("completed", [14])


async def test_specialist_talks_for_three_rounds(world: World) -> None:
    steps = [call("ask_user", question=f"第 {n} 问") for n in (1, 2, 3)]
    world.script(triage=single("task"), task=[*steps, call("create_task", title="买菜", due_date="明天")])
    world.script(answer=lambda prompt: call("take_answer", kind="answer"))
    questions = [(await world.run("买菜")).question]
    for n in (1, 2):
        await world.reopen()
        questions.append((await world.answer(f"答 {n}")).question)
    assert [question and question.question for question in questions] == ["第 1 问", "第 2 问", "第 3 问"]
    assert (await world.answer("答 3")).status == "completed"
    assert [m.text for m in world.model.of("task")[3].messages if m.type == "tool"] == ["答 1", "答 2", "答 3"]


async def test_planner_asks_of_its_own_accord(world: World) -> None:
    steps = [call("ask_user", question="几个人？"), plan(todo("a", "task", "订座"))]
    world.script(answer=[call("take_answer", kind="answer")])
    world.script(triage=several, planner=steps, task=[call("create_task", title="订座", due_date="明天")])
    result = await world.run("订座之类")
    assert result.question is not None
    assert (result.question.type, result.question.todo_id) == ("ask_user", None)
    await world.reopen()
    assert (await world.answer("四个")).status == "completed"
    second = world.model.of("planner")[1]
    assert (second.messages[-1].type, second.last) == ("tool", "四个")
