"""Tools of outside servers as models see them (B11): the server's schema and words, our checks and our results."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from jsonschema.validators import validator_for
from langchain_core.tools import BaseTool
from pydantic import BaseModel, ConfigDict, model_validator

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
            args_schema=tool.schema,
            service=service,
            offered=tool,
            metadata={"arguments": arguments_by(tool.schema)},
        )
        for tool in offered
    ]


def arguments_by(schema: dict[str, Any]) -> type[BaseModel]:
    """A model type that takes what the JSON schema takes, and nothing that the schema does not name.

    Servers seldom forbid other arguments; a name that a tool does not know is a model's mistake all the same.
    """
    strict = {"additionalProperties": False, **schema}
    checks = validator_for(strict)(strict)

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
