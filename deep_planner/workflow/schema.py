"""A workflow: agents in a directed acyclic graph, with steps numbered across all of them (seed 003, D04-D06).

The names are the seed's own, in Python's spelling; JSON has them in the seed's (``agentGraph``, ``stepNumber``).
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

#: What a model may write at most; lists that people or programs make are not bound by it (D05).
MOST_NODES = 10


class Shape(BaseModel):
    """The base: either spelling is read, the seed's is written."""

    model_config = ConfigDict(alias_generator=to_camel, populate_by_name=True, extra="forbid")

    def as_json(self) -> dict[str, Any]:
        """Plain values in the seed's spelling, without what is empty."""
        return self.model_dump(mode="json", by_alias=True, exclude_none=True)


class WorkflowStep(Shape):
    """A hint for an agent; how it is done is the agent's own decision (D21)."""

    step_number: int = Field(ge=1, description="Number across all agents, from 1, without gaps.")
    desc: str = Field(min_length=1)


class AgentNode(Shape):
    """What one agent does.

    Attributes:
        id: Unique in the workflow.
        type: Name of a registered sub-agent (D13).
        name: A short title.
        desc: The task, as the agent is told it.
        steps: Hints, numbered across all agents.
        dependencies: Ids of the nodes that must have ended before.
    """

    id: str = Field(min_length=1, max_length=60)
    type: str = Field(min_length=1)
    name: str = Field("", max_length=100)
    desc: str = Field(min_length=1)
    steps: list[WorkflowStep] = Field(default_factory=list)
    dependencies: list[str] = Field(default_factory=list)


class Workflow(Shape):
    """A plan.

    Attributes:
        id: ``workflow-`` and a number.
        name: A title.
        description: The whole task, as every agent is told it.
        agent_graph: The nodes.
        estimated_duration: Milliseconds, if somebody dares to say.
    """

    id: str = Field(pattern=r"^workflow-\d+$")
    name: str = Field(min_length=1)
    description: str = Field(min_length=1)
    agent_graph: list[AgentNode] = Field(min_length=1)
    estimated_duration: float | None = Field(None, gt=0)


class WrittenWorkflow(Workflow):
    """A workflow as a model may write it: the seed's bounds (D05)."""

    name: str = Field(min_length=1, max_length=100)
    description: str = Field(min_length=10, max_length=300)
    agent_graph: list[AgentNode] = Field(min_length=1, max_length=MOST_NODES)


class NodeResult(BaseModel):
    """What came of a node (D18).

    Attributes:
        agent_id: The node.
        data: ``rows`` that it wrote or found, and its ``note``.
        summary: One sentence.
        status: ``success`` or ``failed``; a node that was left undone is ``failed`` with its reason.
        error: Why it failed.
    """

    model_config = ConfigDict(frozen=True)

    agent_id: str
    data: dict[str, Any]
    summary: str
    status: Literal["success", "failed"]
    error: str | None = None


class WorkflowRun(BaseModel):
    """A workflow under way or done (D17).

    Attributes:
        workflow_task: The whole task.
        outputs: What came of each node that has ended, by its id; every node may read those before it (D19).
        vals: Values that nodes share, by key.
        start_time: Aware.
        status: ``running`` while a question waits.
        error: Why it failed.
        thread_id: Where to go on.
        reply: What to tell the user.
        question: The open question.
    """

    model_config = ConfigDict(frozen=True)

    workflow_task: str
    outputs: dict[str, NodeResult]
    vals: dict[str, Any]
    start_time: datetime
    status: Literal["running", "completed", "failed"]
    error: str | None = None
    thread_id: str
    reply: str = ""
    question: str | None = None
