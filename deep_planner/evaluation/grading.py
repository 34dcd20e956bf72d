"""Grades a run against its case: each turn passes, or has reasons why not."""

from __future__ import annotations

from deep_planner.evaluation.answers import answer_faults, language_faults
from deep_planner.evaluation.cases import Case, Gold, Kind
from deep_planner.evaluation.differences import Found, end_faults
from deep_planner.evaluation.reasons import Reason
from deep_planner.evaluation.running import CaseRun, TurnRun
from tools.core.text import Language, language_of


class Verdict:
    """How a case went.

    Attributes:
        case: What should have happened.
        run: What happened.
        turns: The reasons of each turn; an empty list is a turn that passed.
    """

    def __init__(self, case: Case, run: CaseRun) -> None:
        self.case = case
        self.run = run
        self.turns = [turn_faults(case, run, number) for number in range(len(run.turns))]
        if run.crash is not None:
            self.turns.append([Reason("crash", {"reason": run.crash})])
        elif len(run.turns) < len(case.turns):
            self.turns.append([Reason("unfinished", {"turns": len(run.turns), "want": len(case.turns)})])

    @property
    def passed(self) -> bool:
        """Whether every turn passed."""
        return not any(self.turns)

    @property
    def first_reason(self) -> Reason | None:
        """The first thing that went wrong."""
        return next((reason for turn in self.turns for reason in turn), None)

    def intents(self) -> list[bool]:
        """For each turn that was run and names an intent: whether it was met."""
        both = zip(self.case.turns, self.run.turns, strict=False)
        return [told.intent in turn.gold.intent for turn, told in both if turn.gold.intent]


def turn_faults(case: Case, run: CaseRun, number: int) -> list[Reason]:
    """The reasons why a turn fails: under the acceptable outcome that comes nearest."""
    told, gold = run.turns[number], case.turns[number].gold
    texts = [turn.user for turn in case.turns[: number + 1]]
    found = Found(case, told.tasks, told.reminders, max(map(len, texts)))
    nearest = min((_faults(told, found, one) for one in (gold, *gold.any_of)), key=len)
    return nearest + language_faults(told.reply, _languages(case, texts[-1]), _quoted(case, told, texts))


def _faults(told: TurnRun, found: Found, gold: Gold) -> list[Reason]:
    kinds = kinds_of(told)
    faults: list[Reason] = []
    if not kinds & set(gold.kind):
        facts = {"want": "/".join(gold.kind), "status": told.status, "asked": told.asked}
        faults.append(Reason("kind", facts))
    faults += _agent_faults(told, gold)
    faults += end_faults(found, gold.end)
    return faults + answer_faults(told.reply, gold.answer)


def kinds_of(told: TurnRun) -> set[Kind]:
    """The kinds of outcome as which a turn may pass."""
    kinds: set[Kind] = set()
    if told.asked or told.status == "need_confirmation":
        kinds.add("ask")
    if told.status == "success" and not told.asked:
        kinds |= {"done", "answer"}
    if told.status == "conflict":
        kinds.add("conflict")
    if told.status == "error":
        kinds.add("error")
    if told.status == "refused":
        kinds.add("refuse")
    if told.status == "chat":
        kinds.add("chat")
    return kinds


def _agent_faults(told: TurnRun, gold: Gold) -> list[Reason]:
    ran = set(told.agents)
    faults = [Reason("agent_missing", {"agent": agent}) for agent in gold.agents.must if agent not in ran]
    faults += [Reason("agent_ran", {"agent": agent}) for agent in gold.agents.must_not if agent in ran]
    if gold.agents.must_any and not ran & set(gold.agents.must_any):
        faults.append(Reason("agent_missing", {"agent": "/".join(gold.agents.must_any)}))
    return faults


def _languages(case: Case, words: str) -> set[Language]:
    """The case's language; a turn wholly in the other one may be answered in either."""
    letters = any(letter.isalpha() for letter in words)
    return {case.lang, language_of(words)} if letters else {case.lang}


def _quoted(case: Case, told: TurnRun, texts: list[str]) -> list[str]:
    """What may stand in a reply as it is, whatever its language."""
    quoted = [row["title"] for row in told.tasks] + [task.title for task in case.fixtures.tasks]
    quoted += [case.user.city or ""]
    for forecast in case.fixtures.weather:
        quoted += [forecast.city, forecast.condition, forecast.suggestion or ""]
    return quoted + texts
