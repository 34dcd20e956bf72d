"""Several requests on a thread (P7, facts of interrupts): what is open is closed first, or taken as answered."""

from __future__ import annotations

from typing import Any

import pytest
from langchain_core.messages import AIMessage

from deep_planner.graph.ask import words_of
from tests.graph.test_main_prompt import broken_at, dangling, main_prompts
from tests.graph.world import World, by_item, classified, plan, several, single, statuses, todo
from tests.support.scripted_model import call
from tools.core.errors import ThreadError, UsageError

pytestmark = pytest.mark.graph

CLASH = {"title": "面试", "due_date": "明天", "start_time": "15:30", "end_time": "16:30"}
BUY = call("create_task", title="买菜", due_date="周六")
NEW = call("take_answer", kind="new_request")


@pytest.fixture
async def asked(world: World) -> World:
    """A thread that waits: the clash of one item of two, with a plan of the planner's."""
    await world.has("开会", "15:00-16:00")
    items = [todo("a", "task", "面试"), todo("b", "notification", "提醒", ["a"])]
    world.script(triage=several, planner=[plan(*items)], task=[call("create_task", **CLASH)])
    assert (await world.run("面试并提醒")).status == "waiting"
    return world


async def test_follow_up_knows_the_last_turn(world: World) -> None:
    world.script(triage=single("task"), task=[BUY, call("modify_task", task_id=1, due_date="明天")])
    await world.run("周六买菜")
    await world.reopen()
    result = await world.run("改到明天")
    triage, task = world.model.of("triage")[1], world.model.of("task")[1]
    assert triage.told["last_turn"]["request"] == "周六买菜"
    assert triage.told["last_turn"]["rows"] == ["task:1"]
    assert '"rows": ["task:1"]' in task.told["last_turn"]
    assert (result.status, [t.date.day for t in await world.tasks()]) == ("completed", [13])


async def test_new_request_replaces_the_list(world: World) -> None:
    world.script(triage=single("task"), task=[BUY, call("query_tasks")])
    await world.run("周六买菜")
    result = await world.run("有什么任务")
    assert [(t["id"], t["content"]) for t in result.todos] == [("t1", "有什么任务")]
    assert list(result.notes) == ["r1/t1", "r2/t1"]


@pytest.mark.parametrize("reopened", [False, True])
async def test_new_request_closes_the_open_question(asked: World, reopened: bool) -> None:
    asked.script(answer=[NEW], planner=[plan(todo("c", "task", "买菜"))], task=[BUY])
    if reopened:
        await asked.reopen()
    result = await asked.run("周六买菜，还有")
    assert (result.status, statuses(result)) == ("completed", {"c": "completed"})
    assert await asked.titles() == ["开会", "买菜"]
    assert (await asked.state())["task_messages"] == {}
    assert (await asked.snapshot()).interrupts == ()


async def test_new_request_in_answer_to_the_question_closes_it_too(asked: World) -> None:
    asked.script(answer=[NEW], planner=[plan(todo("c", "task", "买菜"))], task=[BUY])
    result = await asked.answer("周六买菜，还有")
    assert (result.status, statuses(result)) == ("completed", {"c": "completed"})
    assert asked.model.of("triage")[-1].told["request"] == "周六买菜，还有"


@pytest.mark.parametrize("how", ["run", "answer"])
async def test_no_prompt_has_a_dangling_call_after_moving_on(asked: World, how: str) -> None:
    steps = [plan(todo("c", "task", "买菜"), todo("d", "task", "坏")), ""]
    asked.script(answer=[NEW], planner=steps, task=by_item(买菜=BUY, 坏=call("finish_task", title="不存在")))
    await getattr(asked, how)("周六买菜，还有")
    assert [fault for prompt in asked.model.prompts for fault in dangling(prompt)] == []
    assert broken_at(main_prompts(asked)) == []
    assert stored_dangling(await asked.state()) == []


def stored_dangling(state: dict[str, Any]) -> list[str]:
    """Calls in the stored dialogue that nothing answers, and answers to no call."""
    calls = [made["id"] for m in state["messages"] if isinstance(m, AIMessage) for made in m.tool_calls]
    answers = [m.tool_call_id for m in state["messages"] if m.type == "tool"]
    return sorted(set(calls) ^ set(answers))


async def test_every_stored_call_has_its_answer(world: World) -> None:
    items = [todo("a", "task", "坏"), todo("b", "task", "乙", ["a"]), todo("c", "task", "买菜")]
    world.script(
        triage=several, planner=[plan(*items), ""], task=by_item(坏=call("finish_task", title="不存在"), 买菜=BUY)
    )
    await world.run("三件事")
    assert stored_dangling(await world.state()) == []


async def test_planners_own_question_is_closed_by_a_new_request(world: World) -> None:
    world.script(
        triage=several, planner=[call("ask_user", question="几个人？"), plan(todo("c", "task", "买菜"))], task=[BUY]
    )
    world.script(answer=lambda prompt: NEW)
    assert (await world.run("订座之类")).status == "waiting"
    result = await world.run("周六买菜，还有")
    assert statuses(result) == {"c": "completed"}
    assert [dangling(prompt) for prompt in world.model.of("planner")] == [[], []]


async def test_new_message_that_is_the_answer_is_taken_as_one(asked: World) -> None:
    asked.script(notification=[call("schedule_reminder", task_id=2)])
    await asked.reopen()
    result = await asked.run("还是要建")
    assert statuses(result) == {"a": "completed", "b": "completed"}
    assert (len(asked.model.of("triage")), len(asked.model.of("planner"))) == (1, 1)
    assert (await asked.state())["plan"]["request"] == 1


async def test_clarification_that_nobody_answers_is_forgotten(world: World) -> None:
    world.script(triage=[classified("uncertain"), single("task")], task=[BUY])
    assert (await world.run("那个")).status == "waiting"
    assert (await world.run("周六买菜")).status == "completed"
    assert (await world.snapshot()).interrupts == ()


async def test_answer_without_a_question_is_refused(world: World) -> None:
    world.script(triage=single("task"), task=[BUY])
    await world.run("周六买菜")
    for thread, words in (("t", "好"), ("t", None), ("nobody", "好")):
        with pytest.raises(ThreadError):
            await world.planner.resume(thread, words)
    assert await world.titles() == ["买菜"]


async def test_resuming_without_an_answer_asks_again(asked: World) -> None:
    before = len(asked.model.prompts)
    result = await asked.planner.resume("t")
    assert (result.status, result.question and result.question.todo_id) == ("waiting", "a")
    assert len(asked.model.prompts) == before


async def test_thread_belongs_to_its_user(asked: World) -> None:
    asked._settings = asked._settings.model_copy(update={"user_id": 2})
    await asked.reopen()
    with pytest.raises(ThreadError):
        await asked.answer("还是要建")


@pytest.mark.parametrize("request_", ["", " \n", "长" * 100_001])
async def test_request_that_cannot_be_is_refused(world: World, request_: str) -> None:
    with pytest.raises(UsageError):
        await world.run(request_)
    assert world.model.prompts == []


FORMS: list[tuple[Any, str]] = [
    ("还是要建", "还是要建"),
    ({"answer": "还是要建"}, "还是要建"),
    ({"decisions": [{"type": "edit", "edited_action": {"name": "ask_user", "args": {"answer": "五点"}}}]}, "五点"),
    ([{"type": "edit", "edited_action": {"name": "ask_user", "args": {"answer": "五点"}}}], "五点"),
    ({"type": "edit", "edited_action": {"name": "ask_user", "args": {"answer": "五点"}}}, "五点"),
    ([{"type": "edit", "args": {"action": "ask_user", "args": {"answer": "五点"}}}], "五点"),
    ({"decisions": [{"type": "reject", "message": "算了"}]}, "算了"),
    ({"decisions": [{"type": "reject"}]}, "reject"),
    (["五点"], "五点"),
    ([{"type": "response", "args": "五点"}], "五点"),
    ([{"type": "ignore", "args": None}], "ignore"),
    (5, "5"),
    ({}, ""),
]


@pytest.mark.parametrize(("sent", "words"), [pytest.param(*form, id=str(form[0])) for form in FORMS])
def test_words_are_read_from_every_form_that_clients_send(sent: Any, words: str) -> None:
    assert words_of(sent) == words


async def test_edited_answer_of_a_client_is_carried_out(asked: World) -> None:
    asked.script(notification=[call("schedule_reminder", task_id=2)])
    decision = {"type": "edit", "edited_action": {"name": "ask_user", "args": {"answer": "还是要建"}}}
    result = await asked.planner.resume("t", {"decisions": [decision]})  # type: ignore[arg-type]
    assert (result.status, await asked.titles()) == ("completed", ["开会", "面试"])


async def test_reject_of_a_client_is_a_no(asked: World) -> None:
    await asked.planner.resume("t", {"decisions": [{"type": "reject"}]})  # type: ignore[arg-type]
    assert await asked.titles() == ["开会"]
    assert [item["outcome"]["status"] for item in (await asked.state())["todos"]] == ["declined", "declined"]
