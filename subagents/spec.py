"""What a sub-agent is: a name, what it is good at, its tools, its prompt, its limits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from string import Template
from typing import TYPE_CHECKING, Any, Literal

from langchain_core.tools import BaseTool

from tools.core.text import LANGUAGES, Language, text

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from subagents.surroundings import Surroundings

ToolMaker = Callable[[Language], Sequence[BaseTool]]

#: From a spec and what all share to the sub-agent's graph.
GraphMaker = Callable[["SubagentSpec", "Surroundings"], "CompiledStateGraph[Any, Any, Any, Any]"]


@dataclass(frozen=True, slots=True)
class Limits:
    """How far one item may go (A46), where a sub-agent needs narrower bounds than the run's settings."""

    model_calls: int | None = None
    tool_calls: int | None = None
    questions: int | None = None
    repairs: int = 2
    """Bad calls that go back to the model before the item fails."""

    def least(self, name: Literal["model_calls", "tool_calls", "questions"], setting: int) -> int:
        """The narrower of our own bound and the run's."""
        own: int | None = getattr(self, name)
        return setting if own is None else min(own, setting)


@dataclass(frozen=True, slots=True)
class SubagentSpec:
    """One sub-agent.

    Attributes:
        name: Its name in plans, in the graph and in ``prompts/<language>/<name>.md``.
        tools: Makes its tools in a language; nothing else is ever bound besides ``query_note`` and ``ask_user``.
        limits: How far one item may go.
        advisory: Its failure holds nobody up: dependants start without it (A50: a reminder without the weather).
        facts: What its line in ``agents.toml`` has holes for.
        build: Makes its graph from ``SubagentInput`` to ``SubagentOutput`` where it is not the usual one (``runner``).
    """

    name: str
    tools: ToolMaker = field(repr=False)
    limits: Limits = Limits()
    advisory: bool = False
    facts: Mapping[str, str] = field(default_factory=dict)
    build: GraphMaker | None = field(default=None, repr=False)

    def description(self, language: Language) -> str:
        """What it can do, in a line, for the planner's prompt."""
        return text(language, f"agents.{self.name}", **self.facts)


def load_prompts(package: str) -> None:
    """Read every prompt of a package now, for those who may not touch the disk later."""
    for language in LANGUAGES:
        for source in files(package).joinpath("prompts", language).iterdir():
            prompt(package, language, source.name.removesuffix(".md"))


@cache
def prompt(package: str, language: Language, name: str) -> Template:
    """A prompt file with ``$holes``; ``substitute`` fails on a hole without a value."""
    source = files(package).joinpath("prompts", language, f"{name}.md")
    return Template(source.read_text(encoding="utf-8").strip())
