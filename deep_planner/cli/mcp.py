"""``deep-planner mcp``: the servers of the MCP file, their tools and whether they are used; ``approve`` trusts anew."""

from __future__ import annotations

import argparse
import asyncio
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from deep_planner.cli.chosen import settings_of
from deep_planner.cli.entry import Exit
from deep_planner.cli.shown import console, print_whole, write_json
from deep_planner.mcp import load
from tools.core.clock import Clock
from tools.core.harmless import harmless
from tools.core.text import Language, text
from tools.services.mcp.faults import McpUsageError

if TYPE_CHECKING:
    from tools.services.mcp.servers import McpServers, OfferedTool

#: Longest description in the table, in characters; ``--json`` has all of it.
LONGEST_DESCRIPTION = 200


async def show_servers(arguments: argparse.Namespace, _clock: Clock, language: Language) -> int:
    """Start the servers, and list what they offer or approve what has changed. Looking pins nothing.

    Raises:
        UsageError: No file is named, it cannot be used, or no server and no tool has the name.
    """
    settings = settings_of(arguments)
    language = settings.language or language
    if settings.mcp_file is None:
        raise McpUsageError("no_file")
    servers = load(settings.mcp_file)
    try:
        await servers.open()
        if arguments.action == "approve":
            return await _approve(servers, arguments, language)
        rows = _rows(servers, language)
    finally:
        await servers.aclose()
    if arguments.json:
        write_json(rows)
    elif not rows:
        console().print(harmless(text(language, "mcp.none", path=settings.mcp_file)), soft_wrap=True)
    else:
        _print(rows, language)
    return Exit.DONE


async def _approve(servers: McpServers, arguments: argparse.Namespace, language: Language) -> int:
    """Trust the tools of that name, or of the server of that name, as they are now."""
    [name] = arguments.names
    tools = [tool for tool in servers.tools if name in (tool.name, tool.server.name)]
    for server in servers.servers:
        if name == server.name and (fault := servers.fault_of(server)):
            raise fault
    if not tools:
        raise McpUsageError("unknown_tool", value=name, known=", ".join(tool.name for tool in servers.tools))
    for tool in tools:
        if name == tool.name and tool.trust.value in ("hidden", "unusable", "left_out"):
            raise McpUsageError("not_approvable", value=name, reason=_state(tool, language))
    waiting = [tool for tool in tools if tool.trust.value in ("new", "changed")]
    approved = await asyncio.to_thread(servers.trust, waiting)
    if arguments.json:
        write_json({"status": "completed", "approved": [tool.name for tool in approved]})
        return Exit.DONE
    names = ", ".join(tool.name for tool in approved)
    console().print(text(language, "mcp.approved", tools=names) if names else text(language, "mcp.nothing"))
    return Exit.DONE


def _rows(servers: McpServers, language: Language) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for server in servers.servers:
        fault = servers.fault_of(server)
        if server.disabled or fault:
            state = "disabled" if server.disabled else "down"
            reason = fault.message(language) if fault else ""
            rows.append({"server": server.name, "tool": None, "state": state, "asks": None, "description": reason})
        for tool in servers.tools:
            if tool.server.name == server.name:
                told = {"state": tool.trust.value, "asks": tool.asks, "description": tool.description}
                rows.append({"server": server.name, "tool": tool.name, **told})
    return rows


def _state(tool: OfferedTool, language: Language) -> str:
    return text(language, f"mcp.state_{tool.trust.value}")


def _print(rows: list[dict[str, Any]], language: Language) -> None:
    table = Table(title=text(language, "mcp.title"), title_justify="left")
    for column in ("server", "tool", "state", "about"):
        table.add_column(text(language, f"mcp.column_{column}"))
    for row in rows:
        asks = "_asks" if row["state"] == "trusted" and row["asks"] else ""
        state = text(language, f"mcp.state_{row['state']}{asks}")
        about = harmless(row["description"])[:LONGEST_DESCRIPTION]
        table.add_row(*(Text(words) for words in (harmless(row["server"]), harmless(row["tool"] or ""), state, about)))
    print_whole(table, console())
