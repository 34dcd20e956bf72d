"""Asking a model: who is asked (strong or light), and how an answer that must have a shape is made sure of."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, AnyMessage, HumanMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call
from langchain_core.tools import BaseTool
from pydantic import BaseModel, ValidationError

from subagents.history import PREFIX
from tools.core.errors import ModelError
from tools.core.text import Language, text

Role = Literal["strong", "light"]
Shape = TypeVar("Shape", bound=BaseModel)


@dataclass(frozen=True, slots=True)
class Models:
    """Two roles: ``strong`` plans and works on items, ``light`` sorts requests and writes notes (E16, B07)."""

    strong: BaseChatModel
    light: BaseChatModel
    closers: tuple[Callable[[], Awaitable[None]], ...] = ()
    """What closes their connections; see ``aclose``."""

    async def aclose(self) -> None:
        """Close the models' connections, in the event loop that used them."""
        for close in self.closers:
            await close()

    async def say(
        self,
        role: Role,
        messages: Sequence[AnyMessage],
        tools: Sequence[BaseTool | dict[str, Any]],
        *,
        tool_choice: str | None = None,
        tags: Sequence[str] = (),
    ) -> AIMessage:
        """One model call.

        Args:
            role: Who is asked.
            messages: The whole prompt.
            tools: What may be called.
            tool_choice: ``"none"`` keeps the tools in the (cached) prompt but asks for text.
            tags: Marks on the streamed chunks.

        Raises:
            ModelError: The provider failed; the cause is kept.
        """
        model = self.strong if role == "strong" else self.light
        bound = model.bind_tools(list(tools), tool_choice=tool_choice) if tools else model
        try:
            # Callbacks and metadata of the running node reach the model by themselves (a context variable).
            answer = await _gathered(bound.astream(list(messages), {"tags": [f"role:{role}", *tags]}))
        except (AssertionError, NotImplementedError):
            raise
        except Exception as error:
            if type(error).__module__.startswith("langgraph"):
                raise
            raise ModelError("model_failed", model=name_of(model), reason=_reason(error)) from error
        if answer is None:
            raise ModelError("model_nonsense", model=name_of(model), reason="no answer")
        return answer

    async def shaped(
        self,
        messages: Sequence[AnyMessage],
        shape: type[Shape],
        tool: dict[str, Any],
        language: Language,
        *,
        tags: Sequence[str] = (),
    ) -> tuple[Shape, AIMessage]:
        """One light call whose answer is a ``shape``: the tool is offered, the answer checked, one retry.

        ``tool_choice="required"`` would be shorter, but several vendors refuse it: their thinking modes take ``auto``
        only.

        Returns:
            The shape and the message that held it.

        Raises:
            ModelError: Twice no usable call.
        """
        prompt = list(messages)
        reason = ""
        for _ in range(2):
            answer = await self.say("light", prompt, [tool], tags=[*tags, "internal"])
            call = next((call for call in answer.tool_calls if call["name"] == tool["function"]["name"]), None)
            if call is not None:
                try:
                    return shape.model_validate(call["args"]), answer
                except ValidationError as error:
                    reason = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            else:
                reason = "no call"
            complaint = text(language, "plan.call_again", tool=tool["function"]["name"], reason=reason)
            prompt = [*messages, HumanMessage(f"{PREFIX}{complaint}")]
        raise ModelError("model_nonsense", model=name_of(self.light), reason=reason)


async def _gathered(chunks: AsyncIterator[AIMessage]) -> AIMessage | None:
    """The pieces of an answer as one message; ``None`` when there were none."""
    whole: AIMessageChunk | None = None
    async for chunk in chunks:
        if not isinstance(chunk, AIMessageChunk):
            return chunk  # a model that cannot stream answers in one piece
        whole = chunk if whole is None else whole + chunk
    return None if whole is None else _strict(whole)


def _strict(whole: AIMessageChunk) -> AIMessage:
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


def name_of(model: BaseChatModel) -> str:
    """What the model calls itself, for messages."""
    for attribute in ("model_name", "model", "name"):
        if value := getattr(model, attribute, None):
            return str(value)
    return type(model).__name__


def _reason(error: Exception) -> str:
    # Only the kind of failure and a status: a provider's body may echo the key.
    status = getattr(error, "status_code", None)
    return f"{type(error).__name__}{f' {status}' if status else ''}"
