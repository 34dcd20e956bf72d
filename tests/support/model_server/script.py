"""What comes in, what a script may answer, and what it counts for."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.support.model_server.wires import WIRES, Wire
from tests.support.scripted_model import Said, role_of


@dataclass(frozen=True)
class Tokens:
    """Token counts of one answer, or of many."""

    input: int = 0
    output: int = 0
    cached: int = 0
    reasoning: int = 0

    def __add__(self, other: Tokens) -> Tokens:
        return Tokens(
            self.input + other.input,
            self.output + other.output,
            self.cached + other.cached,
            self.reasoning + other.reasoning,
        )


#: What an answer costs, unless the server counts.
FIXED = Tokens(11, 7)
#: The same as OpenAI's wire writes it.
USAGE = {"prompt_tokens": 11, "completion_tokens": 7, "total_tokens": 18}


@dataclass(frozen=True)
class Failure:
    """An answer that is an HTTP error."""

    status: int
    message: str = "no"
    kind: str = "server_error"
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """An answer whose payloads are these, one an event; for what only one vendor writes."""

    payloads: tuple[dict[str, Any], ...]


@dataclass(frozen=True)
class Request:
    """One request as it came in.

    Attributes:
        shared: Characters of the prompt that are also the beginning of an earlier one: what a vendor could have cached.
        extends: Whether a whole earlier prompt is the beginning of this one.
    """

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    shared: int = 0
    extends: bool = False

    @property
    def wire(self) -> Wire:
        return next(wire for wire in WIRES if self.path.endswith(wire.path))

    @property
    def messages(self) -> list[dict[str, Any]]:
        found: list[dict[str, Any]] = self.wire.input(self.body)["messages"]
        return found

    @property
    def tools(self) -> list[dict[str, Any]]:
        return self.wire.options(self.body).get("tools") or []

    @property
    def tool_choice(self) -> Any:
        return self.wire.options(self.body).get("tool_choice")

    @property
    def role(self) -> str:
        return role_of(self.tools, self.tool_choice)

    @property
    def streamed(self) -> bool:
        return self.wire.streamed(self)

    @property
    def prompt(self) -> str:
        """The prompt in the order in which models read it: tools, then messages, one a line."""
        return "\n".join(json.dumps(part, ensure_ascii=False) for part in (*self.tools, *self.messages))

    def told(self) -> dict[str, Any]:
        """The JSON object of the second message."""
        found: dict[str, Any] = json.loads(self.messages[1]["content"])
        return found


def fixed(request: Request, said: Said) -> Tokens:
    return FIXED


def counted(request: Request, said: Said) -> Tokens:
    """A token for every four characters."""
    written = sum(len(str(call.args)) + len(call.name or "") for call in said.calls)
    output = len(said.text) + len(said.reasoning) + written
    return Tokens(len(request.prompt) // 4, output // 4 + 1, request.shared // 4, len(said.reasoning) // 4)


Answer = Said | Failure | Any
