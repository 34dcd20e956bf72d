"""The steps of a sub-agent at work on one todo item: ask the model, mend its calls, run them, wait, write the note."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass
from typing import Any, Literal

from langchain_core.exceptions import OutputParserException
from langchain_core.messages import AIMessage, AnyMessage, ToolCall, ToolMessage
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import BaseTool
from langgraph.runtime import Runtime
from pydantic import BaseModel

from subagents.briefing import opening
from subagents.check import Checked, whole_calls
from subagents.history import ENGINE, engine_call, engine_remark, is_engine, render
from subagents.note_taker import take_note
from subagents.outcomes import closed, left_undone
from subagents.parser import create_parser_agent
from subagents.spec import SubagentSpec
from subagents.state import SubagentState
from subagents.surroundings import Surroundings
from subagents.telling import call_finished
from subagents.thinking import INTERNAL, Asking
from subagents.window import (
    SETTLES,
    asking_message,
    done,
    is_permitted,
    notes_read,
    open_calls,
    operation,
    question,
    questions_asked,
    values_set,
)
from tools.core.context import Call
from tools.core.errors import LimitError, ModelError, PlannerError, ToolArgumentError
from tools.core.result import ResultStatus, ToolResult
from tools.core.run_settings import PlannerContext
from tools.core.text import Language, text
from tools.domain.notes import shared_values, value_key
from tools.toolkits.ask_user import ASK_USER, AskUser, ask_user_tool
from tools.toolkits.making import arguments_of, schema_of
from tools.toolkits.notes import QUERY_NOTE, QueryNote, query_note_tool, read_note
from tools.toolkits.variables import VALUE_ARGUMENTS, use_values, value_tools

log = logging.getLogger(__name__)

#: What every sub-agent holds besides its own tools (E15).
FLOW_ARGUMENTS: dict[str, type[BaseModel]] = {QUERY_NOTE: QueryNote, ASK_USER: AskUser}
#: Calls that only look at or pass on what is there: they are no work, and count as none.
FREE = frozenset({QUERY_NOTE, *VALUE_ARGUMENTS})


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
            tools = {tool.name: tool for tool in self._spec.toolbox(language)}
            shapes = {name: arguments_of(tool) for name, tool in tools.items()}
            schemas = [schema_of(tool) for tool in tools.values()]
            schemas += [query_note_tool(language), ask_user_tool(language)]
            self._kits[language] = _Kit(tools, shapes | FLOW_ARGUMENTS, schemas)
        return self._kits[language]

    async def model(self, state: SubagentState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Ask the model for the next call. Calls that are not whole are answered here and never run (B09)."""
        brief, item, window = state["brief"], state["item"], state.get("window", [])
        language, settings = brief["language"], self._around.context(runtime)
        limit = self._spec.limits.least("model_calls", settings.max_item_model_calls)
        if state.get("calls", 0) >= limit:
            return {"failure": text(language, "plan.too_many_calls", limit=limit)}
        context = settings.run_context(brief["now"], language)
        role = self._spec.role(language)
        messages = [*opening(role, brief, item, context, settings.instructions), *render(window)]
        tags = [f"agent:{self._spec.name}", f"todo:{item['id']}"]
        schemas = [*self._kit(language).schemas, *(value_tools(language) if brief.get("shares") else ())]
        said = await self._asking(state, runtime).say("strong", messages, schemas, tags=tags)
        checked, remarks = self._checked(said, state, settings)
        for call, refusal in _refused(checked):
            runtime.stream_writer(call_finished(call, refusal, self._spec.name, item["id"]))
        repairs = state.get("repairs", 0) + bool(remarks)
        update: dict[str, Any] = {
            "window": [checked.stored, *remarks],
            "unread": checked.unread,
            "calls": state.get("calls", 0) + 1,
            "repairs": repairs,
        }
        if repairs > self._spec.limits.repairs:
            update["failure"] = text(language, "plan.bad_calls")
        return update

    def _asking(self, state: SubagentState, runtime: Runtime[PlannerContext]) -> Asking:
        return self._around.asking(runtime, state["brief"], state["item"]["id"])

    def _checked(
        self, said: AIMessage, state: SubagentState, settings: PlannerContext
    ) -> tuple[Checked, list[AnyMessage]]:
        language, window = state["brief"]["language"], state.get("window", [])
        shapes = self._kit(language).shapes | (VALUE_ARGUMENTS if state["brief"].get("shares") else {})
        if questions_asked(window) >= self._spec.limits.least("questions", settings.max_item_questions):
            shapes.pop(ASK_USER)
        checked = whole_calls(said, shapes, language, window)
        answer = checked.stored
        if answer.tool_calls or done(window) or _may_leave(state, answer):
            return checked, list(checked.refusals)
        # Words alone do nothing: taking them for a result would call a thing done that nobody did.
        remark = engine_remark(f"{answer.id}/remark", text(language, "plan.call_a_tool"))
        return checked, [remark]

    async def parser(self, state: SubagentState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Read anew what could not be used; a call that comes out whole is made by the engine in the model's place.

        One that does not stays refused, and its model is asked again.
        """
        language, asking = state["brief"]["language"], self._asking(state, runtime)

        async def light(messages: list[AnyMessage]) -> AIMessage:
            return await asking.say("light", messages, [], tags=["parser", INTERNAL])

        calls, settled = [], []
        for unread in state["unread"]:
            tool = self._kit(language).tools.get(unread["name"])
            if tool is None:
                continue
            words = f"{state['brief']['text']}\n{state['item']['content']}"
            try:
                agent = create_parser_agent(RunnableLambda(light), tool, language)
                arguments = await agent.ainvoke({"words": words, "raw": unread["raw"], "reason": unread["reason"]})
            except (OutputParserException, ModelError) as error:
                log.info("a call of %s stays unread: %s", unread["name"], error)
                continue
            calls.append({"name": unread["name"], "args": arguments, "id": f"{unread['call_id']}/parsed"})
            settled.append(unread["call_id"])
        update: dict[str, Any] = {"unread": []}
        if calls:
            update["window"] = [engine_call(f"{settled[0]}/parsed", calls, **{SETTLES: settled})]
        return update

    async def tools(self, state: SubagentState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Run the calls of the last message in order; each effect happens once, however often this step runs."""
        brief, item, limits = state["brief"], state["item"], self._spec.limits
        settings = self._around.context(runtime)
        context = settings.run_context(brief["now"], brief["language"])
        budget = self._asking(state, runtime).budget
        limit = limits.least("tool_calls", settings.max_item_tool_calls)
        answers: list[ToolMessage] = []
        failure = ""
        for call in open_calls(state["window"]):
            if call["name"] == ASK_USER:
                continue
            if call["name"] not in FREE:
                try:
                    if len(done([*state["window"], *answers])) >= limit:
                        raise LimitError("too_many_item_tools", limit=limit)
                    budget.take_tool_call()
                except LimitError as error:  # what was done before stays told
                    return {"window": answers, "failure": error.message(brief["language"])}
            answer = await self._run(state, call, Call(context, operation(state, call), is_permitted(state, call)))
            failure = answer.text if answer.status == "error" else failure
            answers.append(answer)
            runtime.stream_writer(call_finished(call, answer, self._spec.name, item["id"]))
        repairs = state.get("repairs", 0) + bool(failure)
        update: dict[str, Any] = {"window": answers, "repairs": repairs}
        return update | ({"failure": failure} if repairs > limits.repairs else {})

    async def _run(self, state: SubagentState, call: ToolCall, authority: Call) -> ToolMessage:
        """One call's answer; arguments that the service cannot use are an error that goes back to the model."""
        window, language = state["window"], authority.context.language
        if call["name"] == QUERY_NOTE:
            return answered(window, call, read_note(state["brief"]["notes"], call["args"]["name"], language))
        if call["name"] in VALUE_ARGUMENTS:
            values = shared_values(state["brief"]["notes"], state["brief"]["request"]) | values_set(window, language)
            return answered(window, call, use_values(call["name"], call["args"], values, language))
        try:
            result = await self._kit(language).tools[call["name"]].ainvoke({**call["args"], "call": authority})
        except ToolArgumentError as error:
            return answered(window, call, error.message(language), status="error")
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

    async def note(self, state: SubagentState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Write the note and close the item, in the item's own branch (E16)."""
        brief, item, window = state["brief"], state["item"], state.get("window", [])
        results = [entry.result for entry in done(window) if not entry.result.asks]
        if not state.get("failure") and not results and _may_leave(state, window[-1]):
            return left_undone(item, brief, window[-1].text.strip())
        if state.get("failure") or not results:
            message = state.get("failure") or text(brief["language"], "plan.no_result")
            results.append(ToolResult(status=ResultStatus.ERROR, message=message))
        written, messages = await take_note(self._asking(state, runtime), brief["language"], item["content"], results)
        ended = closed(item, brief, results, written.note, written.summary)
        ended["todos"][0]["reads"] = notes_read(window) or None
        if brief.get("shares"):
            told = {item["id"]: json.dumps([json.loads(result.for_model()) for result in results], ensure_ascii=False)}
            values = told | values_set(window, brief["language"])
            ended["notes"] |= {value_key(brief["request"], key): value for key, value in values.items()}
        return {**ended, "write_note_messages": {item["id"]: messages}}


def _refused(checked: Checked) -> list[tuple[ToolCall, ToolMessage]]:
    calls = {call["id"]: call for call in checked.stored.tool_calls}
    return [(calls[refusal.tool_call_id], refusal) for refusal in checked.refusals]


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
