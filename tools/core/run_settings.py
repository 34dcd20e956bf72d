"""The run's context as LangGraph knows it: who it is for, and how it should go."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from tools.core.clock import FALLBACK_ZONE, zone_named
from tools.core.context import RunContext
from tools.core.text import Language


class RunSettings(BaseModel):
    """How a run goes: settings of the product, and the form that Studio shows for a run. Each stands here alone."""

    user_id: int = Field(1, description="Whose rows the run reads and writes.")
    city: str | None = Field(None, description="The user's city, for weather when a request names none.")
    timezone: str | None = Field(None, description="The user's IANA time zone; empty: the machine's.")
    language: Language | None = Field(None, description="zh or en; empty: the language of each request.")
    supervision: Literal["on_attention", "every_wave"] = Field(
        "on_attention", description="When the planner is woken: only when needed, or after each wave."
    )
    plan_first: bool = Field(False, description="Show the plan and wait for a yes before anything acts.")
    intent_threshold: float = Field(0.7, ge=0, le=1, description="Below this confidence the planner asks first.")
    reflection: bool = Field(True, description="Wake the planner when an item failed, so that it may change the plan.")
    context_memory: bool = Field(True, description="Tell agents of the turn before, for follow-ups.")
    instructions: str = Field("", max_length=2_000, description="Added to the system prompts of planner and agents.")
    max_plan_calls: int = Field(12, ge=1, description="Planner calls allowed in one request.")
    max_model_calls: int = Field(500, ge=1, description="Model calls allowed in one run, sub-agents included.")
    max_tool_calls: int = Field(500, ge=1, description="Tool calls of sub-agents allowed in one run.")
    max_seconds: float = Field(900, gt=0, description="Seconds that one run may take; waiting for you not counted.")
    max_item_model_calls: int = Field(8, ge=1, description="Model calls allowed for one item, until it asks or ends.")
    max_item_tool_calls: int = Field(16, ge=1, description="Tool calls allowed for one item.")
    max_item_seconds: float = Field(300, gt=0, description="Seconds that one item may take.")
    max_item_questions: int = Field(
        5, ge=0, description="Questions that one item's sub-agent may ask of its own accord."
    )
    deliberation_rounds: int = Field(3, ge=3, le=5, description="Rounds after which a deliberation ends at the latest.")
    deliberation_score: int = Field(
        85, ge=0, le=100, description="Score from which an answer of a deliberation is good enough."
    )


class PlannerContext(RunSettings):
    """Settings of one run as LangGraph knows them. No secret ever stands here: it is stored with the run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    def run_context(self, now: str | datetime, language: Language) -> RunContext:
        """What the tools of a run may know.

        Args:
            now: The run's frozen moment, ISO 8601 with an offset, or aware.
            language: The language of the request.
        """
        zone = zone_named(self.timezone or FALLBACK_ZONE)
        moment = datetime.fromisoformat(now) if isinstance(now, str) else now
        return RunContext(self.user_id, moment.astimezone(zone), zone, language, self.city)
