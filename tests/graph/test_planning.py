"""The planner and its list (E03-E10, X4-X6): written once, changed by the piece, notes read on demand."""

from __future__ import annotations

import pytest
from langchain_core.messages import ToolMessage

from tests.graph.world import World, classification, classified, plan, several, statuses, todo
from tests.support.scripted_model import Prompt, Said, call, together

pytestmark = pytest.mark.graph

BUY = call("create_task", title="买菜", due_date="明天")


def creating(prompt: Prompt) -> Said:
    """A task agent that creates what its item says, tomorrow; an item of 坏 fails."""
    content = prompt.told["item"]
    if "坏" in content:
        return call("finish_task", title=content)
    return call("create_task", title=content, due_date="明天")


def last_answers(prompt: Prompt) -> list[tuple[str, str]]:
    """Status and words of the tool messages at the end of a prompt."""
    found: list[tuple[str, str]] = []
    for message in reversed(prompt.messages):
        if not isinstance(message, ToolMessage):
            break
        found.insert(0, (message.status, message.text))
    return found


async def test_answer_names_the_first_task(world: World) -> None:
    world.script(triage=several, planner=[plan(todo("a", "task", "买菜"), todo("b", "task", "开会"))], task=creating)
    await world.run("买菜，开会")
    answers = [m for m in (await world.state())["messages"] if isinstance(m, ToolMessage) and m.name == "write_todo"]
    assert [m.text for m in answers] == ["Todo list 写入成功，下面请先执行「买菜」任务（无需修改状态为 in_progress）。"]


async def test_second_write_is_an_error_and_leaves_the_list_alone(world: World) -> None:
    both = together(plan(todo("a", "task", "买菜")), plan(todo("b", "task", "开会")))
    world.script(triage=several, planner=[both], task=creating)
    result = await world.run("买菜，开会")
    assert statuses(result) == {"a": "completed"}
    answers = [m for m in (await world.state())["messages"] if isinstance(m, ToolMessage) and m.name == "write_todo"]
    assert [m.status for m in answers] == ["success", "error"]
    assert "update_todo" in answers[1].text


async def test_second_write_after_a_failure_is_an_error_too(world: World) -> None:
    world.script(
        triage=several, planner=[plan(todo("a", "task", "坏")), plan(todo("b", "task", "开会")), ""], task=creating
    )
    result = await world.run("坏，开会")
    assert statuses(result) == {"a": "failed"}
    [(status, words)] = last_answers(world.model.of("planner")[2])
    assert status == "error"
    assert "a" in words


async def test_next_request_writes_a_plan_of_its_own(world: World) -> None:
    world.script(triage=several, planner=[plan(todo("a", "task", "买菜"))], task=creating)
    await world.run("买菜，一")
    world.script(planner=[plan(todo("b", "task", "开会"))])
    assert statuses(await world.run("开会，二")) == {"b": "completed"}


async def test_strings_are_items_and_the_light_model_finds_their_agents(world: World) -> None:
    answers = [
        classification("complex_workflow"),
        classification("single_task", "task"),
        classification("information_query", "weather"),
    ]
    world.script(
        triage=answers, planner=[plan("买菜", "查周六天气")], task=[BUY], weather=[call("get_weather", date="周六")]
    )
    result = await world.run("买菜，查天气")
    assert [(t["id"], t["subagent"], t["status"]) for t in result.todos] == [
        ("t1", "task", "completed"),
        ("t2", "weather", "completed"),
    ]
    assert sorted(prompt.told["request"] for prompt in world.model.of("triage")[1:]) == ["买菜", "查周六天气"]


async def test_update_writes_only_what_it_names(world: World) -> None:
    first = plan(todo("a", "task", "坏"), todo("b", "task", "开会", ["a"]), todo("c", "task", "做饭", ["a"]))
    change = call(
        "update_todo",
        changes=[
            {"id": "a", "content": "买菜", "status": "pending"},
            {"id": "b", "status": "pending"},
            {"id": "c", "drop": True},
        ],
        add=[{"id": "d", "content": "散步", "subagent": "task", "depends_on": ["b"]}],
    )
    world.script(triage=several, planner=[first, change], task=creating)
    result = await world.run("都做")
    assert [(t["id"], t["content"], t["status"]) for t in result.todos] == [
        ("a", "买菜", "completed"),
        ("b", "开会", "completed"),
        ("d", "散步", "completed"),
    ]
    assert (result.status, await world.titles()) == ("completed", ["买菜", "开会", "散步"])


async def test_reworded_item_keeps_its_agent(world: World) -> None:
    change = call("update_todo", changes=[{"id": "w", "content": "查周六的天气", "status": "pending"}])
    world.script(
        triage=[classification("complex_workflow")],
        planner=[plan(todo("w", "calendar", "查天气")), change],
        calendar=[call("get_day_schedule", date="某个吉日")] * 3 + [call("get_day_schedule", date="周六")],
    )
    result = await world.run("查天气，还有")
    assert [(t["subagent"], t["status"]) for t in result.todos] == [("calendar", "completed")]
    assert len(world.model.of("triage")) == 1


REFUSED = {
    "unknown id": ({"changes": [{"id": "x", "status": "pending"}]}, ["x", "a: 买菜", "b: 开会"]),
    "unknown dependency": ({"changes": [{"id": "b", "depends_on": ["x"]}]}, ["b", "x"]),
    "circle": ({"changes": [{"id": "a", "depends_on": ["b"]}]}, ["a -> b -> a"]),
    "unknown agent": ({"add": [{"id": "d", "content": "煮饭", "subagent": "cook"}]}, ["cook", "notification"]),
    "id that is taken": ({"add": [{"id": "b", "content": "煮饭", "subagent": "task"}]}, ["b"]),
    "done without being done": ({"changes": [{"id": "b", "status": "done"}]}, ["b", "pending"]),
    "dropping what others wait for": ({"changes": [{"id": "a", "drop": True}]}, ["b", "a"]),
    "nothing": ({}, ["changes"]),
}


@pytest.mark.parametrize(("arguments", "named"), [pytest.param(*row, id=name) for name, row in REFUSED.items()])
async def test_update_that_cannot_be_says_why_and_changes_nothing(world: World, arguments: dict, named: list) -> None:
    first = plan(todo("a", "task", "买菜"), todo("b", "task", "开会", ["a"]))
    world.script(triage=several, planner=[together(first, call("update_todo", **arguments))], task=creating)
    result = await world.run("都做")
    messages = (await world.state())["messages"]
    [answer] = [m for m in messages if isinstance(m, ToolMessage) and m.name == "update_todo"]
    assert answer.status == "error"
    assert [name for name in named if name not in answer.text] == []
    assert [(t["id"], t.get("depends_on", []), t["status"]) for t in result.todos] == [
        ("a", [], "completed"),
        ("b", ["a"], "completed"),
    ]


CIRCLES = {
    "circle": [todo("a", "task", after=["b"]), todo("b", "task", after=["a"])],
    "circle of one": [todo("a", "task", after=["a"])],
    "unknown dependency": [todo("a", "task", after=["x"])],
    "one id twice": [todo("a", "task"), todo("a", "task")],
    "unknown agent": [todo("a", "cook")],
}


@pytest.mark.parametrize("items", [pytest.param(items, id=name) for name, items in CIRCLES.items()])
async def test_plan_that_cannot_be_is_refused_whole(world: World, items: list) -> None:
    world.script(triage=several, planner=[plan(*items), plan(todo("c", "task", "买菜"))], task=creating)
    result = await world.run("都做")
    [(status, words)] = last_answers(world.model.of("planner")[1])
    assert (status, statuses(result)) == ("error", {"c": "completed"})
    assert "a" in words


async def test_strings_can_be_added_after_an_item_was_dropped(world: World) -> None:
    drop = call("update_todo", changes=[{"id": "t1", "drop": True}])
    add = call("update_todo", add=["散步"])
    world.script(
        triage=classified("complex_workflow", "task"),
        planner=[plan("坏", "开会", "做饭"), together(drop, add)],
        task=creating,
    )
    result = await world.run("都做")
    assert sorted(item["content"] for item in result.todos) == ["做饭", "开会", "散步"]
    assert result.status == "completed"


async def test_item_is_named_by_its_content_if_only_one_has_it(world: World) -> None:
    change = call("update_todo", changes=[{"content": "坏", "drop": True}])
    world.script(
        triage=several, planner=[plan(todo("a", "task", "坏"), todo("b", "task", "开会")), change], task=creating
    )
    assert statuses(await world.run("都做")) == {"b": "completed"}


async def test_planner_lists_and_reads_notes(world: World) -> None:
    reads = together(call("ls"), call("query_note", name="r1/b"), call("query_note", name="r1/x"))
    world.script(
        triage=several, planner=[plan(todo("a", "task", "坏"), todo("b", "task", "开会")), reads, ""], task=creating
    )
    result = await world.run("都做")
    ls, note, missing = last_answers(world.model.of("planner")[2])
    assert ls == ("success", '["r1/a", "r1/b"]')
    assert note == ("success", result.notes["r1/b"])
    assert missing == ("success", "未找到笔记名称")


async def test_planner_holds_its_five_tools_and_nothing_else(world: World) -> None:
    world.script(triage=several, planner=[plan(todo("a", "task", "买菜"), todo("b", "task", "开会"))], task=creating)
    await world.run("都做")
    [planner], [reply] = world.model.of("planner"), world.model.of("reply")
    assert planner.tools == ["write_todo", "update_todo", "ls", "query_note", "ask_user"]
    assert (reply.schemas, reply.tool_choice) == (planner.schemas, "none")


async def test_notes_of_requests_stay_beside_each_other(world: World) -> None:
    world.script(triage=classified("single_task", "task"), task=creating)
    first = await world.run("买菜")
    second = await world.run("开会")
    assert list(second.notes) == ["r1/t1", "r2/t1"]
    assert second.notes["r1/t1"] == first.notes["r1/t1"]
