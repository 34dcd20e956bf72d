"""A plan with a way out (P23): 周六去爬山，下雨就改到周日, "hike on Saturday, if it rains move it to Sunday".

What is said first is done unless the weather is so; what is said then, only if it is. Both hang on the weather of the
first one's day. Words that only add to the plan (下雨记得带伞) leave it as it is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from deep_planner.models.rules.clauses import CLAUSE_END
from deep_planner.models.rules.conditions import FREE, taken_apart
from deep_planner.models.rules.frames import Frame
from deep_planner.models.rules.reading import Situation
from deep_planner.models.rules.tables import Act, Tables
from tools.core.text import text
from tools.domain.times import find_whens

Read = Callable[[str], list[Frame]]


def with_way_out(words: str, situation: Situation, rules: Tables, read: Read) -> list[Frame] | None:
    """The frames of a plan and of its way out; ``None`` when the request has none.

    Args:
        words: The request.
        situation: When it is made.
        rules: The tables of its language.
        read: Reads the frames of a part of it.
    """
    clauses = [clause.strip() for clause in CLAUSE_END.split(words) if clause.strip()]
    for place, clause in enumerate(clauses[1:], start=1):
        found = taken_apart(clause, rules)
        if found is None or found.condition == FREE:
            continue
        out = rules.loose_start.sub("", "，".join([found.rest, *clauses[place + 1 :]]).strip(" ，"))
        frames = read("，".join(clauses[:place]))
        plan = frames[-1] if frames else None
        if not out or plan is None or plan.act is not Act.CREATE or not plan.title:
            return None
        instead = _instead(out, plan, found.condition, situation, rules, read)
        if instead is None:
            return None
        unless = _denied(found.condition)
        return [*frames[:-1], plan if plan.condition else replace(plan, condition=unless), *instead]
    return None


def _instead(
    out: str, plan: Frame, condition: str, situation: Situation, rules: Tables, read: Read
) -> list[Frame] | None:
    """What is done in the plan's place; ``None`` if the words add to the plan instead."""
    if rules.given_up.search(out):
        return []
    frames = read(out)
    first = frames[0] if frames else None
    if first is None:
        return None
    if first.act is Act.MODIFY and not first.title and first.when:
        when = _on_day(first.when, plan.when, situation)
        named = text(situation.language, "offline.create", when=when, title=plan.title)
        moved = replace(plan, text=named, when=when, on=plan.when, condition=condition)
        return [moved, *frames[1:]]
    if first.act is Act.CREATE and rules.instead.search(out):
        when = _on_day(first.when, plan.when, situation)
        named = text(situation.language, "offline.create", when=when, title=first.title)
        return [replace(first, text=named, when=when, on=plan.when, condition=condition), *frames[1:]]
    return None


def _on_day(words: str, planned: str, situation: Situation) -> str:
    """A time without a date is on the plan's day; without any time it is the plan's time."""
    if not words or any(when.date_given for when in find_whens(words, situation.now, situation.zone)):
        return words or planned
    dated = next((when.date for when in find_whens(planned, situation.now, situation.zone) if when.date), None)
    return f"{dated.isoformat()} {words}" if dated else words


def _denied(condition: str) -> str:
    return condition.removeprefix("no_") if condition.startswith("no_") else f"no_{condition}"
