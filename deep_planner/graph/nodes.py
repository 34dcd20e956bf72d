"""What the nodes share: models, sub-agents, settings and the clock."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from subagents.registry import Registry
from subagents.surroundings import Surroundings
from tools.core.clock import Clock

GroupNames = Callable[[int], Awaitable[list[str]]]


@dataclass(frozen=True, slots=True)
class Parts:
    """What the composition root hands to the graph.

    Attributes:
        around: Models and default settings, shared with the sub-agents.
        registry: The sub-agents.
        clock: Asked once a request and once an answer; everything in between sees that moment.
        new_id: Mints the id of a thread that has none (a graph run without a checkpointer).
        groups: Names of a user's groups, for the sub-agents' prompts (A07).
    """

    around: Surroundings
    registry: Registry
    clock: Clock
    new_id: Callable[[], str]
    groups: GroupNames
