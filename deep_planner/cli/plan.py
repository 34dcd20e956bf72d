"""``deep-planner plan TEXT``: the plan of a request, wave by wave, without carrying it out."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.text import Text
from rich.tree import Tree

from deep_planner.app import open_planner
from deep_planner.cli.arguments import read_request
from deep_planner.cli.chosen import settings_of
from deep_planner.cli.entry import Exit
from deep_planner.cli.shown import console, print_whole, write_json
from deep_planner.cli.view import agent_name
from deep_planner.workflow.drawing import mermaid
from deep_planner.workflow.schema import AgentNode, Workflow
from deep_planner.workflow.validate import WorkflowError, levels
from tools.core.clock import Clock
from tools.core.errors import UsageError
from tools.core.harmless import harmless
from tools.core.text import Language, language_of, text


async def show_plan(arguments: argparse.Namespace, clock: Clock, language: Language) -> int:
    """Make the plan and show it; 1 when no valid one came of the request.

    Raises:
        UsageError: The file for the picture cannot be written.
    """
    request = read_request(arguments.request)
    settings = settings_of(arguments)
    language = settings.language or (language_of(request) if request.strip() else language)
    async with open_planner(settings, clock=clock) as planner:
        try:
            workflow = await planner.create_workflow(request, arguments.require or ())
        except WorkflowError as error:
            sys.stderr.write(f"{harmless(text(language, 'plans.invalid'))}\n{error}\n")
            return Exit.FAILED
    if arguments.json:
        write_json(workflow.as_json())
    elif arguments.mermaid != "-":
        print_whole(tree_of(workflow, language), console())
    if arguments.mermaid:
        _save(mermaid(workflow), arguments.mermaid)
    return Exit.DONE


def tree_of(workflow: Workflow, language: Language) -> Tree:
    """The waves in their order, and what each item waits for."""
    nodes = {node.id: node for node in workflow.agent_graph}
    tree = Tree(Text(harmless(workflow.name), style="bold"))
    for number, level in enumerate(levels(workflow.agent_graph), start=1):
        wave = tree.add(Text(text(language, "plans.wave", number=number), style="cyan"))
        for name in level:
            wave.add(_line(nodes[name], language))
    return tree


def _line(node: AgentNode, language: Language) -> Text:
    line = Text(harmless(f"{node.id} {node.desc} [{agent_name(node.type, language)}]"))
    if node.dependencies:
        line.append(harmless(f"  ← {', '.join(node.dependencies)}"), style="dim")
    return line


def _save(picture: str, place: str) -> None:
    if place == "-":
        sys.stdout.write(picture)
        return
    try:
        Path(place).write_text(picture, encoding="utf-8")
    except OSError as error:
        raise UsageError("unwritable_file", place=place, reason=error.strerror or str(error)) from error
