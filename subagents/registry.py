"""Which sub-agents there are (D11). The planner's prompt, the plan's check and the graph are made from it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from subagents.spec import SubagentSpec
from tools.core.text import Language


class Registry:
    """Sub-agents by name, in the order of registration."""

    def __init__(self, specs: Iterable[SubagentSpec] = ()) -> None:
        self._specs = {spec.name: spec for spec in specs}

    def __iter__(self) -> Iterator[SubagentSpec]:
        return iter(self._specs.values())

    def __contains__(self, name: object) -> bool:
        return name in self._specs

    def __getitem__(self, name: str) -> SubagentSpec:
        return self._specs[name]

    @property
    def names(self) -> tuple[str, ...]:
        """All names."""
        return tuple(self._specs)

    @property
    def advisory(self) -> frozenset[str]:
        """Names of those whose failure holds nobody up."""
        return frozenset(spec.name for spec in self if spec.advisory)

    def described(self, language: Language) -> str:
        """A line for each, for prompts."""
        return "\n".join(f"- {spec.name}: {spec.described(language)}" for spec in self)

    def added(self, spec: SubagentSpec) -> Registry:
        """These and one more; graphs that were built keep theirs (D12)."""
        return Registry([*self, spec])

    def without(self, name: str) -> Registry:
        """All but one."""
        return Registry(spec for spec in self if spec.name != name)
