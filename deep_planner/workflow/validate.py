"""What makes a workflow valid (D07, D08, D13): in linear time, so that a plan of ten thousand items is no trouble."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Sequence

from deep_planner.workflow.schema import AgentNode, Workflow

PREFIX = "Invalid workflow DAG: "


class WorkflowError(ValueError):
    """A workflow that cannot be run; the first line is the seed's own sentence, details follow on the next.

    Attributes:
        agent: The node at fault, if one is.
        dependency: What it depends on in vain.
        cycle: Ids around the circle, the first once more at the end.
    """

    def __init__(
        self,
        sentence: str,
        *,
        agent: str | None = None,
        dependency: str | None = None,
        cycle: Sequence[str] = (),
        detail: str = "",
    ) -> None:
        self.agent = agent
        self.dependency = dependency
        self.cycle = tuple(cycle)
        super().__init__("\n".join(line for line in (f"{PREFIX}{sentence}", detail) if line))


def validate(workflow: Workflow, types: Collection[str] | None = None) -> None:
    """Refuse what cannot be run.

    Args:
        workflow: Its nodes are checked.
        types: Names of the registered sub-agents; ``None`` leaves the types unchecked.

    Raises:
        WorkflowError: Two nodes of one id, a type that is not registered, a dependency that does not exist, no node
            to begin with, a circle, or step numbers that are not 1 to N.
    """
    nodes = workflow.agent_graph
    seen: set[str] = set()
    for node in nodes:
        if node.id in seen:
            raise WorkflowError(f"Agent {node.id} is defined twice", agent=node.id)
        seen.add(node.id)
        if types is not None and node.type not in types:
            known = f"Registered: {', '.join(types)}"
            raise WorkflowError(f"Agent {node.id} has unregistered type {node.type}", agent=node.id, detail=known)
    levels(nodes)
    _check_steps(nodes)


def levels(nodes: Sequence[AgentNode]) -> list[list[str]]:
    """The nodes by level: each level runs at once, after the one before (D10).

    Raises:
        WorkflowError: A dependency that does not exist, no node to begin with, or a circle.
    """
    behind: dict[str, list[str]] = {node.id: [] for node in nodes}
    waiting: dict[str, int] = {}
    for node in nodes:
        needed = dict.fromkeys(node.dependencies)
        waiting[node.id] = len(needed)
        for dependency in needed:
            if dependency not in behind:
                sentence = f"Agent {node.id} depends on non-existent agent {dependency}"
                raise WorkflowError(sentence, agent=node.id, dependency=dependency)
            behind[dependency].append(node.id)
    free = [name for name, count in waiting.items() if count == 0]
    if not free:
        raise _circular("Workflow must have at least one agent with no dependencies", nodes, waiting)
    found: list[list[str]] = []
    while free:
        found.append(free)
        following: list[str] = []
        for name in free:
            del waiting[name]
            for follower in behind[name]:
                waiting[follower] -= 1
                if waiting[follower] == 0:
                    following.append(follower)
        free = following
    if waiting:
        raise _circular("Workflow contains circular dependencies", nodes, waiting)
    return found


def _circular(sentence: str, nodes: Sequence[AgentNode], among: Collection[str]) -> WorkflowError:
    circle = _circle(nodes, among) if among else []
    return WorkflowError(sentence, cycle=circle, detail=" -> ".join(circle))


def _circle(nodes: Sequence[AgentNode], among: Collection[str]) -> list[str]:
    """A circle among nodes that all wait for another of them: follow the first until one comes again."""
    needs = {node.id: node.dependencies for node in nodes if node.id in among}
    name = next(iter(needs))
    place: dict[str, int] = {}
    path: deque[str] = deque()
    while name not in place:
        place[name] = len(path)
        path.append(name)
        name = next(dependency for dependency in needs[name] if dependency in needs)
    return [*list(path)[place[name] :], name]


def _check_steps(nodes: Sequence[AgentNode]) -> None:
    numbers = sorted(step.step_number for node in nodes for step in node.steps)
    if numbers != list(range(1, len(numbers) + 1)):
        found = f"Found: {', '.join(map(str, numbers[:20]))}{' ...' if len(numbers) > 20 else ''}"
        raise WorkflowError("Step numbers must be unique and sequential starting from 1", detail=found)
