"""Outside servers for the composition root: from the file that the settings name to tools in the hands of agents."""

from __future__ import annotations

import asyncio
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

from langchain_core.tools import BaseTool

from deep_planner.settings import Settings
from subagents.general import NAME as GENERAL
from subagents.general import general_agent
from subagents.spec import SubagentSpec, ToolMaker
from tools.core.text import Language
from tools.services.mcp.configuration import McpServer, read_servers
from tools.services.mcp.faults import McpUsageError
from tools.services.mcp.trust import Pins
from tools.store.database import Database

if TYPE_CHECKING:
    from tools.services.mcp.servers import McpServers, OfferedTool

#: Who may be given a server's tools; a test holds it level with the registry.
AGENTS = ("task", "calendar", "weather", "notification", GENERAL)
#: What the extra ``mcp`` brings.
NEEDED = ("mcp", "langchain_mcp_adapters", "jsonschema")


@dataclass(frozen=True, slots=True)
class OutsideTools:
    """The tools of outside servers that may be used.

    Attributes:
        servers: The servers, up.
        tools: Their tools.
    """

    servers: McpServers
    tools: Sequence[OfferedTool]

    def equipped(self, specs: Sequence[SubagentSpec], database: Database) -> list[SubagentSpec]:
        """The sub-agents with the tools that the file gives them, and ``general`` with those that it gives nobody."""
        from tools.services.mcp.calls import McpService  # noqa: PLC0415 - only when a file names servers
        from tools.toolkits.mcp import mcp_tools  # noqa: PLC0415 - as above

        service = McpService(database, self.servers)

        def tools_for(agent: str) -> ToolMaker | None:
            own = [tool for tool in self.tools if agent in (tool.server.agents or (GENERAL,))]
            return partial(mcp_tools, service, own) if own else None

        equipped = [
            replace(spec, tools=partial(_both, spec.toolbox, more)) if (more := tools_for(spec.name)) else spec
            for spec in specs
        ]
        if tools := tools_for(GENERAL):
            titles = {tool.server.title: None for tool in self.tools if GENERAL in (tool.server.agents or (GENERAL,))}
            equipped.append(general_agent(tools, "; ".join(titles)))
        return equipped


def _both(first: ToolMaker, second: ToolMaker, language: Language) -> list[BaseTool | Callable[..., Any]]:
    return [*first(language), *second(language)]


@asynccontextmanager
async def open_mcp(settings: Settings, tell: Callable[[str], None]) -> AsyncIterator[OutsideTools | None]:
    """The servers of the file that the settings name, up until the end; ``None`` without such a file.

    Args:
        settings: ``mcp_file``, and the language of what is told.
        tell: Shows a line about a server or a tool that cannot be used.

    Raises:
        UsageError: The file cannot be used, or what it needs is not installed.
    """
    if settings.mcp_file is None:
        yield None
        return
    servers = await asyncio.to_thread(load, settings.mcp_file)
    from tools.services.mcp.servers import open_trusting  # noqa: PLC0415 - loaded above, away from the event loop

    try:
        yield OutsideTools(servers, await open_trusting(servers, spoken(settings), tell))
    finally:
        await servers.aclose()


def spoken(settings: Settings) -> Language:
    """The language of what is told outside of any request: that of the settings, else of the screen."""
    from deep_planner.cli.arguments import screen_language  # noqa: PLC0415 - argparse, only when a file names servers

    return settings.language or screen_language([""])


def load(path: Path) -> McpServers:
    """The servers of a file, none of them started. Reads files and imports, so not for an event loop.

    Raises:
        UsageError: As ``open_mcp`` says.
    """
    from deep_planner import __version__  # noqa: PLC0415 - the package checks its neighbours first

    path = path.expanduser()
    found: list[McpServer] = read_servers(path, os.environ, AGENTS)
    pins = Pins.beside(path)
    if missing := [name for name in NEEDED if find_spec(name) is None]:
        raise McpUsageError("extra", path=path) from ModuleNotFoundError(", ".join(missing))
    for module in ("tools.services.mcp.calls", "tools.toolkits.mcp"):
        __import__(module)
    from tools.services.mcp.servers import McpServers  # noqa: PLC0415 - brings the SDK

    return McpServers(found, pins, __version__)
