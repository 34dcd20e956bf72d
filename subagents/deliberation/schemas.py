"""What moderator, expert and critic say to each other: structured, never free text (seed 002 section 5.1)."""

from __future__ import annotations

from enum import StrEnum
from typing import Any, Literal

from langchain_core.utils.function_calling import convert_to_openai_tool
from pydantic import BaseModel, Field

from tools.toolkits.making import slim

#: Characters of the moderator's summary of a round that are kept: the prompts stay flat (C14).
LONGEST_SUMMARY = 400
#: Issues of one review that are read; more than these nobody can mend in one round.
MOST_ISSUES = 12


class Dimension(StrEnum):
    """What an answer is reviewed for (C07)."""

    LOGIC = "logic"
    FACTS = "facts"
    COMPLETENESS = "completeness"
    RELEVANCE = "relevance"


class Framing(BaseModel):
    """The moderator's reading of a question (C02, C03): how hard it is, and what an answer must keep to."""

    complexity: Literal["simple", "complex"]
    understanding: str = Field(min_length=1)
    constraints: list[str] = Field(default_factory=list)
    aspects: list[str] = Field(default_factory=list, description="What a whole answer has to speak of.")
    answer: str | None = Field(None, description="The answer itself, when the question is simple.")


class Answer(BaseModel):
    """An expert's answer (C05). ``confidence`` is between 0 and 1; ``version`` counts from 1."""

    version: int = Field(1, ge=1)
    understanding: str
    key_points: list[str] = Field(min_length=1)
    detail: str
    conclusion: str = Field(min_length=1)
    confidence: float = Field(ge=0, le=1)
    limits: list[str] = Field(default_factory=list)
    change_log: list[str] = Field(default_factory=list, description="What is changed since the last version, and why.")

    @property
    def passages(self) -> list[str]:
        """All that may be quoted; the change log is about the answer, no part of it."""
        return [self.understanding, *self.key_points, self.detail, self.conclusion, *self.limits]

    @property
    def words(self) -> str:
        """The answer as one text."""
        return "\n".join(self.passages)


class Issue(BaseModel):
    """One criticism: where, what is wrong, and what would mend it (C07, C08)."""

    id: str = Field("", description="Left empty: the moderator numbers the issues.")
    dimension: Dimension
    severity: Literal["major", "minor"] = "major"
    quote: str = Field(description="Words of the answer, copied letter by letter.")
    problem: str = Field(min_length=1)
    suggestion: str = Field(min_length=1)


class Scores(BaseModel):
    """The marks of the four dimensions, 0 to 100 (C07)."""

    logic: int = Field(ge=0, le=100)
    facts: int = Field(ge=0, le=100)
    completeness: int = Field(ge=0, le=100)
    relevance: int = Field(ge=0, le=100)


class Review(BaseModel):
    """A critic's review (C06). ``version`` is that of the answer; scores are 0 to 100, ``confidence`` 0 to 1."""

    version: int = Field(1, ge=1)
    score: int = Field(ge=0, le=100)
    scores: Scores
    status: Literal["pass", "revise"]
    issues: list[Issue] = Field(default_factory=list)
    strengths: list[str] = Field(default_factory=list)
    suggestions: list[str] = Field(default_factory=list)
    confidence: float = Field(ge=0, le=1)


class Verdict(BaseModel):
    """The moderator's second look at one criticism (C09)."""

    issue: str = Field(description="Its id.")
    stands: bool
    reason: str = ""


class Judgement(BaseModel):
    """What the moderator makes of a round: relevance, criticisms, advice, summary (C09, C13, C14)."""

    on_topic: bool
    verdicts: list[Verdict] = Field(default_factory=list)
    advice: str = ""
    summary: str = ""


class Stop(StrEnum):
    """Why a deliberation ended; each value is a key of ``[stop]`` in ``text/*/deliberation.toml``."""

    SIMPLE = "simple"
    PASSED = "passed"
    UNFOUNDED = "unfounded"
    SCORE = "score"
    SIMILAR = "similar"
    SETTLING = "settling"
    ROUNDS = "rounds"
    LIMIT = "limit"
    MODEL = "model"


class ReviewRecord(BaseModel):
    """One round as it is told afterwards.

    Attributes:
        review: What the critic said, without the criticisms that did not stand.
        dropped_quotes: Criticisms that quoted what the answer does not say.
        rejected: Criticisms that the moderator found to be invented, each with the reason.
        new_issues: Those that stand and that no round before had.
        on_topic: The answer speaks of the question.
        likeness: How alike the answer and the round before, or the version that it mends, are, 0 to 1, whichever is
            more; 0 for the first.
    """

    review: Review
    dropped_quotes: int = 0
    rejected: list[str] = Field(default_factory=list)
    new_issues: int = 0
    on_topic: bool = True
    likeness: float = 0.0


class DeliberationResult(BaseModel):
    """What came of a question.

    Attributes:
        question: As it was asked.
        answer: The final answer, the best of all rounds; its change log is that of all rounds (C15).
        reviews: One record for each round; empty for a simple question.
        rounds: How many rounds there were.
        stopped: Why it ended.
        dropped_quotes: Criticisms of all rounds that quoted what no answer said (N11).
        facts: What was known of the day and of the notes.
    """

    question: str
    answer: Answer
    reviews: list[ReviewRecord] = Field(default_factory=list)
    rounds: int = 0
    stopped: Stop
    dropped_quotes: int = 0
    facts: list[dict[str, Any]] = Field(default_factory=list)


def _tool(name: str, shape: type[BaseModel]) -> dict[str, Any]:
    tool = convert_to_openai_tool(shape)
    tool["function"] |= {"name": name, "parameters": slim(tool["function"]["parameters"])}
    return tool


FRAME = _tool("frame_question", Framing)
SUBMIT_ANSWER = _tool("submit_answer", Answer)
SUBMIT_REVIEW = _tool("submit_review", Review)
JUDGE = _tool("judge_round", Judgement)
SUBMIT_FINAL = _tool("submit_final", Answer)
