"""The todo list: writing, changing, folding, waves and circles (E03-E07, X3-X5, X18, D07, D10)."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tools.core.text import LANGUAGES, text
from tools.domain.plan_writing import PlanError, changed, check_dependencies, find, written
from tools.domain.todos import Supervision, Todo, TodoStatus, merge_todos, waiting
from tools.domain.waves import next_wave

pytestmark = pytest.mark.unit

EVERY: Supervision = "every_wave"
ATTENTION: Supervision = "on_attention"


def item(id: str, status: str = "pending", *needs: str, **fields: Any) -> Todo:
    todo: Todo = {"id": id, "content": f"do {id}", "status": status}
    if needs:
        todo["depends_on"] = list(needs)
    return {**todo, **fields}  # type: ignore[typeddict-item]


def outline(todos: list[Todo]) -> list[tuple[str, str]]:
    return [(todo["id"], todo["status"]) for todo in todos]


def refused(call: Any, *arguments: Any) -> tuple[str, dict[str, object]]:
    """Key and facts of the refusal; its sentence can be said in both languages."""
    with pytest.raises(PlanError) as error:
        call(*arguments)
    for language in LANGUAGES:
        assert text(language, f"plan.{error.value.key}", **error.value.facts)
    return error.value.key, error.value.facts


def test_plain_strings_become_items() -> None:
    todos = written(["查天气", "订票"], EVERY)
    assert todos == [
        {"id": "t1", "content": "查天气", "status": "in_progress"},
        {"id": "t2", "content": "订票", "status": "pending"},
    ]
    assert outline(written(["a", "b"], ATTENTION)) == [("t1", "pending"), ("t2", "pending")]


def test_items_keep_what_they_say_and_no_more() -> None:
    (todo,) = written([{"id": 7, "content": " a ", "subagent": "task", "depends_on": [], "steps": ["x", 2]}], ATTENTION)
    assert todo == {"id": "7", "content": "a", "status": "pending", "subagent": "task", "steps": ["x", "2"]}


WRONG_PLANS: dict[str, tuple[list[Any], str]] = {
    "nothing": ([], "empty"),
    "no content": (["a", " "], "no_content"),
    "an item without content": ([{"id": "a"}], "no_content"),
    "an id twice": ([{"id": "a", "content": "x"}, {"id": "a", "content": "y"}], "duplicate_id"),
    "an id that a default takes": (["x", {"id": "t1", "content": "y"}], "duplicate_id"),
    "a dependency that is not there": ([{"content": "x", "depends_on": ["t9"]}], "unknown_dependency"),
    "an item that waits for itself": ([{"content": "x", "depends_on": ["t1"]}], "circle"),
    "two that wait for each other": (
        [{"content": "x", "depends_on": ["t2"]}, {"content": "y", "depends_on": ["t1"]}],
        "circle",
    ),
}


@pytest.mark.parametrize(("items", "key"), WRONG_PLANS.values(), ids=WRONG_PLANS)
def test_wrong_plans_are_refused(items: list[Any], key: str) -> None:
    assert refused(written, items, ATTENTION)[0] == key


def test_a_circle_is_named() -> None:
    plan = [item("a"), item("b", "pending", "a", "d"), item("c", "pending", "b"), item("d", "pending", "c")]
    key, facts = refused(check_dependencies, plan)
    names = str(facts["circle"]).split(" -> ")
    assert (key, len(names), names[0], set(names)) == ("circle", 4, names[-1], {"b", "c", "d"})


def test_long_chains_and_many_items_need_no_recursion() -> None:
    chain = [item("0"), *(item(str(n), "pending", str(n - 1)) for n in range(1, 10_000))]
    check_dependencies(chain)
    check_dependencies(chain[::-1])
    assert [todo["id"] for todo in next_wave(chain, ATTENTION).start] == ["0"]
    circle = [item("0", "pending", "999"), *chain[1:1000]]
    assert refused(check_dependencies, circle)[0] == "circle"
    wide = [item("0"), *(item(str(n), "pending", "0") for n in range(1, 10_000))]
    check_dependencies(wide)
    assert len(next_wave([{**wide[0], "status": "completed"}, *wide[1:]], ATTENTION).start) == 9_999


def test_a_failure_at_the_head_of_a_chain_skips_all_that_follows() -> None:
    chain = [item("0", "failed"), *(item(str(n), "pending", str(n - 1)) for n in range(1, 300))]
    wave = next_wave(chain, ATTENTION)
    assert (wave.start, [(todo["id"], cause) for todo, cause in wave.skip][:2]) == ([], [("1", "0"), ("2", "1")])
    assert len(wave.skip) == 299


class Name(str):
    """An id that counts how often it is compared."""

    compared = 0
    __hash__ = str.__hash__

    def __eq__(self, other: object) -> bool:
        Name.compared += 1
        return str(self) == str(other)


def test_a_long_circle_is_found_without_going_over_it_again_and_again() -> None:
    many = 300
    names = [Name(n) for n in range(many)]
    circle: list[Any] = [item(name, "pending", names[n - 1]) for n, name in enumerate(names)]
    Name.compared = 0
    assert len(refused(check_dependencies, circle)[1]["circle"].split(" -> ")) == many + 1
    assert Name.compared <= 20 * many


class Counted(dict[str, Any]):
    """An item that counts how often its dependencies are asked for."""

    asked = 0

    def get(self, key: str, default: Any = None) -> Any:
        Counted.asked += key == "depends_on"
        return super().get(key, default)


def test_a_failure_at_the_far_end_is_carried_along_without_going_over_the_list_again_and_again() -> None:
    many = 400
    chain: list[Any] = [Counted(item(str(n), "pending", str(n + 1))) for n in range(many)]
    chain.append(Counted(item(str(many), "failed")))
    Counted.asked = 0
    assert len(next_wave(chain, ATTENTION).skip) == many
    assert Counted.asked <= 20 * many


PLAN = [item("t1", "completed"), item("t2", "in_progress"), item("t3", "pending", "t1"), item("t4", "failed")]


def test_a_change_names_only_what_it_changes() -> None:
    before = copy.deepcopy(PLAN)
    writes = changed(PLAN, [{"id": "t3", "content": "do it later", "subagent": "task"}], ["new"], ATTENTION)
    assert writes == [
        {"id": "t3", "content": "do it later", "subagent": "task"},
        {"id": "t5", "content": "new", "status": "pending"},
    ]
    assert before == PLAN
    assert outline(merge_todos(PLAN, [writes]))[4:] == [("t5", "pending")]


def test_an_item_may_be_named_by_a_content_that_only_it_has() -> None:
    twins = [*PLAN, item("t5") | {"content": "do t1"}]  # type: ignore[operator]
    assert find(PLAN, "do t2")["id"] == "t2"
    assert changed(PLAN, [{"content": "do t1", "status": "done"}], [], ATTENTION) == [
        {"id": "t1", "status": "completed"}
    ]
    assert refused(find, twins, "do t1")[0] == "ambiguous"


def test_an_unknown_item_is_named_with_those_still_open() -> None:
    key, facts = refused(changed, PLAN, [{"id": "t9", "status": "done"}], [], ATTENTION)
    assert (key, facts["reference"]) == ("unknown", "t9")
    assert facts["open"] == "t2: do t2, t3: do t3"
    assert "t2: do t2" in text("zh", "plan.unknown", **facts)


WRONG_CHANGES: dict[str, tuple[list[Any], list[Any], str]] = {
    "nothing": ([], [], "no_change"),
    "a status that is not the planner's": ([{"id": "t2", "status": "failed"}], [], "bad_status"),
    "done before it is": ([{"id": "t2", "status": "done"}], [], "not_finished"),
    "an id that is taken": ([], [{"id": "t1", "content": "x"}], "duplicate_id"),
    "an added item without content": ([], [""], "no_content"),
    "a dependency that is not there": ([{"id": "t3", "depends_on": ["t8"]}], [], "unknown_dependency"),
    "a drop that others wait for": ([{"id": "t1", "drop": True}], [], "unknown_dependency"),
    "a circle": ([{"id": "t1", "depends_on": ["t3"]}], [], "circle"),
}


@pytest.mark.parametrize(("changes", "add", "key"), WRONG_CHANGES.values(), ids=WRONG_CHANGES)
def test_wrong_changes_are_refused(changes: list[Any], add: list[Any], key: str) -> None:
    assert refused(changed, PLAN, changes, add, ATTENTION)[0] == key


DONE, START = {"id": "t1", "status": "done"}, {"id": "t2", "status": "in_progress"}
RHYTHM: dict[str, tuple[list[Todo], list[Any], str | None]] = {
    "one done and one started": ([item("t1", "completed"), item("t2"), item("t3")], [DONE, START], None),
    "nothing started while some wait": ([item("t1", "completed"), item("t2")], [DONE], "rhythm"),
    "nothing done though one could be": ([item("t1", "completed"), item("t2")], [START], "rhythm"),
    "the last one: done alone": ([item("t1", "completed"), item("t2", "in_progress")], [DONE], None),
    "started before its time": (
        [item("t1", "completed"), item("t2", "pending", "t3"), item("t3")],
        [DONE, START],
        "not_ready",
    ),
    "nothing can be done after a failure": ([item("t1", "failed"), item("t2")], [START], None),
}


@pytest.mark.parametrize(("plan", "changes", "key"), RHYTHM.values(), ids=RHYTHM)
def test_the_rhythm_of_every_wave(plan: list[Todo], changes: list[Any], key: str | None) -> None:
    if key:
        assert refused(changed, plan, changes, [], EVERY)[0] == key
    else:
        assert len(changed(plan, changes, [], EVERY)) == len(changes)


def test_a_finished_item_may_be_started_again() -> None:
    plan = [item("t1", "failed", outcome={"status": "error", "rows": [], "summary": "x"}), item("t2")]
    after = merge_todos(plan, [changed(plan, [{"id": "t1", "status": "pending"}], [], ATTENTION)])
    assert (after[0]["status"], "outcome" in after[0]) == ("pending", False)
    assert "t1" in [todo["id"] for todo in next_wave(after, ATTENTION).start]


WAVES: dict[str, tuple[list[Todo], Supervision, tuple[str, ...], list[str], list[str]]] = {
    "all that is free": ([item("a"), item("b"), item("c", "pending", "a")], ATTENTION, (), ["a", "b"], []),
    "levels 1-2-2-1, second": (
        [item("a", "completed"), item("b", "pending", "a"), item("c", "pending", "a"), item("d", "pending", "b", "c")],
        ATTENTION,
        (),
        ["b", "c"],
        [],
    ),
    "not while one still works": (
        [item("a", "completed"), item("b", "in_progress", question={"question": "?"}), item("c", "pending", "a", "b")],
        ATTENTION,
        (),
        [],
        [],
    ),
    "a failure skips what waits for it and no other": (
        [item("a", "failed"), item("b", "pending", "a"), item("c"), item("d", "pending", "b")],
        ATTENTION,
        (),
        ["c"],
        ["b", "d"],
    ),
    "A50 an advisory failure holds nobody up": (
        [item("a", "failed", subagent="weather"), item("b", "pending", "a")],
        ATTENTION,
        ("weather",),
        ["b"],
        [],
    ),
    "every wave: only what the planner started": ([item("a", "in_progress"), item("b")], EVERY, (), ["a"], []),
    "an answered item goes on": (
        [item("a", "in_progress", answer={"text": "是"}), item("b", "pending", "a")],
        ATTENTION,
        (),
        ["a"],
        [],
    ),
    "nothing is left": ([item("a", "completed"), item("b", "skipped")], ATTENTION, (), [], []),
}


@pytest.mark.parametrize(("plan", "supervision", "advisory", "start", "skip"), WAVES.values(), ids=WAVES)
def test_next_wave(
    plan: list[Todo], supervision: Supervision, advisory: tuple[str, ...], start: list[str], skip: list[str]
) -> None:
    before = copy.deepcopy(plan)
    wave = next_wave(plan, supervision, advisory)
    assert [todo["id"] for todo in wave.start] == start
    assert [todo["id"] for todo, _ in wave.skip] == skip
    assert plan == before


def test_waiting_keeps_the_order() -> None:
    asks = {"question": {"question": "?"}}
    assert [t["id"] for t in waiting([item("b", **asks), item("a"), item("c", **asks)])] == ["b", "c"]


ids = st.sampled_from("abcd")
change = st.fixed_dictionaries(
    {"id": ids},
    optional={
        "content": st.sampled_from(["x", "y"]),
        "status": st.sampled_from([status.value for status in TodoStatus]),
        "note": st.none() | st.just("n"),
        "question": st.none() | st.just({"question": "?"}),
        "depends_on": st.lists(ids, max_size=2),
        "drop": st.just(True),
    },
)
batches = st.lists(st.lists(change, max_size=4), max_size=4)


@given(batches, batches)
def test_folding_is_pure_and_does_not_depend_on_the_batches(first: list[Any], second: list[Any]) -> None:
    before = copy.deepcopy((first, second))
    one_by_one = merge_todos(merge_todos([], first), second)
    assert one_by_one == merge_todos([], [*first, *second])
    assert one_by_one == merge_todos([], [[write for batch in [*first, *second] for write in batch]])
    assert (first, second) == before
    kept = copy.deepcopy(one_by_one)
    merge_todos(one_by_one, second)
    assert one_by_one == kept
    assert len({todo["id"] for todo in one_by_one}) == len(one_by_one)
    assert all(value is not None for todo in one_by_one for value in todo.values())
