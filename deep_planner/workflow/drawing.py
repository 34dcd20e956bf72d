"""A workflow as a picture in text: Mermaid, which editors and code hosts draw."""

from __future__ import annotations

from deep_planner.workflow.schema import Workflow
from tools.core.harmless import harmless

#: Characters with a meaning in Mermaid's labels, as entities.
_MEANT = str.maketrans({'"': "#quot;", "#": "#35;", "<": "#lt;", ">": "#gt;", "`": "#96;", "\\": "#92;"})


def mermaid(workflow: Workflow) -> str:
    """The graph from top to bottom; nodes are numbered, because ids may hold anything."""
    names = {node.id: f"n{number}" for number, node in enumerate(workflow.agent_graph, start=1)}
    lines = ["flowchart TD"]
    for node in workflow.agent_graph:
        label = harmless(f"{node.desc} [{node.type}]").translate(_MEANT)
        lines.append(f'    {names[node.id]}["{label}"]')
    lines += [
        f"    {names[before]} --> {names[node.id]}" for node in workflow.agent_graph for before in node.dependencies
    ]
    return "\n".join(lines) + "\n"
