"""The wiring of a deliberation (C01), alone and as the fifth sub-agent (X16).

```
moderator_init ─► expert_generate ─► critic_review ─► moderator_synthesize ─► over
      │ simple          ▲                                      │ moderator_decide
      └──────► over     └──────────────────────────────────────┘
```

LangGraph idea: the loop is a conditional edge that leads back. Each step is stored before the next begins, so a run
that is cut off in its third round goes on in its third round.

What bounds it are the rounds (three model calls each, two more around them, a retry of each at the most) and the run's
and the item's seconds; ``max_item_model_calls`` is made for one tool call and its repairs and does not count here.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any, Literal, cast

from langchain_core.tools import BaseTool
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from subagents.deliberation.lookups import Lookups
from subagents.deliberation.records import note_of, reply_of
from subagents.deliberation.roles import Roles, result_of
from subagents.deliberation.state import DeliberationState, Outcome, Question
from subagents.deliberation.voices import Means
from subagents.outcomes import closed
from subagents.runner import contained
from subagents.spec import SubagentSpec
from subagents.state import SubagentInput, SubagentOutput
from subagents.surroundings import Surroundings
from tools.core.clock import Clock
from tools.core.errors import LimitError, ModelError
from tools.core.result import ResultStatus, ToolResult
from tools.core.run_settings import PlannerContext
from tools.core.text import Language
from tools.services.calendar import CalendarService
from tools.services.day_facts import DayFacts
from tools.services.forecasts import WeatherService
from tools.toolkits.calendar import calendar_tools
from tools.toolkits.weather import weather_tools

NAME = "deliberation"

DeliberationGraph = CompiledStateGraph[Any, Any, Any, Any]
_Step = Callable[[DeliberationState, Runtime[PlannerContext]], Awaitable[dict[str, Any]]]


def reading_tools(calendar: CalendarService, weather: WeatherService, language: Language) -> list[BaseTool]:
    """What the expert may look up; all of it only reads."""
    return [*calendar_tools(calendar, language), *weather_tools(weather, language)]


def means_of(
    around: Surroundings,
    calendar: CalendarService,
    weather: WeatherService,
    clock: Clock,
    new_id: Callable[[], str],
) -> Means:
    """What a deliberation needs, on services of which it only reads."""
    lookups = Lookups(functools.partial(reading_tools, calendar, weather))
    return Means(around, lookups, DayFacts(calendar, weather).of, clock, new_id)


def deliberation_agent(
    calendar: CalendarService, weather: WeatherService, clock: Clock, new_id: Callable[[], str]
) -> SubagentSpec:
    """The spec of the deliberation as a sub-agent."""

    def build(_spec: SubagentSpec, around: Surroundings) -> DeliberationGraph:
        return build_agent(means_of(around, calendar, weather, clock, new_id))

    return SubagentSpec(NAME, functools.partial(reading_tools, calendar, weather), build=build)


def build_alone(means: Means) -> DeliberationGraph:
    """The graph from a question to a ``DeliberationResult``; an error before the first answer is raised."""
    graph = StateGraph(DeliberationState, context_schema=PlannerContext, input_schema=Question, output_schema=Outcome)
    _wire(graph, Roles(means), lambda step: step, END)
    return graph.compile(name=NAME)


def build_agent(means: Means) -> DeliberationGraph:
    """The same between ``SubagentInput`` and ``SubagentOutput``; an error fails its own item (A45)."""
    graph = StateGraph(
        DeliberationState, context_schema=PlannerContext, input_schema=SubagentInput, output_schema=SubagentOutput
    )
    _wire(graph, Roles(means), contained, "note")
    graph.add_node("note", note)
    graph.add_edge("note", END)
    return graph.compile(name=NAME)


def _wire(graph: StateGraph[Any, Any, Any, Any], roles: Roles, guard: Callable[[_Step], _Step], last: str) -> None:
    """The four steps in their circle; each may be the last one."""
    steps = (roles.moderator_init, roles.expert_generate, roles.critic_review, roles.moderator_synthesize)
    names = [step.__name__ for step in steps]
    for name, step in zip(names, steps, strict=True):
        graph.add_node(name, cast(Any, guard(_best_so_far(roles, step))))
    graph.add_edge(START, names[0])
    for name, following in zip(names, [*names[1:], "expert_generate"], strict=True):
        graph.add_conditional_edges(name, moderator_decide, {"on": following, "over": last})


async def moderator_decide(state: DeliberationState) -> Literal["on", "over"]:
    """Another step, or the end: the reason to stop has been found by ``stopping``, or a model could not be asked."""
    return "over" if state.get("stop") or state.get("failure") else "on"


def _best_so_far(roles: Roles, step: _Step) -> _Step:
    """A step that ends the deliberation with the best answer so far when its model cannot be asked."""

    @functools.wraps(step)
    async def careful(state: DeliberationState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        try:
            return await step(state, runtime)
        except (ModelError, LimitError) as error:
            return roles.cut_off(state, runtime, error)

    return careful


async def note(state: DeliberationState) -> dict[str, Any]:
    """Close the item. The result is worded already, so no model is asked for a note (E16)."""
    item, brief = state["item"], state["brief"]
    if failure := state.get("failure"):
        return closed(item, brief, [ToolResult(status=ResultStatus.ERROR, message=failure)], failure, failure)
    result = result_of(state)
    words = reply_of(result, brief["language"])
    told = ToolResult(status=ResultStatus.SUCCESS, message=words, data=result.model_dump(mode="json"))
    ended = closed(item, brief, [told], note_of(result, brief["language"]), words)
    ended["todos"][0]["reads"] = [str(fact["name"]) for fact in result.facts if fact["kind"] == "note"] or None
    return ended
