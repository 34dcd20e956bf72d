"""The wiring of the main graph, in the order in which a request flows."""

from __future__ import annotations

from typing import Any, Literal

from langchain_core.messages import ToolMessage
from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from deep_planner.graph.ask import Ask, after_asking, pose
from deep_planner.graph.dispatch import Dispatch
from deep_planner.graph.nodes import Parts
from deep_planner.graph.planner import Planner, after_acting
from deep_planner.graph.respond import Respond
from deep_planner.graph.review import Review, after_review
from deep_planner.graph.state import PlannerInput, PlannerOutput, PlannerState
from deep_planner.graph.triage import Triage
from subagents.history import is_engine
from subagents.runner import build_subagent
from tools.core.run_settings import PlannerContext

PlannerGraph = CompiledStateGraph[Any, Any, Any, Any]


def build(parts: Parts, checkpointer: BaseCheckpointSaver[Any] | None = None) -> PlannerGraph:
    """The planner's graph.

    Args:
        parts: Models, sub-agents, clock.
        checkpointer: Where threads are kept; ``None`` under a server that brings its own.
    """
    planner, dispatch, review = Planner(parts), Dispatch(parts), Review(parts)

    async def to_work(state: Any, runtime: Runtime[PlannerContext], ahead: str) -> str:
        """What would go to work goes past the user first, if they want to see the plan."""
        return "present" if ahead == "dispatch" and review.wanted(state, runtime) else ahead

    async def triaged(state: Any, runtime: Runtime[PlannerContext]) -> str:
        return await to_work(state, runtime, await after_triage(state))

    async def acted(state: Any, runtime: Runtime[PlannerContext]) -> str:
        return await to_work(state, runtime, await after_acting(state))

    graph = StateGraph(
        PlannerState, context_schema=PlannerContext, input_schema=PlannerInput, output_schema=PlannerOutput
    )
    graph.add_node("triage", Triage(parts, review.settle))
    graph.add_node("planner", planner.think)
    graph.add_node("plan_tools", planner.act)
    graph.add_node("present", review.present)
    graph.add_node("review", review.review)
    graph.add_node("dispatch", dispatch)
    for spec in parts.registry:
        graph.add_node(spec.name, build_subagent(spec, parts.around))
    graph.add_node("pose", pose)
    graph.add_node("ask", Ask(parts))
    graph.add_node("respond", Respond(parts))

    graph.add_edge(START, "triage")
    graph.add_conditional_edges("triage", triaged, ["dispatch", "planner", "ask", "pose", "present", "respond"])
    graph.add_conditional_edges("planner", planner.after_thinking)
    graph.add_conditional_edges("plan_tools", acted, ["planner", "dispatch", "ask", "present"])
    graph.add_edge("present", "review")
    graph.add_conditional_edges("review", after_review)
    graph.add_conditional_edges("dispatch", dispatch.route, [*parts.registry.names, "pose", "planner", "respond"])
    for spec in parts.registry:
        graph.add_edge(spec.name, "dispatch")
    graph.add_edge("pose", "ask")
    graph.add_conditional_edges("ask", after_asking)
    graph.add_edge("respond", END)
    return graph.compile(checkpointer=checkpointer, name="planner")


async def after_triage(state: Any) -> Literal["dispatch", "planner", "ask", "pose", "present", "respond"]:
    """One item or an answered one: to work. Unclear: ask. Several things to do: plan. Else: reply."""
    plan, todos = state["plan"], state.get("todos", [])
    if plan["status"] == "failed":
        return "respond"
    if plan.get("question"):
        return "ask"
    if plan.get("shown"):
        return await after_review(state)  # type: ignore[return-value]
    if any(todo.get("question") for todo in todos):
        return "pose"
    last = state["messages"][-1]
    if isinstance(last, ToolMessage) and not is_engine(last):
        return "planner"
    if todos:
        return "dispatch"
    if plan["intent"] in ("complex_workflow", "single_task", "information_query"):
        return "planner"
    return "respond"
