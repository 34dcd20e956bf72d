"""The real planner on a real SQLite file, a frozen Thursday, sample weather, and a model that follows a script."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from datetime import date, datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.language_models import BaseChatModel

from deep_planner.app import open_planner
from deep_planner.events import Event, RunResult
from deep_planner.planner import Planner
from deep_planner.settings import Settings
from subagents.patience import Patience
from subagents.thinking import Models
from tests.support import builders
from tests.support.scripted_model import Prompt, Said, ScriptedModel, Speaker, Step, call
from tools.core.clock import FrozenClock
from tools.domain.records import Reminder
from tools.domain.tasks import Task
from tools.services.weather import SampleWeather, WeatherProvider
from tools.services.weather.sample_rows import SampleRow

ZONE = ZoneInfo("Asia/Shanghai")
#: A Thursday, ten in the morning.
NOW = datetime(2026, 2, 12, 10, 0, tzinfo=ZONE)
TODAY, TOMORROW, SATURDAY = date(2026, 2, 12), date(2026, 2, 13), date(2026, 2, 14)
RAIN = SampleRow(city="北京", date=SATURDAY, condition="小雨", temp_min=2, temp_max=8)
DRY = SampleRow(city="北京", date=TOMORROW, condition="晴", temp_min=-3, temp_max=6)
THREAD = "t"


class World:
    """One database, one model, one thread; ``reopen`` stands for the next process."""

    def __init__(
        self,
        folder: Path,
        model: BaseChatModel,
        light: BaseChatModel,
        weather: WeatherProvider,
        settings: dict[str, Any],
        patience: Patience | None = None,
    ) -> None:
        self.slept: list[float] = []
        self._patience = patience or Patience(attempts=1)
        self.file = folder / "planner.db"
        self.console: list[str] = []
        self.planner: Planner
        self._model, self._light = model, light
        self._weather = weather
        self._settings = Settings(database=str(self.file), city="北京", timezone="Asia/Shanghai", **settings)
        self._stack = AsyncExitStack()

    @property
    def model(self) -> ScriptedModel:
        assert isinstance(self._model, ScriptedModel)
        return self._model

    @property
    def light(self) -> ScriptedModel:
        """The light role's own model, when it has one."""
        assert isinstance(self._light, ScriptedModel)
        return self._light

    def script(self, **lines: Any) -> None:
        self.model.script(**lines)

    async def open(self, now: datetime = NOW) -> None:
        if not self.file.exists():
            self.file.parent.mkdir(exist_ok=True)
            builders.put_file(self.file)
        opened = open_planner(
            self._settings,
            clock=FrozenClock(now),
            models=Models(self._model, self._light, patience=self._patience, sleep=self._sleep, jitter=lambda: 0.0),
            weather=self._weather,
            console=self.console.append,
            new_id=lambda: THREAD,
        )
        self.planner = await self._stack.enter_async_context(opened)

    async def _sleep(self, seconds: float) -> None:
        self.slept.append(seconds)

    async def close(self) -> None:
        await self._stack.aclose()

    async def reopen(self, now: datetime = NOW) -> None:
        """Another process on the same file."""
        await self.close()
        await self.open(now)

    async def run(self, request: str) -> RunResult:
        return await self.planner.run(request, thread=THREAD)

    async def answer(self, words: str) -> RunResult:
        return await self.planner.resume(THREAD, words)

    async def events(self, request: str) -> list[Event]:
        return [event async for event in self.planner.stream(request, thread=THREAD)]

    async def state(self) -> dict[str, Any]:
        return dict((await self.snapshot()).values)

    async def snapshot(self) -> Any:
        return await self.planner.graph.aget_state(self.config)

    async def history(self) -> list[Any]:
        """All states of the thread, oldest first."""
        states = [state async for state in self.planner.graph.aget_state_history(self.config)]
        return states[::-1]

    @property
    def config(self) -> dict[str, Any]:
        return {"configurable": {"thread_id": f"1:{THREAD}"}}

    async def tasks(self) -> list[Task]:
        return await builders.tasks_of(self.planner.database)

    async def titles(self) -> list[str]:
        return [task.title for task in await self.tasks()]

    async def reminders(self) -> list[Reminder]:
        return await builders.reminders_of(self.planner.database)

    async def has(self, title: str, when: str | None = None, *, day: date = TOMORROW, **fields: Any) -> None:
        """A task that is there already."""
        await builders.stored(self.planner.database, builders.task(title, when, day=day, **fields))


@asynccontextmanager
async def opened(
    folder: Path,
    model: BaseChatModel | None = None,
    weather: WeatherProvider | None = None,
    light: BaseChatModel | None = None,
    patience: Patience | None = None,
    **settings: Any,
) -> AsyncIterator[World]:
    """A world; a scripted model must not be asked for more than the test has scripted."""
    weather = weather or SampleWeather([RAIN, DRY])
    strong = model or ScriptedModel()
    world = World(folder, strong, light or strong, weather, settings, patience)
    if model is None:
        world.script(note=noted, reply=replied, parser=unreadable)
    await world.open()
    try:
        yield world
    finally:
        await world.close()
    if model is None:
        assert world.model.overruns == []


def classified(intent: str, subagent: str | None = None, confidence: float = 0.95) -> Speaker:
    """A triage that always says this."""
    return lambda prompt: classification(intent, subagent, confidence)


def classification(intent: str, subagent: str | None = None, confidence: float = 0.95) -> Said:
    """One answer of triage."""
    return call("classify_intent", intent=intent, confidence=confidence, subagent=subagent)


def single(agent: str) -> Speaker:
    """One sub-agent can do it alone."""
    return classified("single_task", agent)


#: Triage: this needs a plan.
several = classified("complex_workflow")


def noted(prompt: Prompt) -> Said:
    """The note agent: what the tools said is both note and summary."""
    words = " ".join(result["message"] for result in prompt.told["results"])
    return call("write_note", note=f"笔记：{words}", summary=words)


def unreadable(prompt: Prompt) -> str:
    """The parser: the words do not hold what is missing."""
    return "null"


def replied(prompt: Prompt) -> str:
    """The reply: the summaries, one after the other."""
    facts = json.loads(prompt.last.splitlines()[2])
    return "回复：" + " ".join(item["summary"] for item in facts["items"])


def plan(*items: Any) -> Said:
    """A ``write_todo`` of items: strings, or ``todo(...)``."""
    return call("write_todo", todos=list(items))


def todo(name: str, agent: str, content: str = "", after: Sequence[str] = (), **fields: Any) -> dict[str, Any]:
    """An item as a planner writes it."""
    item = {"id": name, "content": content or f"做 {name}", "subagent": agent, **fields}
    return item | ({"depends_on": list(after)} if after else {})


def by_item(**scripts: Step | list[Step] | Callable[[Prompt], Any]) -> Speaker:
    """A sub-agent's lines by the item's content, because parallel items are asked in no certain order."""
    left = {name: list(steps) if isinstance(steps, list) else steps for name, steps in scripts.items()}

    def speak(prompt: Prompt) -> Any:
        content = prompt.told["item"]
        steps = left[next(name for name in left if name in content)]
        if callable(steps):
            return steps(prompt)
        if isinstance(steps, list):
            assert steps, f"nothing left for {content}"
            return steps.pop(0)
        return steps

    return speak


def statuses(result: RunResult) -> dict[str, str]:
    """Where each item stands."""
    return {item["id"]: item["status"] for item in result.todos}
