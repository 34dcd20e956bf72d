"""Draw the compiled graph: ``python assets/draw_graph.py`` writes ``assets/graph.mmd`` and ``assets/graph.png``.

The picture needs Graphviz (``dot``) on the machine; the Mermaid text does not, and a test holds it level with the code.
"""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from deep_planner import Settings, open_planner

HERE = Path(__file__).resolve().parent
INNER = {"__start__": "start", "__end__": "end"}


async def drawn() -> Any:
    """The graph as LangGraph describes it, the steps inside the sub-agents included."""
    with tempfile.TemporaryDirectory() as folder:
        async with open_planner(Settings.load(database=str(Path(folder) / "planner.db"))) as planner:
            return planner.graph.get_graph(xray=True)


def dot_text(graph: Any) -> str:
    """The description in Graphviz's language: each sub-agent a box around its steps."""
    boxes: dict[str, list[str]] = {}
    for name in graph.nodes:
        agent, _, step = name.partition(":")
        boxes.setdefault(agent if step else "", []).append(name)
    lines = ["digraph planner {", "rankdir=TB; node [shape=box, style=rounded, fontname=Helvetica];"]
    for agent, names in boxes.items():
        nodes = " ".join(f'"{n}" [label="{INNER.get(n, n.rpartition(":")[2])}"];' for n in names)
        lines.append(f'subgraph "cluster_{agent}" {{ label="{agent}"; {nodes} }}' if agent else nodes)
    for edge in graph.edges:
        lines.append(f'"{edge.source}" -> "{edge.target}" [style={"dashed" if edge.conditional else "solid"}];')
    return "\n".join([*lines, "}"])


def main() -> int:
    """Write both files."""
    graph = asyncio.run(drawn())
    (HERE / "graph.mmd").write_text(graph.draw_mermaid(), encoding="utf-8")
    if shutil.which("dot") is None:
        sys.stderr.write("graph.mmd written; graph.png needs Graphviz: install it (dot) and run this again.\n")
        return 1
    picture = subprocess.run(["dot", "-Tpng"], input=dot_text(graph).encode(), capture_output=True, check=True)
    (HERE / "graph.png").write_bytes(picture.stdout)
    return 0


if __name__ == "__main__":
    sys.exit(main())
