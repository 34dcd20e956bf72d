"""How a sub-agent works through one todo item: a small graph of model, tools and note.

LangGraph idea: a compiled graph may be a node of another graph. Its steps are checkpointed under the parent's, so a
process that dies between the model's call and the tool's effect comes back at the tools step with the same call
(which is why ``model`` and ``tools`` are two steps, and why effects can be exact), and Studio draws what is inside.
"""

from __future__ import annotations

import functools
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.messages import AIMessage, AnyMessage, ToolCall, ToolMessage
from langchain_core.tools import BaseTool
from langgraph.errors import GraphBubbleUp
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from pydantic import BaseModel

from subagents.briefing import opening
from subagents.check import whole_calls
from subagents.history import ENGINE, engine_remark, is_engine, render
from subagents.note_taker import take_note
from subagents.outcomes import closed, left_undone
from subagents.spec import SubagentSpec
from subagents.state import SubagentInput, SubagentOutput, SubagentState
from subagents.thinking import Models
from subagents.window import (
    asking_message,
    done,
    is_permitted,
    notes_read,
    open_calls,
    open_questions,
    operation,
    question,
    was_refused,
)
from tools.core.context import Call
from tools.core.errors import PlannerError, ToolArgumentError
from tools.core.result import ResultStatus, ToolResult
from tools.core.run_settings import PlannerContext
from tools.core.text import Language, text
from tools.toolkits.ask_user import ASK_USER, AskUser, ask_user_tool
from tools.toolkits.making import arguments_of, schema_of
from tools.toolkits.notes import QUERY_NOTE, QueryNote, query_note_tool, read_note

log = logging.getLogger(__name__)

#: What every sub-agent holds besides its own tools (E15).
FLOW_ARGUMENTS: dict[str, type[BaseModel]] = {QUERY_NOTE: QueryNote, ASK_USER: AskUser}


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What every sub-agent and the planner share."""

    models: Models
    default_context: PlannerContext

    def context(self, runtime: Runtime[PlannerContext]) -> PlannerContext:
        """The run's context: what the caller gave, over the settings.

        LangGraph hands ``None`` when nothing was given; a server hands an empty form, of which only the fields that
        were filled in count.
        """
        given = runtime.context
        if given is None:
            return self.default_context
        return self.default_context.model_copy(update={name: getattr(given, name) for name in given.model_fields_set})


@dataclass(frozen=True, slots=True)
class _Kit:
    """A sub-agent's own tools in one language, and the arguments of all that it may call."""

    tools: dict[str, BaseTool]
    shapes: dict[str, type[BaseModel]]
    schemas: list[dict[str, Any]]


class Worker:
    """The steps of one sub-agent's graph."""

    def __init__(self, spec: SubagentSpec, around: Surroundings) -> None:
        self._spec = spec
        self._around = around
        self._kits: dict[Language, _Kit] = {}

    def _kit(self, language: Language) -> _Kit:
        """The tools in a language, made when first spoken."""
        if language not in self._kits:
            tools = {tool.name: tool for tool in self._spec.tools(language)}
            shapes = {name: arguments_of(tool) for name, tool in tools.items()}
            schemas = [schema_of(tool) for tool in tools.values()]
            schemas += [query_note_tool(language), ask_user_tool(language)]
            self._kits[language] = _Kit(tools, shapes | FLOW_ARGUMENTS, schemas)
        return self._kits[language]

    async def model(self, state: SubagentState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Ask the model for the next call. Calls that are not whole are answered here and never run (B09)."""
        brief, window, limits = state["brief"], state.get("window", []), self._spec.limits
        language = brief["language"]
        if state.get("calls", 0) >= limits.model_calls:
            return {"failure": text(language, "plan.too_many_calls", limit=limits.model_calls)}
        tools = self._kit(language).schemas
        context = self._around.context(runtime).run_context(brief["now"], language)
        messages = [*opening(self._spec.name, brief, state["item"], context), *render(window)]
        said = await self._around.models.say("strong", messages, tools, tags=[f"agent:{self._spec.name}"])
        answer, remarks = self._checked(said, state)
        for call in open_calls([answer, *remarks]):
            told = {
                "todo_id": state["item"]["id"],
                "agent": self._spec.name,
                "name": call["name"],
                "args": call["args"],
            }
            runtime.stream_writer({"tool_call": told})
        repairs = state.get("repairs", 0) + bool(remarks)
        update: dict[str, Any] = {"window": [answer, *remarks], "calls": state.get("calls", 0) + 1, "repairs": repairs}
        if repairs > limits.repairs:
            update["failure"] = text(language, "plan.bad_calls")
        return update

    def _checked(self, said: AIMessage, state: SubagentState) -> tuple[AIMessage, list[AnyMessage]]:
        language = state["brief"]["language"]
        answer, refusals = whole_calls(said, self._kit(language).shapes, language, state.get("window", []))
        if answer.tool_calls or done(state.get("window", [])) or _may_leave(state, answer):
            return answer, list(refusals)
        # Words alone do nothing: taking them for a result would call a thing done that nobody did.
        remark = engine_remark(f"{answer.id}/remark", text(language, "plan.call_a_tool"))
        return answer, [remark]

    async def tools(self, state: SubagentState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Run the calls of the last message in order; each effect happens once, however often this step runs."""
        brief, limits = state["brief"], self._spec.limits
        context = self._around.context(runtime).run_context(brief["now"], brief["language"])
        answers: list[AnyMessage] = []
        failure = ""
        for call in open_calls(state["window"]):
            if call["name"] == QUERY_NOTE:
                note = read_note(brief["notes"], call["args"]["name"], brief["language"])
                answers.append(answered(state["window"], call, note))
            elif call["name"] != ASK_USER:
                authority = Call(context, operation(state, call), is_permitted(state, call))
                try:
                    answers.append(await self._run(state["window"], call, authority))
                except ToolArgumentError as error:
                    failure = error.message(brief["language"])
                    answers.append(answered(state["window"], call, failure, status="error"))
        repairs = state.get("repairs", 0) + bool(failure)
        update: dict[str, Any] = {"window": answers, "repairs": repairs}
        return update | ({"failure": failure} if repairs > limits.repairs else {})

    async def _run(self, window: list[AnyMessage], call: ToolCall, authority: Call) -> ToolMessage:
        language = authority.context.language
        try:
            result = await self._kit(language).tools[call["name"]].ainvoke({**call["args"], "call": authority})
        except ToolArgumentError:
            raise
        except PlannerError as error:
            result = ToolResult(status=ResultStatus.ERROR, message=error.message(language))
        return answered(window, call, result.for_model(), artifact=result.model_dump(mode="json"))

    async def wait(self, state: SubagentState) -> dict[str, Any]:
        """End the turn with a question: the item stays in progress and its window is kept (X14, X20)."""
        item = state["item"]
        return {
            "todos": [{"id": item["id"], "question": question(state), "answer": None}],
            "task_messages": {item["id"]: state["window"]},
        }

    async def note(self, state: SubagentState) -> dict[str, Any]:
        """Write the note and close the item, in the item's own branch (E16)."""
        brief, item, window = state["brief"], state["item"], state.get("window", [])
        results = [entry.result for entry in done(window) if not entry.result.asks]
        if not state.get("failure") and not results and _may_leave(state, window[-1]):
            return left_undone(item, brief, window[-1].text.strip())
        if state.get("failure") or not results:
            message = state.get("failure") or text(brief["language"], "plan.no_result")
            results.append(ToolResult(status=ResultStatus.ERROR, message=message))
        written, messages = await take_note(self._around.models, brief["language"], item["content"], results)
        ended = closed(item, brief, results, written.note, written.summary)
        ended["todos"][0]["reads"] = notes_read(window) or None
        return {**ended, "write_note_messages": {item["id"]: messages}}


def _may_leave(state: SubagentState, said: AnyMessage) -> bool:
    """Whether words end the item undone: its model has read the note of an item that it depends on, and says why.

    That is how a condition on another item is kept (P23). Words without such a look are no decision.
    """
    notes = {parent["note"] for parent in state["brief"]["parents"] if parent["note"]}
    return bool(said.text.strip() and notes.intersection(notes_read(state.get("window", []))))


def answered(
    window: list[AnyMessage],
    call: ToolCall,
    content: str,
    *,
    status: Literal["success", "error"] = "success",
    artifact: dict[str, Any] | None = None,
) -> ToolMessage:
    """The answer to a call; to one that the engine repeated, the engine's own."""
    return ToolMessage(
        content,
        id=f"{call['id']}/answer",
        tool_call_id=str(call["id"]),
        name=call["name"],
        status=status,
        artifact=artifact,
        additional_kwargs={ENGINE: True} if is_engine(asking_message(window)) else {},
    )


Step = Callable[..., Awaitable[dict[str, Any]]]


def _contained(step: Step) -> Step:
    """A step that fails its own item and never its siblings (A45).

    A pause travels as an exception too (``GraphBubbleUp``) and must pass.
    """

    @functools.wraps(step)
    async def contained(*args: Any, **kwargs: Any) -> dict[str, Any]:
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

    return contained


async def _entry(state: SubagentState) -> Literal["model", "tools"]:
    return "tools" if open_calls(state.get("window", [])) else "model"


async def _after_model(state: SubagentState) -> Literal["model", "tools", "note"]:
    if state.get("failure"):
        return "note"
    if open_calls(state["window"]):
        return "tools"
    return "model" if asking_message(state["window"]) is not state["window"][-1] else "note"


async def _after_tools(state: SubagentState) -> Literal["model", "wait", "note"]:
    window = state["window"]
    if state.get("failure"):
        return "note"
    if open_calls(window) or open_questions(window):
        return "wait"
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
    """The sub-agent as a graph, to be a node of the planner's graph."""
    worker = Worker(spec, around)
    graph = StateGraph(
        SubagentState, context_schema=PlannerContext, input_schema=SubagentInput, output_schema=SubagentOutput
    )
    graph.add_node("model", _contained(worker.model))
    graph.add_node("tools", _contained(worker.tools))
    graph.add_node("wait", worker.wait)
    graph.add_node("note", worker.note)
    graph.add_conditional_edges(START, _entry)
    graph.add_conditional_edges("model", _after_model)
    graph.add_conditional_edges("tools", _after_tools)
    graph.add_edge("wait", END)
    graph.add_edge("note", END)
    return graph.compile(name=spec.name)
