"""What the expert may look up while it answers (C17): reading tools alone, and the notes of its brief.

Nothing here has an effect, so a step that is cut off simply looks up again.
"""

from __future__ import annotations

from typing import Any

from langchain_core.messages import ToolCall, ToolMessage
from pydantic import BaseModel

from subagents.budget import Budget
from subagents.spec import ToolMaker
from subagents.state import Brief
from tools.core.context import Call, Operation, RunContext, digest
from tools.core.errors import PlannerError
from tools.core.result import ResultStatus, ToolResult
from tools.core.text import Language
from tools.toolkits.adopted import adopted
from tools.toolkits.making import arguments_of, schema_of
from tools.toolkits.notes import QUERY_NOTE, QueryNote, query_note_tool, read_note


class Lookups:
    """The expert's tools in each language, made when first spoken."""

    def __init__(self, make: ToolMaker) -> None:
        self._make = make
        self._made: dict[Language, dict[str, Any]] = {}

    def _tools(self, language: Language) -> dict[str, Any]:
        if language not in self._made:
            self._made[language] = {tool.name: tool for tool in map(adopted, self._make(language))}
        return self._made[language]

    def schemas(self, brief: Brief) -> list[dict[str, Any]]:
        """The tools as the model is shown them; ``query_note`` when there are notes."""
        shown = [schema_of(tool) for tool in self._tools(brief["language"]).values()]
        return [*shown, query_note_tool(brief["language"])] if brief["notes"] else shown

    def shapes(self, language: Language) -> dict[str, type[BaseModel]]:
        """The arguments of each."""
        return {name: arguments_of(tool) for name, tool in self._tools(language).items()} | {QUERY_NOTE: QueryNote}

    async def answer(
        self, call: ToolCall, brief: Brief, context: RunContext, budget: Budget, item: str
    ) -> tuple[ToolMessage, dict[str, Any] | None]:
        """A call's answer, and what it adds to the facts; arguments that cannot be used are told to the model.

        Raises:
            LimitError: The run may make no more tool calls.
        """
        if call["name"] == QUERY_NOTE:
            name = str(call["args"]["name"])
            note = read_note(brief["notes"], name, brief["language"])
            known = name in brief["notes"]
            return _message(call, note), {"kind": "note", "name": name, "message": note} if known else None
        budget.take_tool_call()
        operation = Operation(brief["thread"], brief["request"], item, call["name"], digest(call["args"]), 0)
        try:
            tool = self._tools(brief["language"])[call["name"]]
            result: ToolResult = await tool.ainvoke({**call["args"], "call": Call(context, operation)})
        except PlannerError as error:
            return _message(call, error.message(brief["language"]), failed=True), None
        fact = {"kind": "lookup", "name": call["name"], "message": result.message, "data": result.data}
        useful = result.status is ResultStatus.SUCCESS
        return _message(call, result.for_model(), artifact=result.model_dump(mode="json")), fact if useful else None


def _message(call: ToolCall, content: str, *, failed: bool = False, artifact: Any = None) -> ToolMessage:
    return ToolMessage(
        content,
        id=f"{call['id']}/answer",
        tool_call_id=str(call["id"]),
        name=call["name"],
        status="error" if failed else "success",
        artifact=artifact,
    )
