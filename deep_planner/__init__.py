"""Deep Planner: a deep-agent planner for your day.

``run``, ``stream``, ``resume`` (and ``arun``, ``astream``, ``aresume``) carry out requests; ``open_planner`` keeps one
planner open for many; ``deliberate`` (and ``adeliberate``) weighs one question in rounds; ``build_graph`` gives the
LangGraph graph; ``register_subagent`` adds a sub-agent of your own.
"""

from __future__ import annotations

import importlib
import importlib.util
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from deep_planner.agents import SubagentSpec, register_subagent, unregister_subagent
    from deep_planner.api import (
        aanalyze_intent,
        acreate_workflow,
        adeliberate,
        aexecute_workflow,
        analyze_intent,
        aresume,
        arun,
        astream,
        create_workflow,
        deliberate,
        execute_workflow,
        resume,
        run,
        stream,
    )
    from deep_planner.app import open_planner
    from deep_planner.deliberating import open_deliberation
    from deep_planner.events import RunResult
    from deep_planner.planner import Planner
    from deep_planner.settings import Settings
    from deep_planner.studio import build_graph
    from deep_planner.workflow.schema import Workflow
    from deep_planner.workflow.validate import WorkflowError

__version__ = "0.1.0"

#: Where the public names are that are not in ``api``.
_HOMES = {
    "Planner": "planner",
    "RunResult": "events",
    "Settings": "settings",
    "SubagentSpec": "agents",
    "Workflow": "workflow.schema",
    "WorkflowError": "workflow.validate",
    "build_graph": "studio",
    "open_deliberation": "deliberating",
    "open_planner": "app",
    "register_subagent": "agents",
    "unregister_subagent": "agents",
}

__all__ = [
    "Planner",
    "RunResult",
    "Settings",
    "SubagentSpec",
    "Workflow",
    "WorkflowError",
    "aanalyze_intent",
    "acreate_workflow",
    "adeliberate",
    "aexecute_workflow",
    "analyze_intent",
    "aresume",
    "arun",
    "astream",
    "build_graph",
    "create_workflow",
    "deliberate",
    "execute_workflow",
    "open_deliberation",
    "open_planner",
    "register_subagent",
    "resume",
    "run",
    "stream",
    "unregister_subagent",
]


def _check_neighbours() -> None:
    """Refuse to start on somebody else's ``tools`` or ``subagents``.

    Both are top-level names. A folder of that name where Python looks first (the current folder, usually) would be
    imported instead of ours and fail later in ways that nobody could read.

    Raises:
        ImportError: Says which folder is in the way and what to do.
    """
    home = Path(__file__).resolve().parent.parent
    for name in ("subagents", "tools"):
        spec = importlib.util.find_spec(name)
        found = Path(spec.origin).resolve() if spec and spec.origin else None
        if found is None or found.parent != home / name:
            place = found.parent if found and found.name == "__init__.py" else found or "nowhere"
            raise ImportError(
                f"deep_planner needs its own package {name!r} from {home / name}, but Python finds {place} first. "
                f"Rename that folder or file, or start Python from another folder (or with the option -P)."
            )


_check_neighbours()


def __getattr__(name: str) -> Any:
    """Import a public name when it is first used: ``import deep_planner`` alone costs next to nothing."""
    if name not in __all__:
        raise AttributeError(f"module 'deep_planner' has no attribute {name!r}")
    return getattr(importlib.import_module(f"deep_planner.{_HOMES.get(name, 'api')}"), name)
