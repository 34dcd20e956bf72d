"""What a person may say to a plan before it runs: yes, no, or what to change, in words or as data.

Words are a small grammar, so that changing a plan needs no model and means the same with any of them::

    删掉 2 · drop 2          2 改成 周日爬山 · 2: hike on Sunday        2 给 calendar · 2 to calendar
    加上 买水 · add buy water          顺序 2 1 3 · order 2 1 3

Items are named by their number in the list or by their id.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from tools.domain.plan_writing import PlanError, changed, check_dependencies, find
from tools.domain.todos import Todo, merge_todos
from tools.toolkits.todos import TodoChange, TodoItem

_REF = r"(?:把\s*)?(?:第\s*)?(?P<ref>[\w-]+?)\s*(?:项|个)?"
DROP = re.compile(
    r"(?:删掉|删除|删(?![掉除])|去掉|(?:不要|取消)(?=[\s第\da-z])|(?:drop|remove|delete)\b|cancel(?=\s+\w*\d))\s*(?P<refs>.+)",
    re.IGNORECASE,
)
DROP_AFTER = re.compile(r"(?:把\s*|(?=第|\d))(?P<refs>.+?)\s*(?:删掉|删除|删|去掉|取消|不要)了?", re.IGNORECASE)
ORDER = re.compile(r"(?:顺序|order\b)\s*[:：]?\s*(?P<refs>.+)", re.IGNORECASE)
ADD = re.compile(r"(?:加上|再加|添加|加(?=[\s:：])|add\b)\s*[:：]?\s*(?P<content>.+)", re.IGNORECASE)
AGENT = re.compile(rf"{_REF}\s*(?:交给|给|->|to)\s*(?P<agent>[a-z_][\w-]*)", re.IGNORECASE)
CONTENT = re.compile(rf"{_REF}\s*(?:改成|改为|换成|[:：=])\s*(?P<content>.+)", re.IGNORECASE)
_NUMBERS = {word: number for number, word in enumerate("一二三四五六七八九十", start=1)}
_SPLIT = re.compile(r"[;；\n]+")
_REFS = re.compile(r"[\s,，、和]+|\band\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Verdict:
    """What is to become of a plan.

    Attributes:
        kind: ``approve``, ``reject``, ``edit`` (show it again), or ``unclear``.
        writes: Changes of the list; with ``approve`` they come first.
    """

    kind: Literal["approve", "reject", "edit", "unclear"]
    writes: list[Todo] = field(default_factory=list)


class EditedItem(BaseModel):
    """An item as a client sends it back; what may not be changed is left alone."""

    model_config = ConfigDict(extra="ignore")

    id: str | None = None
    content: str | None = None
    subagent: str | None = None
    depends_on: list[str] | None = None
    steps: list[str] | None = None


class Edits(BaseModel):
    """A whole new list, or what is to be changed and added."""

    model_config = ConfigDict(extra="ignore")

    todos: list[EditedItem | str] = None  # type: ignore[assignment]  # left out, but never null
    changes: list[TodoChange] = []
    add: list[TodoItem | str] = []


#: Names of the forms of an item, which stand in the place of a fault.
_FORMS = (EditedItem.__name__, TodoItem.__name__, "str")


def from_words(todos: Sequence[Todo], words: str) -> Verdict:
    """Edits in words, one a line or parted by semicolons.

    Raises:
        PlanError: An item that is not there, or a circle.
    """
    now = list(todos)
    parts = [part.strip() for part in _SPLIT.split(words) if part.strip()]
    for part in parts:
        edited = _edited(now, part)
        if edited is None:
            return Verdict("unclear")
        now = edited
    return Verdict("edit", replaced(todos, now)) if parts else Verdict("unclear")


def from_data(todos: Sequence[Todo], given: Mapping[str, Any]) -> Verdict:
    """A whole new list (``todos``), or ``changes`` and ``add`` as ``update_todo`` takes them; both approve.

    Raises:
        PlanError: What is no edit (names the place), an item that cannot be, nothing left, or a circle.
    """
    edits = _read(given)
    if edits.todos is not None:
        return Verdict("approve", replaced(todos, _listed(todos, edits.todos)))
    changes = [change.model_dump(exclude_none=True) for change in edits.changes]
    add = [item if isinstance(item, str) else item.model_dump(exclude_none=True) for item in edits.add]
    writes = changed(todos, changes, add, "on_attention") if changes or add else []
    if not merge_todos(list(todos), [writes]):
        raise PlanError("nothing_left")
    return Verdict("approve", writes)


def _read(given: Mapping[str, Any]) -> Edits:
    try:
        return Edits.model_validate(given)
    except ValidationError as error:
        # Of the two forms that an item may have, the object tells best where it is wrong.
        places = [[str(part) for part in fault["loc"] if part not in _FORMS] for fault in error.errors()]
        raise PlanError("bad_edit", place=".".join(places[0])) from error


def _listed(todos: Sequence[Todo], items: Sequence[EditedItem | str]) -> list[Todo]:
    """A whole new list: items that are known, as they are now, then the new ones."""
    known = {todo["id"]: todo for todo in todos}
    kept: list[Todo] = []
    fresh: list[dict[str, Any]] = []
    for item in items:
        fields = {"content": item} if isinstance(item, str) else item.model_dump(exclude_none=True)
        if fields.get("id") in known:
            content = fields.get("content") or known[fields["id"]]["content"]
            kept.append({**known[fields["id"]], **fields, "content": content})  # type: ignore[typeddict-item]
        else:
            fresh.append(fields)
    names = {*(todo["id"] for todo in kept), *(item["id"] for item in fresh if "id" in item)}
    kept = _pruned(kept, known.keys() - names)
    return [*kept, *(changed(kept, [], fresh, "on_attention") if fresh else [])]


def replaced(before: Sequence[Todo], after: Sequence[Todo]) -> list[Todo]:
    """The writes that make one list of another; dependencies on what is gone go with it.

    Raises:
        PlanError: Nothing is left, an id twice, a dependency that never was an item, or a circle.
    """
    if not after:
        raise PlanError("nothing_left")
    counted = Counter(todo["id"] for todo in after)
    if twice := next((name for name, count in counted.items() if count > 1), None):
        raise PlanError("duplicate_id", id=twice)
    whole = _pruned(after, {todo["id"] for todo in before} - counted.keys())
    check_dependencies(whole)
    gone: list[Todo] = [{"id": todo["id"], "drop": True} for todo in before]
    return [*gone, *whole]


def _pruned(todos: Sequence[Todo], gone: Collection[str]) -> list[Todo]:
    """The items without dependencies on what is not there any more."""
    return [{**todo, "depends_on": [name for name in todo.get("depends_on", ()) if name not in gone]} for todo in todos]


def _edited(todos: list[Todo], part: str) -> list[Todo] | None:
    if found := ORDER.fullmatch(part):
        first = [_item(todos, ref) for ref in _refs(found["refs"])]
        return [*first, *(todo for todo in todos if todo not in first)]
    if found := DROP.fullmatch(part) or DROP_AFTER.fullmatch(part):
        gone = [_item(todos, ref)["id"] for ref in _refs(found["refs"])]
        return [todo for todo in todos if todo["id"] not in gone]
    if found := ADD.fullmatch(part):
        return [*todos, *changed(todos, [], [found["content"]], "on_attention")]
    if found := AGENT.fullmatch(part):
        return _with(todos, found["ref"], {"subagent": found["agent"].lower()})
    if found := CONTENT.fullmatch(part):
        return _with(todos, found["ref"], {"content": found["content"]})
    return None


def _with(todos: Sequence[Todo], ref: str, fields: Todo) -> list[Todo]:
    wanted = _item(todos, ref)
    return [{**todo, **fields} if todo is wanted else todo for todo in todos]


def _item(todos: Sequence[Todo], ref: str) -> Todo:
    ids = {todo["id"] for todo in todos}
    number = int(ref) if ref.isdecimal() else _NUMBERS.get(ref, 0)
    if ref not in ids and 1 <= number <= len(todos):
        return todos[number - 1]
    return find(todos, ref)


def _refs(words: str) -> list[str]:
    bare = (ref.strip().removeprefix("第").removesuffix("项").removesuffix("个").strip() for ref in _REFS.split(words))
    return [ref for ref in bare if ref]
