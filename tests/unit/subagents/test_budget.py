"""What a run may spend (A46): calls and seconds, for the run and for each of its items."""

from __future__ import annotations

import pytest

from subagents.budget import Budget, Budgets
from tools.core.errors import LimitError
from tools.core.run_settings import PlannerContext

pytestmark = pytest.mark.unit


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


def budget(clock: Clock, **limits: float) -> Budget:
    return Budget(PlannerContext.model_validate(limits), clock)


@pytest.mark.parametrize("kind", ["model", "tool"])
def test_calls_are_counted_to_the_limit(clock: Clock, kind: str) -> None:
    mine = budget(clock, **{f"max_{kind}_calls": 2})
    take = getattr(mine, f"take_{kind}_call")
    take()
    take()
    with pytest.raises(LimitError) as caught:
        take()
    assert caught.value.key == f"too_many_{kind}_calls"
    assert "2" in caught.value.message("zh")


def test_seconds_run_from_the_beginning(clock: Clock) -> None:
    mine = budget(clock, max_seconds=10)
    clock.now += 4
    assert mine.seconds_left() == 6
    clock.now += 6
    with pytest.raises(LimitError) as caught:
        mine.seconds_left()
    assert caught.value.key == "too_many_seconds"


def test_an_items_seconds_run_from_its_first_question(clock: Clock) -> None:
    mine = budget(clock, max_seconds=100, max_item_seconds=10)
    clock.now += 50
    assert mine.seconds_left("a") == 10
    clock.now += 5
    assert (mine.seconds_left("a"), mine.seconds_left("b")) == (5, 10)
    clock.now += 5
    with pytest.raises(LimitError) as caught:
        mine.seconds_left("a")
    assert caught.value.key == "too_many_item_seconds"
    assert mine.seconds_left("b") == 5


def test_the_runs_end_is_every_items_end(clock: Clock) -> None:
    mine = budget(clock, max_seconds=10, max_item_seconds=10)
    clock.now += 8
    assert mine.seconds_left("a") == 2
    clock.now += 2
    with pytest.raises(LimitError) as caught:
        mine.seconds_left("a")
    assert caught.value.key == "too_many_seconds"


def test_a_turn_has_one_budget_and_the_next_another(clock: Clock) -> None:
    budgets, limits = Budgets(clock), PlannerContext()
    first = budgets.of(("t", 1, 1), limits)
    assert budgets.of(("t", 1, 1), limits) is first
    assert budgets.of(("t", 1, 2), limits) is not first
    budgets.forget(("t", 1, 1))
    assert budgets.of(("t", 1, 1), limits) is not first
