"""How a sub-agent works through one todo item: a small graph of model, parser, tools and note.

LangGraph idea: a compiled graph may be a node of another graph. Its steps are checkpointed under the parent's, so a
process that dies between the model's call and the tool's effect comes back at the tools step with the same call
(which is why ``model`` and ``tools`` are two steps, and why effects can be exact), and Studio draws what is inside.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Literal

from langgraph.errors import GraphBubbleUp
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph

from subagents.spec import SubagentSpec
from subagents.state import SubagentInput, SubagentOutput, SubagentState
from subagents.surroundings import Surroundings
from subagents.window import asking_message, done, open_calls, open_questions, was_refused
from subagents.worker import Worker
from tools.core.errors import PlannerError
from tools.core.result import ResultStatus
from tools.core.run_settings import PlannerContext
from tools.core.text import text

log = logging.getLogger(__name__)

Step = Callable[..., Awaitable[dict[str, Any]]]


def contained(step: Step) -> Step:
    """A step that fails its own item and never its siblings (A45).

    A pause travels as an exception too (``GraphBubbleUp``) and must pass.
    """

    @functools.wraps(step)
    async def guarded(*args: Any, **kwargs: Any) -> dict[str, Any]:
        state: SubagentState = args[0] if args else kwargs["state"]
        try:
            return await step(*args, **kwargs)
        except GraphBubbleUp:
            raise
        except PlannerError as error:
            log.warning("item %s failed: %s", state["item"]["id"], error)
            return {"failure": error.message(state["brief"]["language"])}
        except Exception:
            log.exception("item %s failed", state["item"]["id"])
            return {"failure": text(state["brief"]["language"], "plan.broke_down")}

    return guarded


async def _entry(state: SubagentState) -> Literal["model", "tools"]:
    return "tools" if open_calls(state.get("window", [])) else "model"


async def _after_model(state: SubagentState) -> Literal["model", "parser", "tools", "note"]:
    if state.get("failure"):
        return "note"
    if open_calls(state["window"]):
        return "tools"
    if state.get("unread"):
        return "parser"
    return "model" if asking_message(state["window"]) is not state["window"][-1] else "note"


async def _after_parser(state: SubagentState) -> Literal["model", "tools"]:
    return "tools" if open_calls(state["window"]) else "model"


async def _after_tools(state: SubagentState) -> Literal["model", "parser", "wait", "note"]:
    window = state["window"]
    if state.get("failure"):
        return "note"
    if open_calls(window) or open_questions(window):
        return "wait"
    if state.get("unread"):
        return "parser"
    if was_refused(window):
        return "model"
    asked = {call["id"] for call in asking_message(window).tool_calls}
    so_far = done(window)
    last = [entry.result for entry in so_far if entry.call["id"] in asked]
    failed = any(result.status is ResultStatus.ERROR for result in last)
    successes = sum(entry.result.status is ResultStatus.SUCCESS for entry in so_far)
    more_steps = not failed and successes < len(state["item"].get("steps", ()))
    return "model" if not last or more_steps else "note"


def build_subagent(spec: SubagentSpec, around: Surroundings) -> CompiledStateGraph[Any, Any, Any, Any]:
    """The sub-agent as a graph, to be a node of the planner's graph; a spec may bring a graph of its own."""
    if spec.build is not None:
        return spec.build(spec, around)
    worker = Worker(spec, around)
    graph = StateGraph(
        SubagentState, context_schema=PlannerContext, input_schema=SubagentInput, output_schema=SubagentOutput
    )
    graph.add_node("model", contained(worker.model))
    graph.add_node("parser", contained(worker.parser))
    graph.add_node("tools", contained(worker.tools))
    graph.add_node("wait", worker.wait)
    graph.add_node("note", worker.note)
    graph.add_conditional_edges(START, _entry)
    graph.add_conditional_edges("model", _after_model)
    graph.add_conditional_edges("parser", _after_parser)
    graph.add_conditional_edges("tools", _after_tools)
    graph.add_edge("wait", END)
    graph.add_edge("note", END)
    return graph.compile(name=spec.name)
