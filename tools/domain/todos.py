"""The todo list: shapes, the reducer, and the rules of writing, changing and starting items (seed 004, X3-X5, X18).

Everything here is a pure function of the list; who calls a model and who dispatches is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import count
from typing import Any, Literal

from typing_extensions import TypedDict


class TodoStatus(StrEnum):
    """Where an item stands. ``done`` (seed 004) is read as ``completed``, the word that existing clients show."""

    PENDING = "pending"
    IN_PROGRESS = "in_progress"
    COMPLETED = "completed"
    FAILED = "failed"
    SKIPPED = "skipped"


#: An item's id is part of note keys and operation keys, which the database bounds.
LONGEST_ID = 60
ENDED = frozenset({TodoStatus.COMPLETED, TodoStatus.FAILED, TodoStatus.SKIPPED})

#: ``on_attention``: all ready items start and the planner is woken when something needs it. ``every_wave``: the
#: planner marks what is next after each wave (seed 004's rhythm).
Supervision = Literal["on_attention", "every_wave"]


class ToolRequest(TypedDict):
    """A tool call by name and arguments."""

    name: str
    args: dict[str, Any]


class Question(TypedDict, total=False):
    """What an item waits for."""

    type: str
    """``conflict``, ``need_confirmation``, ``ask_user`` or ``approve``."""
    question: str
    """The sentence for the user."""
    choices: list[dict[str, Any]]
    """Ways on, as ``Choice`` dumps; empty when any answer will do."""
    call: ToolRequest
    """The call that asked; a choice repeats it."""
    call_id: str
    """Its id in the item's window."""


class Answer(TypedDict, total=False):
    """What the user said to an item's question; read by the next dispatch of the item."""

    text: str
    """The user's words."""
    call: ToolRequest
    """The completed call of the picked choice."""
    call_id: str
    """Id of the call that asked."""
    permit: bool
    """Whether the service may do what the rule refused, once, for exactly ``call`` (P5)."""


class Outcome(TypedDict):
    """How an item ended."""

    status: str
    """The weightiest ``ToolResult`` status, or ``error``."""
    rows: list[str]
    """Rows written or found, for example ``task:5``."""
    summary: str
    """One sentence for the reply. Never shown to the planner (it may quote untrusted text)."""


class Todo(TypedDict, total=False):
    """One item of the plan."""

    id: str
    content: str
    status: str
    subagent: str
    depends_on: list[str]
    steps: list[str]
    note: str
    """Key of its note, once written."""
    outcome: Outcome
    question: Question | None
    """Set while it waits for the user; its status stays ``in_progress`` (X20)."""
    answer: Answer | None
    runs: int
    """How often it was dispatched."""
    reads: list[str]
    """Notes it read: a changed item re-runs only what depends on it (N4)."""
    drop: bool
    """A write with this removes the item."""


def merge_todos(current: list[Todo], writes: Sequence[list[Todo]]) -> list[Todo]:
    """Fold writes into the list: by id, order kept, only what a write names is changed (the state's reducer).

    A field that is ``None`` is cleared; ``{"id": .., "drop": True}`` removes the item. Never in place (X18).
    """
    merged = {todo["id"]: todo for todo in current}
    for write in writes:
        for change in write:
            if change.get("drop"):
                merged.pop(change["id"], None)
                continue
            fields = {**merged.get(change["id"], {}), **change}
            merged[change["id"]] = {k: v for k, v in fields.items() if v is not None}  # type: ignore[assignment]
    return list(merged.values())


class PlanError(ValueError):
    """A planner's call that cannot be carried out; its message tells the model what to send instead.

    Attributes:
        key: Name of the sentence in ``text/<language>/plan.toml``.
        facts: The values in it.
    """

    def __init__(self, key: str, **facts: object) -> None:
        self.key = key
        self.facts = facts
        super().__init__(f"{key}: {facts}")


def written(items: Iterable[str | Mapping[str, Any]], supervision: Supervision) -> list[Todo]:
    """The items of a ``write_todo`` call as todos (E03).

    Under ``every_wave`` the first item is ``in_progress``, as in seed 004; else the engine starts what is ready.

    Raises:
        PlanError: No items, an id twice, a dependency that is no item, or a circle.
    """
    todos: list[Todo] = []
    known: set[str] = set()
    for position, item in enumerate(items, start=1):
        given: Mapping[str, Any] = {"content": item} if isinstance(item, str) else item
        todo = _todo(given, default_id=f"t{position}")
        if todo["id"] in known:
            raise PlanError("duplicate_id", id=todo["id"])
        known.add(todo["id"])
        todos.append(todo)
    if not todos:
        raise PlanError("empty")
    check_dependencies(todos)
    if supervision == "every_wave":
        todos[0]["status"] = TodoStatus.IN_PROGRESS.value
    return todos


def changed(
    todos: Sequence[Todo],
    changes: Sequence[Mapping[str, Any]],
    add: Sequence[str | Mapping[str, Any]],
    supervision: Supervision,
) -> list[Todo]:
    """The writes of an ``update_todo`` call: only what changes (E05, X4).

    Raises:
        PlanError: An unknown item (E07, names the open ones), a status that may not be set, or, under
            ``every_wave``, a call without both a finished and a started item (E06; when nothing is pending any
            longer, finished items alone may be sent).
    """
    writes = [_change(todos, change) for change in changes]
    known = {todo["id"] for todo in todos}
    for item in add:
        given: Mapping[str, Any] = {"content": item} if isinstance(item, str) else item
        free = next(f"t{n}" for n in count(len(known) + 1) if f"t{n}" not in known)
        todo = _todo(given, default_id=free)
        if todo["id"] in known:
            raise PlanError("duplicate_id", id=todo["id"])
        known.add(todo["id"])
        writes.append(todo)
    if not writes:
        raise PlanError("no_change")
    after = merge_todos(list(todos), [writes])
    check_dependencies(after)
    if supervision == "every_wave":
        _check_rhythm(todos, after, writes)
    return writes


def _todo(given: Mapping[str, Any], default_id: str) -> Todo:
    content = str(given.get("content") or "").strip()
    if not content:
        raise PlanError("no_content", id=given.get("id") or default_id)
    if len(str(given.get("id") or "")) > LONGEST_ID:
        raise PlanError("long_id", limit=LONGEST_ID)
    todo: Todo = {"id": str(given.get("id") or default_id), "content": content, "status": TodoStatus.PENDING.value}
    if given.get("subagent"):
        todo["subagent"] = str(given["subagent"])
    for name in ("depends_on", "steps"):
        if given.get(name):
            todo[name] = [str(value) for value in given[name]]
    return todo


def _change(todos: Sequence[Todo], change: Mapping[str, Any]) -> Todo:
    todo = find(todos, str(change.get("id") or change.get("content") or ""))
    if change.get("drop"):
        return {"id": todo["id"], "drop": True}
    write: Todo = {"id": todo["id"]}
    if status := change.get("status"):
        status = TodoStatus.COMPLETED.value if status == "done" else str(status)
        if status not in {TodoStatus.COMPLETED, TodoStatus.IN_PROGRESS, TodoStatus.PENDING}:
            raise PlanError("bad_status", id=todo["id"], status=status)
        if status == TodoStatus.COMPLETED and todo["status"] != TodoStatus.COMPLETED:
            raise PlanError("not_finished", id=todo["id"], status=todo["status"])
        write["status"] = status
        if status != TodoStatus.COMPLETED and todo["status"] in ENDED:
            write |= {"outcome": None, "question": None}  # type: ignore[typeddict-item]
    if change.get("id") and change.get("content"):
        write["content"] = str(change["content"])
    if change.get("subagent"):
        write["subagent"] = str(change["subagent"])
    if change.get("depends_on") is not None:
        write["depends_on"] = [str(value) for value in change["depends_on"]]
    return write


def find(todos: Sequence[Todo], reference: str) -> Todo:
    """The item with this id, or with this content if only one has it (X5).

    Raises:
        PlanError: No such item; names the items that are open (E07).
    """
    for todo in todos:
        if todo["id"] == reference:
            return todo
    same = [todo for todo in todos if todo["content"] == reference]
    if len(same) == 1:
        return same[0]
    still_open = ", ".join(f"{todo['id']}: {todo['content']}" for todo in todos if todo["status"] not in ENDED)
    raise PlanError("ambiguous" if same else "unknown", reference=reference, open=still_open or "-")


def check_dependencies(todos: Sequence[Todo]) -> None:
    """Refuse a dependency on an item that is not there, and circles.

    Raises:
        PlanError: Names the item, or the circle.
    """
    by_id = {todo["id"]: todo for todo in todos}
    for todo in todos:
        for dependency in todo.get("depends_on", ()):
            if dependency not in by_id:
                raise PlanError("unknown_dependency", id=todo["id"], dependency=dependency)
    waiting = {todo["id"]: len(set(todo.get("depends_on", ()))) for todo in todos}
    behind = followers(todos)
    free = [name for name, count in waiting.items() if count == 0]
    while free:
        name = free.pop()
        del waiting[name]
        for follower in behind.get(name, ()):
            waiting[follower["id"]] -= 1
            if waiting[follower["id"]] == 0:
                free.append(follower["id"])
    if waiting:
        raise PlanError("circle", circle=" -> ".join(_circle(by_id, waiting)))


def followers(todos: Sequence[Todo]) -> dict[str, list[Todo]]:
    """The items that depend on each item."""
    behind: dict[str, list[Todo]] = {}
    for todo in todos:
        for dependency in set(todo.get("depends_on", ())):
            behind.setdefault(dependency, []).append(todo)
    return behind


def _circle(by_id: Mapping[str, Todo], among: Collection[str]) -> list[str]:
    name = next(iter(among))
    path: dict[str, int] = {}
    while name not in path:
        path[name] = len(path)
        name = next(following for following in by_id[name].get("depends_on", ()) if following in among)
    return [*list(path)[path[name] :], name]


def _check_rhythm(before: Sequence[Todo], after: Sequence[Todo], writes: Sequence[Todo]) -> None:
    finished = [todo for todo in writes if todo.get("status") == TodoStatus.COMPLETED]
    started = [todo for todo in writes if todo.get("status") == TodoStatus.IN_PROGRESS]
    for write in started:
        todo = next(todo for todo in after if todo["id"] == write["id"])
        unmet = [name for name in todo.get("depends_on", ()) if find(after, name)["status"] not in ENDED]
        if unmet:
            raise PlanError("not_ready", id=todo["id"], waits_for=", ".join(unmet))
    pending = any(todo["status"] == TodoStatus.PENDING for todo in after)
    can_finish = any(todo["status"] == TodoStatus.COMPLETED for todo in before)
    if (pending and not started) or (can_finish and not finished):
        raise PlanError("rhythm")


def waiting(todos: Sequence[Todo]) -> list[Todo]:
    """The items with an open question, in order."""
    return [todo for todo in todos if todo.get("question")]
