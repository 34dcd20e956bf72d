"""How the three speak: what a prompt is made of, who is asked, what the stream is told.

Who is asked: expert and moderator are the strong model, the critic is the light one. The expert's answer and the
moderator's final words are what the user reads, and a weak moderator would wave invented faults through. The critic's
claims are checked twice, by code (quotes) and by the moderator, so the cheaper model may make them; and a model of its
own does not share the expert's blind spots.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeVar

from langchain_core.messages import AnyMessage, HumanMessage, SystemMessage
from langgraph.runtime import Runtime
from pydantic import BaseModel

from subagents.check import whole_calls
from subagents.deliberation.lookups import Lookups
from subagents.deliberation.schemas import SUBMIT_ANSWER, Answer
from subagents.deliberation.state import DeliberationState
from subagents.history import PREFIX
from subagents.spec import prompt, with_instructions
from subagents.state import Brief
from subagents.surroundings import Surroundings
from subagents.telling import call_finished
from subagents.thinking import SHAPED, Asking, Role
from tools.core.clock import Clock
from tools.core.context import Call, Operation, digest
from tools.core.run_settings import PlannerContext
from tools.core.text import language_of, text

Shape = TypeVar("Shape", bound=BaseModel)
#: From a call and the words of a question to what is known of its days, as plain data.
FactSource = Callable[[Call, str], Awaitable[Sequence[Mapping[str, Any]]]]

#: The item that a deliberation without a plan works on.
ALONE = "deliberation"
#: Turns in which the expert may look things up before it has to answer.
MOST_LOOKUPS = 3
#: Facts from the start, and those of each round's look-ups: the prompts stay flat (C14).
MOST_FACTS, MOST_FOUND = 16, 6
#: Characters of a note or a tool's answer among them.
LONGEST_NOTE = 1_500
#: The steps whose words the user reads; the settings' ``instructions`` are for them (D20).
WORDED = ("frame", "expert", "final")
#: Which role of the models plays whom; see the module.
PLAYED_BY: Mapping[str, Role] = {"moderator": "strong", "expert": "strong", "critic": "light"}


@dataclass(frozen=True, slots=True)
class Means:
    """What a deliberation is made of.

    Attributes:
        around: Models and settings.
        lookups: The expert's reading tools.
        facts: What is known of the days that a question names.
        clock: The time of a question that no plan brings.
        new_id: Mints the name under which such a question is counted.
    """

    around: Surroundings
    lookups: Lookups
    facts: FactSource
    clock: Clock
    new_id: Callable[[], str]


@dataclass(frozen=True, slots=True)
class Voices:
    """The way of one step to its model, to the facts and to the stream."""

    means: Means
    state: DeliberationState
    runtime: Runtime[PlannerContext]

    @property
    def item(self) -> str:
        """The todo item, or the stand-in of a question without a plan."""
        return self.state["item"]["id"] if "item" in self.state else ALONE

    @property
    def settings(self) -> PlannerContext:
        """The run's settings."""
        return self.means.around.context(self.runtime)

    def asking(self) -> Asking:
        """The way to the models, within the run's budget."""
        return self.means.around.asking(self.runtime, self.state["brief"], self.item)

    async def shaped(
        self, who: str, name: str, said: dict[str, Any], shape: type[Shape], tool: dict[str, Any]
    ) -> Shape:
        """One structured answer of a role to one JSON object.

        Raises:
            ModelError: Twice no usable answer.
            LimitError: The run may spend no more.
        """
        found, _ = await self.asking().shaped(
            self._opening(name, said),
            shape,
            tool,
            self.state["brief"]["language"],
            role=PLAYED_BY[who],
            tags=self._tags(who),
            mark=SHAPED,
        )
        return found

    async def expert(self, said: dict[str, Any], complaint: str = "") -> tuple[Answer, list[dict[str, Any]]]:
        """The expert's answer, and the facts that it looked up on the way (C17).

        Args:
            said: What it works on.
            complaint: Why its last try was not taken.
        """
        brief, lookups, asking = self.state["brief"], self.means.lookups, self.asking()
        language, found = brief["language"], list[dict[str, Any]]()
        messages = self._opening("expert", said)
        if complaint:
            messages.append(HumanMessage(f"{PREFIX}{complaint}"))
        shapes = lookups.shapes(language) | {SUBMIT_ANSWER["function"]["name"]: Answer}
        for _ in range(MOST_LOOKUPS):
            tools = [SUBMIT_ANSWER, *lookups.schemas(brief)]
            told = await asking.say(PLAYED_BY["expert"], messages, tools, tags=[*self._tags("expert"), SHAPED])
            checked = whole_calls(told, shapes, language, messages)
            refused = {refusal.tool_call_id for refusal in checked.refusals}
            calls = [call for call in checked.stored.tool_calls if call["id"] not in refused]
            submitted = next((call for call in calls if call["name"] == SUBMIT_ANSWER["function"]["name"]), None)
            if submitted is not None:
                return Answer.model_validate(submitted["args"]), found
            if not checked.stored.tool_calls:
                break  # words alone: asked again below, and not shown them, for a prompt must not end with an answer
            messages += [checked.stored, *checked.refusals]
            context = self.settings.run_context(brief["now"], language)
            for call in calls:
                answer, fact = await lookups.answer(call, brief, context, asking.budget, self.item)
                self.runtime.stream_writer(call_finished(call, answer, "expert", self._todo()))
                messages.append(answer)
                found += [_short(fact)] if fact else []
        answered, _ = await asking.shaped(
            messages, Answer, SUBMIT_ANSWER, language, role=PLAYED_BY["expert"], tags=self._tags("expert"), mark=SHAPED
        )
        return answered, found

    async def facts(self) -> list[dict[str, Any]]:
        """What is known before anyone thinks: the days that the question names, and the notes it depends on."""
        brief, words = self.state["brief"], self.state["question"]
        context = self.settings.run_context(brief["now"], brief["language"])
        operation = Operation(brief["thread"], brief["request"], self.item, "facts", digest({"words": words}), 0)
        call = Call(context, operation)
        found = await self.means.facts(call, words) or await self.means.facts(call, brief["text"])
        notes = [
            {"kind": "note", "name": parent["note"], "message": brief["notes"][parent["note"]]}
            for parent in brief["parents"]
            if parent["note"] in brief["notes"]
        ]
        return [_short(fact) for fact in (*found, *notes)][:MOST_FACTS]

    def step(self, name: str, /, **facts: object) -> str:
        """A sentence about a step, in the language of the question."""
        return text(self.state["brief"]["language"], f"deliberation.step.{name}", **facts)

    def tell(self, who: str, step: str, words: str, *, score: int | None = None, stopped: str | None = None) -> None:
        """Let the run's stream know of a step."""
        about = {"agent": who, "todo_id": self._todo(), "round": self.state.get("round", 0)}
        told = {"type": "deliberation:step", "step": step, "words": words, "score": score, "stopped": stopped}
        self.runtime.stream_writer({**about, **told})

    def _todo(self) -> str | None:
        return self.item if "item" in self.state else None

    def _tags(self, who: str) -> list[str]:
        return [f"agent:{who}", *([f"todo:{self.item}"] if "item" in self.state else [])]

    def _opening(self, name: str, said: dict[str, Any]) -> list[AnyMessage]:
        """A role and one JSON object, in which the question always comes first (C13)."""
        system = prompt("subagents", self.state["brief"]["language"], f"deliberation_{name}").substitute()
        system = with_instructions(system, self.settings.instructions if name in WORDED else "")
        return [SystemMessage(system), HumanMessage(json.dumps(said, ensure_ascii=False))]


def _short(fact: Mapping[str, Any]) -> dict[str, Any]:
    """A fact as it is told to those after: data that would fill their prompts are left to the message."""
    long = len(json.dumps(fact.get("data"), ensure_ascii=False)) > LONGEST_NOTE
    kept = {name: value for name, value in fact.items() if not (long and name == "data")}
    return {**kept, "message": str(fact["message"])[:LONGEST_NOTE]}


def own_brief(question: str, means: Means, runtime: Runtime[PlannerContext]) -> Brief:
    """What a question without a plan brings: itself, the moment, and the thread that a server runs it on."""
    settings = means.around.context(runtime)
    language = settings.language or language_of(question)
    thread = runtime.execution_info.thread_id if runtime.execution_info else None
    return Brief(
        thread=thread or means.new_id(),
        request=1,
        turn=1,
        text=question,
        now=settings.run_context(means.clock.now(), language).now.isoformat(),
        language=language,
        notes={},
        parents=[],
        groups=[],
        last_turn="",
    )
