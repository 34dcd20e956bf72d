"""What the planner and every sub-agent share: models, settings, and what each run has spent."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from langgraph.runtime import Runtime

from subagents.budget import Budget, Budgets
from subagents.thinking import Asking, Models, Tell
from tools.core.run_settings import PlannerContext


@dataclass(frozen=True, slots=True)
class Surroundings:
    """See the module.

    Attributes:
        models: Both roles.
        default_context: Settings of a run whose caller gives none.
        clock: Seconds that only ever grow, for limits.
    """

    models: Models
    default_context: PlannerContext
    clock: Callable[[], float] = time.monotonic
    _budgets: Budgets = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "_budgets", Budgets(self.clock))

    def context(self, runtime: Runtime[PlannerContext]) -> PlannerContext:
        """The run's context: what the caller gave, over the settings.

        LangGraph hands ``None`` when nothing was given; a server hands an empty form, of which only the fields that
        were filled in count.
        """
        given = runtime.context
        if given is None:
            return self.default_context
        return self.default_context.model_copy(update={name: getattr(given, name) for name in given.model_fields_set})

    def asking(self, runtime: Runtime[PlannerContext], run: Mapping[str, Any], item: str | None = None) -> Asking:
        """The way to the models for one node of a run.

        Args:
            runtime: The node's.
            run: The plan's header or an item's brief: ``thread``, ``request`` and ``turn`` are read.
            item: The todo item that the node works on.
        """
        budget = self._budgets.of(_key(run), self.context(runtime))
        return Asking(self.models, budget, runtime.stream_writer, item)

    def asking_alone(self, tell: Tell) -> Asking:
        """The way to the models for something that is no run of the graph: with a budget of its own."""
        return Asking(self.models, Budget(self.default_context, self.clock), tell)

    def forget(self, run: Mapping[str, Any]) -> None:
        """The run has ended; what it spent is of no interest any more."""
        self._budgets.forget(_key(run))


def _key(run: Mapping[str, Any]) -> tuple[str, int, int]:
    return str(run["thread"]), int(run["request"]), int(run.get("turn", 1))
