"""Sub-agents from outside of this house: registered in code, installed beside it, or files in a folder (D11, D12)."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from langchain_core.tools import BaseTool

from deep_planner.agent_files import AgentFile, SubagentFileError, read_folder
from deep_planner.mcp import AGENTS, spoken
from deep_planner.settings import Settings
from subagents.spec import SubagentSpec, Words
from tools.core.errors import PlannerError
from tools.core.harmless import harmless
from tools.core.text import LANGUAGES, text
from tools.toolkits.adopted import SubagentError
from tools.toolkits.ask_user import ASK_USER
from tools.toolkits.notes import QUERY_NOTE
from tools.toolkits.variables import VALUE_ARGUMENTS

__all__ = ["AGENTS", "OwnAgents", "SubagentSpec", "checked", "own_agents", "register_subagent", "unregister_subagent"]

#: Entry points of this group name a ``SubagentSpec``, or what makes one without arguments.
GROUP = "deep_planner.subagents"
#: Names that mean something else in the main graph: its nodes and the keys of its state; a test holds them level.
RESERVED = frozenset(
    (
        *("triage", "planner", "plan_tools", "dispatch", "pose", "ask", "respond"),
        *("messages", "todos", "notes", "plan", "task_messages", "write_note_messages", "draft"),
    )
)
#: Longest name, in characters.
LONGEST_NAME = 64

_registered: dict[str, SubagentSpec] = {}


def register_subagent(spec: SubagentSpec) -> None:
    """Add a sub-agent to every planner that this process opens from now on.

    On a planner that is open already: ``planner.register_subagent``.

    Raises:
        UsageError: The name is taken or no identifier, or something of the spec is missing or unusable.
    """
    _registered[spec.name] = checked(spec, tuple(_registered))


def unregister_subagent(name: str) -> None:
    """Take back ``register_subagent``; planners that are open keep the sub-agent.

    Raises:
        UsageError: None of that name was registered.
    """
    if _registered.pop(name, None) is None:
        raise SubagentError("unknown", name=name)


def checked(spec: Any, taken: Collection[str]) -> SubagentSpec:
    """The spec of a sub-agent from outside, when it can be one.

    Args:
        spec: What its author made.
        taken: Names of sub-agents that there are besides those of the house.

    Raises:
        SubagentError: Says what is wrong with it.
    """
    if not isinstance(spec, SubagentSpec):
        raise SubagentError("no_spec", value=type(spec).__name__)
    name = spec.name
    if not isinstance(name, str) or not name.isidentifier() or name.startswith("_") or len(name) > LONGEST_NAME:
        raise SubagentError("bad_name", name=name, limit=LONGEST_NAME)
    if name in RESERVED:
        raise SubagentError("reserved", name=name, known=", ".join(sorted(RESERVED)))
    if name in AGENTS or name in taken:
        raise SubagentError("taken", name=name)
    for field, words in (("description", spec.description), ("prompt", spec.prompt)):
        if not _are_words(words):
            raise SubagentError("no_words", name=name, field=field)
    if isinstance(spec.capabilities, str) or not all(isinstance(each, str) and each for each in spec.capabilities):
        raise SubagentError("bad_capabilities", name=name)
    _check_tools(spec)
    return spec


def _are_words(words: Words | None) -> bool:
    if isinstance(words, str) or words is None:
        return bool(words and words.strip())
    return bool(words) and all(
        language in LANGUAGES and isinstance(each, str) and each.strip() for language, each in words.items()
    )


def _check_tools(spec: SubagentSpec) -> None:
    """Make the tools once, so that a fault shows at once and not in the middle of somebody's request."""
    if isinstance(spec.tools, BaseTool) or inspect.iscoroutinefunction(spec.tools):
        raise SubagentError("no_tools", name=spec.name)
    try:
        names = [tool.name for tool in spec.toolbox("zh")]
    except PlannerError:
        raise
    except Exception as error:  # an author's own code is at work
        raise SubagentError("bad_tools", name=spec.name, reason=reason_of(error)) from error
    if not names:
        raise SubagentError("no_tools", name=spec.name)
    seen = {QUERY_NOTE, ASK_USER, *VALUE_ARGUMENTS}
    for tool in names:
        if tool in seen:
            raise SubagentError("tool_twice", name=spec.name, tool=tool)
        seen.add(tool)


def reason_of(error: BaseException) -> str:
    """What an exception says, in one harmless line."""
    return harmless(f"{type(error).__name__}: {error}".removesuffix(": "))


@dataclass(frozen=True, slots=True)
class OwnAgents:
    """The sub-agents from outside.

    Attributes:
        specs: Those from code, checked.
        files: Those from a folder, read but not yet checked.
    """

    specs: Sequence[SubagentSpec]
    files: Sequence[AgentFile]

    def beside(self, house: Sequence[SubagentSpec]) -> list[SubagentSpec]:
        """All sub-agents; a file's tools are picked from those that code gives to others, so it can only narrow.

        Raises:
            SubagentFileError: A file's name is taken or cannot be, or it names a tool that nobody has.
        """
        from_code, found = [*house, *self.specs], [*self.specs]
        for file in self.files:
            spec = file.spec(from_code)
            try:
                found.append(checked(spec, [other.name for other in found]))
            except SubagentError as fault:
                raise SubagentFileError(file.path, "", fault) from fault
        return [*house, *found]


def own_agents(settings: Settings, tell: Callable[[str], None]) -> OwnAgents:
    """Sub-agents that were registered, are installed, or lie in the settings' folder.

    Imports what is installed and reads files, so not for an event loop.

    Args:
        settings: ``subagents_folder``, and the language of what is told.
        tell: Shows a line about an installed sub-agent that cannot be used; it costs nothing but itself.

    Raises:
        SubagentFileError: A file cannot be used.
    """
    specs = dict(_registered)
    for name, found in installed():
        try:
            if isinstance(found, BaseException):
                raise SubagentError("bad_entry", reason=reason_of(found)) from found
            spec = checked(found, tuple(specs))
        except PlannerError as error:
            language = spoken(settings)
            tell(text(language, "subagents.left_out", name=harmless(name), reason=error.message(language)))
        else:
            specs[spec.name] = spec
    files = read_folder(settings.subagents_folder.expanduser()) if settings.subagents_folder else []
    return OwnAgents(list(specs.values()), files)


@cache
def installed() -> tuple[tuple[str, Any], ...]:
    """What each entry point of the group gives: by name, a spec (unchecked), or the exception that it raised."""
    from importlib.metadata import entry_points  # noqa: PLC0415 - brings the e-mail parser

    return tuple((point.name, _given_by(point)) for point in entry_points(group=GROUP))


def _given_by(point: Any) -> Any:
    try:
        found = point.load()
        return found() if callable(found) and not isinstance(found, SubagentSpec) else found
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's module may do anything
        return error
