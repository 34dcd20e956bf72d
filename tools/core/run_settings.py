"""The run's context as LangGraph knows it: who it is for, and how it should go."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from tools.core.clock import zone_named
from tools.core.context import RunContext
from tools.core.text import Language


class PlannerContext(BaseModel):
    """Settings of one run; Studio shows them as a form. No secret ever stands here: it is stored with the run."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    user_id: int = Field(1, description="Whose rows the run reads and writes.")
    city: str | None = Field(None, description="The user's city, for weather when a request names none.")
    timezone: str = Field("Asia/Shanghai", description="The user's IANA time zone.")
    language: Language | None = Field(None, description="zh or en; empty: the language of each request.")
    supervision: Literal["on_attention", "every_wave"] = Field(
        "on_attention", description="When the planner is woken: only when needed, or after each wave."
    )
    intent_threshold: float = Field(0.7, ge=0, le=1, description="Below this confidence the planner asks first.")
    max_plan_calls: int = Field(12, ge=1, description="Planner calls allowed in one request.")

    def run_context(self, now: str | datetime, language: Language) -> RunContext:
        """What the tools of a run may know.

        Args:
            now: The run's frozen moment, ISO 8601 with an offset, or aware.
            language: The language of the request.
        """
        zone = zone_named(self.timezone)
        moment = datetime.fromisoformat(now) if isinstance(now, str) else now
        return RunContext(self.user_id, moment.astimezone(zone), zone, language, self.city)
