"""Tools from outside of this house: LangChain tools and plain functions, made to answer as ours do."""

from __future__ import annotations

import inspect
import json
import logging
import re
from collections.abc import Callable
from typing import Any, cast

from langchain_core.tools import BaseTool
from langchain_core.tools import tool as as_tool
from pydantic import BaseModel, create_model

from tools.core.context import Call
from tools.core.errors import PlannerError, UsageError
from tools.core.harmless import harmless, harmless_lines
from tools.core.result import ResultStatus, ToolResult
from tools.core.text import Language, text
from tools.toolkits.making import Arguments

log = logging.getLogger(__name__)

#: Longest answer in a result's message and in its data, in characters; the same as those of outside servers.
LONGEST_MESSAGE, LONGEST_ANSWER = 600, 8_000
#: What every vendor takes as a tool's name.
NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


class SubagentError(UsageError):
    """A sub-agent or one of its tools cannot be what its author made it; ``subagents.toml`` has the sentences."""

    def message(self, language: Language) -> str:
        """The sentence, from the topic of its own."""
        return text(language, f"subagents.{self.key}", **self.facts)


class AdoptedTool(BaseTool):
    """A tool from outside.

    Attributes:
        inner: The tool as its author made it.
        takes_call: Whether it wants the ``Call`` that works for it.
    """

    inner: Any
    takes_call: bool

    def _run(self, *args: Any, **kwargs: Any) -> ToolResult:
        raise NotImplementedError("sub-agents call their tools asynchronously")

    async def _arun(self, /, *, call: Call, **arguments: Any) -> ToolResult:
        """Call it; what goes wrong inside is an error that fails this item and nothing else (A45)."""
        language = call.context.language
        try:
            answer = await self.inner.ainvoke({**arguments, "call": call} if self.takes_call else arguments)
        except PlannerError:
            raise
        except Exception as error:
            log.warning("the tool %s failed", self.name, exc_info=True)
            reason = _cut(harmless(str(error).strip() or type(error).__name__), LONGEST_MESSAGE)
            message = text(language, "subagents.tool_failed", tool=self.name, reason=reason)
            return ToolResult(status=ResultStatus.ERROR, message=message)
        return result_of(answer, language)


def adopted(tool: BaseTool | Callable[..., Any]) -> BaseTool:
    """The tool, answering a ``ToolResult`` to a call with an injected ``call``; one made in this house stays as it is.

    Args:
        tool: A LangChain tool, or a function, async or not, with a docstring and type hints. Text that it answers is
            the message of a success, other values become JSON, a ``ToolResult`` is taken as it is, and an exception is
            an error. After a crash it may be called once more; one with an effect asks for an argument
            ``call: Annotated[Call, InjectedToolArg]``, whose ``call.operation.key`` is then the same as before (N1).
            It asks the user by a result that needs confirmation (``call.permitted`` then tells of the yes), never by
            an ``interrupt``: the sub-agent's other calls would happen again.

    Raises:
        SubagentError: It cannot be a tool: no docstring, an argument without a type that models can fill in.
    """
    if isinstance(tool, BaseTool) and "arguments" in (tool.metadata or {}):
        return tool
    name = getattr(tool, "name", None) or getattr(tool, "__name__", None) or type(tool).__name__
    try:
        inner = tool if isinstance(tool, BaseTool) else as_tool(tool)
        shape, schema = _arguments(inner)
        whole: Any = inner.args_schema  # with what is injected
        takes_call = not isinstance(whole, dict) and "call" in whole.model_fields
    except Exception as error:  # an author's own code is at work
        raise SubagentError("bad_tool", tool=name, reason=str(error)) from error
    if not NAME.fullmatch(inner.name):
        raise SubagentError("tool_name", tool=inner.name)
    if "call" in schema.get("properties", ()):
        raise SubagentError("tool_call_taken", tool=inner.name)
    return AdoptedTool(
        name=inner.name,
        description=inspect.cleandoc(inner.description),
        args_schema={"properties": {}} | {key: part for key, part in schema.items() if key not in SAID_ELSEWHERE},
        metadata={"arguments": shape},
        inner=inner,
        takes_call=takes_call,
    )


#: Parts of a schema that the tool's own name and description say.
SAID_ELSEWHERE = frozenset(("title", "description", "additionalProperties"))


def _arguments(tool: BaseTool) -> tuple[type[BaseModel], dict[str, Any]]:
    """Its arguments, strictly (nothing that it does not name), and their JSON schema."""
    shape: Any = tool.tool_call_schema
    if isinstance(shape, dict):
        from tools.toolkits.mcp import arguments_by  # noqa: PLC0415 - needs the extra ``mcp``, as such tools do

        return arguments_by(shape), shape
    strict = cast(type[BaseModel], create_model(tool.name, __base__=(shape, Arguments)))
    return strict, strict.model_json_schema()


def result_of(answer: Any, language: Language) -> ToolResult:
    """What a function answered, as a result."""
    if isinstance(answer, ToolResult):
        return answer
    words = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, default=str)
    words = "" if answer is None else harmless_lines(words).strip()
    message = _cut(words, LONGEST_MESSAGE) or text(language, "subagents.tool_done")
    more = {"text": _cut(words, LONGEST_ANSWER)} if len(words) > LONGEST_MESSAGE else {}
    return ToolResult(status=ResultStatus.SUCCESS, message=message, data=more)


def _cut(words: str, longest: int) -> str:
    return words if len(words) <= longest else f"{words[:longest]}…"
