"""The main agent's prompt: one system message that never changes, then the dialogue, only ever longer (E13).

No date, no note and no tool output of a sub-agent stands in it (E11, E14); the time of a request comes as an engine's
remark in its place in the dialogue.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from langchain_core.messages import AnyMessage, SystemMessage

from subagents.history import render
from subagents.registry import Registry
from subagents.spec import prompt, with_instructions
from tools.core.run_settings import PlannerContext
from tools.core.text import Language
from tools.toolkits.ask_user import ask_user_tool
from tools.toolkits.notes import ls_tool, query_note_tool
from tools.toolkits.todos import todo_tools


def main_tools(language: Language) -> list[dict[str, Any]]:
    """``write_todo``, ``update_todo``, ``ls``, ``query_note``, ``ask_user``, and nothing else."""
    return [*todo_tools(language), ls_tool(language), query_note_tool(language), ask_user_tool(language)]


def main_prompt(
    registry: Registry, messages: Sequence[AnyMessage], language: Language, settings: PlannerContext
) -> list[AnyMessage]:
    """The whole prompt; the language is that of the thread's first request, so that the prefix holds."""
    template = prompt("deep_planner", language, f"planner_{settings.supervision}")
    system = with_instructions(template.substitute(agents=registry.described(language)), settings.instructions)
    return [SystemMessage(system), *render(messages)]
