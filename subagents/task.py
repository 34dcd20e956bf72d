"""The task agent: its tools and limits; what it tells its model is in ``prompts``."""

from __future__ import annotations

from functools import partial

from subagents.spec import SubagentSpec
from tools.services.tasks import TaskService
from tools.toolkits.task import task_tools


def task_agent(service: TaskService) -> SubagentSpec:
    """The spec of the task agent."""
    return SubagentSpec("task", partial(task_tools, service))
