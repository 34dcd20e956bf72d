"""What happened: each case in its own world, turn after turn, and what was seen there."""

from __future__ import annotations

import asyncio
import tempfile
from collections.abc import AsyncIterator, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from deep_planner.app import models_of, titles_of
from deep_planner.evaluation.cases import Case
from deep_planner.evaluation.world import Ground, Row, World, world_of
from deep_planner.events import Event, Finished, RunResult, TodoChanged, ToolCallStarted
from deep_planner.settings import Settings
from tools.core.result import ResultStatus
from tools.domain.todos import ENDED, TodoStatus

THREAD = "case"
TurnStatus = Literal["success", "conflict", "need_confirmation", "error", "refused", "chat"]
#: From light to heavy.
WEIGHTS: tuple[TurnStatus, ...] = ("success", "need_confirmation", "conflict", "error")


class TurnRun(BaseModel):
    """What came of one turn; the tables are those after it."""

    agents: list[str]
    reply: str
    status: TurnStatus
    asked: bool
    intent: str
    tasks: list[Row]
    reminders: list[Row]


class CaseRun(BaseModel):
    """What came of a case; ``crash`` says what broke off its last turn."""

    id: str
    turns: list[TurnRun] = []
    crash: str | None = None

    def line(self) -> str:
        """The run as a line of JSON; a run that did not crash does not say so."""
        return self.model_dump_json(exclude={"crash"} if self.crash is None else None)


async def run_cases(cases: Sequence[Case], settings: Settings, jobs: int) -> AsyncIterator[tuple[Case, CaseRun]]:
    """Run cases, at most ``jobs`` at a time, and give each as it ends.

    The models are made as the planner makes them, those that stand in for others included: what is measured is what
    the settings give their user.

    Raises:
        UsageError: A model that cannot be used.
    """
    titles = titles_of(settings)
    models = models_of(settings)
    gate = asyncio.Semaphore(jobs)
    with tempfile.TemporaryDirectory(prefix="deep-planner-eval-") as folder:
        ground = Ground(settings, models, titles, Path(folder))

        async def one(number: int, case: Case) -> tuple[Case, CaseRun]:
            async with gate:
                return case, await run_case(case, ground, number)

        running: list[asyncio.Task[tuple[Case, CaseRun]]] = []
        try:
            await ground.prepare(cases[0].now)
            running += [asyncio.create_task(one(number, case)) for number, case in enumerate(cases)]
            for ended in asyncio.as_completed(running):
                yield await ended
        finally:
            for task in running:
                task.cancel()
            await asyncio.gather(*running, return_exceptions=True)
            await models.aclose()
            if titles:
                await titles.aclose()


async def run_case(case: Case, ground: Ground, number: int) -> CaseRun:
    """All turns of a case on one thread of its own world."""
    run = CaseRun(id=case.id)
    try:
        async with world_of(case, ground, number) as world:
            asked = False
            for turn in case.turns:
                told = await _turn(world, turn.user, answering=asked)
                run.turns.append(told)
                asked = told.asked
    except Exception as error:  # noqa: BLE001 - a case that crashes has failed, and the others go on
        run.crash = f"{type(error).__name__}: {error}"
    return run


async def _turn(world: World, words: str, *, answering: bool) -> TurnRun:
    planner = world.planner
    stream = planner.stream_resume(THREAD, words) if answering else planner.stream(words, thread=THREAD)
    events = [event async for event in stream]
    result = next(event.result for event in reversed(events) if isinstance(event, Finished))
    tasks, reminders = await world.tables()
    return TurnRun(
        agents=agents_of(events),
        reply=reply_of(result),
        status=status_of(result, events),
        asked=result.question is not None,
        intent=result.intent,
        tasks=tasks,
        reminders=reminders,
    )


def agents_of(events: Sequence[Event]) -> list[str]:
    """The sub-agents that worked in the turn, in the order in which they began."""
    started = (
        event.agent
        for event in events
        if (isinstance(event, ToolCallStarted) and event.todo_id)
        or (isinstance(event, TodoChanged) and event.todo["status"] == TodoStatus.IN_PROGRESS)
    )
    return list(dict.fromkeys(agent for agent in started if agent))


def reply_of(result: RunResult) -> str:
    """What the user reads: the reply, or the question with its choices."""
    if result.question is None:
        return result.reply
    return "\n".join([result.question.question, *(choice["label"] for choice in result.question.choices)])


def status_of(result: RunResult, events: Sequence[Event]) -> TurnStatus:
    """The weightiest result of the turn; of items that are still on the list and moved in this turn."""
    if result.status == "refused":
        return "refused"
    touched = {event.todo_id for event in events if isinstance(event, TodoChanged)}
    items = [todo for todo in result.todos if todo["id"] in touched]
    found: list[TurnStatus] = ["success"]
    for todo in items:
        said = todo["outcome"]["status"] if todo["status"] in ENDED and todo.get("outcome") else ""
        found += [status for status in WEIGHTS if status == said]
    if result.status == "failed":
        found.append("error")
    if result.question is not None:
        found.append("conflict" if result.question.type == ResultStatus.CONFLICT else "need_confirmation")
    elif result.intent == "simple_chat" and not items and found == ["success"]:
        return "chat"
    return max(found, key=WEIGHTS.index)
