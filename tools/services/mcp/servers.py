"""All servers of a file, and which of their tools may be used."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from jsonschema.exceptions import SchemaError
from jsonschema.validators import validator_for
from langchain_core.utils.json_schema import dereference_refs

from tools.core.text import Language, text
from tools.services.mcp.configuration import McpServer
from tools.services.mcp.connection import Connection, quiet_sdk
from tools.services.mcp.faults import McpServerError, detail
from tools.services.mcp.naming import tool_name
from tools.services.mcp.trust import Pins, fingerprint, is_hidden

#: Arguments that a tool may not have: the runner lays its own ``call`` beside them.
RESERVED = frozenset({"call"})


class Trust(StrEnum):
    """Whether a tool may be used, and if not, why."""

    TRUSTED = "trusted"
    NEW = "new"
    CHANGED = "changed"
    HIDDEN = "hidden"
    UNUSABLE = "unusable"
    LEFT_OUT = "left_out"


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as its server listed it.

    Attributes:
        name: Its full name, for models and for the user.
        server: Whose it is.
        own_name: The server's name for it.
        description: What the server says of it: untrusted text.
        schema: JSON schema of its arguments.
        print: Its fingerprint.
        read_only: The server says that it changes nothing.
        trust: Whether it may be used.
    """

    name: str
    server: McpServer
    own_name: str
    description: str
    schema: dict[str, Any]
    print: str
    read_only: bool
    trust: Trust

    @property
    def asks(self) -> bool:
        """Whether the user is asked before each call."""
        return not self.read_only and self.own_name not in self.server.auto_approve


class McpServers:
    """The servers of one file, open; see ``open``.

    Attributes:
        tools: What they offered when they came up, by server, in the file's order.
    """

    def __init__(self, servers: Iterable[McpServer], pins: Pins, version: str) -> None:
        self.servers = list(servers)
        self.tools: list[OfferedTool] = []
        self._pins = pins
        self._connections = {s.name: Connection(s, version) for s in self.servers if not s.disabled}

    async def open(self) -> None:
        """Start all at once; one that does not come up costs its own tools only."""
        quiet_sdk()
        await asyncio.gather(*(connection.start() for connection in self._connections.values()))
        self.tools = [
            offered(connection.server, listed, self._pins)
            for connection in self._connections.values()
            if connection.fault is None
            for listed in connection.listed.values()
        ]

    def trust(self, tools: Iterable[OfferedTool]) -> list[OfferedTool]:
        """Pin what these tools are now, and count them as trusted.

        Raises:
            McpServerError: The pins cannot be written.
        """
        chosen = {tool.name: tool for tool in tools}
        if chosen:
            self._pins.pin({(tool.server.name, tool.own_name): tool.print for tool in chosen.values()})
        self.tools = [self._judged_anew(tool) if tool.name in chosen else tool for tool in self.tools]
        return [tool for tool in self.tools if tool.name in chosen]

    def fault_of(self, server: McpServer) -> McpServerError | None:
        """Why a server is not up."""
        return self._connections[server.name].fault if server.name in self._connections else None

    async def ready(self, tool: OfferedTool) -> Connection:
        """The connection for a call, after a look at whether the tool is still what was trusted.

        Raises:
            McpServerError: The server is down, or the tool has changed or gone.
        """
        connection = self._connections[tool.server.name]
        await connection.ready()
        listed = connection.listed.get(tool.own_name)
        if listed is None:
            raise McpServerError("gone", tool=tool.name)
        if offered(tool.server, listed, self._pins).print != tool.print:
            raise McpServerError("changed", tool=tool.name)
        return connection

    async def aclose(self) -> None:
        """End every session and every process, all at once."""
        await asyncio.gather(*(connection.aclose() for connection in self._connections.values()))

    def _judged_anew(self, tool: OfferedTool) -> OfferedTool:
        listed = self._connections[tool.server.name].listed[tool.own_name]
        return offered(tool.server, listed, self._pins)


def offered(server: McpServer, listed: Any, pins: Pins) -> OfferedTool:
    """A listed tool with our judgement of it."""
    description = listed.description or ""
    read_only = bool(listed.annotations and listed.annotations.readOnlyHint)
    print_ = fingerprint(listed.name, description, listed.inputSchema, read_only=read_only)
    pinned = pins.pinned(server.name, listed.name)
    if server.tools is not None and listed.name not in server.tools:
        trust = Trust.LEFT_OUT
    elif is_hidden([listed.name, description, listed.inputSchema]) or not listed.name.strip():
        trust = Trust.HIDDEN
    elif not _is_usable(listed.inputSchema):
        trust = Trust.UNUSABLE
    elif pinned is None:
        trust = Trust.NEW
    else:
        trust = Trust.TRUSTED if pinned == print_ else Trust.CHANGED
    name = tool_name(server.name, listed.name)
    return OfferedTool(name, server, listed.name, description, listed.inputSchema, print_, read_only, trust)


def _is_usable(schema: dict[str, Any]) -> bool:
    """Whether models can be shown it and calls held to it."""
    properties = schema.get("properties", {})
    if schema.get("type") != "object" or not isinstance(properties, dict) or RESERVED & set(properties):
        return False
    try:
        validator_for(schema).check_schema(schema)
        dereference_refs(schema)  # as will be done before a model sees it; a reference leads nowhere but inside
    except (SchemaError, KeyError, ValueError, TypeError, RecursionError):
        return False
    return True


def notices(servers: McpServers, language: Language) -> list[str]:
    """A line for each server that is not up, and for each tool that is off without the file saying so."""
    lines = [fault.message(language) for server in servers.servers if (fault := servers.fault_of(server))]
    for server in servers.servers:
        known = {tool.own_name for tool in servers.tools if tool.server.name == server.name}
        if strange := [name for name in (*(server.tools or ()), *server.auto_approve) if known and name not in known]:
            lines.append(
                text(language, "mcp.no_such_tools", server=detail(server.name), names=detail(", ".join(strange)))
            )
    for tool in servers.tools:
        if tool.trust in (Trust.CHANGED, Trust.HIDDEN, Trust.UNUSABLE, Trust.NEW):
            lines.append(text(language, f"mcp.off_{tool.trust.value}", tool=detail(tool.name)))
    return lines


async def open_trusting(servers: McpServers, language: Language, tell: Callable[[str], None]) -> Sequence[OfferedTool]:
    """Open them for work: tools that are new are trusted from now on; what cannot be used is told.

    Returns:
        The tools that may be used.
    """
    await servers.open()
    try:
        await asyncio.to_thread(servers.trust, [tool for tool in servers.tools if tool.trust is Trust.NEW])
    except McpServerError as fault:
        tell(fault.message(language))
    for line in notices(servers, language):
        tell(line)
    return [tool for tool in servers.tools if tool.trust is Trust.TRUSTED]
