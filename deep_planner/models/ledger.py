"""Who was asked how often, and what it cost in tokens, by role and model (N6)."""

from __future__ import annotations

from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import LLMResult
from pydantic import BaseModel


class Usage(BaseModel):
    """Counts of one role on one model; tokens are those that the provider reported."""

    calls: int = 0
    input: int = 0
    output: int = 0


class Ledger(AsyncCallbackHandler):
    """Counts the calls of one run; hand it to the run as a callback."""

    def __init__(self) -> None:
        self.usage: dict[str, Usage] = {}
        self._rows: dict[UUID, str] = {}

    async def on_chat_model_start(
        self,
        serialized: dict[str, Any],
        messages: list[list[BaseMessage]],
        *,
        run_id: UUID,
        tags: list[str] | None = None,
        metadata: dict[str, Any] | None = None,
        **kwargs: Any,
    ) -> None:
        """A call begins."""
        role = next((tag.removeprefix("role:") for tag in tags or () if tag.startswith("role:")), "other")
        row = f"{role} {(metadata or {}).get('ls_model_name') or 'offline:rules'}"
        self._rows[run_id] = row
        self.usage.setdefault(row, Usage()).calls += 1

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """A call has ended."""
        usage = self.usage[self._rows.pop(run_id)]
        for generations in response.generations:
            for generation in generations:
                message = getattr(generation, "message", None)
                if isinstance(message, AIMessage) and message.usage_metadata:
                    usage.input += message.usage_metadata["input_tokens"]
                    usage.output += message.usage_metadata["output_tokens"]
