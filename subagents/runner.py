"""How a sub-agent works through one todo item: a small graph of model, tools and note.

LangGraph idea: a compiled graph may be a node of another graph. Its steps are checkpointed under the parent's, so a
process that dies between the model's call and the tool's effect comes back at the tools step with the same call
(which is why ``model`` and ``tools`` are two steps, and why effects can be exact), and Studio draws what is inside.
"""

from __future__ import annotations

import functools
import json
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
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
from subagents.history import engine_answer, engine_remark, is_engine, render
from subagents.note_taker import take_note
from subagents.spec import SubagentSpec
from subagents.state import Brief, SubagentInput, SubagentOutput, SubagentState
from subagents.thinking import Models
from subagents.window import asking_message, is_permitted, open_calls, operation, question, was_refused
from tools.core.context import Call
from tools.core.errors import PlannerError, ToolArgumentError
from tools.core.result import ResultStatus, ToolResult
from tools.core.run_settings import PlannerContext
from tools.core.text import Language, text
from tools.domain.notes import note_key
from tools.domain.todos import Todo, TodoStatus
from tools.toolkits.ask_user import ASK_USER, AskUser, ask_user_tool
from tools.toolkits.making import arguments_of
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
        """The run's context; LangGraph hands ``None`` when the caller gave none."""
        return runtime.context or self.default_context


@dataclass(frozen=True, slots=True)
class _Kit:
    """A sub-agent's own tools in one language, and the arguments of all that it may call."""

    tools: dict[str, BaseTool]
    shapes: dict[str, type[BaseModel]]


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
            self._kits[language] = _Kit(tools, shapes | FLOW_ARGUMENTS)
        return self._kits[language]

    async def model(self, state: SubagentState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Ask the model for the next call. Calls that are not whole are answered here and never run (B09)."""
        brief, window, limits = state["brief"], state.get("window", []), self._spec.limits
        language = brief["language"]
        if state.get("calls", 0) >= limits.model_calls:
            return {"failure": text(language, "plan.too_many_calls", limit=limits.model_calls)}
        tools: list[BaseTool | dict[str, Any]] = [*self._kit(language).tools.values(), *flow_tools(language)]
        context = self._around.context(runtime).run_context(brief["now"], language)
        messages = [*opening(self._spec.name, brief, state["item"], context), *render(window)]
        said = await self._around.models.say("strong", messages, tools, tags=[f"agent:{self._spec.name}"])
        answer, remarks = self._checked(said, state)
        repairs = state.get("repairs", 0) + bool(remarks)
        update: dict[str, Any] = {"window": [answer, *remarks], "calls": state.get("calls", 0) + 1, "repairs": repairs}
        if repairs > limits.repairs:
            update["failure"] = text(language, "plan.bad_calls")
        return update

    def _checked(self, said: AIMessage, state: SubagentState) -> tuple[AIMessage, list[AnyMessage]]:
        language = state["brief"]["language"]
        answer, refusals = whole_calls(said, self._kit(language).shapes, language, state.get("window", []))
        if answer.tool_calls or state.get("results"):
            return answer, list(refusals)
        # Words alone do nothing: taking them for a result would call a thing done that nobody did.
        remark = engine_remark(f"{answer.id}/remark", text(language, "plan.call_a_tool"))
        return answer, [remark]

    async def tools(self, state: SubagentState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Run the calls of the last message in order; each effect happens once, however often this step runs."""
        brief = state["brief"]
        context = self._around.context(runtime).run_context(brief["now"], brief["language"])
        update = _ToolUpdate(list(state.get("results", ())), list(state.get("reads", ())), state.get("repairs", 0))
        for call in open_calls(state["window"]):
            if call["name"] == QUERY_NOTE:
                update.reads.append(str(call["args"]["name"]))
                update.answer(state, call, read_note(brief["notes"], call["args"]["name"], brief["language"]))
            elif call["name"] != ASK_USER:
                authority = Call(context, operation(state, call), is_permitted(state, call))
                await self._run(state, call, authority, update)
        return update.written(brief["language"], self._spec.limits.repairs)

    async def _run(self, state: SubagentState, call: ToolCall, authority: Call, update: _ToolUpdate) -> None:
        language = authority.context.language
        try:
            result = await self._kit(language).tools[call["name"]].ainvoke({**call["args"], "call": authority})
        except ToolArgumentError as error:
            update.repairs += 1
            update.answer(state, call, error.message(language))
            return
        except PlannerError as error:
            result = ToolResult(status=ResultStatus.ERROR, message=error.message(language))
        update.results.append({"call": dict(call), "result": result.model_dump(mode="json")})
        update.answer(state, call, result.for_model())

    async def wait(self, state: SubagentState) -> dict[str, Any]:
        """End the turn with a question: the item stays in progress and its window is kept (X14, X20)."""
        item = state["item"]
        return {
            "todos": [{"id": item["id"], "question": question(state), "answer": None}],
            "task_messages": {item["id"]: state["window"]},
        }

    async def note(self, state: SubagentState) -> dict[str, Any]:
        """Write the note and close the item, in the item's own branch (E16)."""
        brief, item = state["brief"], state["item"]
        results = [ToolResult.model_validate(entry["result"]) for entry in state.get("results", ())]
        if state.get("failure") or not results:
            message = state.get("failure") or text(brief["language"], "plan.no_result")
            results.append(ToolResult(status=ResultStatus.ERROR, message=message))
        written, messages = await take_note(self._around.models, brief["language"], item["content"], results)
        ended = closed(item, brief, results, written.note, written.summary)
        ended["todos"][0]["reads"] = state.get("reads") or None
        return {**ended, "write_note_messages": {item["id"]: messages}}


@dataclass(slots=True)
class _ToolUpdate:
    """What one tools step adds to the state."""

    results: list[dict[str, Any]]
    reads: list[str]
    repairs: int
    answers: list[AnyMessage] = field(default_factory=list)

    def answer(self, state: SubagentState, call: ToolCall, content: str) -> None:
        asking = asking_message(state["window"])
        message_id, call_id = f"{call['id']}/answer", str(call["id"])
        if is_engine(asking):
            self.answers.append(engine_answer(message_id, call_id, content, call["name"]))
        else:
            self.answers.append(ToolMessage(content, tool_call_id=call_id, id=message_id, name=call["name"]))

    def written(self, language: Language, allowed: int) -> dict[str, Any]:
        update: dict[str, Any] = {
            "window": self.answers,
            "results": self.results,
            "reads": self.reads,
            "repairs": self.repairs,
        }
        if self.repairs > allowed:
            update["failure"] = text(language, "plan.bad_calls")
        return update


def flow_tools(language: Language) -> list[dict[str, Any]]:
    """What every sub-agent holds besides its own tools."""
    return [query_note_tool(language), ask_user_tool(language)]


def closed(item: Todo, brief: Brief, results: list[ToolResult], note: str, summary: str) -> dict[str, Any]:
    """What an ended item gives back: its status, its note, its outcome line (references, no free text)."""
    key = note_key(brief["request"], item["id"])
    failed = results[-1].status is ResultStatus.ERROR
    status = TodoStatus.FAILED if failed else TodoStatus.COMPLETED
    rows = list(dict.fromkeys(row for result in results for row in result.rows))
    line = {"id": item["id"], "status": status.value, "note": key, "result": results[-1].status.value, "rows": rows}
    call_id = task_call_id(brief["request"], item)
    return {
        "todos": [
            {
                "id": item["id"],
                "status": status.value,
                "note": key,
                "outcome": {"status": results[-1].status.value, "rows": rows, "summary": summary},
                "question": None,
                "answer": None,
            }
        ],
        "notes": {key: note},
        "messages": [engine_answer(f"{call_id}/outcome", call_id, json.dumps(line, ensure_ascii=False), "task")],
        "task_messages": {item["id"]: []},
    }


def task_call_id(request: int, item: Todo) -> str:
    """The id of the ``task`` call that stands for this dispatch of an item."""
    return f"task/{note_key(request, item['id'])}/{item.get('runs', 1)}"


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
        except Exception as error:
            log.exception("item %s failed", state["item"]["id"])
            return {"failure": text(state["brief"]["language"], "plan.broke_down", reason=type(error).__name__)}

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
    if state.get("failure"):
        return "note"
    if open_calls(state["window"]):
        return "wait"
    asked = {call["id"] for call in asking_message(state["window"]).tool_calls}
    results = [ToolResult(**entry["result"]) for entry in state["results"] if entry["call"]["id"] in asked]
    if any(result.asks for result in results):
        return "wait"
    if was_refused(state["window"]):
        return "model"
    failed = any(result.status is ResultStatus.ERROR for result in results)
    done = sum(entry["result"]["status"] == ResultStatus.SUCCESS for entry in state["results"])
    more_steps = not failed and done < len(state["item"].get("steps", ()))
    return "model" if not results or more_steps else "note"


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
