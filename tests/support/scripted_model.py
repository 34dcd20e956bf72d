"""A chat model that does as it is told, and remembers every prompt that it was given.

Who is speaking is told by the bound tools (``role_of``), so that one model can play all roles of the graph. A script
is a list of steps, used up in order, or a callable that reads the prompt, as often as it is asked. A script that runs
out, or that was never written, is a fault of the test or a call that nobody expected: ``overruns`` keeps it.
"""

from __future__ import annotations

import inspect
import itertools
import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from langchain_core.callbacks import AsyncCallbackManagerForLLMRun, CallbackManagerForLLMRun
from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, AIMessageChunk, BaseMessage
from langchain_core.messages.tool import invalid_tool_call, tool_call, tool_call_chunk
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import PrivateAttr

#: Characters that a streamed piece of text holds.
PIECE = 3

ROLES = {
    "frame_question": "moderator",
    "submit_answer": "expert",
    "submit_review": "critic",
    "judge_round": "judge",
    "submit_final": "final",
    "classify_intent": "triage",
    "take_answer": "answer",
    "write_note": "note",
    "write_todo": "planner",
    "create_task": "task",
    "get_day_schedule": "calendar",
    "get_weather": "weather",
    "schedule_reminder": "notification",
}
AGENTS = ("task", "calendar", "weather", "notification")

_numbers = itertools.count(1)


@dataclass(frozen=True)
class Prompt:
    """One call as the model saw it."""

    role: str
    messages: list[BaseMessage]
    schemas: list[dict[str, Any]]
    tool_choice: str | None

    @property
    def tools(self) -> list[str]:
        return [schema["function"]["name"] for schema in self.schemas]

    @property
    def system(self) -> str:
        return self.messages[0].text

    @property
    def last(self) -> str:
        return self.messages[-1].text

    @property
    def told(self) -> dict[str, Any]:
        """The JSON object of the first human message: what a sub-agent or a light model works on."""
        found: dict[str, Any] = json.loads(self.messages[1].text)
        return found

    @property
    def text(self) -> str:
        """All that the model could read, calls and tool schemas included."""
        return json.dumps([self.plain, self.schemas], ensure_ascii=False)

    @property
    def plain(self) -> list[tuple[Any, ...]]:
        """The messages as values that can be compared."""
        return [
            (m.type, m.text, json.dumps(getattr(m, "tool_calls", [])), getattr(m, "tool_call_id", None))
            for m in self.messages
        ]


@dataclass(frozen=True)
class Call:
    """One tool call to make; ``args`` as a string is sent as it stands, whole JSON or not."""

    name: str
    args: dict[str, Any] | str
    id: str | None


@dataclass(frozen=True)
class Said:
    """An answer: words, calls, why the provider stopped, and what only a wire can tell of."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    finish: str | None = None
    reasoning: str = ""
    refusal: str | None = None


Step = Said | str | BaseException
Speaker = Callable[[Prompt], Step | Awaitable[Step]]
Script = Sequence[Step | Speaker] | Speaker


def call(name: str, /, **args: Any) -> Said:
    """An answer of one whole call with an id of its own."""
    return Said(calls=(Call(name, args, f"call-{next(_numbers)}"),))


def raw_call(name: str, args: str, *, finish: str = "tool_calls") -> Said:
    """An answer of one call whose arguments are this text."""
    return Said(calls=(Call(name, args, f"call-{next(_numbers)}"),), finish=finish)


def together(*answers: Said) -> Said:
    """Several calls in one answer."""
    return Said(calls=tuple(made for answer in answers for made in answer.calls))


class ScriptRanOutError(AssertionError):
    """A role was asked once more than its script says."""


@dataclass
class Scripts:
    """The lines of each role, and those that stand in when a test has none to say."""

    lines: dict[str, Script] = field(default_factory=dict)

    def next(self, prompt: Prompt) -> Step | Speaker:
        script = self.lines.get(prompt.role)
        if callable(script):
            return script
        if not script:
            raise ScriptRanOutError(f"nothing scripted for {prompt.role}: {prompt.plain[1:]}")
        self.lines[prompt.role] = script[1:]
        return script[0]


class ScriptedModel(BaseChatModel):
    """See the module."""

    model_name: str = "scripted"
    _scripts: Scripts = PrivateAttr(default_factory=Scripts)
    _prompts: list[Prompt] = PrivateAttr(default_factory=list)
    _overruns: list[str] = PrivateAttr(default_factory=list)

    def script(self, **lines: Script) -> None:
        """Give roles their lines; those of a role that is not named stay."""
        self._scripts.lines.update(lines)

    @property
    def overruns(self) -> list[str]:
        return self._overruns

    @property
    def prompts(self) -> list[Prompt]:
        return self._prompts

    def of(self, role: str) -> list[Prompt]:
        """The prompts of one role, in order."""
        return [prompt for prompt in self._prompts if prompt.role == role]

    @property
    def roles(self) -> list[str]:
        """Who was asked, in order."""
        return [prompt.role for prompt in self._prompts]

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Sequence[Any], *, tool_choice: str | None = None, **kwargs: Any) -> Any:
        schemas = [convert_to_openai_tool(tool) for tool in tools]
        return self.bind(schemas=schemas, tool_choice=tool_choice, **kwargs)

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: CallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        raise NotImplementedError("the graph is asynchronous")

    async def _agenerate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> ChatResult:
        said = await self._say(messages, kwargs)
        return ChatResult(generations=[ChatGeneration(message=_whole(said))])

    async def _astream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: AsyncCallbackManagerForLLMRun | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[ChatGenerationChunk]:
        for piece in _pieces(await self._say(messages, kwargs)):
            chunk = ChatGenerationChunk(message=piece)
            if run_manager:
                await run_manager.on_llm_new_token(chunk.text, chunk=chunk)
            yield chunk

    async def _say(self, messages: list[BaseMessage], options: dict[str, Any]) -> Said:
        schemas, choice = options.get("schemas") or [], options.get("tool_choice")
        prompt = Prompt(role_of(schemas, choice), list(messages), schemas, choice)
        self._prompts.append(prompt)
        try:
            step = self._scripts.next(prompt)
            while callable(step):
                step = step(prompt)
                if inspect.isawaitable(step):
                    step = await step
        except ScriptRanOutError as error:
            self._overruns.append(str(error))
            raise
        if isinstance(step, BaseException):
            raise step
        return Said(step) if isinstance(step, str) else step


def role_of(schemas: Sequence[dict[str, Any]], tool_choice: str | None) -> str:
    """Who speaks with these tools."""
    names = [schema["function"]["name"] for schema in schemas]
    if not names:
        return "parser"
    outside = "general" if any("__" in name for name in names) else "unknown"
    role = next((role for tool, role in ROLES.items() if tool in names), outside)
    return "reply" if role == "planner" and tool_choice == "none" else role


def finish_of(said: Said) -> str:
    """Why the provider says it stopped."""
    return said.finish or ("tool_calls" if said.calls else "stop")


def words_of(made: Call) -> str:
    """The arguments as a provider sends them."""
    return made.args if isinstance(made.args, str) else json.dumps(made.args, ensure_ascii=False)


def cut(words: str) -> Iterator[str]:
    """The pieces in which words are streamed."""
    return (words[start : start + PIECE] for start in range(0, len(words), PIECE))


def _whole(said: Said) -> AIMessage:
    good, bad = [], []
    for made in said.calls:
        try:
            good.append(tool_call(name=made.name, args=json.loads(words_of(made)), id=made.id))
        except ValueError as error:
            bad.append(invalid_tool_call(name=made.name, args=words_of(made), id=made.id, error=str(error)))
    return AIMessage(said.text, tool_calls=good, invalid_tool_calls=bad, response_metadata=_metadata(said))


def _metadata(said: Said) -> dict[str, str]:
    return {"finish_reason": finish_of(said), "model_name": "scripted"}


def _pieces(said: Said) -> list[AIMessageChunk]:
    pieces = [AIMessageChunk("", additional_kwargs={"reasoning_content": part}) for part in cut(said.reasoning)]
    pieces += [AIMessageChunk(part) for part in cut(said.text)]
    for index, made in enumerate(said.calls):
        chunk = tool_call_chunk(name=made.name, args=words_of(made), id=made.id, index=index)
        pieces.append(AIMessageChunk("", tool_call_chunks=[chunk]))
    return [*pieces, AIMessageChunk("", response_metadata=_metadata(said), chunk_position="last")]
