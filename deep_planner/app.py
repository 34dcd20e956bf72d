"""The composition root: the one place where settings become objects, and objects a planner."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import AsyncIterator, Callable
from contextlib import aclosing, asynccontextmanager, nullcontext
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from deep_planner.agents import OwnAgents, own_agents
from deep_planner.asked import new_thread_id
from deep_planner.directory import Directory
from deep_planner.graph.nodes import Parts
from deep_planner.locks import locks_of
from deep_planner.mcp import OutsideTools, open_mcp
from deep_planner.models.factory import make_model, make_models, make_titles
from deep_planner.planner import Planner
from deep_planner.settings import Settings
from deep_planner.threads import open_threads
from subagents.calendar import calendar_agent
from subagents.deliberation.graph import deliberation_agent
from subagents.notification import notification_agent
from subagents.patience import Patience
from subagents.registry import Registry
from subagents.surroundings import Surroundings
from subagents.task import task_agent
from subagents.thinking import Models
from subagents.weather import weather_agent
from tools.core.clock import Clock, SystemClock
from tools.core.errors import UsageError
from tools.core.text import Language, text
from tools.services.calendar import CalendarService
from tools.services.forecasts import WeatherService
from tools.services.meaning import TitleMeaning
from tools.services.notifications import NotificationService
from tools.services.tasks import TaskService
from tools.services.weather import Addresses, SampleWeather, WeatherFileError, WeatherProvider, online_weather
from tools.store.database import Database
from tools.store.repositories import People

if TYPE_CHECKING:
    from deep_planner.models.embeddings import DashScopeTitles


def to_stderr(line: str) -> None:
    """Show a line at once, away from what a program may read (P21)."""
    sys.stderr.write(f"{line}\n")


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
        UsageError: A model, zone, weather file or sub-agent's file that cannot be used.
        StoreError: A database that cannot be used.
    """
    clock = clock or SystemClock()
    own = await asyncio.to_thread(own_agents, settings, to_stderr)
    # One by one, so that whatever cannot be opened leaves nothing open that came before it.
    async with (
        _opened_titles(settings) as titles,
        opened(settings, clock, models, weather) as (database, models, source),
        aclosing(locks_of(settings.url, database)) as locks,
        open_threads(settings.url) as saver,
        open_mcp(settings, to_stderr) as mcp,
    ):
        parts = parts_of(settings, database, models, source, clock, console, new_id, mcp, titles, own)
        directory = Directory(database, locks, settings.user_id, clock)
        yield Planner(settings, database, parts, directory, saver, new_id)


@asynccontextmanager
async def opened(
    settings: Settings, clock: Clock, models: Models | None, weather: WeatherProvider | None
) -> AsyncIterator[tuple[Database, Models, WeatherProvider]]:
    """What planner and deliberation both stand on, the user's row included; closed at the end.

    Args:
        settings: Database, models, source of forecasts.
        clock: Where the time comes from.
        models: As in ``open_planner``; closed as well.
        weather: As in ``open_planner``; closed as well.

    Raises:
        UsageError: A model or weather file that cannot be used.
        StoreError: A database that cannot be used.
    """
    async with (
        aclosing(weather or weather_of(settings)) as source,
        aclosing(models or models_of(settings)) as thinking,
        aclosing(await Database.open(settings.url, now=clock.now())) as database,
    ):
        async with database.writing() as session:
            await People(session).ensure_user(settings.user_id, clock.now())
        yield database, thinking, source


@asynccontextmanager
async def _opened_titles(settings: Settings) -> AsyncIterator[TitleMeaning | None]:
    titles = titles_of(settings)
    async with aclosing(titles) if titles else nullcontext():
        yield titles


def parts_of(
    settings: Settings,
    database: Database,
    models: Models,
    weather: WeatherProvider,
    clock: Clock,
    console: Callable[[str], None],
    new_id: Callable[[], str],
    mcp: OutsideTools | None = None,
    titles: TitleMeaning | None = None,
    own: OwnAgents | None = None,
) -> Parts:
    """The graph's parts: services on the database, sub-agents on the services, tools and agents from outside.

    Raises:
        UsageError: A sub-agent's file names a tool that nobody has.
    """
    calendar, forecasts = CalendarService(database), WeatherService(weather)
    specs = [
        task_agent(TaskService(database, titles)),
        calendar_agent(calendar),
        weather_agent(forecasts),
        notification_agent(NotificationService(database, console)),
    ]
    specs = mcp.equipped(specs, database) if mcp else specs
    # After the outside tools: a deliberation reads and never acts, whatever a server offers.
    specs = [*specs, deliberation_agent(calendar, forecasts, clock, new_id)]
    registry = Registry(own.beside(specs) if own else specs)

    async def groups(user_id: int) -> list[str]:
        async with database.reading() as session:
            return [group.name for group in await People(session).groups(user_id)]

    return Parts(Surroundings(models, settings.context()), registry, clock, new_id, groups)


def models_of(settings: Settings) -> Models:
    """Both roles, those that stand in when they are down, and how long they are waited for (A47).

    Raises:
        UsageError: A string that names no model, or a key is missing.
    """
    ways: dict[str, Any] = {"thinking": settings.thinking, "timeout": settings.model_silence}
    models = make_models(settings.model, settings.light_model, settings.base_url, **ways)
    names = [*settings.fallback_models, *(["offline:rules"] if settings.offline_fallback else [])]
    provider = settings.model.partition(":")[0]
    others = [
        make_model(name, settings.base_url if name.startswith(f"{provider}:") else None, **ways)
        for name in names
        if name != settings.model
    ]
    return replace(
        models,
        instead=tuple(model for model, _ in others),
        closers=(*models.closers, *(close for _, closers in others for close in closers)),
        patience=Patience(attempts=settings.model_attempts, silence=settings.model_silence),
        tools_in_text=settings.tool_calling == "text",
    )


def titles_of(settings: Settings) -> DashScopeTitles | None:
    """What compares titles by meaning, if the settings name a model for it; the caller closes it.

    Raises:
        UsageError: A string that names no such model, or the key is missing.
    """
    return make_titles(settings.title_embeddings) if settings.title_embeddings else None


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
