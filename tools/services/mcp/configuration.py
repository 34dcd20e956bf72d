"""``mcp.json``: the usual ``mcpServers`` form, and what we need to know beside it."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Annotated, Any, Literal
from urllib.parse import urlsplit

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError, model_validator
from pydantic.alias_generators import to_camel
from pydantic_core import PydanticCustomError

from tools.services.mcp.faults import McpFileError
from tools.services.mcp.trust import is_hidden

#: The one key of the file.
SERVERS = "mcpServers"
_VARIABLE = re.compile(r"\$\{([^}]*)\}")
#: Pydantic's names for what we say in our own words.
_REASONS = {
    "extra_forbidden": "unknown_key",
    "string_type": "no_text",
    "string_too_short": "no_text",
    "list_type": "no_list",
    "dict_type": "no_object",
    "bool_type": "no_bool",
    "float_type": "no_number",
    "finite_number": "no_number",
    "greater_than": "out_of_range",
    "less_than_equal": "out_of_range",
    "literal_error": "wrong_type",
}


def _web_address(url: str) -> str:
    try:
        parts = urlsplit(url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable:
        raise PydanticCustomError("bad_url", "")
    return url


class McpServer(BaseModel):
    """One server of the file; keys there are in camelCase.

    Attributes:
        name: Its key in the file.
        command: What starts it; it speaks on standard input and output.
        args: Arguments of ``command``.
        env: All of its environment besides what a process needs to start at all; ``${NAME}`` stands for a variable.
        cwd: Its working folder; a relative one starts at the file's folder.
        type: ``stdio`` with ``command``, ``http`` (also written ``streamable-http``) with ``url``.
        url: Where a server for streamable HTTP listens; http or https.
        headers: Sent with every request to ``url``; ``${NAME}`` as in ``env``.
        disabled: Left alone.
        description: The user's words about what it offers, for the planner.
        agents: The sub-agents that get its tools; without any, ``general`` gets them.
        tools: The only tools to take; ``None`` for all.
        auto_approve: Tools that need no yes of the user, also when they are not marked as read-only.
        start_timeout: Seconds that it may take to start and to list its tools.
        timeout: Seconds that a call may take.
    """

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, alias_generator=to_camel)

    name: str
    command: str | None = Field(None, min_length=1)
    args: list[str] = []
    env: dict[str, str] = {}
    cwd: str | None = None
    type: Literal["stdio", "http", "streamable-http", "streamable_http"] | None = None
    url: Annotated[str, AfterValidator(_web_address)] | None = None
    headers: dict[str, str] = {}
    disabled: bool = False
    description: str = ""
    agents: list[str] = []
    tools: list[str] | None = None
    auto_approve: list[str] = []
    start_timeout: float = Field(10, gt=0, le=300)
    timeout: float = Field(60, gt=0, le=3600)

    @model_validator(mode="after")
    def _one_way(self) -> McpServer:
        """Either a command or an address, and no key that belongs to the other."""
        if (self.command is None) == (self.url is None):
            raise PydanticCustomError("no_way" if self.url is None else "two_ways", "")
        if self.type is not None and (self.type == "stdio") != (self.command is not None):
            raise PydanticCustomError("wrong_type", "")
        if self.headers if self.command else (self.args or self.env or self.cwd):
            raise PydanticCustomError("two_ways", "")
        return self

    @property
    def title(self) -> str:
        """Its name, and what the user says of it."""
        return f"{self.name} ({self.description})" if self.description else self.name


def read_servers(path: Path, environ: Mapping[str, str], agents: Collection[str]) -> list[McpServer]:
    """The servers of a file, in its order, those that are disabled too.

    Args:
        path: The file; UTF-8 JSON.
        environ: Where ``${NAME}`` in ``env`` and ``headers`` is looked up.
        agents: Names that ``agents`` may hold.

    Raises:
        McpFileError: The file cannot be read, or something in it cannot be; names the place.
    """
    found = _parsed(path)
    if not isinstance(found, dict) or not isinstance(found.get(SERVERS), dict):
        raise McpFileError(path, "", "no_servers")
    if strange := next((key for key in found if key != SERVERS), None):
        raise McpFileError(path, strange, "unknown_key")
    return [_server(path, name, given, environ, agents) for name, given in found[SERVERS].items()]


def _parsed(path: Path) -> Any:
    try:
        return json.loads(path.read_text(encoding="utf-8-sig"), object_pairs_hook=lambda pairs: _once(path, pairs))
    except FileNotFoundError as error:
        raise McpFileError(path, "", "missing") from error
    except OSError as error:
        raise McpFileError(path, "", "unreadable", detail=error.strerror or str(error)) from error
    except UnicodeDecodeError as error:
        raise McpFileError(path, "", "not_utf8") from error
    except json.JSONDecodeError as error:
        raise McpFileError(path, f"{error.lineno}:{error.colno}", "not_json", detail=error.msg) from error
    except RecursionError as error:
        raise McpFileError(path, "", "not_json", detail="nesting") from error


def _once(path: Path, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; a key that stands there twice hides what it says first."""
    names = [name for name, _ in pairs]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise McpFileError(path, twice, "twice")
    return dict(pairs)


def _server(path: Path, name: str, given: Any, environ: Mapping[str, str], agents: Collection[str]) -> McpServer:
    place = f"{SERVERS}.{name}"
    if not name.strip() or is_hidden(name) or "\n" in name:
        raise McpFileError(path, place, "bad_name")
    if not isinstance(given, dict):
        raise McpFileError(path, place, "no_object")
    if "name" in given:
        raise McpFileError(path, f"{place}.name", "unknown_key")
    try:
        server = McpServer.model_validate({**given, "name": name})
    except ValidationError as error:
        fault = error.errors()[0]
        inside = ".".join(str(part) for part in (place, *fault["loc"]))
        reason = _REASONS.get(fault["type"], fault["type"])
        raise McpFileError(path, inside, reason) from None  # pydantic's words would show values: keys of services
    if strange := next((agent for agent in server.agents if agent not in agents), None):
        raise McpFileError(path, f"{place}.agents", "unknown_agent", agent=strange, known=", ".join(agents))
    filled = {
        key: {name: _filled(path, f"{place}.{key}.{name}", value, environ) for name, value in values.items()}
        for key, values in (("env", server.env), ("headers", server.headers))
    }
    return server.model_copy(update={**filled, "cwd": _folder(path, server.cwd)})


def _filled(path: Path, place: str, value: str, environ: Mapping[str, str]) -> str:
    """The value with each ``${NAME}`` as the environment has it; a bare ``$`` is a dollar sign."""

    def known(found: re.Match[str]) -> str:
        if found[1] not in environ:
            raise McpFileError(path, place, "no_variable", name=found[1])
        return environ[found[1]]

    return _VARIABLE.sub(known, value)


def _folder(path: Path, cwd: str | None) -> str | None:
    return None if cwd is None else str(path.absolute().parent / Path(cwd).expanduser())
