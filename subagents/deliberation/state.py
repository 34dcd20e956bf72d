"""What a deliberation keeps: question, answers, reviews, round (C16), and what goes in and comes out."""

from __future__ import annotations

from typing import Any

from typing_extensions import TypedDict

from subagents.state import Brief, SubagentOutput
from tools.domain.todos import Todo


class Question(TypedDict):
    """What is asked of a deliberation that runs by itself."""

    question: str


class Outcome(TypedDict):
    """What it gives back then."""

    result: dict[str, Any]
    """A ``DeliberationResult``."""


class Instruction(TypedDict):
    """What the moderator tells the expert (C03)."""

    understanding: str
    constraints: list[str]
    aspects: list[str]


class DeliberationState(SubagentOutput, total=False):
    """The state of one question at work.

    All values are plain data, replaced whole by each step: at most five rounds are kept, so nothing grows.
    """

    item: Todo
    """The todo item, when the planner dispatched it; written by the dispatch."""
    brief: Brief
    """What may be known of the run: sent by the dispatch, or made by the first step."""
    question: str
    """As the user asked it; every prompt repeats it (C13)."""
    instruction: Instruction
    """What an answer has to keep to, from the moderator."""
    facts: list[dict[str, Any]]
    """What is known: the day's load, conflicts, free time and weather, notes, and, with its ``round``, what the expert
    looked up; ``records.facts_shown`` is what of it prompts hold."""
    round: int
    """The round at work, from 1."""
    answers: list[dict[str, Any]]
    """The expert's answers, one a round."""
    reviews: list[dict[str, Any]]
    """The rounds' records (``ReviewRecord``), one a round."""
    advice: str
    """The moderator's words to the expert for the next round."""
    summary: str
    """The moderator's summary of all rounds so far; it replaces the one before (C14)."""
    stop: str
    """Why it is over (``Stop``); empty while it goes on."""
    result: dict[str, Any]
    """The ``DeliberationResult``."""
    failure: str
    """Why there is no answer at all, in the user's language."""
