"""The planner at work: requests and answers on threads, run by run, told as events."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable, Sequence
from contextlib import aclosing
from dataclasses import replace
from functools import partial
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl
from langgraph.types import StateSnapshot

from deep_planner.agents import HOUSE, checked
from deep_planner.asked import checked_request, checked_thread
from deep_planner.directory import Directory
from deep_planner.events import Event, Finished, RunResult
from deep_planner.graph.build import PlannerGraph, build
from deep_planner.graph.nodes import Parts
from deep_planner.graph.triage import IntentResult
from deep_planner.models.ledger import Ledger, Prompts
from deep_planner.settings import Settings
from deep_planner.standing import NOTHING, checkpoint_of, going_on, outcome_of
from deep_planner.streaming import MODES, Translation
from deep_planner.workflow.planning import Analyst, Listener, unheard
from deep_planner.workflow.running import run_of, todos_of
from deep_planner.workflow.schema import Workflow, WorkflowRun
from deep_planner.workflow.validate import validate
from subagents.registry import Registry
from subagents.spec import SubagentSpec
from tools.domain.records import ThreadRecord, ThreadStatus
from tools.domain.todos import Todo
from tools.store.database import Database
from tools.toolkits.adopted import SubagentError

#: Steps of the graph in one run; the limits proper are those of sub-agents and planner.
MOST_STEPS = 10_000
#: From what the directory knew of a thread and its state to what the graph is given.
Start = Callable[[ThreadRecord | None, StateSnapshot], Any]


class Planner:
    """A planner at work on one database; see ``open_planner``.

    Attributes:
        settings: What it was made from.
        database: The rows.
        parts: What the graph is made of.
        graph: The compiled graph.
        directory: The user's threads.
        saver: Where the threads' states are.
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        parts: Parts,
        directory: Directory,
        saver: BaseCheckpointSaver[Any],
        new_id: Callable[[], str],
    ) -> None:
        self.settings = settings
        self.database = database
        self.parts = parts
        self.graph = build(parts, saver)
        self.directory = directory
        self.saver = saver
        self._new_id = new_id
        self._prompts = Prompts()
        self._controls: set[RunControl] = set()

    async def run(self, request: str, *, thread: str | None = None) -> RunResult:
        """Carry out a request to its end, or to a question.

        Raises:
            UsageError: The request is blank or too long.
            ThreadError: Another run is busy on the thread.
        """
        return await _result(self.stream(request, thread=thread))

    async def resume(self, thread: str, answer: str | None = None) -> RunResult:
        """Answer the open question of a thread, or, without an answer, go on where a run was cut off.

        Raises:
            ThreadError: No such thread, nothing to go on with, or another run is busy on it.
        """
        return await _result(self.stream_resume(thread, answer))

    async def stream(self, request: str, *, thread: str | None = None) -> AsyncGenerator[Event]:
        """Like ``run``, told as it happens; the last event is ``Finished``."""
        async with aclosing(self._begun(thread, checked_request(request))) as events:
            async for event in events:
                yield event

    async def stream_resume(self, thread: str, answer: str | None = None) -> AsyncGenerator[Event]:
        """Like ``resume``, told as it happens."""
        async with aclosing(self._turn(thread, None, partial(going_on, thread, answer))) as events:
            async for event in events:
                yield event

    async def analyze_intent(self, request: str, listener: Listener = unheard) -> IntentResult:
        """What a request is about, and nothing else (D01, D23); see ``Analyst.intent``."""
        checked_request(request)
        return await Analyst(self.parts, listener).intent(request)

    async def create_workflow(
        self, request: str, requirements: Sequence[str] = (), listener: Listener = unheard
    ) -> Workflow:
        """The plan for a request, without running it (D23); see ``Analyst.workflow``."""
        checked_request(request)
        return await Analyst(self.parts, listener).workflow(request, requirements)

    async def stream_workflow(self, workflow: Workflow, *, thread: str | None = None) -> AsyncGenerator[Event]:
        """Carry a workflow out as it is, told as it happens.

        Raises:
            WorkflowError: It cannot be run.
            ThreadError: Another run is busy on the thread.
        """
        validate(workflow, self.parts.registry.names)
        task = checked_request(workflow.description)
        async with aclosing(self._begun(thread, task, draft=todos_of(workflow))) as events:
            async for event in events:
                yield event

    async def execute_workflow(self, workflow: Workflow, *, thread: str | None = None) -> WorkflowRun:
        """``stream_workflow`` to its end, or to a question (then ``resume`` with its thread)."""
        result = await _result(self.stream_workflow(workflow, thread=thread))
        state = await self.graph.aget_state(self._config(result.thread_id))
        plan = state.values["plan"]
        return run_of(workflow, result, plan["now"], plan["request"])

    def drain(self) -> None:
        """Let the runs under way come to the end of their step; each ends as ``interrupted`` and can be resumed.

        LangGraph idea: a ``RunControl`` is looked at between steps, in sub-graphs too. What a step did is stored, and
        the next one has not begun, so going on later is exact.
        """
        for control in self._controls:
            control.request_drain()

    def register_subagent(self, spec: SubagentSpec) -> None:
        """Add a sub-agent: from the next run on it is in the prompts, in the check of plans and in the graph (D12).

        Runs under way keep the graph they have.

        Raises:
            UsageError: The name is taken or no identifier, or something of the spec is missing or unusable.
        """
        self._rebuild(self.parts.registry.added(checked(spec, self.parts.registry.names)))

    def unregister_subagent(self, name: str) -> None:
        """Take a sub-agent off; open items of stored threads that need it will fail and say so.

        Raises:
            UsageError: There is none of that name, or it is one of the house.
        """
        if name in HOUSE or name not in self.parts.registry:
            raise SubagentError("unknown", name=name)
        self._rebuild(self.parts.registry.without(name))

    def _rebuild(self, registry: Registry) -> None:
        self.parts = replace(self.parts, registry=registry)
        self.graph = build(self.parts, self.saver)

    async def threads(self) -> list[ThreadRecord]:
        """The user's threads, the newest first."""
        return await self.directory.all()

    async def remove_thread(self, thread: str) -> ThreadRecord | None:
        """Forget a thread; its tasks and reminders stay. See ``Directory.remove``."""
        return await self.directory.remove(thread, self.saver)

    async def standing(self, thread: str) -> RunResult | None:
        """How a thread stands, its open question included; ``None`` when nothing is stored of it."""
        state = await self.graph.aget_state(self._config(thread))
        return await self._outcome(self.graph, thread, Ledger()) if state.values else None

    def _begun(self, thread: str | None, request: str, **given: Any) -> AsyncGenerator[Event]:
        """The turn of a new request, on the thread of that name or on a new one."""
        name = checked_thread(thread) if thread else self._new_id()
        values = {"messages": [{"role": "user", "content": request}], **given}
        return self._turn(name, request, lambda _before, _state: values)

    async def _turn(self, thread: str, request: str | None, start: Start) -> AsyncGenerator[Event]:
        """Hold the thread and carry out what ``start`` gives; the last event is told when the thread is free again.

        Whoever stops listening closes all generators below at once (``aclosing``): the thread must not be free while
        the graph still works on it.
        """
        ledger = Ledger(self._prompts)
        async with self.directory.busy(thread) as before:
            graph = self.graph  # another may take its place while this run goes on
            state = await graph.aget_state(self._config(thread))
            given = start(before, state)
            if given is NOTHING:
                result = await self._outcome(graph, thread, ledger)
                await self.directory.settle(thread, ThreadStatus(result.status))
            else:
                async with self.directory.written(thread, request, checkpoint_of(state)) as written:
                    todos = list(state.values.get("todos", ()))
                    async with aclosing(self._events(graph, given, thread, ledger, todos)) as events:
                        async for event in events:
                            yield event
                    result = await self._outcome(graph, thread, ledger)
                    written.status = ThreadStatus(result.status)
        yield Finished(result=result)

    async def _events(
        self, graph: PlannerGraph, given: Any, thread: str, ledger: Ledger, todos: list[Todo]
    ) -> AsyncGenerator[Event]:
        config: RunnableConfig = {**self._config(thread), "callbacks": [ledger], "recursion_limit": MOST_STEPS}
        translation = Translation(todos)
        control = RunControl()
        self._controls.add(control)
        # ``sync``: a step is stored before the next begins, so that a call is durable before its effect.
        parts = graph.astream(
            given,
            config,
            context=self.settings.context(),
            stream_mode=MODES,
            subgraphs=True,
            durability="sync",
            control=control,
        )
        try:
            async with aclosing(cast(AsyncGenerator[Any], parts)):
                async for part in parts:
                    namespace, mode, content = cast(tuple[tuple[str, ...], str, Any], part)
                    for event in translation.events(namespace, mode, content):
                        yield event
        except GraphDrained:
            pass  # the outcome tells that the run is not over
        finally:
            self._controls.discard(control)

    async def _outcome(self, graph: PlannerGraph, thread: str, ledger: Ledger) -> RunResult:
        state = await graph.aget_state(self._config(thread))
        return outcome_of(state, thread, ledger.usage, self.settings.language)

    def _config(self, thread: str) -> RunnableConfig:
        # A thread belongs to a user: another user's thread of the same name is another thread.
        return {"configurable": {"thread_id": self.directory.key(thread)}}


async def _result(events: AsyncIterator[Event]) -> RunResult:
    result = None
    async for event in events:
        if isinstance(event, Finished):
            result = event.result
    if result is None:
        raise AssertionError("a stream ends with Finished")
    return result
