"""The deliberation as the fifth sub-agent: entered by triage or a plan, reading notes, writing nothing (X16)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from deep_planner.events import DeliberationStep
from tests.graph.deliberating import QUESTION, answered, final, framed, issue, judged, reviewed
from tests.graph.world import World, opened, plan, several, single, statuses, todo
from tests.support.scripted_model import call

pytestmark = pytest.mark.graph

LINES: dict[str, Any] = {
    "moderator": [framed()],
    "critic": [reviewed(50, issue(), issue("有暴雪", "说了暴雪")), reviewed(90, status="pass")],
    "judge": lambda _: judged(),
    "final": final,
}


async def test_triage_enters_it_and_its_answer_is_the_reply(world: World) -> None:
    """Neither the planner nor the note agent is asked: the answer is worded already."""
    world.script(**LINES, triage=single("deliberation"), expert=[answered(), answered(2, "改到下周三更稳妥")])
    result = await world.run(QUESTION)
    assert (result.status, statuses(result)) == ("completed", {"t1": "completed"})
    assert "综合：不太适合" in result.reply
    assert "讨论 2 轮，评审通过" in result.reply
    assert not {"planner", "note", "reply"} & set(world.model.roles)
    assert "家具容易淋湿" in result.notes["r1/t1"]
    assert result.todos[0]["outcome"]["rows"] == []


async def test_nobody_in_it_holds_a_tool_that_writes(world: World) -> None:
    world.script(**LINES, triage=single("deliberation"), expert=[answered(), answered(2, "改到下周三更稳妥")])
    await world.run(QUESTION)
    held = {tool for prompt in world.model.prompts[1:] for tool in prompt.tools}
    own = {"frame_question", "submit_answer", "submit_review", "judge_round", "submit_final"}
    assert held - own == {"get_day_schedule", "find_free_slots", "get_weather"}
    assert await world.tasks() == []


async def test_it_reads_the_notes_of_the_items_it_depends_on(world: World) -> None:
    """Weather through a note; the critic still sees question and answer alone (C04), and the read is recorded (N4)."""
    items = [todo("w", "weather", "查周六天气"), todo("d", "deliberation", "讨论周六适不适合搬家", ["w"])]
    lines = {**LINES, "critic": [reviewed(90, status="pass")]}
    world.script(
        **lines,
        triage=several,
        planner=[plan(*items), "好"],
        weather=[call("get_weather", date="周六")],
        expert=[answered()],
    )
    result = await world.run("查周六天气，再讨论适不适合搬家")
    assert statuses(result) == {"w": "completed", "d": "completed"}
    notes = [fact for fact in world.model.of("expert")[0].told["facts"] if fact["kind"] == "note"]
    assert [note["name"] for note in notes] == ["r1/w"]
    assert "小雨" in notes[0]["message"]
    assert "笔记" not in world.model.of("critic")[0].text
    assert result.todos[1]["reads"] == ["r1/w"]
    assert "query_note" in world.model.of("expert")[0].tools


async def test_its_failure_is_its_items_own(world: World) -> None:
    """A45: no answer at all; the sibling is done."""
    items = [todo("a", "task", "加任务"), todo("d", "deliberation", "讨论")]
    world.script(
        triage=several,
        planner=[plan(*items), "没有办法", "好"],
        task=[call("create_task", title="开会", due_date="明天")],
        moderator=[ValueError("broken")] * 2,
    )
    result = await world.run("两件事")
    assert statuses(result) == {"a": "completed", "d": "failed"}
    assert await world.titles() == ["开会"]


async def test_each_step_is_told_with_its_item(world: World) -> None:
    world.script(**LINES, triage=single("deliberation"), expert=[answered(), answered(2, "改到下周三更稳妥")])
    steps = [event for event in await world.events(QUESTION) if isinstance(event, DeliberationStep)]
    assert {event.todo_id for event in steps} == {"t1"}
    assert [event.agent for event in steps][:4] == ["moderator", "expert", "critic", "moderator"]
    assert "已丢弃的 1 条" in steps[2].words


async def test_a_run_that_is_cut_off_goes_on_in_its_round(tmp_path: Path) -> None:
    """A crash in the second round: neither the first answer nor its review is asked for again."""

    class Gone(BaseException):
        """The process dies."""

    async with opened(tmp_path) as world:
        world.script(
            **LINES, triage=single("deliberation"), expert=[answered(), Gone(), answered(2, "改到下周三更稳妥")]
        )
        with pytest.raises(Gone):
            await world.run(QUESTION)
        await world.reopen()
        result = await world.planner.resume("t")
        assert result.status == "completed"
        assert [role for role in world.model.roles if role != "triage"] == [
            *("moderator", "expert", "critic", "judge"),
            *("expert", "expert", "critic", "judge", "final"),
        ]
