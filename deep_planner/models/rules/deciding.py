"""A sub-agent's item that waits for another: read that one's note, then act, or leave the item and say why (P23)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from langchain_core.messages import BaseMessage

from deep_planner.models.rules.conditions import FREE, holds
from deep_planner.models.rules.frames import Frame
from deep_planner.models.rules.reading import QUERY_NOTE, Said, Situation, ToolUse, facts_in, notes_read
from tools.core.text import text
from tools.domain.times import Kind, find_whens, parse_when

SLOT = re.compile(r"(\d{2}):(\d{2})-(\d{2}):(\d{2})")
#: Minutes of a task whose length was not said or not understood.
USUAL_MINUTES = 60


def decided(frame: Frame, messages: Sequence[BaseMessage], given: dict[str, Any], situation: Situation) -> Frame | Said:
    """The frame to act on, its time filled in from a free slot; or the call or the words that come instead."""
    if not frame.condition and not frame.slot:
        return frame
    wanted = "calendar" if frame.slot or frame.condition == FREE else "weather"
    parent = next((p for p in given.get("parents", ()) if p["subagent"] == wanted and p["note"]), None)
    if parent is None:
        return frame if frame.slot else _unknown(frame, situation)
    read = notes_read(messages)
    if not read:
        return Said(calls=[ToolUse(QUERY_NOTE, {"name": parent["note"]})])
    note = read[-1]
    if frame.slot:
        return _in_slot(frame, note, situation)
    if frame.condition == FREE:
        met, fails = _is_free(frame, note, situation), text(situation.language, "offline.not_free")
    else:
        met, said = holds(frame.condition, note)
        fails = text(situation.language, "offline.condition_fails", said=said)
    if met is None:
        return _unknown(frame, situation)
    return frame if met else Said(fails)


def _unknown(frame: Frame, situation: Situation) -> Said:
    name = "free_unknown" if frame.condition == FREE else "condition_unknown"
    return Said(text(situation.language, f"offline.{name}"))


def _in_slot(frame: Frame, note: str, situation: Situation) -> Frame | Said:
    length = next((w.seconds // 60 for w in find_whens(frame.slot, situation.now, situation.zone) if w.seconds), None)
    minutes = int(length or USUAL_MINUTES)
    for day, slot in _slots(note) or ():
        found = SLOT.fullmatch(slot)
        if found is None:
            continue
        start, end = int(found[1]) * 60 + int(found[2]), int(found[3]) * 60 + int(found[4])
        if end - start >= minutes:
            ends = start + minutes
            clock = f"{start // 60:02}:{start % 60:02}-{ends // 60:02}:{ends % 60:02}"
            return replace(frame, when=f"{day} {clock}".strip())
    return Said(text(situation.language, "offline.slot_none"))


def free_when(frame: Frame, situation: Situation) -> str:
    """The words of the time that must be free: of a move where it moves to, on its own date when none is named."""
    dated = any(when.date_given for when in find_whens(frame.when, situation.now, situation.zone))
    return frame.when if dated else f"{frame.on} {frame.when}".strip()


def _is_free(frame: Frame, note: str, situation: Situation) -> bool | None:
    """Whether a free slot holds the frame's time; a start alone must lie in one, and a bare day needs any.

    ``None`` when the note does not tell.
    """
    found, when = _slots(note), parse_when(free_when(frame, situation), situation.now, situation.zone)
    if found is None or when is None or when.date is None:
        return None
    slots = [slot.split("-") for day, slot in found if day == when.date.isoformat() and SLOT.fullmatch(slot)]
    if not when.clock_given or when.start is None:
        return bool(slots)
    start = f"{when.start:%H:%M}"
    if when.kind is Kind.RANGE and when.end:
        return any(first <= start and f"{when.end:%H:%M}" <= last for first, last in slots)
    return any(first <= start < last for first, last in slots)


def _slots(note: str) -> list[tuple[str, str]] | None:
    """The free stretches of a note, each with its date in ISO, earliest first; ``None`` when it holds no such list."""
    for data in facts_in(note):
        by_day = data.get("free_slots_by_date") or {data.get("date", ""): data.get("free_slots")}
        found = [(str(day), str(slot)) for day, slots in sorted(by_day.items()) for slot in slots or ()]
        return [(day, slot) for day, slot in found if _is_day(day)]
    return None


def _is_day(words: str) -> bool:
    try:
        date.fromisoformat(words)
    except ValueError:
        return False
    return True
