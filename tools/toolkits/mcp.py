"""Tools of outside servers as models see them (B11): the server's schema and words, our checks and our results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from jsonschema.validators import validator_for
from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, model_validator
from referencing import Registry

from tools.core.context import Call
from tools.core.result import ToolResult
from tools.core.text import Language
from tools.services.mcp.calls import McpService
from tools.services.mcp.servers import OfferedTool

#: Faults of one call that are told to the model.
MOST_FAULTS = 5


class McpTool(BaseTool):
    """A tool of an outside server.

    Attributes:
        service: Carries the call out.
        offered: The tool.
    """

    service: Any
    offered: Any

    def _run(self, *args: Any, **kwargs: Any) -> ToolResult:
        raise NotImplementedError("a server's tool is called asynchronously")

    async def _arun(self, /, *, call: Call, **arguments: Any) -> ToolResult:
        """``call`` (person, moment, operation key) is laid in by the runner; the rest is the model's."""
        service: McpService = self.service
        return await service.call(call, self.offered, arguments)


def mcp_tools(service: McpService, offered: Sequence[OfferedTool], _language: Language) -> list[BaseTool]:
    """The tools; their words are the servers' own, whatever the language of the run."""
    return [
        McpTool(
            name=tool.name,
            description=tool.description or tool.own_name,
            # Some vendors refuse arguments without properties, some refuse the name of the schema's dialect.
            args_schema={"properties": {}} | {key: part for key, part in tool.schema.items() if key != "$schema"},
            service=service,
            offered=tool,
            metadata={"arguments": arguments_by(tool.schema)},
        )
        for tool in offered
    ]


def without_patterns(schema: Any) -> Any:
    """The schema without regular expressions; what they would have named is let through."""
    if isinstance(schema, list):
        return [without_patterns(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    kept = {key: without_patterns(part) for key, part in schema.items() if key != "pattern" or isinstance(part, dict)}
    if kept.pop("patternProperties", None) is not None:
        kept["additionalProperties"] = True
    return kept


def arguments_by(schema: dict[str, Any]) -> type[BaseModel]:
    """A model type that takes what the JSON schema takes, and nothing that the schema does not name.

    Servers seldom forbid other arguments; a name that a tool does not know is a model's mistake all the same. Patterns
    are left to the server: a stranger's regular expression can take for ever.
    """
    strict = {"additionalProperties": False, **without_patterns(schema)}
    checks = validator_for(strict)(strict, registry=Registry())  # an empty one fetches nothing

    class GivenArguments(BaseModel):
        model_config: ClassVar[ConfigDict] = ConfigDict(extra="allow")

        @model_validator(mode="before")
        @classmethod
        def _fits(cls, given: Any) -> Any:
            faults = [fault.message for _, fault in zip(range(MOST_FAULTS), checks.iter_errors(given), strict=False)]
            if faults:
                raise ValueError("; ".join(faults))
            return given

    return GivenArguments
