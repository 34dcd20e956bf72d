"""From the pieces of a streamed answer to one message, with nothing guessed."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator

from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.messages.tool import invalid_tool_call, tool_call


class NoAnswerError(ConnectionError):
    """The provider closed its answer without having said anything; it may do better when asked again."""


async def gathered(chunks: AsyncIterator[AIMessage], silence: float) -> AIMessage:
    """The pieces of an answer as one message.

    Args:
        chunks: The answer as it streams; a model that cannot stream gives one whole message.
        silence: Seconds without a piece after which the answer counts as lost.

    Raises:
        TimeoutError: The provider fell silent.
        NoAnswerError: There was no piece at all.
    """
    whole: AIMessageChunk | None = None
    loop = asyncio.get_running_loop()
    try:
        async with asyncio.timeout(silence) as limit:
            async for chunk in chunks:
                if not isinstance(chunk, AIMessageChunk):
                    return chunk
                whole = chunk if whole is None else whole + chunk
                limit.reschedule(loop.time() + silence)
    except ValueError as error:
        if "No generation" in str(error):  # LangChain's way to say that nothing came
            raise NoAnswerError(str(error)) from error
        raise
    if whole is None:
        raise NoAnswerError("an answer without any content")
    return strict(whole)


def strict(whole: AIMessageChunk) -> AIMessage:
    """The message with its calls read strictly from the raw arguments.

    LangChain completes broken JSON while it streams: ``{"city": "上`` becomes ``{"city": "上"}`` without a word. A call
    that was cut off would then be carried out with half of a title, so the raw text is read again here.
    """
    calls, broken = [], []
    for piece in whole.tool_call_chunks:
        try:
            arguments = json.loads(piece["args"] or "{}")
        except ValueError as error:
            arguments, reason = None, str(error)
        else:
            reason = "expected a JSON object"
        if isinstance(arguments, dict) and piece["name"]:
            calls.append(tool_call(name=piece["name"], args=arguments, id=piece["id"]))
        else:
            broken.append(invalid_tool_call(name=piece["name"], args=piece["args"], id=piece["id"], error=reason))
    return AIMessage(
        content=whole.content,
        id=whole.id,
        tool_calls=calls,
        invalid_tool_calls=broken,
        usage_metadata=whole.usage_metadata,
        response_metadata=whole.response_metadata,
        additional_kwargs={k: v for k, v in whole.additional_kwargs.items() if k != "tool_calls"},
    )
