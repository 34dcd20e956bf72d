"""How a tool is made: a name, its arguments, its text, and for a domain tool the service method behind it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Annotated, Any, cast

from langchain_core.tools import BaseTool, InjectedToolArg, StructuredTool
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, ConfigDict, create_model

from tools.core.context import Call
from tools.core.result import ToolResult
from tools.core.text import Language, catalogue

PARTS = ("fits", "does", "not_for", "arguments")


class Arguments(BaseModel):
    """Arguments of a tool; a name that the tool does not know is refused."""

    model_config = ConfigDict(extra="forbid")


Method = Callable[[Call, Any], Awaitable[ToolResult]]


def described(name: str, language: Language) -> str:
    """The four parts of a tool's description, in this order (A34)."""
    parts = catalogue(language, "tools")[name]
    return "\n".join(parts[part] for part in PARTS)


def domain_tool(name: str, arguments: type[Arguments], method: Method, language: Language) -> BaseTool:
    """A tool that calls one service method.

    ``call`` (person, moment, operation key) is injected by the runner and invisible to the model (P15).
    """
    shape = create_model(name, __base__=arguments, __config__=None, call=(Annotated[Any, InjectedToolArg], ...))

    async def run(call: Call, **given: Any) -> ToolResult:
        return await method(call, arguments.model_validate(given))

    return StructuredTool.from_function(
        coroutine=run,
        name=name,
        description=described(name, language),
        args_schema=shape,
        infer_schema=False,
        metadata={"arguments": arguments},
    )


def arguments_of(tool: BaseTool) -> type[BaseModel]:
    """The arguments that a model may give, strictly: nothing that the tool does not know, nothing injected."""
    given = (tool.metadata or {}).get("arguments")
    return given if given is not None else cast(type[BaseModel], tool.tool_call_schema)


def state_tool(name: str, arguments: type[Arguments], language: Language) -> dict[str, Any]:
    """The schema of a tool that the graph carries out."""
    schema = convert_to_openai_tool(arguments)
    schema["function"] |= {"name": name, "description": described(name, language)}
    return schema
