"""A deliberation by itself (seed 002): a question in, a structured answer out; no plan, no thread, nothing written."""

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager
from typing import Any, cast

from langchain_core.runnables import RunnableConfig

from deep_planner.app import opened
from deep_planner.asked import checked_request, new_thread_id
from deep_planner.events import Deliberated, Event
from deep_planner.models.ledger import Ledger, Prompts
from deep_planner.settings import Settings
from deep_planner.streaming import MODES, Translation
from subagents.deliberation.graph import DeliberationGraph, build_alone, means_of
from subagents.deliberation.schemas import DeliberationResult
from subagents.surroundings import Surroundings
from subagents.thinking import Models
from tools.core.clock import Clock, SystemClock
from tools.services.calendar import CalendarService
from tools.services.forecasts import WeatherService
from tools.services.weather import WeatherProvider
from tools.store.database import Database


class Deliberation:
    """Ready for questions; see ``open_deliberation``.

    Attributes:
        settings: What it was made from.
        database: The rows that it reads.
        graph: The compiled graph.
    """

    def __init__(self, settings: Settings, database: Database, graph: DeliberationGraph) -> None:
        self.settings = settings
        self.database = database
        self.graph = graph
        self._prompts = Prompts()

    async def run(self, question: str) -> DeliberationResult:
        """Weigh a question to its end; see ``adeliberate`` for what is raised."""
        result = None
        async for event in self.stream(question):
            if isinstance(event, Deliberated):
                result = event.result
        if result is None:
            raise AssertionError("a stream ends with Deliberated")
        return result

    async def stream(self, question: str) -> AsyncGenerator[Event]:
        """Like ``run``, told as it happens: ``DeliberationStep`` for each step, ``Deliberated`` at the end."""
        checked_request(question)
        ledger, translation = Ledger(self._prompts), Translation([])
        config: RunnableConfig = {"callbacks": [ledger]}
        parts = self.graph.astream(
            {"question": question}, config, context=self.settings.context(), stream_mode=[*MODES, "values"]
        )
        values: dict[str, Any] = {}
        async with aclosing(cast(AsyncGenerator[tuple[str, Any]], parts)):
            async for mode, content in cast(AsyncIterator[tuple[str, Any]], parts):
                if mode == "values":
                    values = content
                    continue
                for event in translation.events((), mode, content):
                    yield event
        yield Deliberated(result=DeliberationResult.model_validate(values["result"]), usage=ledger.usage)


def deliberation_graph(
    settings: Settings,
    database: Database,
    models: Models,
    weather: WeatherProvider,
    clock: Clock,
    new_id: Callable[[], str],
) -> DeliberationGraph:
    """The graph on these parts."""
    around = Surroundings(models, settings.context())
    return build_alone(means_of(around, CalendarService(database), WeatherService(weather), clock, new_id))


@asynccontextmanager
async def open_deliberation(
    settings: Settings,
    *,
    clock: Clock | None = None,
    models: Models | None = None,
    weather: WeatherProvider | None = None,
    new_id: Callable[[], str] = new_thread_id,
) -> AsyncIterator[Deliberation]:
    """A deliberation made from settings; everything is closed at the end. Arguments as those of ``open_planner``.

    Raises:
        UsageError: A model, zone or weather file that cannot be used.
        StoreError: A database that cannot be used.
    """
    clock = clock or SystemClock()
    async with opened(settings, clock, models, weather) as (database, models, source):
        graph = deliberation_graph(settings, database, models, source, clock, new_id)
        yield Deliberation(settings, database, graph)
