"""Only whole tool calls run (B08, B09): anything else is answered, never carried out, and repaired at most twice."""

from __future__ import annotations

import pytest
from langchain_core.messages import AIMessage, ToolMessage

from tests.graph.world import World, plan, several, single, statuses, todo
from tests.support.scripted_model import Call, Prompt, Said, call, raw_call, together

pytestmark = pytest.mark.graph

GOOD = {"title": "买菜", "due_date": "明天"}
CUT = '{"title": "买菜", "due_date": "明天", "start_time": "15:0'


def twice_the_same_id() -> Said:
    first, second = call("create_task", **GOOD), call("create_task", title="做饭", due_date="周六")
    made = second.calls[0]
    return together(first, Said(calls=(Call(made.name, made.args, first.calls[0].id),)))


BAD = {
    "unknown tool": lambda: call("launch_rocket", **GOOD),
    "tool of another agent": lambda: call("get_weather", city="北京"),
    "missing argument": lambda: call("create_task", due_date="明天"),
    "argument of a wrong type": lambda: call("create_task", title=["买菜"]),
    "argument that the tool does not know": lambda: call("create_task", **GOOD, force=True),
    "argument that only the engine gives": lambda: call("create_task", **GOOD, call={"permitted": True}),
    "cut off at the token limit": lambda: raw_call(
        "create_task", '{"title": "买菜", "due_date": "明天"}', finish="length"
    ),
    "cut off by a filter": lambda: raw_call("create_task", '{"title": "买菜"}', finish="content_filter"),
    "not JSON": lambda: raw_call("create_task", "title=买菜"),
    "JSON that breaks off": lambda: raw_call("create_task", CUT),
    "JSON that is no object": lambda: raw_call("create_task", '["买菜"]'),
    "one id for two calls": twice_the_same_id,
}
KINDS = [pytest.param(make, id=name) for name, make in BAD.items()]


def rendered(prompt: Prompt) -> list[tuple[str, str]]:
    """What came back to the model for its last calls: status and words."""
    return [(m.status, m.text) for m in prompt.messages if isinstance(m, ToolMessage)]


@pytest.mark.parametrize("bad", KINDS)
async def test_bad_call_is_answered_with_an_error_and_repaired(world: World, bad) -> None:
    world.script(triage=single("task"), task=[bad(), call("create_task", **GOOD)])
    result = await world.run("明天买菜")
    answers = rendered(world.model.of("task")[1])
    assert [status for status, _ in answers] == ["error"]
    assert (result.status, await world.titles()) == ("completed", ["买菜"])


@pytest.mark.parametrize("bad", KINDS[-4:])
async def test_third_bad_call_fails_the_item(world: World, bad) -> None:
    world.script(triage=single("task"), task=lambda prompt: bad())
    result = await world.run("明天买菜")
    assert len(world.model.of("task")) == 3
    assert (result.status, statuses(result), await world.tasks()) == ("failed", {"t1": "failed"}, [])
    assert result.reply == "模型几次都没能给出可用的调用，这件事没有做。"


async def test_words_without_a_call_are_no_success(world: World) -> None:
    world.script(triage=single("task"), task=lambda prompt: "好的，已经创建了任务「买菜」！")
    result = await world.run("明天买菜")
    assert len(world.model.of("task")) == 3
    assert (result.status, await world.tasks()) == ("failed", [])
    assert "已经创建" not in result.reply


async def test_words_first_and_the_call_after_the_remark(world: World) -> None:
    world.script(triage=single("task"), task=["好的，马上。", call("create_task", **GOOD)])
    result = await world.run("明天买菜")
    assert (result.status, await world.titles()) == ("completed", ["买菜"])
    assert "还没有调用工具" in world.model.of("task")[1].last


async def test_broken_arguments_are_not_kept(world: World) -> None:
    world.script(triage=single("task"), task=[raw_call("create_task", "title=买菜"), call("create_task", **GOOD)])
    await world.run("明天买菜")
    [asking] = [m for m in world.model.of("task")[1].messages if isinstance(m, AIMessage)]
    assert [made["args"] for made in asking.tool_calls] == [{}]
    assert asking.invalid_tool_calls == []


async def test_whole_call_beside_a_bad_one_is_done_and_the_bad_one_answered(world: World) -> None:
    item = {"id": "a", "content": "买菜做饭", "subagent": "task", "steps": ["买菜", "做饭"]}
    first = together(call("create_task", **GOOD), call("launch_rocket"))
    again = call("create_task", title="做饭", due_date="周六")
    world.script(triage=several, planner=[call("write_todo", todos=[item])], task=[first, again])
    result = await world.run("买菜做饭")
    assert (result.status, await world.titles()) == ("completed", ["买菜", "做饭"])
    assert sorted(status for status, _ in rendered(world.model.of("task")[1])) == ["error", "success"]


async def test_bad_call_beside_a_whole_one_is_not_forgotten(world: World) -> None:
    """The item wanted two rows and got one: calling it completed would lose the other."""
    first = together(call("create_task", **GOOD), call("create_task", title=["做饭"]))
    again = call("create_task", title="做饭", due_date="周六")
    world.script(triage=single("task"), task=[first, again])
    await world.run("明天买菜，周六做饭")
    assert await world.titles() == ["买菜", "做饭"]


@pytest.mark.parametrize(
    "bad",
    [
        pytest.param(lambda: call("create_task", **GOOD), id="a sub-agent's tool"),
        pytest.param(lambda: call("write_todo", todos=[]), id="no items"),
        pytest.param(lambda: call("write_todo", todos=[{"id": "a"}]), id="item without content"),
        pytest.param(lambda: raw_call("write_todo", '{"todos": ["买菜"]}', finish="length"), id="cut off"),
        pytest.param(lambda: raw_call("write_todo", '{"todos": ["买菜", "做'), id="JSON that breaks off"),
        pytest.param(lambda: raw_call("write_todo", "买菜"), id="not JSON"),
    ],
)
async def test_bad_call_of_the_planner_is_answered_with_an_error(world: World, bad) -> None:
    good = plan(todo("a", "task", "买菜"))
    world.script(triage=several, planner=[bad(), good], task=[call("create_task", **GOOD)])
    result = await world.run("明天买菜，还有")
    assert [status for status, _ in rendered(world.model.of("planner")[1])] == ["error"]
    assert (result.status, list(statuses(result))) == ("completed", ["a"])


async def test_ids_that_start_over_in_each_message_are_told_apart(world: World) -> None:
    """Some providers number the calls of each message from zero."""

    def zero(said: Said) -> Said:
        return Said(calls=tuple(Call(made.name, made.args, f"call_{n}") for n, made in enumerate(said.calls)))

    steps = [call("query_note", name="r9/none"), call("create_task", **GOOD)]
    world.script(triage=several, planner=[zero(plan(todo("a", "task", "买菜")))], task=[zero(step) for step in steps])
    first = await world.run("明天买菜，一")
    assert (first.status, await world.titles()) == ("completed", ["买菜"])
    again = [zero(plan(todo("b", "task", "做饭")))]
    world.script(planner=again, task=[zero(call("create_task", title="做饭", due_date="周六"))])
    second = await world.run("周六做饭，二")
    assert (statuses(second), await world.titles()) == ({"b": "completed"}, ["买菜", "做饭"])


async def test_every_stored_message_without_calls_says_so(world: World) -> None:
    world.script(
        triage=several, planner=["好的", plan(todo("a", "task", "买菜"))], task=["好的", call("create_task", **GOOD)]
    )
    await world.run("明天买菜，还有")
    state = await world.state()
    spoken = [message for message in state["messages"] if isinstance(message, AIMessage)]
    assert all(isinstance(message.tool_calls, list) for message in spoken)
    assert [message.tool_calls for message in spoken if message.text] == [[], []]
