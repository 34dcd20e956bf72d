"""The Python face: ``run``, ``stream``, ``resume``, ``deliberate`` and their async twins.

Each call opens a planner on the settings and closes it at its end. For many requests, open one yourself:
``async with open_planner(Settings.load()) as planner: await planner.run(...)``.

The sync forms ride on one background event loop for the whole process, because SDK clients cache connections by event
loop and a second ``asyncio.run`` would find them closed.
"""

from __future__ import annotations

import asyncio
import inspect
import threading
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, aclosing
from datetime import datetime
from functools import cache, wraps
from typing import Any, ParamSpec, TypeVar

from deep_planner.app import open_planner
from deep_planner.deliberating import open_deliberation
from deep_planner.events import Event, RunResult
from deep_planner.graph.triage import IntentResult
from deep_planner.planner import Planner
from deep_planner.settings import Settings
from deep_planner.workflow.planning import Listener, unheard
from deep_planner.workflow.schema import Workflow, WorkflowRun
from subagents.deliberation.schemas import DeliberationResult
from tools.core.clock import FrozenClock, SystemClock

Given = ParamSpec("Given")
Value = TypeVar("Value")


async def arun(
    request: str,
    *,
    thread: str | None = None,
    now: datetime | None = None,
    settings: Settings | None = None,
    plan_first: bool = False,
) -> RunResult:
    """Carry out a request.

    Args:
        request: What the user wants, in their own words.
        thread: Name of the thread to go on with; a new one is made if none is given.
        now: The moment to work at, aware; the present by default.
        settings: Settings; those of file and environment by default.
        plan_first: Stop with the plan before anything acts, and wait for ``resume`` with a yes or with changes.

    Raises:
        UsageError: The request or a setting cannot be.
        StoreError: The database cannot be used.
    """
    async with _opened(settings, now, plan_first) as planner:
        return await planner.run(request, thread=thread)


async def aresume(
    thread_id: str, answer: str | None = None, *, now: datetime | None = None, settings: Settings | None = None
) -> RunResult:
    """Answer the open question of a thread, or go on where a run was cut off; see ``arun`` for the arguments.

    Raises:
        ThreadError: No such thread, or nothing to go on with.
    """
    async with _opened(settings, now) as planner:
        return await planner.resume(thread_id, answer)


async def astream(
    request: str,
    *,
    thread: str | None = None,
    now: datetime | None = None,
    settings: Settings | None = None,
    plan_first: bool = False,
) -> AsyncIterator[Event]:
    """Carry out a request and tell of it as it happens; see ``arun`` for the arguments."""
    async with (
        _opened(settings, now, plan_first) as planner,
        aclosing(planner.stream(request, thread=thread)) as events,
    ):
        async for event in events:
            yield event


async def adeliberate(
    question: str, *, now: datetime | None = None, settings: Settings | None = None
) -> DeliberationResult:
    """Weigh a question in rounds of expert and critic (seed 002); nothing is planned or changed.

    Args:
        question: What is to be decided, in the user's own words.
        now: The moment to work at, aware; the present by default.
        settings: Settings; those of file and environment by default.

    Raises:
        UsageError: The question or a setting cannot be.
        StoreError: The database cannot be used.
        ModelError: No model answered before there was a first answer.
        LimitError: The run may spend nothing.
    """
    clock = FrozenClock(now) if now else SystemClock()
    async with open_deliberation(settings or Settings.load(), clock=clock) as deliberation:
        return await deliberation.run(question)


async def aanalyze_intent(
    request: str, *, now: datetime | None = None, settings: Settings | None = None, listener: Listener = unheard
) -> IntentResult:
    """What a request is about (D01): intent, confidence, explanation, and whether several sub-agents are needed."""
    async with _opened(settings, now) as planner:
        return await planner.analyze_intent(request, listener)


async def acreate_workflow(
    request: str,
    *,
    requirements: Sequence[str] = (),
    now: datetime | None = None,
    settings: Settings | None = None,
    listener: Listener = unheard,
) -> Workflow:
    """The plan for a request as a workflow, checked and not run (D23).

    Args:
        request: What the user wants.
        requirements: What the plan must keep to besides.
        now: The moment to plan at, aware; the present by default.
        settings: Settings; those of file and environment by default.
        listener: Is told the events ``workflow:generation-start`` and ``workflow:generated``.

    Raises:
        WorkflowError: The model twice wrote no valid graph.
        ModelError: The model failed, or twice wrote no workflow.
    """
    async with _opened(settings, now) as planner:
        return await planner.create_workflow(request, requirements, listener)


async def aexecute_workflow(
    workflow: Workflow, *, thread: str | None = None, now: datetime | None = None, settings: Settings | None = None
) -> WorkflowRun:
    """Carry a workflow out on the planner's graph (D10).

    Raises:
        WorkflowError: It cannot be run; the text is seed 003's own (D08).
    """
    async with _opened(settings, now) as planner:
        return await planner.execute_workflow(workflow, thread=thread)


def _sync(work: Callable[Given, Coroutine[Any, Any, Value]]) -> Callable[Given, Value]:
    """The twin for code that is not async: the same arguments, the same errors, and the value itself."""

    @wraps(work)
    def twin(*args: Given.args, **kwargs: Given.kwargs) -> Value:
        return _wait(work(*args, **kwargs))

    twin.__name__ = twin.__qualname__ = work.__name__.removeprefix("a")
    twin.__doc__ = f"``{work.__name__}`` for code that is not async.\n\n{inspect.getdoc(work)}"
    return twin


def _wait(work: Coroutine[Any, Any, Value]) -> Value:
    return asyncio.run_coroutine_threadsafe(work, _background()).result()


@cache
def _background() -> asyncio.AbstractEventLoop:
    loop = asyncio.new_event_loop()
    threading.Thread(target=loop.run_forever, name="deep-planner", daemon=True).start()
    return loop


run = _sync(arun)
resume = _sync(aresume)
deliberate = _sync(adeliberate)
analyze_intent = _sync(aanalyze_intent)
create_workflow = _sync(acreate_workflow)
execute_workflow = _sync(aexecute_workflow)


def stream(
    request: str,
    *,
    thread: str | None = None,
    now: datetime | None = None,
    settings: Settings | None = None,
    plan_first: bool = False,
) -> Iterator[Event]:
    """``astream`` for code that is not async."""
    events = astream(request, thread=thread, now=now, settings=settings, plan_first=plan_first)
    try:
        while True:
            try:
                yield _wait(_next(events))
            except StopAsyncIteration:
                return
    finally:
        _wait(_close(events))


def _opened(
    settings: Settings | None, now: datetime | None, plan_first: bool = False
) -> AbstractAsyncContextManager[Planner]:
    settings = settings or Settings.load()
    if plan_first:
        settings = settings.model_copy(update={"plan_first": True})
    return open_planner(settings, clock=FrozenClock(now) if now else SystemClock())


async def _next(events: AsyncIterator[Event]) -> Event:
    return await anext(events)


async def _close(events: Any) -> None:
    await events.aclose()
