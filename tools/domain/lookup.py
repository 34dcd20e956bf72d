"""Which task a title means (A13, A14, P6, P8)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from enum import StrEnum

from tools.domain.conflicts import by_start
from tools.domain.similarity import are_same_title, canonical_title, decisive_words, own_words, title_units
from tools.domain.tasks import Task, TaskStatus

#: Of 100: how well the shorter canonical title must be found in the longer one to be worth asking about.
_CANDIDATE_RATIO = 75
#: Of 100: how alike two words must be to be one word misspelt, and from which length on they can be.
_MISSPELT_RATIO, _MISSPELT_LENGTH = 80, 5


#: Between the titles of several tasks named in one breath.
_AND = re.compile(r"\s*(?:[、，,;；&+]|以及|还有|加上|\band\b|\bplus\b|[和跟与及])\s*", re.IGNORECASE)
#: More titles than this, or longer words, are no list of tasks.
_MOST_TITLES, _LONGEST_TITLES = 8, 200


class LookupKind(StrEnum):
    """What a search for a title came to."""

    ONE = "one"
    MANY = "many"
    NONE = "none"
    ALREADY_DONE = "already_done"


@dataclass(frozen=True, slots=True)
class Lookup:
    """The result of a search.

    Attributes:
        kind: ``one``: act. ``many``: ask, even when it is about a single task, because the title only resembles it.
            ``already_done``: say so. ``none``: not found.
        tasks: What was found, by date, start, id (P8).
    """

    kind: LookupKind
    tasks: tuple[Task, ...] = ()


def find_tasks(title: str, tasks: Sequence[Task], *, now: datetime, day: date | None = None) -> Lookup:
    """The task that the user means by a title, or the ones to choose from (P6).

    Looked at in turn: the pending tasks of the date that the user named, and no others; without one those of today,
    then all other pending ones, overdue or to come; then completed tasks. Last come pending tasks whose titles merely
    resemble the one asked for: they are never acted on, only offered. When today's task of that title is completed,
    one of another date is only offered too, for the user may well mean the first.

    Args:
        title: What the user calls the task.
        tasks: The user's tasks, of any date and status.
        now: The present moment in the user's zone.
        day: The date that the user named; not the date that a task is moved to.
    """
    if not canonical_title(title):
        return Lookup(LookupKind.NONE)
    pending = [_of(tasks, TaskStatus.PENDING, day)] if day else _by_today(_of(tasks, TaskStatus.PENDING), now.date())
    done = _named(title, _of(tasks, TaskStatus.COMPLETED, day))
    done_today = [task for task in done if task.date == now.date()]
    for stage in pending:
        found = _named(title, stage)
        if found:
            elsewhere = found[0].date != now.date()
            doubtful = elsewhere and any(are_same_title(task.title, found[0].title) for task in done_today)
            return Lookup(LookupKind.ONE if len(found) == 1 and not doubtful else LookupKind.MANY, found)
    if done:
        newest = now.date() if done_today else done[-1].date
        return Lookup(LookupKind.ALREADY_DONE, tuple(task for task in done if task.date == newest))
    for stage in pending:
        alike = tuple(task for task in stage if _resembles(title, task.title))
        if alike:
            return Lookup(LookupKind.MANY, alike)
    return Lookup(LookupKind.NONE)


def titles_in(words: str) -> list[str]:
    """The titles in "the report and the gym"; empty when the words are no such list."""
    parts = _AND.split(words) if len(words) <= _LONGEST_TITLES else []
    return parts if 1 < len(parts) <= _MOST_TITLES and all(canonical_title(part) for part in parts) else []


def _of(tasks: Iterable[Task], status: TaskStatus, day: date | None = None) -> list[Task]:
    """The tasks of a status, and of a date when one is given, by date, start, id."""
    return sorted((task for task in tasks if task.status is status and day in (None, task.date)), key=by_start)


def _by_today(tasks: Sequence[Task], today: date) -> list[list[Task]]:
    """The tasks of today, and those of all other dates."""
    return [[task for task in tasks if task.date == today], [task for task in tasks if task.date != today]]


def _named(title: str, tasks: Iterable[Task]) -> tuple[Task, ...]:
    """The tasks that the title names: by the same words, else by a part of them or by a duplicate's title."""
    candidates = tuple(tasks)
    wanted = canonical_title(title)
    exact = tuple(task for task in candidates if canonical_title(task.title) == wanted)
    return exact or tuple(
        task for task in candidates if _is_part(title, task.title) or are_same_title(title, task.title)
    )


def _is_part(title: str, other: str) -> bool:
    """Whether one title is contained in the other, unless what is left turns it into something else (不, 取消)."""
    return decisive_words(title) == decisive_words(other) and any(
        _contains(longer, shorter)
        for form in (canonical_title, str.lower)
        for longer, shorter in ((form(title), form(other)), (form(other), form(title)))
        if _says_enough(shorter)
    )


def _contains(longer: str, shorter: str) -> bool:
    """Whether the units of one text stand side by side in the other; "art" is no part of "start"."""
    return f" {' '.join(title_units(shorter))} " in f" {' '.join(title_units(longer))} "


def _says_enough(text: str) -> bool:
    """Whether a part of a title can name it: one word can, one Chinese character such as 会 cannot."""
    return len(text.strip()) > 1


def _resembles(title: str, other: str) -> bool:
    """Whether the user may mean the other title: to be asked, never to be acted on."""
    if decisive_words(title) != decisive_words(other) or _contradict(title, other):
        return False
    from rapidfuzz import fuzz  # noqa: PLC0415 - most searches end before this, and the import costs start-up time

    shorter, longer = sorted((canonical_title(title), canonical_title(other)), key=len)
    if not _says_enough(shorter):
        return longer.endswith(shorter)
    return fuzz.partial_ratio(shorter, longer) >= _CANDIDATE_RATIO


def _contradict(title: str, other: str) -> bool:
    """Whether each title says something that the other does not, spelling mistakes in long words apart."""
    mine, theirs = own_words(title, other)
    return bool(mine and theirs) and any(not _misspelt(word, theirs) for word in mine)


def _misspelt(word: str, others: Iterable[str]) -> bool:
    """Whether the word is nearly one of the others."""
    from rapidfuzz import fuzz  # noqa: PLC0415 - see _resembles

    return len(word) >= _MISSPELT_LENGTH and any(fuzz.ratio(word, other) >= _MISSPELT_RATIO for other in others)
