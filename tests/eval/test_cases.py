"""The committed cases are whole, and the offline brain passes no fewer of a fixed sample than it did."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from deep_planner.evaluation.cases import Case, load_cases
from deep_planner.evaluation.grading import Verdict
from deep_planner.evaluation.report import overall
from deep_planner.evaluation.running import run_cases
from deep_planner.settings import Settings

pytestmark = pytest.mark.eval

CASES = Path(__file__).with_name("cases")
SAMPLE = 60
#: Of the sample; raise it as the offline brain learns.
AT_LEAST = 0.96


def sample() -> list[Case]:
    """The same cases each time, from all files; a new case displaces at most one."""
    return sorted(load_cases([CASES]), key=lambda case: hashlib.sha256(case.id.encode()).digest())[:SAMPLE]


def test_the_cases_are_whole() -> None:
    cases = load_cases([CASES])
    languages = [case.lang for case in cases]
    assert min(languages.count("zh"), languages.count("en")) >= 60
    assert {case.source for case in cases} == {path.stem for path in CASES.glob("*.jsonl")}
    for case in cases:
        rows = {task.id for task in case.fixtures.tasks}
        rings = {reminder.id for reminder in case.fixtures.reminders}
        for turn in case.turns:
            for gold in (turn.gold, *turn.gold.any_of):
                assert {int(row) for row in gold.end.changed} | set(gold.end.removed) <= rows, case.id
                assert set(gold.end.reminders_off) <= rings, case.id


async def test_a_sample_on_the_offline_brain() -> None:
    settings = Settings.load(model="offline:rules")
    verdicts = [Verdict(case, run) async for case, run in run_cases(sample(), settings, 4)]
    assert [verdict.run.id for verdict in verdicts if verdict.run.crash] == []
    assert len(verdicts) == SAMPLE
    failed = [verdict.case.id for verdict in verdicts if not verdict.passed]
    assert overall(verdicts).share >= AT_LEAST, failed
