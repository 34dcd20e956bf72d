"""What every chat model of a provider does the same: clear errors, whole answers, tokens counted once."""

from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any, NoReturn

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessageChunk
from langchain_core.outputs import ChatGenerationChunk, ChatResult
from pydantic import Field, SecretStr

from deep_planner.models.errors import ProviderError, provider_error

#: The key of ``additional_kwargs`` that holds what a model thought before it answered, whatever its vendor calls it.
REASONING = "reasoning_content"
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

    async def _agenerate(self, *args: Any, **kwargs: Any) -> ChatResult:
        try:
            return await super()._agenerate(*args, **kwargs)
        except _OURS:
            raise
        except Exception as error:  # noqa: BLE001 - any type at all comes out of a parser that meets nonsense
            fault = self._fault(error)
        raise fault

    async def _astream(self, *args: Any, **kwargs: Any) -> AsyncIterator[ChatGenerationChunk]:
        end = _End()
        try:
            async for chunk in super()._astream(*args, **kwargs):
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


class _End:
    """What is only known when a stream has ended.

    Tokens are kept back until then: LangChain adds up what the pieces report, and some providers report the sum so far
    with every piece.
    """

    def __init__(self) -> None:
        self._usage: Any = None
        self._stopped = False

    def note(self, chunk: ChatGenerationChunk) -> None:
        """Look at a piece as it passes."""
        message = chunk.message
        told = {**(chunk.generation_info or {}), **message.response_metadata}
        # ``status`` is what OpenAI's Responses API says instead.
        self._stopped = self._stopped or bool(told.get("finish_reason") or told.get("status"))
        if isinstance(message, AIMessageChunk) and message.usage_metadata:
            self._usage, message.usage_metadata = message.usage_metadata, None

    def chunk(self) -> ChatGenerationChunk:
        """The last piece.

        Raises:
            ProviderError: The provider never said that it was done.
        """
        if not self._stopped:
            raise ProviderError("connection", "the answer ended in the middle")
        return ChatGenerationChunk(message=AIMessageChunk(content="", usage_metadata=self._usage))


def refuse(reason: str) -> NoReturn:
    """Say that an answer has not the shape of one.

    Raises:
        ProviderError: Always.
    """
    raise ProviderError("answer", reason)
