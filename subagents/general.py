"""The general agent: the tools of outside servers that no other agent has; it is there only when there are such."""

from __future__ import annotations

from subagents.spec import SubagentSpec, ToolMaker

NAME = "general"


def general_agent(tools: ToolMaker, servers: str) -> SubagentSpec:
    """The spec of the general agent.

    Args:
        tools: Makes its tools.
        servers: Names of the servers and what the user says of them; never a server's own words, which the planner
            must not read.
    """
    return SubagentSpec(NAME, tools, facts={"servers": servers})
