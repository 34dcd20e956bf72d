"""How a task is marked on a timeline."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from deep_planner.cli.shown import fitted
from tools.core.context import RunContext
from tools.core.harmless import harmless
from tools.core.text import text
from tools.domain.agenda import Agenda, Block
from tools.domain.segments import TimeSegment
from tools.domain.tasks import Task, TaskStatus
from tools.services.rule_words import rule_words
from tools.services.wording import clock_words, span_words

REPEATS, CLASH = "↻", "⚠"
ENDED = {TaskStatus.COMPLETED: "✓", TaskStatus.CANCELLED: "✗"}
STYLES = {TaskStatus.PENDING: "", TaskStatus.COMPLETED: "dim", TaskStatus.CANCELLED: "dim strike"}
#: How many overlapping tasks a line names, and how much of each title.
NAMED, NAMED_CELLS = 2, 20


@dataclass(frozen=True, slots=True)
class Names:
    """What timelines need to know besides the tasks.

    Attributes:
        context: Moment, zone, language.
        rules: The rules of the series on show, by id.
        groups: The user's groups, by id.
    """

    context: RunContext
    rules: Mapping[int, str] = field(default_factory=dict)
    groups: Mapping[int, str] = field(default_factory=dict)


def rule_of(task: Task, names: Names) -> str | None:
    """The rule that the task comes back by; of an occurrence that of its series."""
    return task.rrule or (names.rules.get(task.series_id) if task.series_id == task.id else None)


def titled(task: Task, names: Names, cells: int | None = None) -> str:
    """The title with its marks: ``✓ 周会 ↻ #工作``; the title itself in at most that many cells."""
    done = [ENDED[task.status]] if task.status in ENDED else []
    return " ".join([*done, fitted(harmless(task.title), cells), *tags(task, names)])


def tags(task: Task, names: Names) -> list[str]:
    """That the task comes back, of a series also by which rule, and its group."""
    found = [REPEATS] if rule_of(task, names) else []
    if task.rrule:
        found.append(rule_words(task.rrule, task.date, names.context.language))
    if group := names.groups.get(task.group_id or 0):
        found.append("#" + fitted(harmless(group), NAMED_CELLS))
    return found


def block_words(block: Block, names: Names) -> str:
    """When the block is: ``10:00-11:00``; what began the day before says so."""
    task, context = block.task, names.context
    if task.start_time and _began_before(block):
        facts = {"start": clock_words(task.start_time), "end": minutes_words(block.end)}
        return text(context.language, "views.from_before", **facts)
    return span_words(task, context)


def untimed_words(task: Task, names: Names) -> str:
    """The part of the day, 全天 for what takes all of it, or that no time was said."""
    if task.time_segment is TimeSegment.ALL_DAY and not task.blocks_day:
        return text(names.context.language, "views.any_time")
    return span_words(task, names.context)


def clash_words(block: Block, names: Names) -> str:
    """What the block overlaps; empty when nothing."""
    if not block.clashes:
        return ""
    language = names.context.language
    titles = [fitted(harmless(task.title), NAMED_CELLS) for task in block.clashes[:NAMED]]
    others = text(language, "when.separator").join(text(language, "views.quoted", title=title) for title in titles)
    count = len(block.clashes)
    return text(language, "views.clash_more" if count > NAMED else "views.clash", others=others, count=count)


def legend(agendas: Iterable[Agenda], names: Names) -> str:
    """What the marks mean that are on show; empty when there are none."""
    days = list(agendas)
    tasks = [task for day in days for task in day.tasks]
    marks = {
        "repeats": any(rule_of(task, names) for task in tasks),
        "clash": any(block.clashes for day in days for block in day.blocks),
        "completed": any(task.status is TaskStatus.COMPLETED for task in tasks),
        "cancelled": any(task.status is TaskStatus.CANCELLED for task in tasks),
    }
    return "  ".join(text(names.context.language, f"views.legend_{name}") for name, used in marks.items() if used)


def _began_before(block: Block) -> bool:
    """Whether it is the rest of a task of the day before: its day begins, and the task does not."""
    begins = block.task.start_time
    return begins is not None and block.start == 0 and (begins.hour, begins.minute) != (0, 0)


def minutes_words(minutes: int) -> str:
    """Minutes of a day as a clock time; its end is ``24:00``."""
    return f"{minutes // 60:02}:{minutes % 60:02}"
