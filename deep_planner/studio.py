"""The graph for servers: ``langgraph.json`` names ``graph`` here."""

from __future__ import annotations

from contextlib import AsyncExitStack
from typing import Any

from deep_planner.app import new_thread_id, parts_of, to_stderr, weather_of
from deep_planner.graph.build import PlannerGraph, build
from deep_planner.models.factory import make_models
from deep_planner.settings import Settings
from tools.core.clock import SystemClock
from tools.store.database import Database

_open = AsyncExitStack()


async def build_graph(settings: Settings | None = None, checkpointer: Any = None) -> PlannerGraph:
    """The planner's graph on a database that stays open as long as the process.

    Args:
        settings: Settings; those of file and environment by default.
        checkpointer: Where threads are kept; a server brings its own.
    """
    settings = settings or Settings.load()
    clock = SystemClock()
    database = await Database.open(settings.url, now=clock.now())
    _open.push_async_callback(database.aclose)
    models = make_models(settings.model, settings.light_model, settings.base_url)
    parts = parts_of(settings, database, models, weather_of(settings), clock, to_stderr, new_thread_id)
    return build(parts, checkpointer)


async def graph() -> PlannerGraph:
    """What Studio loads."""
    return await build_graph()
