"""A day as a timeline: what has no time on top, then the hours with a bar for each task and the free time between."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from rich.cells import cell_len
from rich.text import Text

from deep_planner.cli.marks import (
    CLASH,
    STYLES,
    Names,
    block_words,
    clash_words,
    minutes_words,
    titled,
    untimed_words,
)
from deep_planner.cli.shown import padded
from tools.core.text import text
from tools.domain.agenda import Agenda, Block
from tools.domain.slots import Slot
from tools.services.wording import day_words

BAR, FREE, BLANK = "┃", "░", " "
#: The least of a title that is shown, however narrow the terminal, in cells.
LEAST = 12
#: The most bars side by side; what does not fit shares the last one.
MOST_BARS = 8


def day_lines(agenda: Agenda, names: Names, width: int | None = None) -> list[Text]:
    """The timeline of a day.

    Args:
        agenda: The day laid out.
        names: What else is to be said.
        width: Cells of the terminal, for cutting titles; ``None`` for none: they stay whole.
    """
    lines = [heading(agenda, names), *_untimed(agenda, names, width)]
    if not agenda.untimed and not agenda.blocks:
        lines.append(Text(f"  {text(names.context.language, 'views.nothing')}", style="dim"))
    if agenda.blocks or agenda.free:
        lines += _hours(agenda, names, width)
    return lines


def heading(agenda: Agenda, names: Names) -> Text:
    """The date; today is marked."""
    words = day_words(agenda.day, names.context)
    today = agenda.day == names.context.now.date()
    return Text(f"{'▶ ' if today else ''}{words[:1].upper()}{words[1:]}", style="bold reverse" if today else "bold")


def _untimed(agenda: Agenda, names: Names, width: int | None) -> list[Text]:
    labels = [untimed_words(task, names) for task in agenda.untimed]
    longest = max(map(cell_len, labels), default=0)
    lines = []
    for label, task in zip(labels, agenda.untimed, strict=True):
        start = f"  {padded(label, longest)}  {'■' if task.blocks_day else '·'} "
        lines.append(Text(start + titled(task, names, _room(start, "", width)), style=STYLES[task.status]))
    return lines


def _hours(agenda: Agenda, names: Names, width: int | None) -> Iterator[Text]:
    """A row for each full hour, and for each minute at which something begins or ends.

    Of hours with nothing in them, neither tasks nor free time, only the first has its row.
    """
    first, end = (hour * 60 for hour in agenda.hours)
    minutes = set(range(first, end + 1, 60))
    minutes.update(edge for block in agenda.blocks for edge in (block.start, block.end))
    minutes.update(edge for slot in agenda.free for edge in (slot.start, slot.end))
    present = _present(agenda, names.context.now)
    if present is not None:
        minutes.add(present)
    empty = False
    for minute in sorted(minutes):
        label, bars = minutes_words(minute), _bars(agenda, minute)
        words = _said(agenda, minute, names, now=minute == present)
        was_empty, empty = empty, words == [""] and not bars.strip()
        if was_empty and empty and minute != end:
            continue
        for said in words:
            yield _row(f"  {label}  {bars} ", said, names, width)
            label = BLANK * len(label)


def _present(agenda: Agenda, now: datetime) -> int | None:
    """The minute of the day that it is, on today's timeline."""
    minute = now.hour * 60 + now.minute
    first, end = (hour * 60 for hour in agenda.hours)
    return minute if agenda.day == now.date() and first <= minute <= end else None


def _bars(agenda: Agenda, minute: int) -> str:
    """One column for each lane: who is at work in the minute that begins here, or that it is free."""
    count = min(1 + max((block.lane for block in agenda.blocks), default=0), MOST_BARS)
    lanes = [BLANK] * count
    if any(slot.start <= minute < slot.end for slot in agenda.free):
        lanes[0] = FREE
    for block in agenda.blocks:
        if block.takes_time and block.start <= minute < block.end:
            lanes[min(block.lane, count - 1)] = BAR
    return BLANK.join(lanes)


def _said(agenda: Agenda, minute: int, names: Names, *, now: bool) -> list[Block | Slot | str]:
    """What begins at a minute; at least one empty word, so that the hour has its row."""
    said: list[Block | Slot | str] = [text(names.context.language, "views.now")] if now else []
    said += [block for block in agenda.blocks if block.start == minute]
    said += [slot for slot in agenda.free if slot.start == minute]
    return said or [""]


def _row(start: str, said: Block | Slot | str, names: Names, width: int | None) -> Text:
    if isinstance(said, str):
        return Text((start + said).rstrip(), style="dim")
    if isinstance(said, Slot):
        return Text(start + _free_words(said, names), style="green")
    clash = f"  {CLASH} {clash_words(said, names)}" if said.clashes else ""
    start = f"{start}{block_words(said, names)} "
    words = start + titled(said.task, names, _room(start, clash, width))
    return Text(words, style=STYLES[said.task.status]).append(clash, style="yellow")


def _free_words(slot: Slot, names: Names) -> str:
    hours, minutes = divmod(slot.end - slot.start, 60)
    name = "length_both" if hours and minutes else "length_hours" if hours else "length_minutes"
    length = text(names.context.language, f"views.{name}", hours=hours, minutes=minutes)
    return text(names.context.language, "views.free", slot=slot.text, length=length)


def _room(start: str, rest: str, width: int | None) -> int | None:
    """Cells that are left for a title."""
    return None if width is None else max(LEAST, width - cell_len(start) - cell_len(rest) - len("✓  ↻"))
