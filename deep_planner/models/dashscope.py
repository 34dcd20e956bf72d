"""Alibaba's models over DashScope's own wire, with the client of its SDK's second version (A47).

Beside its OpenAI-compatible twin (``dashscope-compat:``) this road has the service's own error codes, request ids and
workspaces. The SDK is kept behind this one file, since its second version is young.
"""

from __future__ import annotations

import os
import warnings
from collections.abc import AsyncIterator, Sequence
from typing import Any

import httpx
from dashscope import AsyncClient
from dashscope.v2.resources.chat.completions import AsyncChatStream
from dashscope.v2.types.completions import ChatCompletion
from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.language_models.chat_models import agenerate_from_stream
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage, convert_to_openai_messages
from langchain_core.messages.ai import InputTokenDetails, OutputTokenDetails, UsageMetadata
from langchain_core.messages.tool import tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import ConfigDict, Field

from deep_planner.models.addresses import is_local
from deep_planner.models.calls import read_calls
from deep_planner.models.careful import REASONING, CarefulChat, refuse, spoken

#: The gateway that needs no workspace. International: https://dashscope-intl.aliyuncs.com/api/v1
GATEWAY = "https://dashscope.aliyuncs.com/api/v1"


def open_client(key: str, base_url: str | None, *, timeout: float) -> AsyncClient:
    """A client that only its arguments and the environment decide about.

    Args:
        key: The API key.
        base_url: Where the service is; else ``DASHSCOPE_BASE_URL``, else the gateway of ``DASHSCOPE_WORKSPACE`` and
            ``DASHSCOPE_REGION``, else :data:`GATEWAY`.
        timeout: Seconds to wait for a connection and for each piece of an answer.
    """
    address = base_url or os.environ.get("DASHSCOPE_BASE_URL") or os.environ.get("DASHSCOPE_HTTP_BASE_URL")
    if not address and not (os.environ.get("DASHSCOPE_WORKSPACE") or os.environ.get("DASHSCOPE_REGION")):
        address = GATEWAY
    # A pool of one's own comes without address and key, which the SDK gives to none but its own.
    pool = None
    if address and is_local(address):
        headers = {"Authorization": f"Bearer {key}"}
        pool = httpx.AsyncClient(base_url=address, headers=headers, timeout=timeout, trust_env=False)
    with warnings.catch_warnings():
        # It recommends workspaces to everybody who has none.
        warnings.simplefilter("ignore", UserWarning)
        return AsyncClient(
            api_key=key,
            base_url=address,
            protocol="native",
            timeout=timeout,
            max_retries=0,  # decided in one place, above all models
            config_path=os.devnull,  # else files in ~/.dashscope have a say
            http_client=pool,
        )


class _Wire(BaseChatModel):
    """LangChain's messages to DashScope's and back."""

    model_config = ConfigDict(arbitrary_types_allowed=True)

    model: str
    client: AsyncClient = Field(exclude=True, repr=False)
    thinking: bool | None = None
    """Whether to think first; ``None``: as the model is used to."""

    @property
    def _llm_type(self) -> str:
        return "dashscope"

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any) -> Any:
        """The model with tools; every choice but ``none`` is left to it, for a thinking model lets nobody force it."""
        schemas = [convert_to_openai_tool(tool) for tool in tools]
        choice = {"tool_choice": "none"} if tool_choice == "none" else {}
        return self.bind(tools=schemas, parallel_tool_calls=True, **choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("the planner is asynchronous: use ainvoke or astream")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        if self.thinking:
            # Thinking is only to be had as a stream.
            return await agenerate_from_stream(self._astream(messages, stop, run_manager, **kwargs))
        options = {"enable_thinking": False, **kwargs}
        answer: ChatCompletion = await self._asked(messages, stop, stream=False, **options)
        if not answer.choices:
            refuse("it has no choices")
        choice = answer.choices[0]
        calls, broken = read_calls(call.model_dump() for call in choice.message.tool_calls or ())
        message = AIMessage(
            choice.message.content or "",
            tool_calls=calls,
            invalid_tool_calls=broken,
            additional_kwargs=_thought(choice.message),
            usage_metadata=_usage(answer.usage),
        )
        info = {"finish_reason": _finish(choice), "model_name": self.model, "request_id": answer.request_id}
        return ChatResult(generations=[ChatGeneration(message=message, generation_info=info)])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        options = {"enable_thinking": self.thinking, **kwargs}
        stream: AsyncChatStream = await self._asked(messages, stop, stream=True, **options)
        try:
            async for piece in stream:
                chunk = _chunk(piece, self.model)
                if run_manager:
                    await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
                yield chunk
        finally:
            await stream.aclose()

    async def _asked(self, messages: list[BaseMessage], stop: list[str] | None, **options: Any) -> Any:
        sent: list[Any] = [*convert_to_openai_messages(spoken(messages))]
        return await self.client.chat.completions.create(model=self.model, messages=sent, stop=stop, **options)


class ChatDashScope(CarefulChat, _Wire):
    """A chat model of DashScope; make it with :func:`open_client`'s client, and close that."""


def _chunk(piece: Any, model: str) -> ChatGenerationChunk:
    usage = _usage(piece.usage)
    info: dict[str, Any] = {}
    if not piece.choices:
        return ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=usage))
    choice = piece.choices[0]
    calls = [
        tool_call_chunk(
            name=call.function.name or None, args=call.function.arguments, id=call.id or None, index=call.index
        )
        for call in choice.delta.tool_calls or ()
    ]
    if finish := _finish(choice):
        info = {"finish_reason": finish, "model_name": model, "request_id": piece.request_id}
    message = AIMessageChunk(
        content=choice.delta.content or "",
        tool_call_chunks=calls,
        additional_kwargs=_thought(choice.delta),
        usage_metadata=usage,
    )
    return ChatGenerationChunk(message=message, generation_info=info or None)


def _thought(message: Any) -> dict[str, str]:
    return {REASONING: message.reasoning_content} if message.reasoning_content else {}


def _finish(choice: Any) -> str | None:
    """Why the model stopped; until it has, DashScope writes the word "null"."""
    return choice.finish_reason if choice.finish_reason not in (None, "", "null") else None


def _usage(usage: Any) -> UsageMetadata | None:
    if usage is None:
        return None
    told = usage.model_dump()
    cached = (told.get("prompt_tokens_details") or {}).get("cached_tokens")
    reasoning = (told.get("output_tokens_details") or {}).get("reasoning_tokens")
    return UsageMetadata(
        input_tokens=usage.input_tokens,
        output_tokens=usage.output_tokens,
        total_tokens=usage.total_tokens or usage.input_tokens + usage.output_tokens,
        input_token_details=InputTokenDetails(cache_read=cached or 0),
        output_token_details=OutputTokenDetails(reasoning=reasoning or 0),
    )
