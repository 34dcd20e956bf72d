"""Triage: what kind of request is it, and does one sub-agent suffice (D01-D03, X8, X9)?"""

from __future__ import annotations

import json
import logging
from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Literal

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langchain_core.utils.function_calling import convert_to_openai_tool
from langgraph.runtime import Runtime
from pydantic import BaseModel, Field, computed_field

from deep_planner.graph.answers import close_open, joined, settle
from deep_planner.graph.nodes import Parts
from deep_planner.graph.state import Plan, PlannerState
from deep_planner.workflow.running import told
from subagents.history import engine_remark, is_engine
from subagents.registry import Registry
from subagents.spec import prompt
from subagents.thinking import Asking
from tools.core.context import RunContext
from tools.core.errors import PlannerError
from tools.core.run_settings import PlannerContext
from tools.core.text import Language, language_of, text
from tools.domain.todos import Todo, TodoStatus, waiting

log = logging.getLogger(__name__)

Intent = Literal["simple_chat", "single_task", "complex_workflow", "information_query", "uncertain", "out_of_domain"]


class IntentResult(BaseModel):
    """What a request is about (D02)."""

    intent: Intent
    confidence: float = Field(ge=0, le=1)
    explanation: str = ""
    subagent: str | None = Field(None, description="The one sub-agent that can do it alone, if one can.")

    @computed_field  # type: ignore[prop-decorator]  # mypy knows no decorated properties
    @property
    def needs_multi_agent(self) -> bool:
        """Whether several sub-agents have to work together (D02)."""
        return self.intent == "complex_workflow"

    def settled(self, threshold: float) -> IntentResult:
        """This, or ``uncertain`` when the confidence is below the threshold (D02)."""
        if self.confidence >= threshold:
            return self
        return self.model_copy(update={"intent": "uncertain", "subagent": None})


CLASSIFY = convert_to_openai_tool(IntentResult)
CLASSIFY["function"]["name"] = "classify_intent"


async def analyze(asking: Asking, registry: Registry, request: str, last_turn: str, language: Language) -> IntentResult:
    """Ask the light model for the intent of a request.

    Raises:
        ModelError: The model failed, or twice gave no usable answer.
        LimitError: The run may spend no more.
    """
    system = prompt("deep_planner", language, "triage").substitute(agents=registry.described(language))
    human = {"request": request} | ({"last_turn": json.loads(last_turn)} if last_turn else {})
    messages: list[AnyMessage] = [
        SystemMessage(system),
        HumanMessage(json.dumps(human, ensure_ascii=False)),
    ]
    result, _ = await asking.shaped(messages, IntentResult, CLASSIFY, language, tags=["triage"])
    return result


async def agent_for(asking: Asking, registry: Registry, content: str, language: Language) -> str:
    """The sub-agent for an item that names none, found by the light model; the first one if it finds none."""
    try:
        result = await analyze(asking, registry, content, "", language)
    except PlannerError as error:
        log.warning("no agent found for %r, so %s takes it: %s", content, registry.names[0], error)
        return registry.names[0]
    return str(result.subagent) if result.subagent in registry else registry.names[0]


def request_of(messages: Sequence[AnyMessage]) -> str:
    """The user's words: the last human message."""
    return next((m.text for m in reversed(messages) if isinstance(m, HumanMessage)), "")


def last_turn(state: PlannerState) -> str:
    """The turn before this one as JSON: request, reply, and the rows it touched (P7); empty on a new thread."""
    plan = state.get("plan")
    if not plan:
        return ""
    replies = [m.text for m in state["messages"] if m.type == "ai" and not is_engine(m) and m.text]
    rows = [row for todo in state.get("todos", ()) for row in todo.get("outcome", {"rows": []})["rows"]]
    turn = {"request": plan["text"], "reply": replies[-1] if replies else "", "rows": list(dict.fromkeys(rows))}
    return json.dumps(turn, ensure_ascii=False)


#: What the words do to a plan that was shown before it runs.
SettleReview = Callable[[PlannerState, Any, Runtime[PlannerContext]], Awaitable[dict[str, Any] | None]]


class Triage:
    """The first node of every request."""

    def __init__(self, parts: Parts, settle_review: SettleReview) -> None:
        self._parts = parts
        self._settle_review = settle_review

    async def __call__(self, state: PlannerState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Open the request, or take it as the answer to the question that is still open."""
        request = request_of(state["messages"])
        draft = state.get("draft")
        if not draft and ((state.get("plan") or {}).get("question") or waiting(state.get("todos", []))):
            settled = await self._settled(state, request, runtime)
            if settled is not None:
                return settled
        plan = self._opened(state, request, runtime)
        context = self._parts.around.context(runtime).run_context(plan["now"], plan["language"])
        remark = engine_remark(f"r{plan['request']}/opened", opened_remark(context, plan["request"]))
        opened = joined(close_open(state), {"messages": [remark], "todos": dropped(state), "plan": plan})
        tell = runtime.stream_writer
        if draft:
            plan |= {"intent": "complex_workflow", "confidence": 1.0, "shares": True, "reviewed": True}
            tell(told(draft, request, plan["request"]))
            return joined(opened, {"todos": draft, "draft": None})
        tell({"type": "intent:recognition-start", "request": request})
        asking = self._parts.around.asking(runtime, plan)
        try:
            result = await analyze(asking, self._parts.registry, request, plan["last_turn"], plan["language"])
        except PlannerError as error:
            plan |= {"status": "failed", "error": error.message(plan["language"])}
            return opened
        result = result.settled(self._parts.around.context(runtime).intent_threshold)
        plan |= {"intent": result.intent, "confidence": result.confidence, "explanation": result.explanation}
        tell({"type": "intent:recognized", **result.model_dump(exclude={"subagent"})})
        if plan["intent"] == "uncertain":
            question = text(plan["language"], "plan.clarify")
            plan["question"] = {"type": "clarify", "question": question, "choices": []}
        elif result.subagent in self._parts.registry and result.intent in ("single_task", "information_query"):
            only: Todo = {"id": "t1", "content": request, "status": TodoStatus.PENDING.value}
            only["subagent"] = str(result.subagent)
            tell({"type": "workflow:generation-start", "request": request})
            tell(told([only], request, plan["request"]))
            return joined(opened, {"todos": [only]})
        return opened

    async def _settled(
        self, state: PlannerState, words: str, runtime: Runtime[PlannerContext]
    ) -> dict[str, Any] | None:
        question = state["plan"].get("question")
        if question and question["type"] == "plan":
            return await self._settle_review(state, words, runtime)
        return await settle(self._parts, state, words, runtime)

    def _opened(self, state: PlannerState, request: str, runtime: Runtime[PlannerContext]) -> Plan:
        before = state.get("plan") or Plan(request=0)
        settings = self._parts.around.context(runtime)
        now = settings.run_context(self._parts.clock.now(), "zh").now
        thread = runtime.execution_info.thread_id if runtime.execution_info else None
        language = settings.language or language_of(request)
        return Plan(
            prompt_language=before.get("prompt_language") or language,
            thread=thread or before.get("thread") or self._parts.new_id(),
            request=before["request"] + 1,
            turn=1,
            text=request,
            now=now.isoformat(),
            language=language,
            status="running",
            last_turn=last_turn(state) if settings.context_memory else "",
        )


def opened_remark(context: RunContext, request: int) -> str:
    """What the engine tells the planner when a request begins: its number, and the time."""
    weekday = text(context.language, f"when.weekday_{context.now.weekday()}")
    now = f"{context.now:%Y-%m-%d %H:%M}"
    return text(context.language, "plan.opened", request=request, now=now, weekday=weekday, timezone=context.zone)


def dropped(state: PlannerState) -> list[Todo]:
    """Writes that take the last request's items off the list; notes stay for the thread."""
    return [{"id": todo["id"], "drop": True} for todo in state.get("todos", ())]
