"""A workflow as a todo list and back: what the graph runs is always a list (D10, D14-D19)."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, Literal

from deep_planner.events import RunResult
from deep_planner.workflow.schema import AgentNode, NodeResult, Workflow, WorkflowRun, WorkflowStep
from tools.domain.notes import shared_values
from tools.domain.todos import ENDED, Todo, TodoStatus

#: How a run's status reads in the seed's words.
STATUSES: dict[str, Literal["running", "completed", "failed"]] = {"completed": "completed", "failed": "failed"}


def todos_of(workflow: Workflow) -> list[Todo]:
    """The nodes as items; steps in their order, without their numbers."""
    return [
        {
            "id": node.id,
            "content": node.desc,
            "status": TodoStatus.PENDING.value,
            "subagent": node.type,
            "depends_on": list(node.dependencies),
            "steps": [step.desc for step in sorted(node.steps, key=lambda step: step.step_number)],
        }
        for node in workflow.agent_graph
    ]


def workflow_of(todos: Sequence[Todo], request: str, number: int = 1) -> Workflow:
    """A list as a workflow, its steps numbered across the items in their order.

    Args:
        todos: The items; each has a sub-agent.
        request: The user's words.
        number: The workflow's number.
    """
    nodes = []
    step = 0
    for todo in todos:
        hints = todo.get("steps") or [todo["content"]]
        steps = [WorkflowStep(step_number=step + n, desc=hint) for n, hint in enumerate(hints, start=1)]
        step += len(steps)
        nodes.append(
            AgentNode(
                id=todo["id"],
                type=todo.get("subagent", ""),
                name=todo["content"][:100],
                desc=todo["content"],
                steps=steps,
                dependencies=todo.get("depends_on", []),
            )
        )
    return Workflow(id=f"workflow-{number}", name=request[:100], description=request, agent_graph=nodes)


def told(todos: Sequence[Todo], request: str, number: int = 1) -> dict[str, Any]:
    """The event ``workflow:generated`` of a list that a planner wrote (D22); arguments as those of ``workflow_of``."""
    return {"type": "workflow:generated", "todos": todos, "workflow": workflow_of(todos, request, number).as_json()}


def run_of(workflow: Workflow, result: RunResult, started: str, request: int) -> WorkflowRun:
    """What came of a workflow, in the seed's shape (D17, D18).

    Args:
        workflow: What was run.
        result: How its list stands.
        started: The run's moment, ISO 8601 with offset.
        request: Number of the request on its thread.
    """
    ended = [todo for todo in result.todos if todo["status"] in ENDED]
    return WorkflowRun(
        workflow_task=workflow.description,
        outputs={todo["id"]: _output(todo, result.notes) for todo in ended},
        vals={key: json.loads(value) for key, value in shared_values(result.notes, request).items()},
        start_time=datetime.fromisoformat(started),
        status=STATUSES.get(result.status, "running"),
        error=result.reply if result.status == "failed" else None,
        thread_id=result.thread_id,
        reply=result.reply,
        question=result.question.question if result.question else None,
    )


def _output(todo: Todo, notes: Mapping[str, str]) -> NodeResult:
    outcome = todo["outcome"]
    done = todo["status"] == TodoStatus.COMPLETED
    data: dict[str, Any] = {"rows": outcome["rows"], "note": notes.get(todo.get("note", ""), "")}
    return NodeResult(
        agent_id=todo["id"],
        data=data,
        summary=outcome["summary"],
        status="success" if done else "failed",
        error=None if done else outcome["summary"],
    )
