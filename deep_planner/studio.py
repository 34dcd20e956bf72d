"""The graphs for servers: ``langgraph.json`` names ``graph`` and ``deliberation`` here.

A server's event loop must never wait for the disk. What is read from files once (texts, prompts, tables, migrations)
is therefore read in a thread before the first run.
"""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack
from datetime import UTC, datetime
from typing import Any
from weakref import WeakKeyDictionary

from deep_planner.agents import own_agents
from deep_planner.app import models_of, parts_of, titles_of, to_stderr, weather_of
from deep_planner.asked import new_thread_id
from deep_planner.deliberating import deliberation_graph
from deep_planner.graph.build import PlannerGraph, build
from deep_planner.mcp import open_mcp
from deep_planner.models.rules.tables import tables
from deep_planner.settings import Settings
from subagents.deliberation.graph import DeliberationGraph
from subagents.spec import load_prompts
from tools.core.clock import SystemClock
from tools.core.text import LANGUAGES, load_texts
from tools.domain.cities import find_city
from tools.domain.similarity import title_similarity
from tools.domain.times import parse_when
from tools.store.database import Database

#: One graph of each kind an event loop: connections belong to the loop that opened them.
_graphs: WeakKeyDictionary[asyncio.AbstractEventLoop, PlannerGraph] = WeakKeyDictionary()
_deliberations: WeakKeyDictionary[asyncio.AbstractEventLoop, DeliberationGraph] = WeakKeyDictionary()
#: What is open as long as the process. A server gives no moment to close it; outside servers are on a leash.
_open = AsyncExitStack()


async def build_graph(settings: Settings | None = None, checkpointer: Any = None) -> PlannerGraph:
    """The planner's graph, on a database that stays open as long as the process.

    Args:
        settings: Settings; those of file and environment by default.
        checkpointer: Where threads are kept; a server brings its own.
    """
    clock = SystemClock()
    settings = await asyncio.to_thread(_prepared, settings)
    database = await Database.open(settings.url, now=clock.now())
    mcp = await _open.enter_async_context(open_mcp(settings, to_stderr))
    own = await asyncio.to_thread(own_agents, settings, to_stderr)
    # SDKs and certificates are files, too.
    models = await asyncio.to_thread(models_of, settings)
    titles = await asyncio.to_thread(titles_of, settings)
    weather = weather_of(settings)
    parts = parts_of(settings, database, models, weather, clock, to_stderr, new_thread_id, mcp, titles, own)
    return build(parts, checkpointer)


async def graph() -> PlannerGraph:
    """What a server loads; made once for each event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _graphs:
        _graphs[loop] = await build_graph()
    return _graphs[loop]


async def build_deliberation(settings: Settings | None = None) -> DeliberationGraph:
    """The graph of a deliberation that runs by itself (seed 002), on a database that stays open likewise."""
    clock = SystemClock()
    settings = await asyncio.to_thread(_prepared, settings)
    database = await Database.open(settings.url, now=clock.now())
    return deliberation_graph(settings, database, models_of(settings), weather_of(settings), clock, new_thread_id)


async def deliberation() -> DeliberationGraph:
    """What a server loads; made once for each event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _deliberations:
        _deliberations[loop] = await build_deliberation()
    return _deliberations[loop]


def _prepared(settings: Settings | None) -> Settings:
    """Settings that need no file any more, after everything else that is read from files has been read."""
    settings = settings or Settings.load()
    load_texts()
    for package in ("deep_planner", "subagents"):
        load_prompts(package)
    moment = datetime(2026, 1, 1, tzinfo=UTC)
    context = settings.context().run_context(moment, "zh")
    for language, words in zip(LANGUAGES, ("国庆节和下个工作日", "Christmas at 3pm"), strict=True):
        tables(language)
        parse_when(words, context.now, context.zone)
        find_city(words)
        title_similarity(words, words + words)
    return settings.model_copy(update={"timezone": settings.zone})
