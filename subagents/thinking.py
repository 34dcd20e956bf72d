"""Asking a model: who is asked (strong or light), how patiently, and how an answer gets the shape that it must have."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage
from langchain_core.tools import BaseTool
from pydantic import BaseModel, ValidationError

from subagents.budget import Budget
from subagents.check import is_cut
from subagents.gathering import gathered
from subagents.history import PREFIX
from subagents.patience import Patience, is_about_the_prompt, reason_of
from subagents.textual import in_text, with_calls
from tools.core.errors import LimitError, ModelError
from tools.core.text import Language, language_of, text

Role = Literal["strong", "light"]
Shape = TypeVar("Shape", bound=BaseModel)
#: Tells the caller's stream something; the value is an event as plain data.
Tell = Callable[[dict[str, Any]], None]

#: On the calls that the engine makes for itself: nobody is shown them as they come.
INTERNAL = "internal"
#: On calls whose answer is a shape: what is thought on the way is shown, the arguments are not.
SHAPED = "shaped"


@dataclass(frozen=True, slots=True)
class Models:
    """Two roles: ``strong`` plans and works on items, ``light`` sorts requests and writes notes (E16, B07).

    Attributes:
        strong: See above.
        light: See above.
        closers: What closes their connections; see ``aclose``.
        instead: Who is asked, in this order, when a role's own model does not answer at all.
        patience: How long one model is asked.
        sleep: Waits between attempts.
        jitter: A number between 0 and 1 for each wait.
        tools_in_text: The models have no tool calling: tools and calls go through their text.
    """

    strong: BaseChatModel
    light: BaseChatModel
    closers: tuple[Callable[[], Awaitable[None]], ...] = ()
    instead: tuple[BaseChatModel, ...] = ()
    patience: Patience = field(default_factory=Patience)
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep
    jitter: Callable[[], float] = field(default=random.random)
    tools_in_text: bool = False

    async def aclose(self) -> None:
        """Close the models' connections, in the event loop that used them."""
        for close in self.closers:
            await close()

    def speaks_in_text(self, model: BaseChatModel) -> bool:
        """Whether tools go through a model's text; rules of our own that stand in need no such detour."""
        return self.tools_in_text and name_of(model) != "offline:rules"

    def of(self, role: Role) -> list[BaseChatModel]:
        """Who is asked for a role: its own model, then those that stand in."""
        own = self.strong if role == "strong" else self.light
        return [own, *(model for model in self.instead if model is not own)]


@dataclass(frozen=True, slots=True)
class Asking:
    """A run's way to its models: within its budget, patiently, and telling when it waits.

    Attributes:
        models: Who is asked.
        budget: What the run may still spend.
        tell: The run's stream.
        item: The todo item on whose account it is asked; none: the planner's.
    """

    models: Models
    budget: Budget
    tell: Tell
    item: str | None = None

    async def say(
        self,
        role: Role,
        messages: Sequence[AnyMessage],
        tools: Sequence[BaseTool | dict[str, Any]],
        *,
        tool_choice: str | None = None,
        tags: Sequence[str] = (),
    ) -> AIMessage:
        """One answer of a model; of the next one when the first does not answer.

        Args:
            role: Who is asked.
            messages: The whole prompt.
            tools: What may be called.
            tool_choice: ``"none"`` keeps the tools in the (cached) prompt but asks for text.
            tags: Marks on the streamed chunks.

        Raises:
            ModelError: No model answered; the last cause is kept.
            LimitError: The run, or the item, may spend no more.
        """
        candidates = [model for model in self.models.of(role) if name_of(model) not in self.budget.down]
        marks = [f"role:{role}", *tags]
        fault: ModelError | None = None
        for model in candidates or self.models.of(role)[-1:]:
            if fault is not None:
                self._tell_waiting(fault.facts, 0, marks, instead=name_of(model))
            try:
                return await self._with_tools(model, list(messages), tools, tool_choice, marks)
            except ModelError as error:
                fault = error
        if fault is None:
            raise AssertionError("a role has a model")
        raise fault

    async def _with_tools(
        self,
        model: BaseChatModel,
        messages: list[AnyMessage],
        tools: Sequence[BaseTool | dict[str, Any]],
        tool_choice: str | None,
        marks: list[str],
    ) -> AIMessage:
        if not tools or not self.models.speaks_in_text(model):
            bound = model.bind_tools(list(tools), tool_choice=tool_choice) if tools else model
            return await self._patiently(bound, name_of(model), messages, marks)
        language = language_of(messages[0].text)
        said = await self._patiently(model, name_of(model), in_text(messages, tools, language), marks)
        return said if tool_choice == "none" else with_calls(said)

    async def _patiently(self, model: Any, name: str, messages: list[AnyMessage], marks: list[str]) -> AIMessage:
        patience = self.models.patience
        # Who was given up on before is asked once, in case it is back.
        attempt = patience.attempts - 1 if name in self.budget.down else 0
        while True:
            attempt += 1
            try:
                return await self._once(model, messages, marks)
            except (AssertionError, NotImplementedError, LimitError):
                raise
            except Exception as error:
                if type(error).__module__.startswith("langgraph"):
                    raise
                wait = patience.wait(error, attempt, self.models.jitter())
                if wait is None and not is_about_the_prompt(error):
                    self.budget.down.add(name)
                fault = ModelError("model_failed", model=name, reason=reason_of(error))
                if wait is None or wait >= self.budget.seconds_left(self.item):
                    raise fault from error
            self._tell_waiting(fault.facts, wait, marks)
            await self.models.sleep(wait)

    async def _once(self, model: Any, messages: list[AnyMessage], marks: list[str]) -> AIMessage:
        left = self.budget.seconds_left(self.item)
        self.budget.take_model_call()
        try:
            async with asyncio.timeout(left) as limit:
                # Callbacks and metadata of the running node reach the model by themselves (a context variable).
                return await gathered(model.astream(messages, {"tags": marks}), self.models.patience.silence)
        except TimeoutError:
            if limit.expired():
                raise self.budget.late(self.item) from None
            raise

    def _tell_waiting(
        self, facts: dict[str, object], seconds: float, marks: list[str], instead: str | None = None
    ) -> None:
        agent, todo_id = speaker_of(marks) or ("planner", None)
        about = {"type": "retrying", "model": facts["model"], "reason": facts["reason"], "agent": agent}
        self.tell({**about, "todo_id": todo_id, "seconds": round(seconds, 3), "instead": instead})

    async def shaped(
        self,
        messages: Sequence[AnyMessage],
        shape: type[Shape],
        tool: dict[str, Any],
        language: Language,
        *,
        role: Role = "light",
        tags: Sequence[str] = (),
        mark: str = INTERNAL,
    ) -> tuple[Shape, AIMessage]:
        """One call whose answer is a ``shape``: the tool is offered, the answer checked, one retry.

        ``tool_choice="required"`` would be shorter, but several vendors refuse it: their thinking modes take ``auto``
        only.

        Args:
            messages: The whole prompt.
            shape: What the arguments must be.
            tool: The tool that has them.
            language: Of the complaint about an answer that cannot be used.
            role: Who is asked.
            tags: Marks on the streamed chunks.
            mark: How much of it is shown: ``INTERNAL`` nothing, ``SHAPED`` what the model thinks.

        Returns:
            The shape and the message that held it.

        Raises:
            ModelError: Twice no usable call.
            LimitError: The run may spend no more.
        """
        prompt = list(messages)
        reason = ""
        for _ in range(2):
            answer = await self.say(role, prompt, [tool], tags=[*tags, mark])
            call = next((call for call in answer.tool_calls if call["name"] == tool["function"]["name"]), None)
            if call is not None and not is_cut(answer):
                try:
                    return shape.model_validate(call["args"]), answer
                except ValidationError as error:
                    reason = "; ".join(f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors())
            else:
                reason = "no whole call"
            complaint = text(language, "plan.call_again", tool=tool["function"]["name"], reason=reason)
            prompt = [*messages, HumanMessage(f"{PREFIX}{complaint}")]
        asked = name_of(self.models.of(role)[0])
        raise ModelError("model_nonsense", model=asked, reason=reason)


def speaker_of(tags: Sequence[str]) -> tuple[str | None, str | None] | None:
    """Who says what a call with these tags brings: agent and item, both ``None`` for the reply; else nobody."""
    if "reply" in tags:
        return None, None
    if "planner" in tags:
        return "planner", None
    named = dict(tag.split(":", 1) for tag in tags if ":" in tag)
    return (named["agent"], named.get("todo")) if "agent" in named else None


def name_of(model: BaseChatModel) -> str:
    """What the model calls itself, for messages."""
    for attribute in ("model_name", "model", "name"):
        if value := getattr(model, attribute, None):
            return str(value)
    return type(model).__name__
