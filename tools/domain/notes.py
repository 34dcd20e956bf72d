"""Shared notes: plain entries of the graph's state, never files (E09, E10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def merge_notes(current: dict[str, str], writes: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Fold writes into the notes, by key (the state's reducer)."""
    merged = dict(current)
    for write in writes:
        merged.update(write)
    return merged


def note_key(request: int, todo_id: str) -> str:
    """The key of an item's note: unique on the thread, because the request is part of it."""
    return f"r{request}/{todo_id}"


def value_key(request: int, key: str) -> str:
    """The key of a value that the items of a workflow share (D16): a note like any other, holding JSON."""
    return f"r{request}/val/{key}"


def shared_values(notes: Mapping[str, str], request: int) -> dict[str, str]:
    """The values that a request's items share, as JSON texts by their own keys, in the order of their making."""
    head = value_key(request, "")
    return {name.removeprefix(head): value for name, value in notes.items() if name.startswith(head)}
