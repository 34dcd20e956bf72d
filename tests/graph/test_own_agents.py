"""Sub-agents from outside on the real graph (D11-D13): seen by the prompts, accepted in plans, at work at once."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from langchain_core.tools import InjectedToolArg, tool

from deep_planner import SubagentSpec, register_subagent, unregister_subagent
from tests.graph.world import World, classified, opened, plan, several, single, statuses, todo
from tests.support.scripted_model import call
from tools.core.context import Call
from tools.core.result import ResultStatus, ToolResult

pytestmark = pytest.mark.graph

ROOT = Path(__file__).parents[2]
LINE = "- currency: 换算货币\n  能力：汇率, exchange rates"


def spec(*tools: Any, **fields: Any) -> SubagentSpec:
    """The agent of these tests; its model speaks as ``unknown``, since the script knows no tool of it."""
    fields = {"description": {"zh": "换算货币", "en": "converts"}, "prompt": "你换算货币，手续费 $5。"} | fields
    return SubagentSpec("currency", tools, capabilities=("汇率", "exchange rates"), **fields)


async def convert(amount: float) -> str:
    """Convert an amount."""
    return f"{amount:g} 美元是 {amount * 7.2:g} 元"


async def test_a_new_agent_is_refused_before_and_accepted_at_once_after(world: World) -> None:
    world.script(triage=several, planner=[plan(todo("a", "currency")), plan(todo("a", "task"))])
    world.script(task=[call("create_task", title="换钱")])
    await world.run("换 100 美元")
    first, second = world.model.of("planner")
    assert "currency" not in first.system
    assert "「currency」不存在" in second.last

    world.planner.register_subagent(spec(convert))
    items = [todo("a", "currency", "换算 100 美元"), todo("b", "task", "记下来", ["a"])]
    world.script(planner=[plan(*items)], unknown=[call("convert", amount=100)])
    world.script(task=[call("create_task", title="带 720 元")])
    result = await world.run("换算 100 美元，再记下来")
    assert (result.status, statuses(result)) == ("completed", {"a": "completed", "b": "completed"})
    assert result.notes["r2/a"] == "笔记：100 美元是 720 元"
    assert LINE in world.model.of("planner")[-1].system
    assert LINE in world.model.of("triage")[-1].system
    [prompt] = world.model.of("unknown")
    assert prompt.tools == ["convert", "query_note", "ask_user"]
    assert prompt.system.startswith("你换算货币，手续费 $5。\n\n- ")
    assert '"weekday"' in prompt.system
    assert "currency:tools" in world.planner.graph.get_graph(xray=True).nodes


@pytest.fixture
async def readme_world(tmp_path: Path) -> AsyncIterator[World]:
    """A planner opened after the README's code has run."""
    code = re.findall(r"(?s)```python\n(.*?)```", (ROOT / "README.md").read_text("utf-8"))[1]
    assert len(code.splitlines()) < 20
    exec(compile(code, "README.md", "exec"), {})
    try:
        async with opened(tmp_path) as world:
            yield world
    finally:
        unregister_subagent("currency")


async def test_the_agent_of_the_readme_works(readme_world: World) -> None:
    world = readme_world
    world.script(triage=single("currency"), unknown=[call("convert", amount=100, source="USD", target="CNY")])
    result = await world.run("100 美元是多少人民币")
    assert (result.status, result.notes["r1/t1"]) == ("completed", "笔记：100 USD = 720.00 CNY")
    assert "- currency: converts amounts between currencies" in world.model.of("triage")[0].system


async def test_the_agent_of_the_readmes_file_has_the_tools_it_names_and_no_others(tmp_path: Path) -> None:
    [words] = re.findall(r"(?s)```markdown\n(.*?)```", (ROOT / "README.md").read_text("utf-8"))
    (tmp_path / "agents").mkdir()
    (tmp_path / "agents" / "sport.md").write_text(words, encoding="utf-8")
    async with opened(tmp_path / "db", subagents_folder=tmp_path / "agents") as world:
        says = [call("find_free_slots", date="明天"), call("create_task", title="跑步", due_date="明天")]
        item = todo("a", "sport", "跑步", steps=["找时间", "安排"])
        world.script(triage=several, planner=[plan(item)], task=says)
        result = await world.run("明天找时间跑步")
        assert (result.status, await world.titles()) == ("completed", ["跑步"])
        for prompt in world.model.of("task"):
            assert prompt.tools == ["find_free_slots", "create_task", "query_note", "ask_user"]
            assert prompt.system.startswith("You are the sport agent: first look")
        assert "- sport: finds room" in world.model.of("planner")[0].system


async def test_a_run_keeps_the_graph_that_it_began_with(world: World) -> None:
    async def leave() -> str:
        """Take the agent off in the middle of its own work."""
        world.planner.unregister_subagent("currency")
        return "走了"

    world.planner.register_subagent(spec(leave))
    world.script(triage=single("currency"), unknown=[call("leave")])
    result = await world.run("换钱")
    assert (result.status, result.notes) == ("completed", {"r1/t1": "笔记：走了"})
    world.script(triage=classified("simple_chat"))
    await world.run("你好")
    assert "currency" not in world.model.of("triage")[-1].system


async def test_what_the_tools_of_an_own_agent_answer(world: World) -> None:
    keys: list[str] = []

    @tool
    def rates(base: str) -> dict[str, float]:
        """Rates of a currency, as a LangChain tool that is not asynchronous."""
        return {"EUR": 0.9}

    async def book(amount: int, call: Annotated[Call, InjectedToolArg]) -> ToolResult:
        """Book an amount, and say so in the house's own form."""
        keys.append(call.operation.key)
        return ToolResult(status=ResultStatus.SUCCESS, message="已订", rows=["booking:1"])

    async def fail() -> str:
        """Break."""
        raise OSError("没有\x1b[31m网络")

    world.planner.register_subagent(spec(rates, book, fail))
    items = [todo(name, "currency", name) for name in ("rates", "book", "fail", "task")]
    items[3]["subagent"] = "task"
    says = {"rates": call("rates", base="USD"), "book": call("book", amount=3), "fail": call("fail")}
    world.script(unknown=lambda prompt: says[prompt.told["item"]], task=[call("create_task", title="甲")])
    world.script(triage=several, planner=[plan(*items), "好"])
    result = await world.run("几件事")
    assert statuses(result) == {"rates": "completed", "book": "completed", "fail": "failed", "task": "completed"}
    outcomes = {item["id"]: item["outcome"] for item in result.todos}
    assert outcomes["rates"]["summary"] == '{"EUR": 0.9}'
    assert outcomes["book"]["rows"] == ["booking:1"]
    assert outcomes["fail"]["summary"] == "fail 没能办到：没有␛[31m网络"
    assert [key.split("/")[:4] for key in keys] == [["1:t", "r1", "book", "book"]]


async def test_arguments_that_do_not_fit_go_back_to_the_model(world: World) -> None:
    world.planner.register_subagent(spec(convert))
    wrong = [call("convert", amount="many"), call("convert", amount=1, unit="USD"), call("convert", amount=2)]
    world.script(triage=single("currency"), unknown=wrong)
    result = await world.run("换钱")
    assert result.notes == {"r1/t1": "笔记：2 美元是 14.4 元"}
    second, third = world.model.of("unknown")[1:]
    assert "amount" in second.last
    assert "unit" in third.last


async def test_an_open_thread_whose_agent_is_gone_says_so(world: World) -> None:
    world.planner.register_subagent(spec(convert))
    world.script(triage=single("currency"), unknown=[call("ask_user", question="多少？")])
    assert (await world.run("换钱")).question
    await world.reopen()
    world.script(answer=[call("take_answer", kind="answer")])
    result = await world.answer("一百")
    assert (result.status, statuses(result)) == ("failed", {"t1": "failed"})


async def test_registered_once_it_is_in_every_planner_that_is_opened_later(world: World, tmp_path: Path) -> None:
    register_subagent(spec(convert))
    try:
        assert "currency" not in world.planner.parts.registry
        async with opened(tmp_path / "later") as later:
            assert later.planner.parts.registry.names == ("task", "calendar", "weather", "notification", "currency")
    finally:
        unregister_subagent("currency")
