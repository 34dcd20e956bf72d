"""Having a model write a workflow, and looking at what it wrote (D09, D23)."""

from __future__ import annotations

import json
from collections.abc import Sequence

from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ValidationError

from deep_planner.workflow.schema import MOST_NODES, Workflow, WrittenWorkflow
from deep_planner.workflow.validate import WorkflowError, validate
from subagents.check import is_cut
from subagents.history import PREFIX
from subagents.registry import Registry
from subagents.spec import prompt, with_instructions
from subagents.thinking import Asking, name_of
from tools.core.errors import ModelError
from tools.core.text import Language, text

GENERATE_WORKFLOW = "generate_workflow"


async def write_workflow(
    asking: Asking,
    registry: Registry,
    request: str,
    requirements: Sequence[str],
    opened: str,
    language: Language,
    instructions: str = "",
) -> Workflow:
    """A valid workflow for a request, written by the strong model.

    The call is forced where the vendor lets a call be forced; where it does not, the tool is on offer, and what comes
    is checked all the same. What is not valid goes back once with the reason.

    Args:
        asking: The way to the model.
        registry: The sub-agents that may be planned with (D13).
        request: The user's words.
        requirements: What the plan must keep to besides.
        opened: The engine's remark with the present time.
        language: Language of the prompt.
        instructions: What the user's settings add to the prompt (D20).

    Raises:
        WorkflowError: What the model wrote is twice no valid graph; the text is the seed's own (D08).
        ModelError: The model failed, or twice wrote no workflow at all.
        LimitError: The run may spend no more.
    """
    template = prompt("deep_planner", language, "workflow")
    system = with_instructions(template.substitute(agents=registry.described(language)), instructions)
    given: list[AnyMessage] = [SystemMessage(system), HumanMessage(request), HumanMessage(f"{PREFIX}{opened}")]
    if requirements:
        wishes = json.dumps(list(requirements), ensure_ascii=False)
        given.append(HumanMessage(f"{PREFIX}{text(language, 'plan.requirements', wishes=wishes)}"))
    asked, fault = given, None
    for _ in range(2):
        answer = await asking.say("strong", asked, [_tool()], tool_choice="required", tags=["workflow"])
        try:
            return _read(answer, registry)
        except (WorkflowError, ValidationError, LookupError) as error:
            fault = error
            complaint = text(language, "plan.call_again", tool=GENERATE_WORKFLOW, reason=_reason(error))
            asked = [*given, HumanMessage(f"{PREFIX}{complaint}")]
    if isinstance(fault, WorkflowError):
        raise fault
    raise ModelError(
        _key(fault), model=name_of(asking.models.strong), reason=_reason(fault), limit=MOST_NODES
    ) from fault


def _key(fault: Exception | None) -> str:
    """Which sentence tells the user: words and no plan, more than a plan holds, or whatever else cannot be used."""
    if isinstance(fault, ValidationError):
        kinds = {error["type"] for error in fault.errors() if error["loc"] == ("agentGraph",)}
        return "long_workflow" if "too_long" in kinds else "model_nonsense"
    return "no_workflow"


def _tool() -> dict[str, object]:
    schema: dict[str, object] = convert_to_openai_tool(WrittenWorkflow.model_json_schema(by_alias=True))
    function = schema["function"]
    if not isinstance(function, dict):
        raise TypeError(function)
    function |= {"name": GENERATE_WORKFLOW, "description": "A workflow: agents in a directed acyclic graph."}
    return schema


def _read(answer: AIMessage, registry: Registry) -> Workflow:
    call = next((call for call in answer.tool_calls if call["name"] == GENERATE_WORKFLOW), None)
    if call is None or is_cut(answer):
        raise LookupError("no whole call")
    workflow = WrittenWorkflow.model_validate(call["args"])
    validate(workflow, registry.names)
    return workflow


def _reason(error: Exception | None) -> str:
    if isinstance(error, ValidationError):
        return "; ".join(f"{'.'.join(map(str, fault['loc']))}: {fault['msg']}" for fault in error.errors())
    return str(error)
