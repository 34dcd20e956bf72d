"""How long a plan takes to be checked: ``python benchmarks/plans.py``.

Prints seconds for a chain of 1,000 items and for 10,000 items under one, and what twice as many cost (2 is linear).
Goal: one second for either.
"""

from __future__ import annotations

import timeit

from deep_planner.workflow.schema import AgentNode, Workflow, WorkflowStep
from deep_planner.workflow.validate import validate


def plan(count: int, *, deep: bool) -> Workflow:
    """A chain, or everything under the first."""
    nodes = [
        AgentNode(
            id=f"agent-{n}",
            type="task",
            desc=f"item {n}",
            steps=[WorkflowStep(step_number=n + 1, desc="do it")],
            dependencies=[f"agent-{n - 1 if deep else 0}"] if n else [],
        )
        for n in range(count)
    ]
    return Workflow(id="workflow-1", name="many", description="many items", agent_graph=nodes)


def seconds(workflow: Workflow) -> float:
    """The quickest of five, the garbage collector at rest."""
    return min(timeit.repeat(lambda: validate(workflow, ["task"]), number=1, repeat=5))


def main() -> None:
    for name, count, deep in (("a chain", 1_000, True), ("under one", 10_000, False)):
        once, twice = (seconds(plan(size, deep=deep)) for size in (count, 2 * count))
        print(f"{count} items, {name}: {once:.4f} s; twice as many: {twice / once:.1f} times as long")


if __name__ == "__main__":
    main()
