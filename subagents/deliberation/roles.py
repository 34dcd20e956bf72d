"""The four steps: the moderator frames, the expert answers, the critic reviews, the moderator judges (C01)."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from langgraph.runtime import Runtime

from subagents.deliberation.quotes import quoted
from subagents.deliberation.records import answers_of, best, concluded, facts_shown, issues_before, records_of
from subagents.deliberation.schemas import (
    FRAME,
    JUDGE,
    LONGEST_SUMMARY,
    MOST_ISSUES,
    SUBMIT_ANSWER,
    SUBMIT_FINAL,
    SUBMIT_REVIEW,
    Answer,
    DeliberationResult,
    Framing,
    Issue,
    Judgement,
    Review,
    ReviewRecord,
    Stop,
)
from subagents.deliberation.state import DeliberationState
from subagents.deliberation.stopping import REWRITTEN, likeness, new_issues, reason_to_stop
from subagents.deliberation.voices import MOST_FOUND, Means, Voices, own_brief
from tools.core.errors import LimitError, ModelError
from tools.core.run_settings import PlannerContext
from tools.core.text import text


class Roles:
    """The steps."""

    def __init__(self, means: Means) -> None:
        self._means = means

    async def moderator_init(self, state: DeliberationState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Gather what is known, judge how hard the question is, say what an answer has to keep to (C02, C03)."""
        if "item" in state:
            brief, question = state["brief"], state["item"]["content"]
        else:
            question = state["question"]
            brief = own_brief(question, self._means, runtime)
        # A question before this one on the same thread leaves nothing behind.
        update: dict[str, Any] = {"brief": brief, "question": question, "answers": [], "reviews": [], "round": 0}
        update |= {"advice": "", "summary": "", "stop": "", "result": {}, "failure": ""}
        voices = Voices(self._means, _with(state, update), runtime)
        update["facts"] = await voices.facts()
        said = {"question": question, "facts": update["facts"]}
        framing = await voices.shaped("moderator", "frame", said, Framing, FRAME)
        voices.tell("moderator", "framed", voices.step("framed", words=framing.understanding))
        update["instruction"] = framing.model_dump(include={"understanding", "constraints", "aspects"})
        if framing.complexity == "simple" and framing.answer:
            update["answers"] = [_direct(framing).model_dump(mode="json")]
            state = _with(state, update)
            result = concluded(state, Stop.SIMPLE, brief["language"])
            update |= self.over(state, runtime, Stop.SIMPLE, result)
        return update

    async def expert_generate(self, state: DeliberationState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Answer, or mend the best answer where the criticism that stands says so (C10)."""
        number, before = state["round"] + 1, answers_of(state)
        state = _with(state, {"round": number})
        said: dict[str, Any] = {"question": state["question"], "instruction": state["instruction"]}
        said["facts"] = facts_shown(state["facts"])
        voices = Voices(self._means, state, runtime)
        if before:
            records = records_of(state)
            place = best(before, records)
            said |= {"answer": _shown(before[place]), "criticism": _listed(records[place])}
            said |= {"advice": state["advice"], "summary": state["summary"]}
            answer, found = await self._mended(voices, {**said, "version": number}, before[place], records[place])
        else:
            answer, found = await voices.expert({**said, "version": number})
        answer = answer.model_copy(update={"version": number})
        voices.tell("expert", "answered", voices.step("answered", round=number, words=answer.conclusion))
        answers = [*state["answers"], answer.model_dump(mode="json")]
        found = [{**fact, "round": number} for fact in found[-MOST_FOUND:]]
        return {"round": number, "answers": answers, "facts": [*state["facts"], *found]}

    async def _mended(
        self, voices: Voices, said: dict[str, Any], base: Answer, record: ReviewRecord
    ) -> tuple[Answer, list[dict[str, Any]]]:
        """A targeted change of the base (C10). A rewrite is refused once; the second time the base stands.

        An answer that had left the topic may be rewritten.
        """
        language, complaint = voices.state["brief"]["language"], ""
        found: list[dict[str, Any]] = []
        for _ in range(2):
            answer, more = await voices.expert(said, complaint)
            found += more
            if answer.change_log and (not record.on_topic or likeness(base, answer) >= REWRITTEN):
                return answer, found
            complaint = text(language, "deliberation.rewritten", tool=SUBMIT_ANSWER["function"]["name"])
        kept = text(language, "deliberation.kept", version=said["version"])
        return base.model_copy(update={"change_log": [kept]}), found

    async def critic_review(self, state: DeliberationState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Review the answer. The critic is shown the question and the answer alone, and changes nothing (C04)."""
        answers = answers_of(state)
        answer = answers[-1]
        voices = Voices(self._means, state, runtime)
        said = {"question": state["question"], "answer": _shown(answer)}
        review = await voices.shaped("critic", "critic", said, Review, SUBMIT_REVIEW)
        issues, dropped = quoted(review.issues, answer)
        issues = [issue.model_copy(update={"id": f"i{n}"}) for n, issue in enumerate(issues[:MOST_ISSUES], start=1)]
        review = review.model_copy(update={"version": answer.version, "issues": issues})
        before = answers[:-1]
        nearest = {len(before) - 1, best(before, records_of(state))} if before else set()
        alike = max((likeness(answers[place], answer) for place in nearest), default=0.0)
        record = ReviewRecord(review=review, dropped_quotes=dropped, likeness=alike)
        facts = {"round": state["round"], "score": review.score, "count": len(issues), "dropped": dropped}
        voices.tell("critic", "reviewed", voices.step("reviewed", **facts), score=review.score)
        return {"reviews": [*state["reviews"], record.model_dump(mode="json")]}

    async def moderator_synthesize(self, state: DeliberationState, runtime: Runtime[PlannerContext]) -> dict[str, Any]:
        """Check relevance and criticisms, sum the round up; at the end, give the final answer (C09, C13-C15)."""
        records = records_of(state)
        voices = Voices(self._means, state, runtime)
        said: dict[str, Any] = {
            "question": state["question"],
            "facts": facts_shown(state["facts"]),
            "answer": _shown(answers_of(state)[-1]),
        }
        said |= {"criticism": _listed(records[-1]), "summary": state["summary"]}
        judged = await voices.shaped("moderator", "judge", said, Judgement, JUDGE)
        records[-1] = _judged(records[-1], judged, issues_before(records[:-1]))
        update: dict[str, Any] = {
            "reviews": [record.model_dump(mode="json") for record in records],
            "advice": judged.advice[:LONGEST_SUMMARY],
            "summary": judged.summary[:LONGEST_SUMMARY],
        }
        where = voices.step("on_topic" if judged.on_topic else "off_topic")
        stands = len(records[-1].review.issues)
        voices.tell("moderator", "judged", voices.step("judged", round=state["round"], stands=stands, words=where))
        most, enough = voices.settings.deliberation_rounds, voices.settings.deliberation_score
        stop = reason_to_stop(records, most_rounds=most, enough=enough)
        if stop is not None:
            update |= await self._concluded(_with(state, update), runtime, stop)
        return update

    async def _concluded(
        self, state: DeliberationState, runtime: Runtime[PlannerContext], stop: Stop
    ) -> dict[str, Any]:
        """The final answer: the only version as it is, or the moderator's merging of several (C15)."""
        answers, records, final = answers_of(state), records_of(state), None
        if len(answers) > 1:
            place = best(answers, records)
            said: dict[str, Any] = {"question": state["question"], "answer": _shown(answers[place])}
            said |= {
                "summary": state["summary"],
                "strengths": records[place].review.strengths,
                "criticism": _listed(records[place]),
            }
            try:
                voices = Voices(self._means, state, runtime)
                final = await voices.shaped("moderator", "final", said, Answer, SUBMIT_FINAL)
            except (ModelError, LimitError):
                final = None  # the best answer stands as it is: nothing is lost
        return self.over(state, runtime, stop, concluded(state, stop, state["brief"]["language"], final))

    def over(
        self, state: DeliberationState, runtime: Runtime[PlannerContext], stop: Stop, result: dict[str, Any]
    ) -> dict[str, Any]:
        """Say why it is over; a question that no plan brought is done with what it may spend."""
        language = state["brief"]["language"]
        words = text(language, "deliberation.step.concluded", words=text(language, f"deliberation.stop.{stop.value}"))
        Voices(self._means, state, runtime).tell("moderator", "concluded", words, stopped=stop.value)
        if "item" not in state:
            self._means.around.forget(state["brief"])
        return {"stop": stop.value, "result": result}

    def cut_off(
        self, state: DeliberationState, runtime: Runtime[PlannerContext], error: ModelError | LimitError
    ) -> dict[str, Any]:
        """End with the best answer so far when no model can be asked any more.

        Raises:
            PlannerError: There is no answer yet; the error that was given.
        """
        if not state.get("answers") or state.get("stop"):
            raise error
        stop = Stop.LIMIT if isinstance(error, LimitError) else Stop.MODEL
        return self.over(state, runtime, stop, concluded(state, stop, state["brief"]["language"]))


def result_of(state: Mapping[str, Any]) -> DeliberationResult:
    """What came of it."""
    return DeliberationResult.model_validate(state["result"])


def _judged(record: ReviewRecord, judged: Judgement, before: list[Issue]) -> ReviewRecord:
    """The record without the criticisms that the moderator found invented (C09); those it says nothing of stand."""
    invented = {verdict.issue: verdict.reason for verdict in judged.verdicts if not verdict.stands}
    issues = [issue for issue in record.review.issues if issue.id not in invented]
    rejected = [f"{i.problem}: {invented[i.id]}" for i in record.review.issues if i.id in invented]
    review = record.review.model_copy(update={"issues": issues})
    update = {"review": review, "rejected": rejected, "on_topic": judged.on_topic}
    return record.model_copy(update={**update, "new_issues": new_issues(issues, before)})


def _direct(framing: Framing) -> Answer:
    """The moderator's own answer to a simple question."""
    words = str(framing.answer)
    return Answer(understanding=framing.understanding, key_points=[words], detail=words, conclusion=words, confidence=1)


def _shown(answer: Answer) -> dict[str, Any]:
    """An answer as the others read it; its change log stays with the records (C14)."""
    return answer.model_dump(mode="json", exclude={"change_log"})


def _listed(record: ReviewRecord) -> list[dict[str, Any]]:
    return [issue.model_dump(mode="json") for issue in record.review.issues]


def _with(state: DeliberationState, update: dict[str, Any]) -> DeliberationState:
    return cast(DeliberationState, {**state, **update})
