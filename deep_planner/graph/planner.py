"""The planner: the strong model with ``write_todo``, ``update_todo``, ``ls``, ``query_note`` and ``ask_user``.

Two steps: ``planner`` asks the model, ``plan_tools`` carries its calls out. All that it may do is change the list,
read notes and ask; acting is the sub-agents' work.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from langchain_core.messages import AIMessage, ToolCall, ToolMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel

from deep_planner.graph.dispatch import unreported
from deep_planner.graph.main_prompt import main_prompt, main_tools
from deep_planner.graph.nodes import Parts
from deep_planner.graph.state import Plan, PlannerState
from deep_planner.graph.triage import agent_for
from deep_planner.workflow.running import told
from subagents.check import whole_calls
from subagents.history import engine_remark, is_engine
from subagents.telling import call_finished
from subagents.thinking import Asking, Tell
from subagents.window import open_calls
from tools.core.errors import PlannerError
from tools.core.run_settings import PlannerContext
from tools.core.text import Language, text
from tools.domain.plan_writing import PlanError, changed, check_agents, written
from tools.domain.todos import Question, Supervision, Todo, merge_todos, waiting
from tools.domain.waves import next_wave
from tools.toolkits.ask_user import ASK_USER, AskUser
from tools.toolkits.notes import LS, QUERY_NOTE, Ls, QueryNote, list_notes, read_note
from tools.toolkits.todos import UPDATE_TODO, WRITE_TODO, UpdateTodo, WriteTodo

log = logging.getLogger(__name__)

SHAPES: dict[str, type[BaseModel]] = {
    WRITE_TODO: WriteTodo,
    UPDATE_TODO: UpdateTodo,
    LS: Ls,
    QUERY_NOTE: QueryNote,
    ASK_USER: AskUser,
}


class Planner:
    """Both steps."""

    def __init__(self, parts: Parts) -> None:
        self._parts = parts

    async def think(self, state: PlannerState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Ask the strong model what the plan is, or what is to be done about what happened."""
        plan, settings = state["plan"], self._parts.around.context(runtime)
        language = plan["language"]
        if not state.get("todos") and not plan.get("planner_calls"):
            runtime.stream_writer({"type": "workflow:generation-start", "request": plan["text"]})
        calls = plan.get("planner_calls", 0) + 1
        if calls > settings.max_plan_calls:
            return {"plan": _failed(plan, text(language, "plan.too_many_calls", limit=settings.max_plan_calls))}
        spoken = plan["prompt_language"]
        messages = main_prompt(self._parts.registry, state["messages"], spoken, settings)
        try:
            asking = self._parts.around.asking(runtime, plan)
            said = await asking.say("strong", messages, main_tools(spoken), tags=["planner"])
        except PlannerError as error:
            return {"plan": _failed(plan, error.message(language))}
        answer, refusals, _ = whole_calls(said, SHAPES, language, state["messages"])
        tell_finished(runtime.stream_writer, answer.tool_calls, refusals)
        reported = [*plan.get("reported", ()), *unreported(state, self._parts)] if state.get("todos") else []
        update: dict[str, Any] = {
            "plan": {**plan, "planner_calls": calls, "by_planner": True, "reported": reported},
            "messages": [answer, *refusals],
        }
        if not answer.tool_calls and not state.get("todos"):
            # Words instead of a plan would be a success that did nothing: ask once more, then say that it failed.
            if plan.get("planner_calls"):
                update["plan"] |= {"status": "failed", "error": text(language, "plan.no_plan")}
            else:
                update["messages"].append(engine_remark(f"{answer.id}/remark", text(language, "plan.write_a_plan")))
        return update

    async def act(self, state: PlannerState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Carry out the calls of the last message, in order, against the list as each leaves it."""
        supervision = self._parts.around.context(runtime).supervision
        known = self._parts.registry.names
        turn = _Turn({**state["plan"]}, list(state.get("todos", ())), state.get("notes", {}), supervision, known)
        calls = open_calls(state["messages"])
        for call in calls:
            turn.carry_out(call)
        await self._assign(turn, self._parts.around.asking(runtime, state["plan"]))
        tell_finished(runtime.stream_writer, calls, turn.answers)
        if turn.written:
            plan = turn.plan
            runtime.stream_writer(told(merge_todos([], [turn.writes]), plan["text"], plan["request"]))
        return {"plan": turn.plan, "todos": turn.writes, "messages": turn.answers}

    async def _assign(self, turn: _Turn, asking: Asking) -> None:
        """Find a sub-agent for each new item that names none (plain strings, seed 004), by the light model."""
        named = {todo["id"] for todo in turn.todos if todo.get("subagent")}
        open_items = [todo for todo in turn.writes if todo.get("content") and todo["id"] not in named]
        language, registry = turn.plan["language"], self._parts.registry
        found = await asyncio.gather(*(agent_for(asking, registry, todo["content"], language) for todo in open_items))
        for todo, agent in zip(open_items, found, strict=True):
            todo["subagent"] = agent

    async def after_thinking(
        self, state: PlannerState, runtime: Runtime[PlannerContext]
    ) -> Literal["planner", "plan_tools", "dispatch", "respond"]:
        """To the calls; back for another try; to work that is still waiting; else to the reply."""
        if state["plan"]["status"] == "failed":
            return "respond"
        if open_calls(state["messages"]):
            return "plan_tools"
        last = state["messages"][-1]
        if not isinstance(last, AIMessage) or is_engine(last):
            return "planner"
        todos = state.get("todos", [])
        wave = next_wave(todos, self._parts.around.context(runtime).supervision, self._parts.registry.advisory)
        return "dispatch" if wave.start or wave.skip or waiting(todos) else "respond"


class _Turn:
    """The calls of one planner message at work on the list."""

    def __init__(
        self,
        plan: Plan,
        todos: list[Todo],
        notes: Mapping[str, str],
        supervision: Supervision,
        known: tuple[str, ...],
    ) -> None:
        self.plan = plan
        self.writes: list[Todo] = []
        self.answers: list[ToolMessage] = []
        self.written = False
        self.todos = todos
        self._notes = notes
        self._supervision = supervision
        self._known = known
        self._language: Language = plan["language"]

    def carry_out(self, call: ToolCall) -> None:
        if call["name"] == ASK_USER:
            asked = AskUser.model_validate(call["args"])
            choices = [{"id": str(n), "label": label} for n, label in enumerate(asked.choices or (), start=1)]
            question: Question = {"type": "ask_user", "question": asked.question, "choices": choices}
            self.plan["question"] = {**question, "call_id": str(call["id"])}
            return
        try:
            content, status = self._answer(call), "success"
        except PlanError as error:
            content, status = text(self._language, f"plan.{error.key}", **error.facts), "error"
        answer = ToolMessage(
            content,
            tool_call_id=str(call["id"]),
            id=f"{call['id']}/answer",
            name=call["name"],
            status=status,
        )
        self.answers.append(answer)

    def _answer(self, call: ToolCall) -> str:
        arguments = call["args"]
        if call["name"] == LS:
            return list_notes(self._notes)
        if call["name"] == QUERY_NOTE:
            self.plan["tainted"] = True
            return read_note(self._notes, arguments["name"], self._language)
        if call["name"] == WRITE_TODO:
            return self._write(WriteTodo.model_validate(arguments))
        return self._update(UpdateTodo.model_validate(arguments))

    def _write(self, arguments: WriteTodo) -> str:
        if self.todos:
            raise PlanError("written_twice", open=", ".join(todo["id"] for todo in self.todos))
        items = [item if isinstance(item, str) else item.model_dump(exclude_none=True) for item in arguments.todos]
        todos = written(items, self._supervision)
        self._change(todos)
        self.written = True
        return text(self._language, "plan.written", first=todos[0]["content"])

    def _update(self, arguments: UpdateTodo) -> str:
        changes = [change.model_dump(exclude_none=True) for change in arguments.changes]
        add = [item if isinstance(item, str) else item.model_dump(exclude_none=True) for item in arguments.add]
        self._change(changed(self.todos, changes, add, self._supervision))
        return text(self._language, "plan.updated")

    def _change(self, writes: list[Todo]) -> None:
        check_agents(writes, self._known)
        if self.plan.get("tainted"):
            writes = [_to_approve(todo, self._language) for todo in writes]
        self.writes.extend(writes)
        self.todos = merge_todos(self.todos, [writes])


def tell_finished(tell: Tell, calls: Sequence[ToolCall], answers: Sequence[ToolMessage]) -> None:
    """Tell the stream what came of the planner's calls."""
    by_id = {call["id"]: call for call in calls}
    for answer in answers:
        tell(call_finished(by_id[answer.tool_call_id], answer, "planner"))


def _to_approve(todo: Todo, language: Language) -> Todo:
    """A new or reworded item needs the user's yes once the planner has read a note (untrusted text, D4)."""
    if not todo.get("content"):
        return todo
    yes, no = text(language, "plan.yes"), text(language, "plan.no")
    question: Question = {
        "type": "approve",
        "question": text(language, "plan.approve", content=todo["content"]),
        "choices": [{"id": "yes", "label": yes}, {"id": "no", "label": no, "decline": True}],
    }
    return {**todo, "question": question}


def _failed(plan: Plan, error: str) -> Plan:
    return {**plan, "status": "failed", "error": error}


async def after_acting(state: PlannerState) -> Literal["planner", "dispatch", "ask"]:
    """To work when the list changed; to the user when the planner asked; else back to the planner."""
    if state["plan"].get("question"):
        return "ask"
    changed_list = False
    for message in reversed(state["messages"]):
        if not isinstance(message, ToolMessage):
            break
        changed_list |= message.name in (WRITE_TODO, UPDATE_TODO) and message.status != "error"
    return "dispatch" if changed_list else "planner"
