"""What a planner's calls make of the todo list: writing it and changing it (seed 004, X3-X5).

Everything here is a pure function of the list; who calls a model and who dispatches is decided elsewhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import count
from typing import Any

from tools.domain.todos import ENDED, Supervision, Todo, TodoStatus, followers, merge_todos

#: An item's id is part of note keys and operation keys, which the database bounds.
LONGEST_ID = 60


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
    known: set[str] = set()
    todos = [_added(item, f"t{position}", known) for position, item in enumerate(items, start=1)]
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
        free = next(f"t{n}" for n in count(len(known) + 1) if f"t{n}" not in known)
        writes.append(_added(item, free, known))
    if not writes:
        raise PlanError("no_change")
    after = merge_todos(list(todos), [writes])
    check_dependencies(after)
    if supervision == "every_wave":
        _check_rhythm(todos, after, writes)
    return writes


def check_agents(writes: Sequence[Todo], known: Sequence[str]) -> None:
    """Refuse an item for a sub-agent that is not there.

    Raises:
        PlanError: Names the sub-agents that are.
    """
    for todo in writes:
        if todo.get("subagent") and todo["subagent"] not in known:
            raise PlanError("unknown_subagent", id=todo["id"], subagent=todo["subagent"], known=", ".join(known))


def _added(item: str | Mapping[str, Any], default_id: str, known: set[str]) -> Todo:
    """A new item, its id now among the ``known``."""
    todo = _todo({"content": item} if isinstance(item, str) else item, default_id)
    if todo["id"] in known:
        raise PlanError("duplicate_id", id=todo["id"])
    known.add(todo["id"])
    return todo


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
