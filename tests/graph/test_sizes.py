"""The numbers of model calls and of characters that a request costs; goals, not wishes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from deep_planner.models.rules import OfflineRules
from tests.graph.test_routing import AIRPORT, WORK
from tests.graph.world import World, opened, plan, several, single, todo
from tests.support.scripted_model import Prompt, Said, call

pytestmark = pytest.mark.graph


def size(prompt: Prompt) -> int:
    """Characters of a prompt: messages, and the tools as they go over the wire."""
    messages = sum(len(message.text) for message in prompt.messages)
    return messages + len(json.dumps(prompt.schemas, ensure_ascii=False))


@pytest.mark.parametrize(
    ("language", "request_"), [("zh", "周末早上去机场接人"), ("en", "pick someone up at the airport")]
)
@pytest.mark.parametrize(("agent", "most"), [("weather", 2500), ("task", 5000)])
async def test_first_prompt_of_a_subagent_is_short(
    tmp_path: Path, agent: str, most: int, language: str, request_: str
) -> None:
    async with opened(tmp_path, language=language) as world:
        world.script(triage=single(agent), **{agent: [WORK[agent]]})
        await world.run(request_)
        assert size(world.model.of(agent)[0]) <= most


@pytest.mark.parametrize("agent", ["task", "calendar", "weather"])
async def test_one_item_costs_three_calls(world: World, agent: str) -> None:
    world.script(triage=single(agent), **{agent: [WORK[agent]]})
    await world.run("照做")
    assert world.model.roles == ["triage", agent, "note"]


async def test_airport_request_costs_nine_calls(world: World) -> None:
    world.script(triage=several, planner=[AIRPORT], **WORK)
    await world.run("周末早上去机场接人")
    assert len(world.model.prompts) <= 9


@pytest.mark.parametrize(
    ("request_", "most"), [("明天下午三点开会", 4), ("明天天气怎么样", 4), ("周末早上去机场接人", 9)]
)
async def test_offline_model_is_asked_as_rarely(tmp_path: Path, request_: str, most: int) -> None:
    async with opened(tmp_path, OfflineRules()) as world:
        result = await world.run(request_)
        assert result.status == "completed"
        assert 0 < sum(usage.calls for usage in result.usage.values()) <= most


async def test_main_model_reads_little_of_a_chain(world: World) -> None:
    """Two calls for a chain, however long: the plan, and the reply."""
    names = [f"第{n}步" for n in range(10)]
    items = [todo(name, "task", name, names[n - 1 : n]) for n, name in enumerate(names)]

    def creating(prompt: Prompt) -> Said:
        return call("create_task", title=prompt.told["item"], due_date=f"2026-03-{int(prompt.told['item'][1]) + 1:02}")

    world.script(triage=several, planner=[plan(*items)], task=creating)
    result = await world.run("十步")
    main = [prompt for prompt in world.model.prompts if prompt.role in ("planner", "reply")]
    assert (result.status, len(main)) == ("completed", 2)
    assert sum(len(message.text) for prompt in main for message in prompt.messages) <= 12_000
