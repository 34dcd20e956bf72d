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
from tools.toolkits.adopted import adopted

ToolMaker = Callable[[Language], Sequence[BaseTool | Callable[..., Any]]]
#: Tools made in a language, or the same for all languages.
Tools = ToolMaker | Sequence[BaseTool | Callable[..., Any]]
#: One text for all languages, or one for each language.
Words = str | Mapping[str, str]

if TYPE_CHECKING:
    from langgraph.graph.state import CompiledStateGraph

    from subagents.surroundings import Surroundings

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

    Those of this package keep their texts in the catalogue and in ``prompts``; any other one brings ``description``
    and ``prompt`` along.

    Attributes:
        name: Its name in plans and in the graph; an identifier.
        tools: What it may call: LangChain tools and functions with a docstring (see ``adopted``), or what makes them
            in a language. Nothing else is ever bound besides ``query_note`` and ``ask_user``.
        limits: How far one item may go.
        advisory: Its failure holds nobody up: dependants start without it (A50: a reminder without the weather).
        facts: What its line in ``agents.toml`` has holes for.
        description: What it can do, in a line, for the planner and triage; by default its line in ``agents.toml``.
        prompt: What its model is told; by default ``prompts/<language>/<name>.md``.
        capabilities: Single words for what it can do, listed under the description (D11).
        build: Makes its graph from ``SubagentInput`` to ``SubagentOutput`` where it is not the usual one (``runner``).
    """

    name: str
    tools: Tools = field(repr=False)
    limits: Limits = Limits()
    advisory: bool = False
    facts: Mapping[str, str] = field(default_factory=dict)
    description: Words | None = None
    prompt: Words | None = field(default=None, repr=False)
    capabilities: Sequence[str] = ()
    build: GraphMaker | None = field(default=None, repr=False)

    def described(self, language: Language) -> str:
        """What it can do, for the planner's prompt: a line, and one for the capabilities when there are any."""
        own = self.description
        line = text(language, f"agents.{self.name}", **self.facts) if own is None else _one_line(spoken(own, language))
        if not self.capabilities:
            return line
        names = ", ".join(map(_one_line, self.capabilities))
        return f"{line}\n  {text(language, 'subagents.capabilities', names=names)}"

    def role(self, language: Language) -> Template:
        """Its prompt, with a hole ``$context`` for the situation; a prompt of its own is framed by the house rules."""
        if self.prompt is None:
            return prompt("subagents", language, self.name)
        words = spoken(self.prompt, language).strip().replace("$", "$$")
        return Template(prompt("subagents", language, "own").safe_substitute(prompt=words))

    def toolbox(self, language: Language) -> list[BaseTool]:
        """Its tools in a language, each answering a ``ToolResult``.

        Raises:
            UsageError: One of them cannot be a tool.
        """
        made = self.tools(language) if callable(self.tools) else self.tools
        return [adopted(tool) for tool in made]


def spoken(words: Words, language: Language) -> str:
    """The words in a language, or in the one that there is."""
    if isinstance(words, str):
        return words
    return words.get(language) or next(iter(words.values()))


def _one_line(words: str) -> str:
    return " ".join(words.split())


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


def with_instructions(system: str, instructions: str) -> str:
    """A system prompt with what the user's settings add to it (D20); it comes last, so that the head stays cached."""
    return f"{system}\n\n{instructions.strip()}" if instructions.strip() else system
