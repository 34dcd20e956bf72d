"""Single properties of an entry as values of a task."""

from __future__ import annotations

from datetime import datetime

from tools.core.context import RunContext
from tools.domain.segments import TimeSegment, segment_at
from tools.domain.tasks import Priority, TaskStatus
from tools.services.ics.lines import Block
from tools.services.ics.moments import EntryError, read_moment
from tools.services.ics.names import BLOCKS_DAY, SEGMENT
from tools.services.ics.places import Place
from tools.services.ics.texts import one_line, segment_names
from tools.services.ics.zones import Zones

STATUSES = {
    "NEEDS-ACTION": TaskStatus.PENDING,
    "IN-PROCESS": TaskStatus.PENDING,
    "COMPLETED": TaskStatus.COMPLETED,
    "CANCELLED": TaskStatus.CANCELLED,
}


def text_of(block: Block, name: str) -> str:
    """The text of a property; empty when there is none that can be read."""
    try:
        found = block.first(name)
    except ValueError:
        return ""
    return found.text.strip() if found else ""


def status_of(block: Block) -> TaskStatus | None:
    """What the entry says about being done; an event that takes place says nothing."""
    said = text_of(block, "STATUS").upper()
    if block.name == "VEVENT":
        return TaskStatus.CANCELLED if said == "CANCELLED" else None
    if not said and (text_of(block, "COMPLETED") or number_of(block, "PERCENT-COMPLETE") == 100):
        return TaskStatus.COMPLETED
    return STATUSES.get(said)


def segment_of(block: Block, place: Place, ours: bool) -> TimeSegment | None:
    """The part of the day as said; our own export leaves out what follows from the time."""
    said = text_of(block, SEGMENT)
    if said in set(TimeSegment):
        return TimeSegment(said)
    if not ours:
        return None
    return segment_at(place.start) if place.start else TimeSegment.ALL_DAY


def priority_of(block: Block) -> Priority | None:
    """RFC 5545, 3.8.1.9: 1 to 4 are high, 5 is medium, 6 to 9 are low, 0 says nothing."""
    number = number_of(block, "PRIORITY")
    if not 1 <= number <= 9:
        return None
    return Priority.HIGH if number < 5 else Priority.MEDIUM if number == 5 else Priority.LOW


def blocks_day(block: Block, place: Place) -> bool:
    """Whether the task keeps its whole day busy (P11), as a whole-day event does unless it is marked as free."""
    if block.name == "VEVENT" and place.start is None:
        return text_of(block, "TRANSP").upper() != "TRANSPARENT"
    return text_of(block, BLOCKS_DAY).upper() == "TRUE"


def number_of(block: Block, name: str) -> int:
    """A number without sign; 0 when there is none."""
    said = text_of(block, name)
    return int(said) if said.isascii() and said.isdecimal() and len(said) < 10 else 0


def modified_at(block: Block, zones: Zones, context: RunContext) -> datetime | None:
    """When the entry was last changed, UTC."""
    try:
        found = read_moment(block, "LAST-MODIFIED", zones)
    except (EntryError, ValueError):
        return None
    return found.instant(context.zone) if found else None


def categories_of(block: Block) -> tuple[str, ...]:
    """The categories, without the part of the day that our own export puts last."""
    words = [one_line(word) for line in block.all("CATEGORIES") for word in line.texts]
    if block.first(SEGMENT) and words and words[-1] in segment_names():
        words.pop()
    return tuple(word for word in words if word)
