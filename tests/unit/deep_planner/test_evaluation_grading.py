"""Each rule of grading passes what is right and fails what is wrong."""

from __future__ import annotations

from typing import Any

import pytest

from deep_planner.evaluation.answers import ranges
from deep_planner.evaluation.cases import Case
from deep_planner.evaluation.grading import Verdict
from deep_planner.evaluation.report import intent_rate, overall, rates
from deep_planner.evaluation.running import CaseRun, TurnRun
from tools.core.text import LANGUAGES

pytestmark = pytest.mark.unit

OLD = {"id": 1, "title": "周报", "date": "2026-02-12", "start_time": "14:00", "end_time": "15:00"}
OLD |= {"time_segment": "afternoon"}
RING = {"id": 1, "task_id": 1, "remind_at": "2026-02-12T12:00:00+08:00", "content": "周报"}
OLD_ROW = OLD | {"user_id": 1, "status": "pending", "priority": "medium", "description": None}
OLD_RING = RING | {"user_id": 1, "status": "pending", "channel": "console"}


def task(**fields: Any) -> dict[str, Any]:
    new = {"id": 2, "title": "开会", "date": "2026-02-13", "start_time": "15:00", "end_time": "16:00"}
    return OLD_ROW | new | fields


def ring(**fields: Any) -> dict[str, Any]:
    return OLD_RING | {"id": 2, "task_id": 2, "remind_at": "2026-02-13T13:00:00+08:00", "content": "开会"} | fields


def turn(**fields: Any) -> TurnRun:
    usual: dict[str, Any] = {
        "agents": ["task"],
        "reply": "已经好了。",
        "status": "success",
        "asked": False,
        "intent": "single_task",
        "tasks": [OLD_ROW],
        "reminders": [OLD_RING],
    }
    return TurnRun.model_validate(usual | fields)


def case_of(gold: dict[str, Any], user: str = "周五下午三点到四点开会", lang: str = "zh", **fields: Any) -> Case:
    return Case.model_validate(
        {
            "id": "c",
            "lang": lang,
            "now": "2026-02-11T10:00:00+08:00",
            "basis": "policy:P1",
            "fixtures": {"tasks": [OLD], "reminders": [RING]},
            "turns": [{"user": user, "gold": {"kind": ["done", "answer"]} | gold}],
        }
        | fields
    )


def faults(gold: dict[str, Any], *, user: str = "周五下午三点到四点开会", lang: str = "zh", **run: Any) -> list[str]:
    """Names of the reasons; each must have its sentence in both languages."""
    verdict = Verdict(case_of(gold, user, lang), CaseRun(id="c", turns=[turn(**run)]))
    reasons = verdict.turns[0]
    for reason in reasons:
        assert all(reason.words(language) for language in LANGUAGES)
    return [reason.name for reason in reasons]


@pytest.mark.parametrize(
    ("kind", "status", "asked", "passes"),
    [
        ("done", "success", False, True),
        ("answer", "success", False, True),
        ("done", "chat", False, False),
        ("done", "need_confirmation", True, False),
        ("ask", "need_confirmation", True, True),
        ("ask", "conflict", True, True),
        ("ask", "success", False, False),
        ("conflict", "conflict", True, True),
        ("conflict", "need_confirmation", True, False),
        ("error", "error", False, True),
        ("error", "success", False, False),
        ("refuse", "refused", False, True),
        ("refuse", "chat", False, False),
        ("chat", "chat", False, True),
        ("chat", "success", False, False),
    ],
)
def test_kinds(kind: str, status: str, asked: bool, passes: bool) -> None:
    assert faults({"kind": [kind]}, status=status, asked=asked) == ([] if passes else ["kind"])


@pytest.mark.parametrize(
    ("agents", "ran", "expected"),
    [
        ({"must": ["task"]}, ["task"], []),
        ({"must": ["task", "weather"]}, ["task"], ["agent_missing"]),
        ({"must_not": ["weather"]}, ["task"], []),
        ({"must_not": ["task"]}, ["task"], ["agent_ran"]),
        ({"must_any": ["task", "calendar"]}, ["calendar"], []),
        ({"must_any": ["task", "calendar"]}, ["weather"], ["agent_missing"]),
    ],
)
def test_agents(agents: dict[str, Any], ran: list[str], expected: list[str]) -> None:
    assert faults({"agents": agents}, agents=ran) == expected


@pytest.mark.parametrize(
    ("matcher", "row", "passes"),
    [
        ({"title_has": ["开", "会"], "date": "2026-02-13", "start_time": "15:00"}, {}, True),
        ({"title_has": ["开", "晨"]}, {}, False),
        ({"title": ["开会", "去开会"]}, {}, True),
        ({"title": "会"}, {}, False),
        ({"date": "2026-02-14"}, {}, False),
        ({"start_time": None}, {"start_time": None, "end_time": None}, True),
        ({"start_time": None}, {}, False),
        ({"start_time": ["15:00", None]}, {"start_time": None, "end_time": None}, True),
        ({"start_time": {"ge": "14:00", "le": "15:00"}}, {}, True),
        ({"start_time": {"ge": "15:30", "le": "17:00"}}, {}, False),
        ({"start_time": {"ge": "15:30"}}, {"start_time": None}, False),
        ({"end_time": "*"}, {"end_time": None}, True),
        ({"duration_min": 60}, {}, True),
        ({"duration_min": 30}, {}, False),
        ({"duration_min": 30, "at_least": True}, {}, True),
        ({"duration_min": 60}, {"end_time": None}, False),
        ({"duration_min": 90}, {"start_time": "23:30", "end_time": "01:00"}, True),
        ({"no_overlap": True}, {}, True),
        ({"no_overlap": True}, {"date": "2026-02-12", "start_time": "14:30", "end_time": "16:00"}, False),
        ({"no_overlap": True}, {"date": "2026-02-12", "start_time": "15:00", "end_time": "16:00"}, True),
        ({"time_segment": ["noon", "afternoon"]}, {}, True),
        ({"priority": "high"}, {}, False),
        ({"description_has": ["稿"]}, {"description": "带打印稿"}, True),
        ({"description_has": ["稿"]}, {}, False),
        ({}, {"user_id": 2}, False),
        ({}, {"status": "completed"}, False),
        ({}, {"title": "周五下午三点到四点开会"}, False),
        ({"title": "*"}, {"title": "周五下午三点到四点开会"}, True),
    ],
)
def test_created(matcher: dict[str, Any], row: dict[str, Any], passes: bool) -> None:
    found = faults({"end": {"created": [matcher]}}, tasks=[OLD_ROW, task(**row)])
    assert (found == []) is passes
    assert set(found) <= {"wrong"}


def test_each_new_row_has_a_matcher_and_each_matcher_a_row() -> None:
    both = [{"title_has": "会"}, {"title": "开会"}]
    one, other = task(), task(id=3, title="晨会")
    assert faults({"end": {"created": both}}, tasks=[OLD_ROW, one, other]) == []
    assert faults({"end": {"created": both}}, tasks=[OLD_ROW, one]) == ["not_created"]
    assert faults({"end": {"created": both[:1]}}, tasks=[OLD_ROW, one, other]) == ["created"]
    assert faults({}, tasks=[OLD_ROW, one]) == ["created"]
    assert faults({}, tasks=[OLD_ROW, task(status="cancelled")]) == []


def test_at_least_so_many_rows() -> None:
    end = {"end": {"created": [{"title": "开会", "at_least": 2}]}}
    assert faults(end, tasks=[OLD_ROW, task(), task(id=3), task(id=4)]) == []
    assert faults(end, tasks=[OLD_ROW, task()]) == ["too_few"]
    assert faults(end, tasks=[OLD_ROW, task(), task(id=3), task(id=4, title="别的")]) == ["created"]


@pytest.mark.parametrize(
    ("end", "row", "expected"),
    [
        ({"changed": {"1": {"date": "2026-02-14"}}}, {"date": "2026-02-14"}, []),
        ({"changed": {"1": {"date": "2026-02-14"}}}, {}, ["not_changed"]),
        ({"changed": {"1": {"date": "2026-02-14"}}}, {"date": "2026-02-14", "start_time": None}, ["changed"]),
        ({"changed": {"1": {"end_time": "*"}}}, {"end_time": None}, []),
        ({"changed": {"1": {"title_has": ["月报"]}}}, {"title": "写月报"}, []),
        ({}, {"title": "月报"}, ["changed"]),
        ({}, {"description": "新的"}, ["changed"]),
        ({}, {"user_id": 2}, ["changed"]),
        ({"removed": [1]}, {"status": "cancelled"}, []),
        ({"removed": [1]}, {}, ["not_removed"]),
        ({}, {"status": "cancelled"}, ["changed"]),
    ],
)
def test_old_rows(end: dict[str, Any], row: dict[str, Any], expected: list[str]) -> None:
    assert faults({"end": end}, tasks=[OLD_ROW | row]) == expected


def test_a_row_that_is_gone() -> None:
    assert faults({"end": {"removed": [1]}}, tasks=[]) == []
    assert faults({}, tasks=[]) == ["gone"]


@pytest.mark.parametrize(
    ("end", "row", "expected"),
    [
        ({}, {"content": "改了字"}, []),
        ({}, {"status": "cancelled"}, ["reminder_off"]),
        ({}, {"status": "sent"}, ["reminder_changed"]),
        ({}, {"channel": "sms"}, ["reminder_changed"]),
        ({"reminders_off": [1]}, {"status": "cancelled"}, []),
        ({"reminders_off": [1]}, {}, ["reminder_not_off"]),
        ({}, {"remind_at": "2026-02-12T04:00:00+00:00"}, []),
        ({}, {"remind_at": "2026-02-12T13:00:00+08:00"}, ["reminder_off", "reminder_created"]),
        (
            {"reminders_off": [1], "reminders_created": [{"task": 1, "remind_at": "2026-02-12T13:00:00+08:00"}]},
            {"remind_at": "2026-02-12T05:00:00+00:00"},
            [],
        ),
    ],
)
def test_old_reminders(end: dict[str, Any], row: dict[str, Any], expected: list[str]) -> None:
    assert faults({"end": end}, reminders=[OLD_RING | row]) == expected


def test_a_reminder_that_is_gone() -> None:
    assert faults({"end": {"reminders_off": [1]}}, reminders=[]) == []
    assert faults({}, reminders=[]) == ["reminder_off"]


@pytest.mark.parametrize(
    ("matcher", "row", "passes"),
    [
        ({"task": "new:0", "remind_at": "2026-02-13T05:00:00+00:00", "content_has_any": ["开会", "x"]}, {}, True),
        ({"task": "new:0"}, {"task_id": 1}, False),
        ({"task": "new:1"}, {}, False),
        ({"task": 1}, {"task_id": 1}, True),
        ({"task": [1, "new:0"]}, {}, True),
        ({"task": "*"}, {"task_id": None}, True),
        ({"remind_at": "2026-02-13T13:00:00+09:00"}, {}, False),
        ({"remind_at": {"ge": "2026-02-13T12:00:00+08:00", "le": "2026-02-13T13:30:00+08:00"}}, {}, True),
        ({"remind_at": ["2026-02-13T12:00:00+08:00", "*"]}, {}, True),
        ({"content_has_any": ["伞"]}, {}, False),
        ({"content_has_none": ["开会"]}, {}, False),
        ({}, {"status": "cancelled"}, False),
        ({}, {"user_id": 2}, False),
    ],
)
def test_new_reminders(matcher: dict[str, Any], row: dict[str, Any], passes: bool) -> None:
    end = {"created": [{"title": "开会"}], "reminders_created": [matcher]}
    found = faults({"end": end}, tasks=[OLD_ROW, task()], reminders=[OLD_RING, ring(**row)])
    assert found == ([] if passes else ["reminders_wrong"])


def test_reminders_that_may_be_there() -> None:
    end: dict[str, Any] = {"created": [{"title": "开会"}]}
    rows = {"tasks": [OLD_ROW, task()], "reminders": [OLD_RING, ring()]}
    assert faults({"end": end}, **rows) == ["reminder_created"]
    end["reminders_may"] = [{"task": "new:0", "remind_at": "*"}]
    assert faults({"end": end}, **rows) == []
    assert faults({"end": end}, **rows | {"reminders": [OLD_RING]}) == []
    end["reminders_may"] = [{"task": "new:0", "status": "cancelled"}]
    assert faults({"end": end}, **rows) == ["reminder_created"]


def test_the_pairing_that_explains_all_is_found() -> None:
    """Two tasks fit both matchers; only the reminder tells which is which."""
    end = {
        "created": [{"title_has": "会"}, {"title_has": "会"}],
        "reminders_created": [{"task": "new:0", "content_has_any": ["晨会"]}],
    }
    rows = [OLD_ROW, task(), task(id=3, title="晨会")]
    assert faults({"end": end}, tasks=rows, reminders=[OLD_RING, ring(task_id=3, content="晨会")]) == []


@pytest.mark.parametrize(
    ("answer", "reply", "expected"),
    [
        ({"mentions": ["周报", "会"]}, "有周报和开会。", []),
        ({"mentions": ["周报", "晨会"]}, "有周报。", ["not_mentioned"]),
        ({"mentions_any": ["周六", "2月14"]}, "就在2月14日。", []),
        ({"mentions_any": ["周六", "2月14"]}, "好的。", ["none_mentioned"]),
        ({"not_mentions": ["2026-02-14"]}, "在周六。", []),
        ({"not_mentions": ["Error"]}, "出错了 error。", ["mentioned"]),
        ({"order": ["晨会", "周报"]}, "先晨会，后周报。", []),
        ({"order": ["晨会", "周报"]}, "先周报，后晨会。", ["order"]),
        ({"order": ["晨会", "周报"]}, "只有周报。", ["order"]),
        ({"free_slots": [["14:00-15:30", "16:00-18:00"]]}, "空闲：14:00-15:30、16:00-18:00", []),
        ({"free_slots": [["14:00-15:30", "16:00-18:00"]]}, "空闲：14:00-15:30", ["free_slots"]),
        ({"free_slots": [["09:00-10:00"], ["14:00-15:30"]]}, "下午两点到三点半有空", []),
    ],
)
def test_answers(answer: dict[str, Any], reply: str, expected: list[str]) -> None:
    assert faults({"answer": answer}, reply=reply) == expected


@pytest.mark.parametrize(
    "reply",
    [
        "14:00-15:30",
        "14：00 – 15：30",
        "14:00~15:30",
        "下午2点到3点半",
        "下午2:00至下午3:30",
        "14点到15点30分",
        "2 pm to 3:30 pm",
        "2 to 3:30pm",
        "from 2:00 PM until 3:30 PM",
        "between 14:00 and 15:30",
    ],
)
def test_ranges_in_any_usual_wording(reply: str) -> None:
    assert "14:00-15:30" in set(ranges(reply))


def test_what_is_no_range() -> None:
    assert list(ranges("2026-02-12 and 25:00-26:00, 14:00")) == []
    assert list(ranges("11 am to 12 am, 3 pm - 2 pm")) == []


@pytest.mark.parametrize(
    ("lang", "user", "reply", "expected"),
    [
        ("zh", "开会", "好的。", []),
        ("zh", "开会", "Done, all set.", ["language"]),
        ("zh", "开会", "Done: 周报.", ["language"]),
        ("zh", "book 明天的 meeting", "已创建 meeting。", []),
        ("en", "lunch tomorrow, please", "Done.", []),
        ("en", "lunch tomorrow, please", "好的。", ["language"]),
        ("en", "lunch tomorrow, please", "Done: “周报”.", []),
        ("en", "lunch tomorrow, please", "Done 了.", ["language"]),
        ("zh", "OK", "All set.", []),
        ("zh", "开会", " ", ["silent"]),
    ],
)
def test_the_language_of_a_reply(lang: str, user: str, reply: str, expected: list[str]) -> None:
    assert faults({}, user=user, lang=lang, reply=reply) == expected


def test_any_outcome_that_is_acceptable() -> None:
    gold = {"kind": ["done"], "end": {"created": [{"title": "开会"}]}, "any_of": [{"kind": ["ask"]}]}
    assert faults(gold, tasks=[OLD_ROW, task()]) == []
    assert faults(gold, status="need_confirmation", asked=True) == []
    assert faults(gold, status="need_confirmation", asked=True, tasks=[OLD_ROW, task()]) == ["kind"]
    assert faults(gold) == ["not_created"]  # of two that are as near, the first


def test_a_title_may_be_as_long_as_a_later_text() -> None:
    """A yes makes the row of the request before it."""
    case = case_of(
        {}, turns=[{"user": "周五开会", "gold": {"kind": "conflict"}}, {"user": "好", "gold": {"kind": "done"}}]
    )
    end = {"created": [{"title_has": "开会"}]}
    gold = case.turns[1].gold.model_copy(update={"end": type(case.turns[1].gold.end).model_validate(end)})
    case = case.model_copy(update={"turns": [case.turns[0], case.turns[1].model_copy(update={"gold": gold})]})
    run = CaseRun(id="c", turns=[turn(status="conflict", asked=True), turn(tasks=[OLD_ROW, task()])])
    assert Verdict(case, run).passed


def test_a_case_that_broke_off_failed() -> None:
    run = CaseRun(id="c", crash="ValueError: no")
    verdict = Verdict(case_of({}), run)
    assert not verdict.passed
    assert verdict.first_reason is not None
    assert verdict.first_reason.name == "crash"
    assert "ValueError" in verdict.first_reason.words("en")
    assert not Verdict(case_of({}), CaseRun(id="c")).passed


def test_rates() -> None:
    right = case_of({"intent": ["single_task"]}, tags=["a", "b"], basis="seed:000§6", source="x")
    wrong = case_of({"intent": "simple_chat", "kind": ["ask"]}, lang="en", tags=["b"], source="y")
    verdicts = [Verdict(case, CaseRun(id="c", turns=[turn(reply="好")])) for case in (right, wrong)]
    assert str(overall(verdicts)) == "1/2 50.0%"
    assert [(name, rate.passed, rate.total) for name, rate in rates(verdicts, "tag")] == [("a", 1, 1), ("b", 1, 2)]
    assert [name for name, _ in rates(verdicts, "basis")] == ["policy:P1", "seed:000"]
    assert [name for name, _ in rates(verdicts, "file")] == ["x", "y"]
    assert [name for name, _ in rates(verdicts, "language")] == ["en", "zh"]
    assert str(intent_rate(verdicts)) == "1/2 50.0%"
    assert overall([]).share == 0
