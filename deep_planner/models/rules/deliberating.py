"""The roles of a deliberation (seed 002), as far as rules go: what can be computed is argued, the rest is named.

The expert argues from the facts of its prompt and, once a critic asks for another day, from what its tools tell. The
critic and the moderator check form: whether an alternative is missing, whether a quote is there, whether the answer
keeps to the question. Each says that opinions need a model.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.messages import BaseMessage, ToolMessage
from rapidfuzz import fuzz

from deep_planner.models.rules.reading import Said, Situation, ToolUse, call, prompt_language
from deep_planner.models.rules.sorting import ANY_DAY
from deep_planner.models.rules.tables import Act, tables
from deep_planner.models.rules.understanding import understand
from deep_planner.models.rules.weighing import Day, Grade, looked_up, weighed
from deep_planner.models.rules.wording import sentences, spoken
from tools.core.text import Language, language_of, text
from tools.domain.cities import find_city
from tools.domain.times import find_whens

#: Which fact answers a question that only asks.
ANSWERED_BY = {Act.WEATHER: "weather", Act.FREE: "free", Act.SCHEDULE: "load"}
#: The marks that a review gives by form alone.
PASSING, LACKING, EMPTY = 90, 70, 50
#: So much of a question must be in an answer, of 100, for the two to be about the same.
SAME_MATTER = 40


@dataclass(frozen=True, slots=True)
class Matter:
    """What a role is given."""

    given: dict[str, Any]
    language: Language

    @property
    def question(self) -> str:
        """As the user asked it."""
        return str(self.given["question"])

    @property
    def weathered(self) -> bool:
        """Whether the weather touches it."""
        return bool(tables(language_of(self.question)).optional("weathered").search(self.question))

    @property
    def place(self) -> dict[str, str]:
        """The city that it names, as an argument of a tool; nothing when it is the user's own."""
        mention = find_city(self.question)
        return {"city": mention.city.name(self.language)} if mention else {}

    def say(self, name: str, **facts: object) -> str:
        """A sentence."""
        return text(self.language, f"deliberation.weigh.{name}", **facts)

    def text(self, parts: Sequence[str]) -> str:
        """Sentences one after another."""
        return sentences(parts, self.language)

    def join(self, parts: Sequence[str]) -> str:
        """Parts of one sentence."""
        return self.say("join").join(parts)


def _matter(messages: Sequence[BaseMessage]) -> Matter:
    return Matter(json.loads(messages[1].text), prompt_language(messages))


def frame(messages: Sequence[BaseMessage]) -> Said:
    """The moderator's reading: a question that only asks for a fact is answered with it."""
    matter = _matter(messages)
    understanding = matter.say("understanding", question=matter.question)
    situation = Situation(ANY_DAY.astimezone(ZoneInfo("UTC")), language_of(matter.question))
    days = [when.text for when in find_whens(matter.question, situation.now, situation.zone)]
    told = {"understanding": understanding, "constraints": days}
    if answer := _plain_answer(matter, situation):
        return call("frame_question", complexity="simple", answer=answer, **told)
    aspects = matter.say("aspects").split(matter.say("join"))
    return call("frame_question", complexity="complex", aspects=aspects, **told)


def _plain_answer(matter: Matter, situation: Situation) -> str:
    if tables(language_of(matter.question)).optional("weigh").search(matter.question):
        return ""
    wanted = {ANSWERED_BY.get(found.act, "") for found in understand(matter.question, situation)}
    facts = [fact["message"] for fact in matter.given["facts"] if fact["kind"] in wanted - {""}]
    return " ".join(spoken(fact, matter.language) for fact in facts)


def expert(messages: Sequence[BaseMessage]) -> Said:
    """An answer from the facts; after criticism, the same answer with another day beside it."""
    matter = _matter(messages)
    days = weighed(matter.given["facts"], matter.language, weathered=matter.weathered)
    issues = matter.given.get("criticism", ())
    if not (issues and days):
        return call("submit_answer", **_answer(matter, days))
    after = date.fromisoformat(days[-1].date) + timedelta(days=1)
    results = {str(m.name): json.loads(m.text) for m in messages if isinstance(m, ToolMessage) and _is_json(m.text)}
    if not results:
        looks = [ToolUse("find_free_slots", {"date": after.isoformat()})]
        if matter.weathered:
            looks.append(ToolUse("get_weather", {"date": after.isoformat(), **matter.place}))
        return Said(calls=looks)
    other = looked_up(after.isoformat(), results, matter.language, weathered=matter.weathered)
    return call("submit_answer", **_mended(matter, days, other, str(issues[0]["id"])))


def _answer(matter: Matter, days: list[Day]) -> dict[str, Any]:
    pros = [matter.say("pro", point=point) for day in days for point in day.pros]
    cons = [matter.say("con", point=point) for day in days for point in day.cons]
    facts = [spoken(fact["message"], matter.language) for fact in matter.given["facts"]]
    unknown = [reason for day in days for reason in day.unknown]
    sure = 0.1 if not days else 0.4 if unknown or any(day.grade is Grade.MIXED for day in days) else 0.6
    return {
        "version": matter.given["version"],
        "understanding": matter.say("understanding", question=matter.question),
        "key_points": [*pros, *cons] or [matter.say("no_points")],
        "detail": matter.text(facts) if days else matter.say("detail_none"),
        "conclusion": _conclusion(matter, days),
        "confidence": sure,
        "limits": [*unknown, matter.say("computed")],
        "change_log": [],
    }


def _conclusion(matter: Matter, days: list[Day]) -> str:
    if not days:
        return matter.say("nothing")
    each = [matter.say(day.grade.name.lower(), day=spoken(day.date, matter.language)) for day in days]
    if len(days) > 1:
        first, second, *_ = sorted(days, key=lambda day: -day.grade)
        clear = first.grade > second.grade
        day = spoken(first.date, matter.language)
        each.append(matter.say("best_day", day=day) if clear else matter.say("no_difference"))
    return matter.text(each)


def _mended(matter: Matter, days: list[Day], other: Day, issue: str) -> dict[str, Any]:
    """The last version with the day after as an alternative, and nothing else changed (C10)."""
    day, before = spoken(other.date, matter.language), matter.given["answer"]
    points = matter.join([*other.pros, *other.cons, *other.unknown]) or matter.say("no_points")
    better = other.grade > max(each.grade for each in days)
    name = "no_better" if not better else "perhaps" if other.unknown else "better"
    closing = matter.say(name, day=day)
    return {
        **before,
        "version": matter.given["version"],
        "key_points": [*before["key_points"], matter.say("other", points=points)],
        "conclusion": matter.text([before["conclusion"], closing]),
        "change_log": [matter.say("changed", id=issue, day=day)],
    }


def critic(messages: Sequence[BaseMessage]) -> Said:
    """A review of form: an answer that says no has to name another day."""
    matter = _matter(messages)
    answer = matter.given["answer"]
    conclusion = answer["conclusion"]
    offers = matter.say("mark_better") in conclusion or any(
        point.startswith(matter.say("mark_other")) for point in answer["key_points"]
    )
    lacking = matter.say("mark_poor") in conclusion and not offers
    empty = matter.say("mark_nothing") in conclusion
    issues = [
        {
            "dimension": "completeness",
            "severity": "major",
            "quote": conclusion,
            "problem": matter.say("problem"),
            "suggestion": matter.say("suggestion"),
        }
    ]
    score = LACKING if lacking else EMPTY if empty else PASSING
    return call(
        "submit_review",
        version=answer["version"],
        score=score,
        scores={"logic": PASSING, "facts": PASSING, "completeness": score, "relevance": PASSING},
        status="revise" if lacking or empty else "pass",
        issues=issues if lacking else [],
        strengths=[matter.say("strength")],
        suggestions=[matter.say("formal")],
        confidence=0.3,
    )


def judge(messages: Sequence[BaseMessage]) -> Said:
    """Whether the answer is about the question, and whether each quote is there."""
    matter = _matter(messages)
    answer, criticism = matter.given["answer"], matter.given["criticism"]
    words = "\n".join([answer["understanding"], *answer["key_points"], answer["detail"], answer["conclusion"]])
    near = fuzz.partial_ratio(matter.question.lower(), words.lower()) >= SAME_MATTER
    verdicts = [{"issue": each["id"], "stands": each["quote"] in words} for each in criticism]
    advice = matter.join([each["suggestion"] for each in criticism])
    summary = matter.say("summary", round=answer["version"], conclusion=answer["conclusion"])
    return call("judge_round", on_topic=near, verdicts=verdicts, advice=advice, summary=summary)


def final(messages: Sequence[BaseMessage]) -> Said:
    """The best answer as it is: rules have nothing to add to it."""
    return call("submit_final", **_matter(messages).given["answer"], change_log=[])


def _is_json(words: str) -> bool:
    return words.startswith("{")
