"""A chat model behind any service that speaks OpenAI's wire.

LangChain's own class is for OpenAI alone: it drops the reasoning and DeepSeek's cached tokens, reports no tokens in
streams, guesses from a model's name that it should speak another wire, and falls over answers that only nearly have the
right shape. The answers are therefore brought into shape here, before LangChain reads them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from langchain_core.language_models import LanguageModelInput
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from langchain_openai import ChatOpenAI
from langchain_openai.chat_models.base import BaseChatOpenAI
from pydantic import Field

from deep_planner.models.calls import read_calls
from deep_planner.models.careful import REASONING, CarefulChat, refuse, spoken
from deep_planner.models.errors import ProviderError
from deep_planner.models.vendors import Quirks

#: What vendors call it.
_REASONING_NAMES = (REASONING, "reasoning")
#: Where vendors other than OpenAI report the cached part of the prompt: DeepSeek, Moonshot.
_CACHED_NAMES = ("prompt_cache_hit_tokens", "cached_tokens")


class CompatChat(CarefulChat, BaseChatOpenAI):
    """See the module. It never tries a request again; that is decided in one place, above it."""

    use_responses_api: bool | None = False
    stream_usage: bool | None = True
    max_retries: int | None = 0
    quirks: Quirks = Field(default_factory=Quirks)

    def _get_request_payload(
        self, input_: LanguageModelInput, *, stop: list[str] | None = None, **kwargs: Any
    ) -> dict[str, Any]:
        messages = spoken(self._convert_input(input_).to_messages())
        payload: dict[str, Any] = super()._get_request_payload(messages, stop=stop, **kwargs)
        if self.quirks.echo:
            _echo(messages, payload["messages"], self.quirks.echo)
        choice = payload.get("tool_choice")
        if choice is not None and not self._may_choose(choice):
            # A forced tool becomes an offered one; where "none" is unknown, nothing is offered.
            del payload["tool_choice"]
            if choice == "none":
                del payload["tools"]
        return payload

    def _may_choose(self, choice: str | dict[str, Any]) -> bool:
        """Whether the service takes this ``tool_choice``; one that can be forced can be forced to a certain tool."""
        choices = self.quirks.tool_choices
        return "required" in choices or (isinstance(choice, str) and choice in choices)

    def _convert_chunk_to_generation_chunk(
        self, chunk: dict[str, Any], default_chunk_class: type, base_generation_info: dict[str, Any] | None
    ) -> ChatGenerationChunk | None:
        chunk = _shaped_chunk(chunk)
        made = super()._convert_chunk_to_generation_chunk(chunk, default_chunk_class, base_generation_info)
        if made is not None and chunk["choices"]:
            made.message.additional_kwargs.update(_told_apart(chunk["choices"][0].get("delta") or {}))
        return made

    def _create_chat_result(self, response: Any, generation_info: dict[str, Any] | None = None) -> ChatResult:
        answer = _shaped_answer(response)
        # LangChain would put arguments that are no object into a type that refuses them.
        calls = [choice["message"].pop("tool_calls", None) for choice in answer["choices"]]
        result = super()._create_chat_result(answer, generation_info)
        for generation, choice, raw in zip(result.generations, answer["choices"], calls, strict=True):
            message = generation.message
            if isinstance(message, AIMessage):
                message.tool_calls, message.invalid_tool_calls = read_calls(raw)
                message.additional_kwargs.update(_told_apart(choice["message"]))
        return result


class OpenAIChat(CarefulChat, ChatOpenAI):
    """OpenAI itself: LangChain's own class, watched."""


def _echo(messages: list[BaseMessage], sent: list[dict[str, Any]], name: str) -> None:
    """Put the reasoning back into the turns since the user last spoke."""
    for message, turn in zip(reversed(messages), reversed(sent), strict=True):
        if message.type == "human":
            return
        if isinstance(message, AIMessage) and (thought := message.additional_kwargs.get(REASONING)):
            turn[name] = thought


def _shaped_answer(response: Any) -> dict[str, Any]:
    """A whole answer as LangChain expects it.

    Raises:
        ProviderError: It is an error, or no answer at all.
    """
    if not hasattr(response, "model_dump"):
        refuse("expected a JSON object, got something else")
    # The SDK builds its types without checking them, and pydantic would warn about what does not fit.
    answer: dict[str, Any] = response.model_dump(warnings=False)
    if error := answer.get("error"):
        raise _error_inside(error)
    choices = answer.get("choices")
    if not isinstance(choices, list) or not choices:
        refuse("it has no choices")
    for choice in choices:
        message = choice.get("message") if isinstance(choice, dict) else None
        if not isinstance(message, dict):
            refuse("it has no message")
        message["role"] = "assistant"
    answer["usage"] = _shaped_usage(answer.get("usage"))
    return answer


def _shaped_chunk(chunk: dict[str, Any]) -> dict[str, Any]:
    """A piece of an answer as LangChain expects it."""
    if error := chunk.get("error"):
        raise _error_inside(error)
    choices = [choice for choice in chunk.get("choices") or [] if isinstance(choice, dict)]
    usage = chunk.get("usage")
    for choice in choices:
        # Moonshot reports the tokens inside the choice.
        usage = usage or choice.get("usage")
        delta = choice.get("delta") or {}
        choice["delta"] = {**delta, "role": "assistant", "tool_calls": list(_shaped_calls(delta.get("tool_calls")))}
    return {**chunk, "choices": choices, "usage": _shaped_usage(usage)}


def _shaped_calls(calls: Any) -> Iterator[dict[str, Any]]:
    """Pieces of calls with arguments that are text: an object becomes its JSON, and so does what is refused later."""
    for call in calls or ():
        function = call.get("function") or {}
        words = function.get("arguments")
        if words is not None and not isinstance(words, str):
            words = json.dumps(words, ensure_ascii=False)
        # Without an index a piece counts as a whole call.
        yield {"index": None, **call, "function": {**function, "arguments": words}}


def _shaped_usage(usage: Any) -> dict[str, Any] | None:
    """Token counts with the cached ones where OpenAI has them."""
    if not isinstance(usage, dict):
        return None
    told: dict[str, Any] = dict(usage)
    details = told.get("prompt_tokens_details") or {}
    if details.get("cached_tokens") is None:
        cached = next((told[name] for name in _CACHED_NAMES if told.get(name) is not None), None)
        told["prompt_tokens_details"] = {**details, "cached_tokens": cached}
    return told


def _told_apart(message: Mapping[str, Any]) -> dict[str, str]:
    """What was said beside the content: the reasoning, or why there is no answer."""
    thought = next((message[name] for name in _REASONING_NAMES if message.get(name)), None)
    told = {REASONING: thought, "refusal": message.get("refusal")}
    return {name: words for name, words in told.items() if isinstance(words, str) and words}


def _error_inside(error: Any) -> ProviderError:
    """The error that some gateways put into an answer of status 200."""
    code = error.get("code") if isinstance(error, dict) else None
    status = int(str(code)) if str(code).isdecimal() else None
    return ProviderError("status", "an error inside a good answer", status_code=status)
