"""Who was asked how often, and what it cost in tokens and seconds, by role and model (N6)."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from uuid import UUID

from langchain_core.callbacks import AsyncCallbackHandler
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import LLMResult
from pydantic import BaseModel


class Usage(BaseModel):
    """Counts of one role on one model; tokens are those that the provider reported.

    Attributes:
        calls: Calls made, also those that failed.
        input: Prompt tokens, cached ones included.
        cached: Prompt tokens that the provider read from its cache.
        output: Answer tokens, reasoning included.
        reasoning: Answer tokens spent on reasoning.
        seconds: Waiting for answers, added up; parallel calls count each.
        prefix_share: Of the characters sent, the share that an earlier prompt for the same purpose began with, between
            0 and 1: what a provider's prompt cache can give at best.
    """

    calls: int = 0
    input: int = 0
    cached: int = 0
    output: int = 0
    reasoning: int = 0
    seconds: float = 0.0
    prefix_share: float = 0.0


class Prompts:
    """The last prompt of each purpose; one for as long as a planner is open, so that follow-ups count too."""

    def __init__(self) -> None:
        self._last: dict[tuple[str, str], str] = {}

    def shared(self, model: str, purpose: str, prompt: str) -> int:
        """How many characters of a prompt the last one for its purpose began with."""
        before = self._last.get((model, purpose), "")
        self._last[model, purpose] = prompt
        return common_prefix(before, prompt)


@dataclass(slots=True)
class _Call:
    row: str
    began: float


class Ledger(AsyncCallbackHandler):
    """Counts the calls of one run; hand it to the run as a callback.

    Args:
        prompts: What was sent before this run.
        clock: Seconds that only ever grow.
    """

    def __init__(self, prompts: Prompts | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self.usage: dict[str, Usage] = {}
        self._prompts = prompts or Prompts()
        self._clock = clock
        self._calls: dict[UUID, _Call] = {}
        self._sent: dict[str, list[int]] = {}

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
        model = str((metadata or {}).get("ls_model_name") or "offline:rules")
        row = f"{role} {model}"
        self._calls[run_id] = _Call(row, self._clock())
        usage = self.usage.setdefault(row, Usage())
        usage.calls += 1
        prompt = flat(messages[0], (kwargs.get("invocation_params") or {}).get("tools"))
        sent = self._sent.setdefault(row, [0, 0])
        sent[0] += self._prompts.shared(model, purpose_of(tags or ()), prompt)
        sent[1] += len(prompt)
        usage.prefix_share = round(sent[0] / sent[1], 4)

    async def on_llm_end(self, response: LLMResult, *, run_id: UUID, **kwargs: Any) -> None:
        """A call has ended."""
        usage = self._ended(run_id)
        for generations in response.generations:
            for generation in generations:
                message = getattr(generation, "message", None)
                if isinstance(message, AIMessage) and (spent := message.usage_metadata):
                    usage.input += spent["input_tokens"]
                    usage.output += spent["output_tokens"]
                    usage.cached += spent.get("input_token_details", {}).get("cache_read") or 0
                    usage.reasoning += spent.get("output_token_details", {}).get("reasoning") or 0

    async def on_llm_error(self, error: BaseException, *, run_id: UUID, **kwargs: Any) -> None:
        """A call has failed; its seconds were spent all the same."""
        self._ended(run_id)

    def _ended(self, run_id: UUID) -> Usage:
        call = self._calls.pop(run_id)
        usage = self.usage[call.row]
        usage.seconds = round(usage.seconds + self._clock() - call.began, 3)
        return usage


def purpose_of(tags: Sequence[str]) -> str:
    """What a call is for: prompts for one purpose have one beginning. Plan and reply are one dialogue (E13)."""
    if "planner" in tags or "reply" in tags:
        return "main"
    return next((tag for tag in tags if not tag.startswith(("role:", "todo:"))), "")


def flat(messages: Sequence[BaseMessage], tools: Any) -> str:
    """A prompt as one text, in the order in which providers cache it: tools, then messages."""
    parts = [json.dumps(tools, ensure_ascii=False, default=str)] if tools else []
    for message in messages:
        calls = json.dumps(getattr(message, "tool_calls", None) or "", ensure_ascii=False, default=str)
        parts.append(f"{message.type}:{message.text}{calls}{getattr(message, 'tool_call_id', '')}")
    return "\n".join(parts)


def common_prefix(first: str, second: str) -> int:
    """Length of the common beginning, by halving: comparing slices is much faster than letter by letter."""
    low, high = 0, min(len(first), len(second))
    while low < high:
        middle = (low + high + 1) // 2
        if first[low:middle] == second[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low
