"""Why a turn failed, and the comparison of an expected value with a found one."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import time
from typing import Any

from deep_planner.evaluation.cases import Matcher, instant
from deep_planner.evaluation.world import Row
from tools.core.text import Language, text

#: A clock time's minutes; an end before its start is on the next day.
DAY = 24 * 60
#: What a task without an end is taken to last (P3).
ASSUMED = 60


@dataclass(frozen=True, slots=True)
class Reason:
    """One reason of a failure: its name, and the facts in its sentence."""

    name: str
    facts: dict[str, Any] = field(default_factory=dict)

    def words(self, language: Language) -> str:
        """The sentence."""
        return text(language, f"cli.eval_reason_{self.name}", **{key: _told(fact) for key, fact in self.facts.items()})


def _told(fact: Any) -> str:
    return fact if isinstance(fact, str) else json.dumps(fact, ensure_ascii=False, default=str)


def fits(want: Any, got: Any) -> bool:
    """Whether a value is one of those expected."""
    if want == "*":
        return True
    if isinstance(want, list):
        return any(fits(one, got) for one in want)
    if isinstance(want, dict):
        return got is not None and ("ge" not in want or got >= want["ge"]) and ("le" not in want or got <= want["le"])
    return bool(want == got)


def _fits_instant(want: Any, got: Any) -> bool:
    if want == "*":
        return True
    if isinstance(want, list):
        return any(_fits_instant(one, got) for one in want)
    if isinstance(want, dict):
        bounds = {name: instant(value) for name, value in want.items()}
        return fits(bounds, instant(got))
    return want is not None and instant(want) == instant(got)


def holds(piece: str, words: str | None) -> bool:
    """Whether a piece of text is there, in capitals or not."""
    return piece.casefold() in (words or "").casefold()


def _pieces(want: Any) -> list[str]:
    return [want] if isinstance(want, str) else list(want)


def span(row: Row) -> tuple[int, int] | None:
    """Start and end in minutes; an end that is not stored is assumed (P3)."""
    if row["start_time"] is None:
        return None
    start = _minutes(row["start_time"])
    if row["end_time"] is None:
        return start, start + ASSUMED
    end = _minutes(row["end_time"])
    return start, end if end >= start else end + DAY


def _minutes(clock: str) -> int:
    found = time.fromisoformat(clock)
    return found.hour * 60 + found.minute


def _lasts(matcher: Matcher, row: Row) -> bool:
    found = span(row)
    if found is None or row["end_time"] is None:
        return False
    length, wanted = found[1] - found[0], int(matcher["duration_min"])
    # ``"at_least": true`` beside it makes it the shortest that will do.
    return length >= wanted if matcher.get("at_least") is True else length == wanted


def _alone(row: Row, others: Sequence[Row]) -> bool:
    here = span(row)
    if here is None:
        return True
    for other in others:
        there = span(other)
        same = other["user_id"] == row["user_id"] and other["date"] == row["date"] and other["status"] == "pending"
        if same and other["id"] != row["id"] and there and there[0] < here[1] and here[0] < there[1]:
            return False
    return True


def faults_of(matcher: Matcher, row: Row, *, others: Sequence[Row] = ()) -> list[str]:
    """The keys of a matcher that a row does not satisfy; ``task`` is left to the caller.

    Args:
        matcher: What is expected; keys that are not known are not graded.
        row: What was found.
        others: The table it stands in, for ``no_overlap``.
    """
    checks: dict[str, Callable[[Any], bool]] = {
        "title_has": lambda want: all(holds(piece, row.get("title")) for piece in _pieces(want)),
        "description_has": lambda want: all(holds(piece, row.get("description")) for piece in _pieces(want)),
        "content_has_any": lambda want: any(holds(piece, row.get("content")) for piece in _pieces(want)),
        "content_has_none": lambda want: not any(holds(piece, row.get("content")) for piece in _pieces(want)),
        "duration_min": lambda want: want == "*" or _lasts(matcher, row),
        "no_overlap": lambda want: not want or _alone(row, others),
        "remind_at": lambda want: _fits_instant(want, row.get("remind_at")),
    }
    wrong = []
    for key, want in matcher.items():
        check = checks.get(key)
        if check is None and (key == "task" or key not in row):
            continue
        if not (check(want) if check else fits(want, row[key])):
            wrong.append(key)
    return wrong


def pairings(matchers: int, rows: int, possible: Callable[[int, int], bool]) -> Iterator[tuple[int, ...]]:
    """Every way to give each matcher a row of its own, as the row of each matcher."""

    def extend(chosen: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(chosen) == matchers:
            yield chosen
            return
        for row in range(rows):
            if row not in chosen and possible(len(chosen), row):
                yield from extend((*chosen, row))

    return extend(())
