"""What makes a workflow valid (D04-D08, D10, D13)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from deep_planner.workflow.schema import AgentNode, Workflow, WrittenWorkflow
from deep_planner.workflow.validate import WorkflowError, levels, validate

pytestmark = pytest.mark.unit

TYPES = ("task", "weather")


def node(name: str, *after: str, type: str = "task", steps: tuple[int, ...] = ()) -> AgentNode:
    hints = [{"step_number": number, "desc": f"做 {number}"} for number in steps]
    return AgentNode(id=name, type=type, desc=f"做 {name}", dependencies=list(after), steps=hints)  # type: ignore[arg-type]


def flow(*nodes: AgentNode) -> Workflow:
    return Workflow(id="workflow-1", name="一件事", description="做几件事，按次序", agent_graph=list(nodes))


def refused(*nodes: AgentNode, types: tuple[str, ...] | None = None) -> WorkflowError:
    with pytest.raises(WorkflowError) as caught:
        validate(flow(*nodes), types)
    return caught.value


@pytest.mark.parametrize(
    ("nodes", "expected"),
    [
        ([node("a"), node("b"), node("c"), node("d", "a", "b", "c")], [["a", "b", "c"], ["d"]]),
        (
            [node("1"), node("2", "1"), node("3", "1"), node("4", "3"), node("5", "2"), node("6", "4", "5")],
            [["1"], ["2", "3"], ["5", "4"], ["6"]],
        ),
        ([node("b", "a"), node("a")], [["a"], ["b"]]),
    ],
    ids=["3-1", "1-2-2-1", "any order"],
)
def test_levels(nodes: list[AgentNode], expected: list[list[str]]) -> None:
    assert levels(nodes) == expected


def test_circle_is_named() -> None:
    error = refused(node("x"), node("a", "c"), node("b", "a"), node("c", "b", "x"))
    first, detail = str(error).splitlines()
    assert first == "Invalid workflow DAG: Workflow contains circular dependencies"
    assert detail == " -> ".join(error.cycle)
    assert (set(error.cycle), error.cycle[0], len(error.cycle)) == ({"a", "b", "c"}, error.cycle[-1], 4)


def test_dependency_that_does_not_exist() -> None:
    error = refused(node("agent-1"), node("agent-2", "agent-99"))
    assert str(error) == "Invalid workflow DAG: Agent agent-2 depends on non-existent agent agent-99"
    assert (error.agent, error.dependency) == ("agent-2", "agent-99")


def test_nothing_to_begin_with() -> None:
    error = refused(node("x", "b"), node("a", "b"), node("b", "a"))
    first, detail = str(error).splitlines()
    assert first == "Invalid workflow DAG: Workflow must have at least one agent with no dependencies"
    assert (detail, error.cycle) == ("b -> a -> b", ("b", "a", "b")), "and why there is none"


@pytest.mark.parametrize("numbers", [((1,), (3,)), ((1,), (1,)), ((2,), (3,)), ((1, 2), (2, 3))])
def test_step_numbers_run_from_one_without_a_gap(numbers: tuple[tuple[int, ...], ...]) -> None:
    error = refused(node("a", steps=numbers[0]), node("b", "a", steps=numbers[1]))
    assert str(error).startswith("Invalid workflow DAG: Step numbers must be unique and sequential starting from 1")


def test_types_must_be_registered() -> None:
    error = refused(node("a", type="browser"), types=TYPES)
    assert str(error).splitlines() == [
        "Invalid workflow DAG: Agent a has unregistered type browser",
        "Registered: task, weather",
    ]
    validate(flow(node("a", type="weather", steps=(1,)), node("b", "a", steps=(2, 3))), TYPES)


def test_node_twice() -> None:
    assert refused(node("a"), node("a")).agent == "a"


GOOD: dict[str, Any] = {
    "id": "workflow-7",
    "name": "周末出行",
    "description": "周末去爬山，先看天气再安排",
    "agentGraph": [{"id": "a", "type": "task", "desc": "爬山", "steps": [{"stepNumber": 1, "desc": "建任务"}]}],
    "estimatedDuration": 60000,
}


def test_the_seeds_spelling_is_read_and_written() -> None:
    written = WrittenWorkflow.model_validate(GOOD)
    assert written.agent_graph[0].steps[0].step_number == 1
    assert written.as_json()["agentGraph"][0]["steps"] == [{"stepNumber": 1, "desc": "建任务"}]
    assert written.as_json()["estimatedDuration"] == 60000


@pytest.mark.parametrize(
    "change",
    [
        {"id": "plan-7"},
        {"name": ""},
        {"name": "长" * 101},
        {"description": "太短"},
        {"description": "长" * 301},
        {"agentGraph": []},
        {"agentGraph": [{"id": f"a{n}", "type": "task", "desc": "做"} for n in range(11)]},
        {"estimatedDuration": 0},
    ],
)
def test_bounds_of_what_a_model_may_write(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        WrittenWorkflow.model_validate(GOOD | change)


@given(st.lists(st.lists(st.integers(0, 30), max_size=4), min_size=1, max_size=30))
def test_levels_hold_every_node_once_and_after_what_it_needs(wanted: list[list[int]]) -> None:
    nodes = [node(str(n), *(str(m) for m in needs if m < n)) for n, needs in enumerate(wanted)]
    level_of = {name: number for number, level in enumerate(levels(nodes)) for name in level}
    assert sorted(level_of) == sorted(each.id for each in nodes)
    for each in nodes:
        assert all(level_of[name] < level_of[each.id] for name in each.dependencies)


def test_a_deep_and_a_wide_plan_are_no_trouble() -> None:
    deep = [node("0"), *(node(str(n), str(n - 1)) for n in range(1, 1000))]
    wide = [node("root"), *(node(str(n), "root") for n in range(10_000))]
    assert (len(levels(deep)), len(levels(wide))) == (1000, 2)
    deep[500] = node("500", "499", "900")
    assert len(refused(*deep).cycle) == 402
