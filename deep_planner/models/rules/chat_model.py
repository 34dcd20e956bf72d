"""The LangChain face of the offline brain."""

from __future__ import annotations

import hashlib
import json
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel, LanguageModelInput
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import tool_call, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.runnables import Runnable
from langchain_core.tools import BaseTool
from langchain_core.utils.function_calling import convert_to_openai_tool

from deep_planner.models.rules.roles import answer

#: Characters a streamed piece of text holds.
PIECE = 4


class OfflineRules(BaseChatModel):
    """A rule-based chat model; see the package."""

    model_name: str = "offline:rules"

    @property
    def _llm_type(self) -> str:
        return "offline-rules"

    def bind_tools(
        self,
        tools: Sequence[dict[str, Any] | type | Callable[..., Any] | BaseTool],
        *,
        tool_choice: str | None = None,
        **kwargs: Any,
    ) -> Runnable[LanguageModelInput, AIMessage]:
        """Offer tools; ``tool_choice="none"`` asks for words."""
        names = tuple(convert_to_openai_tool(tool)["function"]["name"] for tool in tools)
        return self.bind(tool_names=names, tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        return ChatResult(generations=[ChatGeneration(message=self._message(messages, kwargs))])

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        # Not the default, which would go through a thread: rules take well under a millisecond.
        return self._generate(messages, **kwargs)

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        for chunk in _pieces(self._message(messages, kwargs)):
            if run_manager:
                run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for chunk in _pieces(self._message(messages, kwargs)):
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    def _message(self, messages: list[BaseMessage], options: dict[str, Any]) -> AIMessage:
        """The whole answer. Ids come from the prompt, so that the same prompt gives the same message."""
        tools = options.get("tool_names") or ()
        said = answer(messages, tools if options.get("tool_choice") != "none" else (), tools)
        seed = hashlib.sha256("\0".join(f"{m.type}:{m.text}" for m in messages).encode("utf-8", "replace"))
        prefix = seed.hexdigest()[:12]
        calls = [
            tool_call(name=call.name, args=call.args, id=f"call-{prefix}-{number}")
            for number, call in enumerate(said.calls)
        ]
        return AIMessage(
            content=said.text,
            tool_calls=calls,
            response_metadata={"finish_reason": "tool_calls" if calls else "stop", "model_name": self.model_name},
        )


def _pieces(message: AIMessage) -> Iterator[ChatGenerationChunk]:
    text = message.text
    for start in range(0, len(text), PIECE):
        yield ChatGenerationChunk(message=AIMessageChunk(content=text[start : start + PIECE]))
    for index, call in enumerate(message.tool_calls):
        arguments = json.dumps(call["args"], ensure_ascii=False)
        chunk = tool_call_chunk(name=call["name"], args=arguments, id=call["id"], index=index)
        yield ChatGenerationChunk(message=AIMessageChunk(content="", tool_call_chunks=[chunk]))
    last = AIMessageChunk(content="", response_metadata=message.response_metadata, chunk_position="last")
    yield ChatGenerationChunk(message=last)
