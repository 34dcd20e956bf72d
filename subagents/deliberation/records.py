"""What is carried from round to round, and what comes out at the end (C14, C15)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from subagents.deliberation.schemas import Answer, DeliberationResult, Issue, ReviewRecord, Stop
from subagents.deliberation.state import DeliberationState
from tools.core.text import Language, text


def answers_of(state: DeliberationState) -> list[Answer]:
    """The answers so far, one a round."""
    return [Answer.model_validate(answer) for answer in state.get("answers", ())]


def records_of(state: DeliberationState) -> list[ReviewRecord]:
    """The rounds' records; one fewer than the answers while the last one has not been reviewed."""
    return [ReviewRecord.model_validate(record) for record in state.get("reviews", ())]


def facts_shown(facts: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """What was known from the start, and what the last round that looked anything up has found (C14)."""
    last = max((fact["round"] for fact in facts if "round" in fact), default=0)
    return [fact for fact in facts if fact.get("round", last) == last]


def issues_before(records: list[ReviewRecord]) -> list[Issue]:
    """All criticisms of the rounds so far that stood."""
    return [issue for record in records for issue in record.review.issues]


def best(answers: list[Answer], records: list[ReviewRecord]) -> int:
    """The place of the best answer: on the topic, then the score, then the later one.

    It is what the next round mends and what the deliberation ends with: a round may make things worse. An answer that
    nobody has reviewed is the best only when there is no other.
    """
    places = range(len(records)) if records else range(len(answers))
    return max(places, key=lambda n: (records[n].on_topic, records[n].review.score, n) if records else (True, 0, n))


def concluded(state: DeliberationState, stop: Stop, language: Language, final: Answer | None = None) -> dict[str, Any]:
    """The result: the best answer, or the moderator's ``final`` one, with what all rounds add to it (C15).

    Added in code, whatever a model left out: the change log of all rounds, and as limits the major criticisms that
    still stand against the answer, or that nobody reviewed it.
    """
    answers, records = answers_of(state), records_of(state)
    place = best(answers, records)
    answer = final or answers[place]
    stands = [] if stop is Stop.PASSED or not records else records[place].review.issues
    limits = [text(language, "deliberation.open_issue", problem=i.problem) for i in stands if i.severity == "major"]
    if not records and stop is not Stop.SIMPLE:
        limits.append(text(language, "deliberation.unreviewed"))
    whole = answer.model_copy(
        update={
            "version": answers[place].version,
            "limits": list(dict.fromkeys([*answer.limits, *limits])),
            "change_log": list(dict.fromkeys(change for each in answers for change in each.change_log)),
        }
    )
    result = DeliberationResult(
        question=state["question"],
        answer=whole,
        reviews=records,
        rounds=0 if stop is Stop.SIMPLE else len(answers),
        stopped=stop,
        dropped_quotes=sum(record.dropped_quotes for record in records),
        facts=state.get("facts", []),
    )
    return result.model_dump(mode="json")


def reply_of(result: DeliberationResult, language: Language) -> str:
    """The result as a reply: conclusion, points, limits, and how it came about."""

    def say(name: str, **facts: object) -> str:
        return text(language, f"deliberation.told.{name}", **facts)

    answer, separator = result.answer, say("separator")
    lines = [say("conclusion", conclusion=answer.conclusion)]
    lines += [say("points", points=separator.join(answer.key_points))] if result.rounds else []
    lines += [say("limits", limits=separator.join(answer.limits))] if answer.limits else []
    stop = text(language, f"deliberation.stop.{result.stopped.value}")
    ended = "ended" if result.rounds else "ended_simple"
    lines.append(say(ended, rounds=result.rounds, stop=stop, confidence=answer.confidence))
    return "\n".join(lines)


def note_of(result: DeliberationResult, language: Language) -> str:
    """The result as a note for the other agents: the reply and the reasoning behind it."""
    detail = text(language, "deliberation.told.detail", detail=result.answer.detail)
    return f"{reply_of(result, language)}\n{detail}"
