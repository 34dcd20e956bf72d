"""The composition root: the one place where settings become objects, and objects a planner."""

from __future__ import annotations

import os
import sys
import uuid
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from dataclasses import replace
from functools import partial
from typing import Any, cast

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.errors import GraphDrained
from langgraph.runtime import RunControl
from langgraph.types import Command, StateSnapshot

from deep_planner.directory import Directory
from deep_planner.events import Event, Finished, RunResult
from deep_planner.graph.build import PlannerGraph, build
from deep_planner.graph.nodes import Parts
from deep_planner.locks import locks_of
from deep_planner.mcp import OutsideTools, open_mcp
from deep_planner.models.factory import make_model, make_models
from deep_planner.models.ledger import Ledger, Prompts
from deep_planner.settings import Settings
from deep_planner.streaming import MODES, Translation, question_of
from deep_planner.threads import open_threads
from subagents.calendar import calendar_agent
from subagents.deliberation.graph import deliberation_agent
from subagents.history import is_engine
from subagents.notification import notification_agent
from subagents.patience import Patience
from subagents.registry import Registry
from subagents.surroundings import Surroundings
from subagents.task import task_agent
from subagents.thinking import Models
from subagents.weather import weather_agent
from tools.core.clock import Clock, SystemClock
from tools.core.errors import ThreadError, UsageError
from tools.core.text import Language, language_of, text
from tools.domain.records import ThreadRecord, ThreadStatus
from tools.domain.todos import Todo
from tools.services.calendar import CalendarService
from tools.services.forecasts import WeatherService
from tools.services.notifications import NotificationService
from tools.services.tasks import TaskService
from tools.services.weather import Addresses, SampleWeather, WeatherFileError, WeatherProvider, online_weather
from tools.store.database import Database
from tools.store.repositories import People

#: Longest request, in characters.
LONGEST_REQUEST = 100_000
#: Longest name of a thread; it is part of operation keys.
LONGEST_THREAD = 100
#: Steps of the graph in one run; the limits proper are those of sub-agents and planner.
MOST_STEPS = 1_000
#: Stands for "there is nothing left to run" where ``None`` tells the graph to go on.
NOTHING = object()

#: From what the directory knew of a thread and its state to what the graph is given.
Start = Callable[[ThreadRecord | None, StateSnapshot], Any]


def to_stderr(line: str) -> None:
    """Show a line at once, away from what a program may read (P21)."""
    sys.stderr.write(f"{line}\n")


def new_thread_id() -> str:
    """A short random name."""
    return uuid.uuid4().hex[:8]


class Planner:
    """A planner at work on one database; see ``open_planner``.

    Attributes:
        settings: What it was made from.
        database: The rows.
        graph: The compiled graph.
        directory: The user's threads.
        saver: Where the threads' states are.
    """

    def __init__(
        self,
        settings: Settings,
        database: Database,
        graph: PlannerGraph,
        directory: Directory,
        saver: BaseCheckpointSaver[Any],
        new_id: Callable[[], str],
    ) -> None:
        self.settings = settings
        self.database = database
        self.graph = graph
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
        checked_request(request)
        given = {"messages": [{"role": "user", "content": request}]}
        name = checked_thread(thread) if thread else self._new_id()
        async with aclosing(self._turn(name, request, lambda _before, _state: given)) as events:
            async for event in events:
                yield event

    async def stream_resume(self, thread: str, answer: str | None = None) -> AsyncGenerator[Event]:
        """Like ``resume``, told as it happens."""
        async with aclosing(self._turn(thread, None, partial(_going_on, thread, answer))) as events:
            async for event in events:
                yield event

    def drain(self) -> None:
        """Let the runs under way come to the end of their step; each ends as ``interrupted`` and can be resumed.

        LangGraph idea: a ``RunControl`` is looked at between steps, in sub-graphs too. What a step did is stored, and
        the next one has not begun, so going on later is exact.
        """
        for control in self._controls:
            control.request_drain()

    async def threads(self) -> list[ThreadRecord]:
        """The user's threads, the newest first."""
        return await self.directory.all()

    async def remove_thread(self, thread: str) -> ThreadRecord | None:
        """Forget a thread; its tasks and reminders stay. See ``Directory.remove``."""
        return await self.directory.remove(thread, self.saver)

    async def standing(self, thread: str) -> RunResult | None:
        """How a thread stands, its open question included; ``None`` when nothing is stored of it."""
        state = await self.graph.aget_state(self._config(thread))
        return await self._outcome(thread, Ledger()) if state.values else None

    async def _turn(self, thread: str, request: str | None, start: Start) -> AsyncGenerator[Event]:
        """Hold the thread and carry out what ``start`` gives; the last event is told when the thread is free again.

        Whoever stops listening closes all generators below at once (``aclosing``): the thread must not be free while
        the graph still works on it.
        """
        ledger = Ledger(self._prompts)
        async with self.directory.busy(thread) as before:
            state = await self.graph.aget_state(self._config(thread))
            given = start(before, state)
            if given is NOTHING:
                result = await self._outcome(thread, ledger)
                await self.directory.settle(thread, ThreadStatus(result.status))
            else:
                async with self.directory.written(thread, request, checkpoint_of(state)) as written:
                    todos = list(state.values.get("todos", ()))
                    async with aclosing(self._events(given, thread, ledger, todos)) as events:
                        async for event in events:
                            yield event
                    result = await self._outcome(thread, ledger)
                    written.status = ThreadStatus(result.status)
        yield Finished(result=result)

    async def _events(self, given: Any, thread: str, ledger: Ledger, todos: list[Todo]) -> AsyncGenerator[Event]:
        config: RunnableConfig = {**self._config(thread), "callbacks": [ledger], "recursion_limit": MOST_STEPS}
        translation = Translation(todos)
        control = RunControl()
        self._controls.add(control)
        # ``sync``: a step is stored before the next begins, so that a call is durable before its effect.
        parts = self.graph.astream(
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

    async def _outcome(self, thread: str, ledger: Ledger) -> RunResult:
        state = await self.graph.aget_state(self._config(thread))
        values = state.values
        plan = values.get("plan") or {"status": "interrupted"}  # who was stopped before triage has none yet
        question = question_of(state.interrupts[0].value) if state.interrupts else None
        status, reply = plan["status"], ""
        if question:
            status = "waiting"
        elif state.tasks:
            status, reply = "interrupted", text(self._language(values), "plan.stopped")
        else:
            reply = [m.text for m in values["messages"] if m.type == "ai" and not is_engine(m)][-1]
        return RunResult(
            status=status,
            reply=reply,
            question=question,
            todos=values.get("todos", []),
            notes=values.get("notes", {}),
            thread_id=thread,
            intent=plan.get("intent", ""),
            usage=ledger.usage,
        )

    def _language(self, values: dict[str, Any]) -> Language:
        """That of the request at work, also when triage has not yet told it."""
        said = next((message.text for message in reversed(values.get("messages", ())) if message.type == "human"), "")
        return (values.get("plan") or {}).get("language") or self.settings.language or language_of(said)

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


def checked_request(request: str) -> None:
    """Refuse what cannot be a request.

    Raises:
        UsageError: Blank, or longer than ``LONGEST_REQUEST``.
    """
    if not request.strip():
        raise UsageError("blank_request")
    if len(request) > LONGEST_REQUEST:
        raise UsageError("long_request", length=len(request), limit=LONGEST_REQUEST)


def checked_thread(name: str) -> str:
    """Refuse what cannot be a thread's name.

    Raises:
        UsageError: Longer than ``LONGEST_THREAD``, or with characters that no database and no screen takes.
    """
    if len(name) > LONGEST_THREAD:
        raise UsageError("long_thread", limit=LONGEST_THREAD)
    if not name.isprintable():
        raise UsageError("unprintable_thread")
    return name


def checkpoint_of(state: StateSnapshot) -> str:
    """The id of a thread's newest checkpoint; empty when nothing is stored of it."""
    return str(state.config["configurable"].get("checkpoint_id", ""))


def _going_on(thread: str, answer: str | None, before: ThreadRecord | None, state: StateSnapshot) -> Any:
    """What to hand the graph so that it goes on; ``NOTHING`` when all is done already and only to be told again."""
    cut_off = before is not None and before.status in (ThreadStatus.RUNNING, ThreadStatus.INTERRUPTED)
    if before and cut_off and answer is None and before.checkpoint == checkpoint_of(state):
        raise ThreadError("never_started", thread=thread, request=before.last_request)
    if not state.values:
        raise ThreadError("unknown_thread", thread=thread)
    if answer is None and (state.interrupts or (cut_off and not state.tasks)):
        return NOTHING
    if not state.tasks or (answer is not None and not state.interrupts):
        raise ThreadError("no_question", thread=thread)
    return Command(resume=answer) if state.interrupts else None


@asynccontextmanager
async def open_planner(
    settings: Settings,
    *,
    clock: Clock | None = None,
    models: Models | None = None,
    weather: WeatherProvider | None = None,
    console: Callable[[str], None] = to_stderr,
    new_id: Callable[[], str] = new_thread_id,
) -> AsyncIterator[Planner]:
    """A planner made from settings; everything is closed at the end.

    Args:
        settings: Database, models, place.
        clock: Where the time comes from; the machine's by default.
        models: Models to use instead of those that the settings name.
        weather: A source to use instead of the one that the settings name.
        console: Shows reminders as they are arranged (A29).
        new_id: Mints thread ids.

    Raises:
        UsageError: A model, zone or weather file that cannot be used.
        StoreError: A database that cannot be used.
    """
    clock = clock or SystemClock()
    source = weather or weather_of(settings)
    models = models or models_of(settings)
    database = await Database.open(settings.url, now=clock.now())
    locks = locks_of(settings.url, database)
    try:
        async with database.writing() as session:
            await People(session).ensure_user(settings.user_id, clock.now())
        async with open_threads(settings.url) as saver, open_mcp(settings, to_stderr) as mcp:
            parts = parts_of(settings, database, models, source, clock, console, new_id, mcp)
            directory = Directory(database, locks, settings.user_id, clock)
            yield Planner(settings, database, build(parts, saver), directory, saver, new_id)
    finally:
        await models.aclose()
        await source.aclose()
        await locks.aclose()
        await database.aclose()


def parts_of(
    settings: Settings,
    database: Database,
    models: Models,
    weather: WeatherProvider,
    clock: Clock,
    console: Callable[[str], None],
    new_id: Callable[[], str],
    mcp: OutsideTools | None = None,
) -> Parts:
    """The graph's parts: services on the database, sub-agents on the services, tools of outside servers."""
    calendar, forecasts = CalendarService(database), WeatherService(weather)
    specs = [
        task_agent(TaskService(database)),
        calendar_agent(calendar),
        weather_agent(forecasts),
        notification_agent(NotificationService(database, console)),
    ]
    specs = mcp.equipped(specs, database) if mcp else specs
    # Last, and after the outside tools: a deliberation reads and never acts, whatever a server offers.
    registry = Registry([*specs, deliberation_agent(calendar, forecasts, clock, new_id)])

    async def groups(user_id: int) -> list[str]:
        async with database.reading() as session:
            return [group.name for group in await People(session).groups(user_id)]

    return Parts(Surroundings(models, settings.context()), registry, clock, new_id, groups)


def models_of(settings: Settings) -> Models:
    """Both roles, those that stand in when they are down, and how long they are waited for (A47).

    Raises:
        UsageError: A string that names no model, or a key is missing.
    """
    models = make_models(settings.model, settings.light_model, settings.base_url)
    names = [*settings.fallback_models, *(["offline:rules"] if settings.offline_fallback else [])]
    provider = settings.model.partition(":")[0]
    others = [
        make_model(name, settings.base_url if name.startswith(f"{provider}:") else None)
        for name in names
        if name != settings.model
    ]
    return replace(
        models,
        instead=tuple(model for model, _ in others),
        closers=(*models.closers, *(close for _, closers in others for close in closers)),
        patience=Patience(attempts=settings.model_attempts, silence=settings.model_silence),
    )


def weather_of(settings: Settings) -> WeatherProvider:
    """The source of forecasts that the settings name (A22).

    Raises:
        UsageError: The file cannot be used, or the source needs a key or a host that is missing.
    """
    if settings.weather_file is None:
        addresses = Addresses(
            forecast=settings.weather_base_url,
            geocoding=settings.geocoding_base_url,
            qweather=settings.qweather_host,
            openweathermap=settings.openweathermap_base_url,
        )
        return online_weather(settings.weather_provider, addresses, os.environ)
    try:
        return SampleWeather.from_file(settings.weather_file)
    except WeatherFileError as error:
        raise WeatherFileUnusable(error) from error


class WeatherFileUnusable(UsageError):  # noqa: N818 - named for what happened
    """A weather file that cannot be read; the reason is said in the user's language."""

    def __init__(self, fault: WeatherFileError) -> None:
        self.fault = fault
        super().__init__("weather_file", path=fault.path, place="", reason=fault.reason.value)

    def message(self, language: Language) -> str:
        """Path, place in the file, reason."""
        fault = self.fault
        places = [str(part) for part in (fault.line, fault.row, fault.field) if part is not None]
        return text(
            language,
            "errors.weather_file",
            path=fault.path,
            place=f" ({', '.join(places)})" if places else "",
            reason=text(language, f"errors.weather_fault.{fault.reason.value}"),
        )
