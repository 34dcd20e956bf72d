"""Asking models (N9): again after a fault that may pass, another one when the first is down, never over budget."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGenerationChunk

from subagents.budget import Budget
from subagents.patience import Patience
from subagents.thinking import Asking, Models
from tests.support.scripted_model import Said, Step
from tools.core.errors import LimitError, ModelError
from tools.core.run_settings import PlannerContext

pytestmark = pytest.mark.unit

ASK = [HumanMessage("买菜")]
SECRET = "sk-canary-2"


class BusyError(Exception):
    status_code = 503


class RefusedError(Exception):
    status_code = 401


class TooLongError(Exception):
    status_code = 400


class Model(BaseChatModel):
    """Goes through its steps: words, faults, or half an answer before a fault."""

    model_name: str
    steps: list[Any]
    asked: int = 0

    @property
    def _llm_type(self) -> str:
        return "steps"

    def _generate(self, *args: Any, **kwargs: Any) -> Any:
        raise NotImplementedError

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        self.asked += 1
        step: Step = self.steps.pop(0)
        if isinstance(step, BaseException):
            yield ChatGenerationChunk(message=AIMessageChunk("半"))
            raise step
        if step == "":
            return
        if step == "…":
            await asyncio.Event().wait()
        words = step.text if isinstance(step, Said) else str(step)
        yield ChatGenerationChunk(message=AIMessageChunk(words, response_metadata={"finish_reason": "stop"}))


class Run:
    """One run on some models; what it told and how long it slept."""

    def __init__(self, *models: Model, patience: Patience | None = None, **limits: float) -> None:
        self.told: list[dict[str, Any]] = []
        self.slept: list[float] = []
        first, *others = models
        patience = patience or Patience(first_wait=1)
        self.models = Models(
            first, first, instead=tuple(others), patience=patience, sleep=self._sleep, jitter=lambda: 0.0
        )
        self.budget = Budget(PlannerContext.model_validate(limits), lambda: 0.0)

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def say(self, item: str | None = None) -> str:
        asking = Asking(self.models, self.budget, self.told.append, item)
        return (await asking.say("strong", ASK, [], tags=["agent:task", "todo:t1"])).text


async def test_fault_that_passes_is_waited_out() -> None:
    run = Run(Model(model_name="m", steps=[BusyError(SECRET), TimeoutError(), "好"]))
    assert (await run.say(), run.slept) == ("好", [1, 2])
    assert run.told[0] == {
        "type": "retrying",
        "model": "m",
        "reason": "BusyError 503",
        "agent": "task",
        "todo_id": "t1",
        "seconds": 1,
        "instead": None,
    }
    assert SECRET not in str(run.told)


async def test_half_an_answer_is_thrown_away() -> None:
    run = Run(Model(model_name="m", steps=[ConnectionResetError(), "好"]))
    assert await run.say() == "好"


async def test_answer_without_any_piece_is_asked_for_again() -> None:
    run = Run(Model(model_name="m", steps=["", "好"]))
    assert (await run.say(), len(run.slept)) == ("好", 1)


async def test_silence_counts_as_lost() -> None:
    run = Run(Model(model_name="m", steps=["…", "好"]), patience=Patience(silence=0.01))
    assert await run.say() == "好"
    assert run.told[0]["reason"] == "TimeoutError"


async def test_fault_that_stays_is_told_without_the_providers_words() -> None:
    run = Run(Model(model_name="m", steps=[RefusedError(SECRET)]))
    with pytest.raises(ModelError) as caught:
        await run.say()
    assert caught.value.facts == {"model": "m", "reason": "RefusedError 401"}
    assert SECRET not in str(caught.value)
    assert run.slept == []


async def test_attempts_end() -> None:
    model = Model(model_name="m", steps=[BusyError()] * 9)
    run = Run(model, patience=Patience(attempts=3, first_wait=1))
    with pytest.raises(ModelError):
        await run.say()
    assert (model.asked, run.slept) == (3, [1, 2])


async def test_another_model_stands_in_and_stays() -> None:
    first = Model(model_name="m", steps=[RefusedError()])
    second = Model(model_name="n", steps=["好", "还好"])
    run = Run(first, second)
    assert await run.say() == "好"
    assert (run.told[0]["model"], run.told[0]["instead"], run.told[0]["reason"]) == ("m", "n", "RefusedError 401")
    assert await run.say() == "还好"
    assert (first.asked, second.asked) == (1, 2)


async def test_one_prompt_that_is_refused_does_not_put_the_model_away() -> None:
    first = Model(model_name="m", steps=[TooLongError(), "好"])
    second = Model(model_name="n", steps=["替"])
    run = Run(first, second)
    assert [await run.say(), await run.say()] == ["替", "好"]


async def test_model_that_is_down_is_asked_once_when_nobody_else_is_there() -> None:
    model = Model(model_name="m", steps=[BusyError()] * 4)
    run = Run(model, patience=Patience(attempts=3, first_wait=1))
    for _ in range(2):
        with pytest.raises(ModelError):
            await run.say()
    assert model.asked == 4


async def test_every_attempt_counts_against_the_budget() -> None:
    model = Model(model_name="m", steps=[BusyError()] * 9)
    run = Run(model, patience=Patience(attempts=5), max_model_calls=2)
    with pytest.raises(LimitError):
        await run.say()
    assert model.asked == 2


async def test_no_wait_beyond_the_end_of_the_run() -> None:
    run = Run(Model(model_name="m", steps=[BusyError(), "好"]), patience=Patience(first_wait=10), max_seconds=5)
    with pytest.raises(ModelError):
        await run.say()
    assert run.slept == []


async def test_answer_that_takes_longer_than_the_item_may() -> None:
    run = Run(Model(model_name="m", steps=["…"]), max_item_seconds=0.01)
    with pytest.raises(LimitError) as caught:
        await run.say(item="t1")
    assert caught.value.key == "too_many_item_seconds"
