"""What every chat model of a provider does the same: clear errors, whole answers, tokens counted once."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, NoReturn

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import Field, SecretStr

from deep_planner.models.errors import ProviderError, provider_error

#: The key of ``additional_kwargs`` that holds what a model thought before it answered, whatever its vendor calls it.
REASONING = "reasoning_content"
#: What a provider says when it stops because it wants tools called.
CALLING = "tool_calls"
#: Faults of the program, not of a provider.
_OURS = (ProviderError, AssertionError, NotImplementedError)


class CarefulChat(BaseChatModel):
    """Stands before a chat model's own class, and watches what comes through.

    Whatever goes wrong leaves as :class:`ProviderError`. It is raised outside the ``except``, because a chained
    original would bring the provider's body, and with it perhaps the key, into every traceback.

    A stream must end with a reason to stop. One that is cut off cleanly, by a proxy say, looks like a short answer
    otherwise, and half a title would be booked.

    Only the asynchronous methods are watched; the planner uses no others.
    """

    secrets: tuple[SecretStr, ...] = Field(default=(), exclude=True, repr=False)
    """Keys that must not be in any error's text."""
    patience: float = 60.0
    """Seconds to wait for a whole answer, or for each piece of a stream; what only keeps a line alive is no piece."""

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        try:
            async with asyncio.timeout(self.patience):
                return _checked(await super()._agenerate(*args, **kwargs))
        except _OURS:
            raise
        except Exception as error:  # noqa: BLE001 - any type at all comes out of a parser that meets nonsense
            fault = self._fault(error)
        raise fault

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        end = _End()
        try:
            async for chunk in _in_time(super()._astream(*args, **kwargs), self.patience):
                end.note(chunk)
                yield chunk
            yield end.chunk()
            return
        except _OURS:
            raise
        except Exception as error:  # noqa: BLE001 - as above
            fault = self._fault(error)
        raise fault

    def _fault(self, error: Exception) -> ProviderError:
        return provider_error(error, tuple(secret.get_secret_value() for secret in self.secrets))


async def _in_time(pieces: AsyncIterator[ChatGenerationChunk], seconds: float) -> AsyncIterator[ChatGenerationChunk]:
    """The pieces of an answer.

    Raises:
        TimeoutError: One was longer in coming.
    """
    while True:
        try:
            async with asyncio.timeout(seconds):
                piece = await anext(pieces)
        except StopAsyncIteration:
            return
        yield piece


class _End:
    """What is only known when a stream has ended.

    Tokens are kept back until then: LangChain adds up what the pieces report, and some providers report the sum so far
    with every piece.
    """

    def __init__(self) -> None:
        self._usage: Any = None
        self._finish = ""
        self._called = False

    def note(self, chunk: ChatGenerationChunk) -> None:
        """Look at a piece as it passes."""
        message = chunk.message
        told = {**(chunk.generation_info or {}), **message.response_metadata}
        # ``status`` is what OpenAI's Responses API says instead.
        self._finish = told.get("finish_reason") or told.get("status") or self._finish
        if isinstance(message, AIMessageChunk):
            self._called = self._called or bool(message.tool_call_chunks)
            if message.usage_metadata:
                self._usage, message.usage_metadata = message.usage_metadata, None

    def chunk(self) -> ChatGenerationChunk:
        """The last piece.

        Raises:
            ProviderError: The provider never said that it was done, or announced calls and made none.
        """
        if not self._finish:
            raise ProviderError("connection", "the answer ended in the middle")
        if self._finish == CALLING and not self._called:
            refuse("it announces calls and holds none")
        return ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=self._usage))


def _checked(result: ChatResult) -> ChatResult:
    """A whole answer.

    Raises:
        ProviderError: It announces calls and holds none.
    """
    for generation in result.generations:
        message, told = generation.message, generation.generation_info or {}
        called = isinstance(message, AIMessage) and (message.tool_calls or message.invalid_tool_calls)
        if told.get("finish_reason") == CALLING and not called:
            refuse("it announces calls and holds none")
    return result


def spoken(messages: Sequence[BaseMessage]) -> list[BaseMessage]:
    """The messages without turns in which a model said nothing and did nothing: several vendors refuse to see them."""
    return [m for m in messages if not isinstance(m, AIMessage) or m.text or m.tool_calls or m.invalid_tool_calls]


def refuse(reason: str) -> NoReturn:
    """Say that an answer has not the shape of one.

    Raises:
        ProviderError: Always.
    """
    raise ProviderError("answer", reason)
