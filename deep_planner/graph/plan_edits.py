"""What a person may say to a plan before it runs: yes, no, or what to change, in words or as data.

Words are a small grammar, so that changing a plan needs no model and means the same with any of them::

    删掉 2 · drop 2          2 改成 周日爬山 · 2: hike on Sunday        2 给 calendar · 2 to calendar
    加上 买水 · add buy water          顺序 2 1 3 · order 2 1 3

Items are named by their number in the list or by their id.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from tools.domain.plan_writing import PlanError, changed, find
from tools.domain.todos import Todo

_REF = r"(?:第\s*)?(?P<ref>[\w-]+?)\s*(?:项|个)?"
DROP = re.compile(r"(?:删掉|删除|删|去掉|不要|drop|remove|delete)\s*(?P<refs>.+)", re.IGNORECASE)
ORDER = re.compile(r"(?:顺序|order)\s*[:：]?\s*(?P<refs>.+)", re.IGNORECASE)
ADD = re.compile(r"(?:加上|再加|添加|加|add)\s*[:：]?\s*(?P<content>.+)", re.IGNORECASE)
AGENT = re.compile(rf"{_REF}\s*(?:交给|给|->|to)\s*(?P<agent>[a-z_][\w-]*)", re.IGNORECASE)
CONTENT = re.compile(rf"{_REF}\s*(?:改成|改为|换成|[:：=])\s*(?P<content>.+)", re.IGNORECASE)
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


def from_words(todos: Sequence[Todo], words: str) -> Verdict:
    """Edits in words, one a line or parted by semicolons.

    Raises:
        PlanError: An item that is not there, or a circle.
    """
    now = list(todos)
    for part in filter(None, map(str.strip, _SPLIT.split(words))):
        edited = _edited(now, part)
        if edited is None:
            return Verdict("unclear")
        now = edited
    return Verdict("edit", replaced(todos, now))


def from_data(todos: Sequence[Todo], given: Mapping[str, Any]) -> Verdict:
    """A whole new list (``todos``), or ``changes`` and ``add`` as ``update_todo`` takes them; both approve.

    Raises:
        PlanError: An item that cannot be, or a circle.
    """
    if "todos" in given:
        known = {todo["id"]: todo for todo in todos}
        items = [item if isinstance(item, Mapping) else {"content": item} for item in given["todos"]]
        kept: list[Todo] = []
        fresh: list[Mapping[str, Any]] = []
        for item in items:
            if item.get("id") in known:
                kept.append({**known[item["id"]], **_named(item)})
            else:
                fresh.append(item)
        kept = _pruned(kept, {*(todo["id"] for todo in kept), *(str(item.get("id", "")) for item in fresh)})
        writes = changed(kept, [], fresh, "on_attention") if fresh else []
        return Verdict("approve", replaced(todos, [*kept, *writes]))
    changes, add = list(given.get("changes") or ()), list(given.get("add") or ())
    return Verdict("approve", changed(list(todos), changes, add, "on_attention") if changes or add else [])


def replaced(before: Sequence[Todo], after: Sequence[Todo]) -> list[Todo]:
    """The writes that make one list of another; dependencies on what is gone go with it.

    Raises:
        PlanError: Nothing is left, or a circle.
    """
    if not after:
        raise PlanError("empty")
    whole = _pruned(after, {todo["id"] for todo in after})
    changed(whole, [{"id": whole[0]["id"], "content": whole[0]["content"]}], [], "on_attention")  # checks it all
    gone: list[Todo] = [{"id": todo["id"], "drop": True} for todo in before]
    return [*gone, *whole]


def _pruned(todos: Sequence[Todo], names: Collection[str]) -> list[Todo]:
    """The items without dependencies on what is not there any more."""
    return [{**todo, "depends_on": [name for name in todo.get("depends_on", ()) if name in names]} for todo in todos]


def _edited(todos: list[Todo], part: str) -> list[Todo] | None:
    if found := ORDER.fullmatch(part):
        first = [_item(todos, ref) for ref in _refs(found["refs"])]
        return [*first, *(todo for todo in todos if todo not in first)]
    if found := DROP.fullmatch(part):
        gone = [_item(todos, ref)["id"] for ref in _refs(found["refs"])]
        return [todo for todo in todos if todo["id"] not in gone]
    if found := AGENT.fullmatch(part):
        return _with(todos, found["ref"], {"subagent": found["agent"].lower()})
    if found := CONTENT.fullmatch(part):
        return _with(todos, found["ref"], {"content": found["content"]})
    if found := ADD.fullmatch(part):
        return [*todos, *changed(todos, [], [found["content"]], "on_attention")]
    return None


def _with(todos: Sequence[Todo], ref: str, fields: Todo) -> list[Todo]:
    wanted = _item(todos, ref)
    return [{**todo, **fields} if todo is wanted else todo for todo in todos]


def _item(todos: Sequence[Todo], ref: str) -> Todo:
    ids = {todo["id"] for todo in todos}
    if ref not in ids and ref.isdecimal() and 1 <= int(ref) <= len(todos):
        return todos[int(ref) - 1]
    return find(todos, ref)


def _refs(words: str) -> list[str]:
    bare = (ref.strip().removeprefix("第").removesuffix("项").removesuffix("个").strip() for ref in _REFS.split(words))
    return [ref for ref in bare if ref]


def _named(item: Mapping[str, Any]) -> Todo:
    fields: Todo = {}
    if item.get("content"):
        fields["content"] = str(item["content"])
    if item.get("subagent"):
        fields["subagent"] = str(item["subagent"])
    for name in ("depends_on", "steps"):
        if item.get(name) is not None:
            fields[name] = [str(value) for value in item[name]]
    return fields
