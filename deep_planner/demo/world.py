"""The demonstration's world: a frozen clock, sample weather, two tasks, a database of its own.

Nothing of the user's is read: no settings file, no environment, no key, no database.
"""

from __future__ import annotations

import tempfile
import tomllib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from datetime import date, datetime, time
from importlib.resources import as_file, files
from operator import itemgetter
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource, SettingsConfigDict

from deep_planner.app import open_planner
from deep_planner.planner import Planner
from deep_planner.settings import Settings
from tools.core.clock import FrozenClock
from tools.core.context import RunContext
from tools.core.text import Language
from tools.domain.segments import TimeSegment
from tools.domain.tasks import Task
from tools.services.wording import info, reminder_info
from tools.store.database import Database
from tools.store.repositories import Reminders, Tasks

Row = dict[str, Any]


class Worded(BaseModel):
    """The same in both languages."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    zh: str
    en: str

    def words(self, language: Language) -> str:
        """What is said in a language."""
        return self.zh if language == "zh" else self.en


class SampleTask(BaseModel):
    """A task that is there before the first request."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    title: Worded
    date: date
    start: time | None = None
    end: time | None = None
    segment: TimeSegment


class Scenario(BaseModel):
    """One request; ``section`` is that of the design document it comes from."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    id: str
    section: str
    request: Worded


class Script(BaseModel):
    """What stands in ``scenarios.toml``."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    now: datetime
    timezone: str
    weather: str
    city: Worded
    tasks: list[SampleTask]
    scenarios: list[Scenario]


class SealedSettings(Settings):
    """Settings that come from the caller alone."""

    model_config = SettingsConfigDict(toml_file=None)

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """What the caller gives, and no environment and no file."""
        return (init_settings,)


@dataclass(frozen=True, slots=True)
class World:
    """The planner in its world.

    Attributes:
        planner: The same planner as in a real run.
        context: Moment, zone and language of the demonstration.
    """

    planner: Planner
    context: RunContext

    async def rows(self) -> tuple[list[Row], list[Row]]:
        """All tasks and all reminders of the user, read from the tables, by id."""
        async with self.planner.database.reading() as session:
            tasks = await Tasks(session, self.context.user_id).between()
            reminders = await Reminders(session, self.context.user_id).find(status=None)
        told = [info(task).model_dump() for task in tasks], [reminder_info(each, self.context) for each in reminders]
        return sorted(told[0], key=itemgetter("id")), sorted(told[1], key=itemgetter("id"))


def read_script() -> Script:
    """The script that comes with the package."""
    return Script.model_validate(tomllib.loads(files(__package__).joinpath("scenarios.toml").read_text("utf-8")))


@contextmanager
def folder_for(keep: bool) -> Iterator[Path]:
    """A folder for the database; it and all in it is removed at the end unless it is to be kept."""
    if keep:
        yield Path(tempfile.mkdtemp(prefix="deep-planner-demo-"))
        return
    # A file that another program holds open must not turn a demonstration that went well into a fault.
    with tempfile.TemporaryDirectory(prefix="deep-planner-demo-", ignore_cleanup_errors=True) as folder:
        yield Path(folder)


@asynccontextmanager
async def open_world(
    script: Script, path: Path, language: Language, console: Callable[[str], None]
) -> AsyncIterator[World]:
    """The planner in the world of the script, on a new database.

    Args:
        script: What is there.
        path: The database to be.
        language: Of the tasks and the replies.
        console: Shows reminders as they are arranged.
    """
    with as_file(files(__package__).joinpath(script.weather)) as weather:
        settings = SealedSettings(
            database=str(path),
            model="offline:rules",
            city=script.city.words(language),
            timezone=script.timezone,
            language=language,
            weather_file=weather,
        )
        context = settings.context().run_context(script.now, language)
        async with open_planner(settings, clock=FrozenClock(script.now), console=console) as planner:
            await _furnish(planner.database, script, context)
            yield World(planner, context)


async def _furnish(database: Database, script: Script, context: RunContext) -> None:
    async with database.writing() as session:
        tasks = Tasks(session, context.user_id)
        for sample in script.tasks:
            task = Task(
                id=0,
                user_id=context.user_id,
                title=sample.title.words(context.language),
                date=sample.date,
                start_time=sample.start,
                end_time=sample.end,
                time_segment=sample.segment,
            )
            await tasks.add(task, context.now)
