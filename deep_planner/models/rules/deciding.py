"""A sub-agent's item that waits for another: read that one's note, then act, or leave the item and say why (P23)."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from langchain_core.messages import BaseMessage, ToolMessage

from deep_planner.models.rules.conditions import holds
from deep_planner.models.rules.frames import Frame
from deep_planner.models.rules.reading import QUERY_NOTE, Said, Situation, ToolUse, facts_in
from tools.core.text import text
from tools.domain.times import find_whens

SLOT = re.compile(r"(\d{2}):(\d{2})-(\d{2}):(\d{2})")
#: Minutes of a task whose length was not said or not understood.
USUAL_MINUTES = 60


def decided(frame: Frame, messages: Sequence[BaseMessage], given: dict[str, Any], situation: Situation) -> Frame | Said:
    """The frame to act on, its time filled in from a free slot; or the call or the words that come instead."""
    if not frame.condition and not frame.slot:
        return frame
    wanted = "calendar" if frame.slot else "weather"
    parent = next((p for p in given.get("parents", ()) if p["subagent"] == wanted and p["note"]), None)
    if parent is None:
        return frame if frame.slot else Said(text(situation.language, "offline.condition_unknown"))
    note = next((m.text for m in reversed(messages) if isinstance(m, ToolMessage) and m.name == QUERY_NOTE), None)
    if note is None:
        return Said(calls=[ToolUse(QUERY_NOTE, {"name": parent["note"]})])
    if frame.slot:
        return _in_slot(frame, note, situation)
    met, said = holds(frame.condition, note)
    if met is None:
        return Said(text(situation.language, "offline.condition_unknown"))
    return frame if met else Said(text(situation.language, "offline.condition_fails", said=said))


def _in_slot(frame: Frame, note: str, situation: Situation) -> Frame | Said:
    length = next((w.seconds // 60 for w in find_whens(frame.slot, situation.now, situation.zone) if w.seconds), None)
    minutes = int(length or USUAL_MINUTES)
    for day, slot in _slots(note):
        found = SLOT.fullmatch(slot)
        if found is None:
            continue
        start, end = int(found[1]) * 60 + int(found[2]), int(found[3]) * 60 + int(found[4])
        if end - start >= minutes:
            ends = start + minutes
            clock = f"{start // 60:02}:{start % 60:02}-{ends // 60:02}:{ends % 60:02}"
            return replace(frame, when=f"{day} {clock}".strip())
    return Said(text(situation.language, "offline.slot_none"))


def _slots(note: str) -> list[tuple[str, str]]:
    """The free stretches of a note, each with its date in ISO, earliest first."""
    for data in facts_in(note):
        by_day = data.get("free_slots_by_date") or {data.get("date", ""): data.get("free_slots")}
        found = [(str(day), str(slot)) for day, slots in sorted(by_day.items()) for slot in slots or ()]
        return [(day, slot) for day, slot in found if _is_day(day)]
    return []


def _is_day(words: str) -> bool:
    try:
        date.fromisoformat(words)
    except ValueError:
        return False
    return True
