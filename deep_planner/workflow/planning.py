"""Intent and plan for themselves, without running anything (D01, D23)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from deep_planner.events import TOLD, Event
from deep_planner.graph.nodes import Parts
from deep_planner.graph.triage import IntentResult, analyze, opened_remark
from deep_planner.workflow.create import write_workflow
from deep_planner.workflow.running import todos_of
from deep_planner.workflow.schema import Workflow
from subagents.thinking import Asking, Tell
from tools.core.text import language_of

Listener = Callable[[Event], None]


def unheard(_event: Event) -> None:
    """Nobody listens."""


class Analyst:
    """Looks at requests on a planner's models and sub-agents.

    Args:
        parts: The planner's.
        listener: Is told the events of seed 003 (D22).
    """

    def __init__(self, parts: Parts, listener: Listener = unheard) -> None:
        self._parts = parts
        self._listener = listener

    async def intent(self, request: str) -> IntentResult:
        """What a request is about; below the threshold it is ``uncertain`` (D02).

        Raises:
            ModelError: The model failed, or twice gave no usable answer.
        """
        tell, settings = self._tell(), self._parts.around.default_context
        language = settings.language or language_of(request)
        tell({"type": "intent:recognition-start", "request": request})
        found = await analyze(self._asking(tell), self._parts.registry, request, "", language)
        result = found.settled(settings.intent_threshold)
        tell({"type": "intent:recognized", **result.model_dump(exclude={"subagent"})})
        return result

    async def workflow(self, request: str, requirements: Sequence[str] = ()) -> Workflow:
        """The plan for a request, checked and not run.

        Raises:
            WorkflowError: The model twice wrote no valid graph.
            ModelError: The model failed, or twice wrote no workflow.
        """
        tell, settings = self._tell(), self._parts.around.default_context
        language = settings.language or language_of(request)
        opened = opened_remark(settings.run_context(self._parts.clock.now(), language), 1)
        tell({"type": "workflow:generation-start", "request": request})
        asking, registry = self._asking(tell), self._parts.registry
        added = settings.instructions
        workflow = await write_workflow(asking, registry, request, requirements, opened, language, added)
        tell({"type": "workflow:generated", "todos": todos_of(workflow), "workflow": workflow.as_json()})
        return workflow

    def _tell(self) -> Tell:
        def tell(event: dict[str, Any]) -> None:
            self._listener(TOLD.validate_python(event))

        return tell

    def _asking(self, tell: Tell) -> Asking:
        return self._parts.around.asking_alone(tell)
