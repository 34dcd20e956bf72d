"""A week from Monday to Sunday: seven columns where there is room for them, else seven short lists."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.cells import cell_len
from rich.console import RenderableType
from rich.table import Table
from rich.text import Text

from deep_planner.cli.day_view import LEAST, heading
from deep_planner.cli.marks import CLASH, STYLES, Names, block_words, titled, untimed_words
from deep_planner.cli.shown import padded
from tools.core.text import text
from tools.domain.agenda import Agenda
from tools.domain.tasks import Task
from tools.services.wording import days_words

#: Narrower than this, seven columns hold nothing.
NARROWEST = 100
#: The most of a title in a column, in cells.
TITLE = 44


def week_title(week: Sequence[Agenda], names: Names) -> Text:
    """Which week it is."""
    days = days_words(week[0].day, week[-1].day, names.context)
    return Text(text(names.context.language, "views.week", days=days), style="bold")


def week_table(week: Sequence[Agenda], names: Names) -> RenderableType:
    """The week as seven columns."""
    table = Table(expand=True, show_lines=False, pad_edge=False)
    for agenda in week:
        today = agenda.day == names.context.now.date()
        style = "bold reverse" if today else "bold"
        table.add_column(_column_head(agenda, names, today), ratio=1, overflow="fold", header_style=style)
    table.add_row(*[Text("\n").join(_entries(agenda, names)) for agenda in week])
    return table


def week_lists(week: Sequence[Agenda], names: Names, width: int | None = None) -> Iterator[Text]:
    """The week as a short list for each day; ``width`` as in ``day_lines``."""
    for agenda in week:
        yield heading(agenda, names)
        entries = list(_timed_entries(agenda, names))
        longest = max((cell_len(when) for when, _, _ in entries), default=0)
        for when, task, clash in entries:
            start = f"  {padded(when, longest)}  "
            mark = f"{CLASH} " if clash else ""
            room = None if width is None else max(LEAST, width - cell_len(start) - len("⚠ ✓  ↻"))
            yield Text(start).append(mark, style="yellow").append(titled(task, names, room), style=STYLES[task.status])
        if not entries:
            yield Text(f"  {text(names.context.language, 'views.nothing')}", style="dim")


def _column_head(agenda: Agenda, names: Names, today: bool) -> Text:
    weekday = text(names.context.language, f"when.weekday_{agenda.day.weekday()}")
    return Text(f"{'▶ ' if today else ''}{weekday}\n{agenda.day:%m-%d}")


def _entries(agenda: Agenda, names: Names) -> Iterator[Text]:
    for when, task, clash in _timed_entries(agenda, names):
        entry = Text(style=STYLES[task.status]).append(when, style="cyan").append(" ")
        if clash:
            entry.append(f"{CLASH} ", style="yellow")
        yield entry.append(titled(task, names, TITLE))


def _timed_entries(agenda: Agenda, names: Names) -> Iterator[tuple[str, Task, bool]]:
    """When, what, and whether it overlaps something; what has no time comes first."""
    for task in agenda.untimed:
        yield untimed_words(task, names), task, False
    for block in agenda.blocks:
        yield block_words(block, names), block.task, bool(block.clashes)
