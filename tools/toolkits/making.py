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


def schema_of(tool: BaseTool) -> dict[str, Any]:
    """The tool as models are shown it."""
    schema = convert_to_openai_tool(tool)
    schema["function"]["parameters"] = slim(schema["function"]["parameters"])
    return schema


def slim(schema: Any) -> Any:
    """A JSON schema without what says nothing to a model: titles, null defaults, "or null" of optional arguments."""
    if isinstance(schema, list):
        return [slim(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    options = [part for part in schema.get("anyOf", ()) if part != {"type": "null"}]
    if len(options) == 1:
        schema = {**{key: value for key, value in schema.items() if key != "anyOf"}, **options[0]}
    elif options:
        schema = {**schema, "anyOf": options}
    kept = {key: value for key, value in schema.items() if not _is_idle(key, value)}
    return {key: value if key in ("enum", "required") else slim(value) for key, value in kept.items()}


def _is_idle(key: str, value: Any) -> bool:
    return (key == "title" and isinstance(value, str)) or (key == "default" and not value)


def state_tool(name: str, arguments: type[Arguments], language: Language) -> dict[str, Any]:
    """The schema of a tool that the graph carries out."""
    schema = convert_to_openai_tool(arguments)
    parameters = slim(schema["function"]["parameters"])
    schema["function"] |= {"name": name, "description": described(name, language), "parameters": parameters}
    return schema
