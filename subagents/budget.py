"""What one run may spend: model calls, tool calls and seconds, for all its sub-agents together (A46).

A run is one turn of the user: a request, or an answer to a question. What it has spent is kept in memory; a run that a
new process goes on with starts anew, and so does one that waited for the user.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass, field

from tools.core.errors import LimitError
from tools.core.run_settings import PlannerContext

#: Runs that are remembered at once; those that were cut off are forgotten first.
MOST_RUNS = 1_000


@dataclass(slots=True)
class Budget:
    """What is left to one run.

    Attributes:
        limits: The run's settings.
        clock: Seconds that only ever grow.
        down: Names of models that were given up on in this run.
    """

    limits: PlannerContext
    clock: Callable[[], float]
    down: set[str] = field(default_factory=set)
    _started: float = field(init=False)
    _items: dict[str, float] = field(default_factory=dict)
    _model_calls: int = 0
    _tool_calls: int = 0

    def __post_init__(self) -> None:
        self._started = self.clock()

    def take_model_call(self) -> None:
        """Count a call that is about to be made.

        Raises:
            LimitError: There is none left.
        """
        if self._model_calls >= self.limits.max_model_calls:
            raise LimitError("too_many_model_calls", limit=self.limits.max_model_calls)
        self._model_calls += 1

    def take_tool_call(self) -> None:
        """Count a call that is about to be made.

        Raises:
            LimitError: There is none left.
        """
        if self._tool_calls >= self.limits.max_tool_calls:
            raise LimitError("too_many_tool_calls", limit=self.limits.max_tool_calls)
        self._tool_calls += 1

    def seconds_left(self, item: str | None = None) -> float:
        """Seconds until the run's end, or the item's if that is earlier; an item's begin when it first asks.

        Raises:
            LimitError: The time is up.
        """
        now = self.clock()
        left = self._started + self.limits.max_seconds - now
        if left <= 0:
            raise self.late()
        if item is None:
            return left
        of_item = self._items.setdefault(item, now) + self.limits.max_item_seconds - now
        if of_item <= 0:
            raise self.late(item)
        return min(left, of_item)

    def late(self, item: str | None = None) -> LimitError:
        """The error that says which time is up."""
        run_is_over = self.clock() >= self._started + self.limits.max_seconds
        if item is None or run_is_over:
            return LimitError("too_many_seconds", limit=f"{self.limits.max_seconds:g}")
        return LimitError("too_many_item_seconds", limit=f"{self.limits.max_item_seconds:g}")


class Budgets:
    """The budgets of the runs under way, by thread, request and turn."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._runs: OrderedDict[tuple[str, int, int], Budget] = OrderedDict()

    def of(self, run: tuple[str, int, int], limits: PlannerContext) -> Budget:
        """The run's budget, made when it is first asked for."""
        if run not in self._runs:
            self._runs[run] = Budget(limits, self._clock)
            if len(self._runs) > MOST_RUNS:
                self._runs.popitem(last=False)
        return self._runs[run]

    def forget(self, run: tuple[str, int, int]) -> None:
        """The run has ended."""
        self._runs.pop(run, None)
