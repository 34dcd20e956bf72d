"""One call of a server's tool: the user's yes, at most once, its answer as a result.

What a server answers is text of strangers. It goes where a forecast goes, into the item's result and note, and never
to the planner.
"""

from __future__ import annotations

import json
from functools import partial
from typing import Any

from langchain_core.messages import ToolMessage

from tools.core.context import Call
from tools.core.harmless import harmless, harmless_lines
from tools.core.result import Choice, ResultStatus, ToolResult
from tools.core.text import Language, text
from tools.services.mcp.faults import McpServerError, detail
from tools.services.mcp.servers import McpServers, OfferedTool
from tools.store.attempts import at_most_once
from tools.store.database import Database

#: Longest answer in a result's message and in its data, in characters.
LONGEST_MESSAGE, LONGEST_ANSWER = 600, 8_000
#: Longest arguments in a question, in characters.
LONGEST_ARGUMENTS = 1_000


class McpService:
    """Calls of the tools of outside servers."""

    def __init__(self, database: Database, servers: McpServers) -> None:
        self._database = database
        self._servers = servers

    async def call(self, call: Call, tool: OfferedTool, arguments: dict[str, Any]) -> ToolResult:
        """Call a tool.

        One that the server does not mark as read-only, and that the file does not approve, asks the user first; no
        effect happens twice, and where it cannot be known whether it happened, the user is asked (N1, P5).

        Raises:
            McpServerError: The server is down, or the tool is not what was trusted any more.
        """
        language = call.context.language
        if tool.read_only:
            return await self._act(tool, arguments, language)
        if tool.asks and not call.permitted:
            await self._servers.ready(tool)  # what cannot be done is not worth a question
            return _question("mcp.ask", tool, arguments, language)
        act = partial(self._act, tool, arguments, language)
        return await at_most_once(self._database, call, act, _question("mcp.unsure", tool, arguments, language))

    async def _act(self, tool: OfferedTool, arguments: dict[str, Any], language: Language) -> ToolResult:
        """The call itself; nothing of the user or of the run goes along but the arguments."""
        maybe = ""
        try:
            connection = await self._servers.ready(tool)
            maybe = "" if tool.read_only else text(language, "mcp.maybe_done")
            answer = await connection.call(tool.own_name, arguments)
        except McpServerError as fault:
            return ToolResult(status=ResultStatus.ERROR, message=fault.message(language) + maybe)
        words = harmless_lines(_words(answer, language)).strip() or text(language, "mcp.no_words")
        facts = {"server": detail(tool.server.name), "tool": detail(tool.own_name)}
        key = "mcp.failed" if answer.status == "error" else "mcp.answered"
        message = text(language, key, **facts, words=_cut(words, LONGEST_MESSAGE))
        status = ResultStatus.ERROR if answer.status == "error" else ResultStatus.SUCCESS
        more = {"text": _cut(words, LONGEST_ANSWER)} if len(words) > LONGEST_MESSAGE else {}
        return ToolResult(status=status, message=message, data=more)


def _question(key: str, tool: OfferedTool, arguments: dict[str, Any], language: Language) -> ToolResult:
    """The tool and all that it would be given, for a yes or a no."""
    given = harmless(json.dumps(arguments, ensure_ascii=False))
    message = text(
        language, key, server=detail(tool.server.name), tool=detail(tool.own_name), given=_cut(given, LONGEST_ARGUMENTS)
    )
    choices = [
        Choice(id="yes", label=text(language, "plan.yes"), permit=True),
        Choice(id="no", label=text(language, "plan.no"), decline=True),
    ]
    return ToolResult(status=ResultStatus.NEED_CONFIRMATION, message=message, choices=choices)


def _words(answer: ToolMessage, language: Language) -> str:
    """The text of an answer; of pictures and files only that there are some."""
    blocks = answer.content if isinstance(answer.content, list) else [{"type": "text", "text": answer.content}]
    texts = [block if isinstance(block, str) else str(block.get("text", "")) for block in blocks]
    words = "\n".join(each for each in texts if each)
    others = [block for block in blocks if not isinstance(block, str) and block.get("type") != "text"]
    if others:
        words += "\n" + text(language, "mcp.not_words", count=len(others))
    if not words and answer.artifact and answer.artifact.get("structured_content") is not None:
        return json.dumps(answer.artifact["structured_content"], ensure_ascii=False)
    return words


def _cut(words: str, longest: int) -> str:
    return words if len(words) <= longest else f"{words[:longest]}…"
