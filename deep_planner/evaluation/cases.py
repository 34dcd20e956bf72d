"""Evaluation cases: one JSON object a line, with what must be there beforehand and what may come of each turn."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from datetime import date, datetime, time
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AwareDatetime, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, field_validator

from tools.core.clock import zone_named
from tools.core.errors import UsageError
from tools.core.text import Language, text
from tools.domain.records import ReminderStatus
from tools.domain.segments import TimeSegment
from tools.domain.tasks import Priority, TaskStatus

Kind = Literal["done", "answer", "ask", "conflict", "error", "refuse", "chat"]
#: Expected values by field: exact, a list (any of), ``"*"`` (not graded), ``{"ge": .., "le": ..}``.
Matcher = dict[str, Any]


def _listed(value: Any) -> Any:
    return [value] if isinstance(value, str) else value


Words = Annotated[list[str], BeforeValidator(_listed)]


class CaseError(UsageError):
    """Cases that cannot be read; says where and why."""

    def __init__(self, fault: str, **facts: object) -> None:
        self.fault = fault
        super().__init__(fault, **facts)

    def message(self, language: Language) -> str:
        """File, line, what is wrong."""
        return text(language, f"cli.eval_fault_{self.fault}", **self.facts)


class Part(BaseModel):
    """A piece of a case; unknown keys are ignored."""

    model_config = ConfigDict(frozen=True, extra="ignore")


class Person(Part):
    """Who asks; ``city`` counts when a text names none."""

    id: int = 1
    city: str | None = None
    timezone: str = "Asia/Shanghai"

    @field_validator("timezone")
    @classmethod
    def _known_zone(cls, name: str) -> str:
        try:
            zone_named(name)
        except UsageError as error:
            raise ValueError(str(error)) from error
        return name


class TaskFixture(Part):
    """A task that is there before the first turn: local date and wall times of the user."""

    id: int
    user_id: int = 1
    title: str
    date: date
    start_time: time | None = None
    end_time: time | None = None
    time_segment: TimeSegment = TimeSegment.ALL_DAY
    status: TaskStatus = TaskStatus.PENDING
    priority: Priority = Priority.MEDIUM
    description: str | None = None
    blocks_day: bool = False


class ReminderFixture(Part):
    """A reminder that is there before the first turn; ``explicit`` says that the user chose its time."""

    id: int
    user_id: int = 1
    task_id: int | None = None
    remind_at: AwareDatetime
    content: str = ""
    status: ReminderStatus = ReminderStatus.PENDING
    channel: str = "console"
    explicit: bool | None = None


class ForecastFixture(Part):
    """A forecast that the provider knows; temperatures in °C."""

    city: str
    date: date
    condition: str
    temp_min: float | None = None
    temp_max: float | None = None
    suggestion: str | None = None


class Fault(Part):
    """A sub-agent that raises on every call."""

    agent: str
    mode: Literal["raise"] = "raise"


class Fixtures(Part):
    """What is there before the first turn."""

    tasks: list[TaskFixture] = []
    reminders: list[ReminderFixture] = []
    weather: list[ForecastFixture] = []
    weather_error: Literal["timeout"] | None = None
    faults: list[Fault] = []


class Agents(Part):
    """Which sub-agents had to run in the turn, and which not."""

    must: list[str] = []
    must_not: list[str] = []
    must_any: list[str] = []


class End(Part):
    """The difference from the fixtures after the turn, over all turns so far; what it does not name is unchanged."""

    created: list[Matcher] = []
    changed: dict[str, Matcher] = {}
    removed: list[int] = []
    reminders_created: list[Matcher] = []
    reminders_off: list[int] = []
    reminders_may: list[Matcher] = []


class Answer(Part):
    """Facts that the reply must hold; ``free_slots`` are alternatives, each a list of ``HH:MM-HH:MM``."""

    mentions: Words = []
    mentions_any: Words = []
    not_mentions: Words = []
    order: Words = []
    free_slots: list[list[str]] = []


class Gold(Part):
    """An acceptable outcome of a turn; ``any_of`` holds further whole ones."""

    kind: Annotated[list[Kind], BeforeValidator(_listed), Field(min_length=1)]
    agents: Agents = Agents()
    end: End = End()
    answer: Answer = Answer()
    intent: Words = []
    any_of: list[Gold] = []


class Turn(Part):
    """What the user types, and what should come of it."""

    user: str
    gold: Gold


class Case(Part):
    """One conversation; ``source`` is the name of its file without the ending."""

    id: str
    lang: Language
    now: AwareDatetime
    user: Person = Person()
    basis: str = ""
    tags: list[str] = []
    fixtures: Fixtures = Fixtures()
    turns: Annotated[list[Turn], Field(min_length=1)]
    source: str = ""


def load_cases(places: Iterable[str | Path]) -> list[Case]:
    """The cases of files and folders (every ``.jsonl`` in them, by name).

    Raises:
        CaseError: Nothing there, a line that is no case, or an id that stands twice; names file and line.
    """
    cases: list[Case] = []
    seen: dict[str, str] = {}
    for path in _files(places):
        for line, case in _of_file(path):
            where = f"{path}:{line}"
            if case.id in seen:
                raise CaseError("twice", place=where, id=case.id, first=seen[case.id])
            seen[case.id] = where
            cases.append(case)
    if not cases:
        raise CaseError("none", place=", ".join(map(str, places)))
    return cases


def _files(places: Iterable[str | Path]) -> Iterator[Path]:
    for place in map(Path, places):
        if place.is_dir():
            yield from sorted(place.glob("*.jsonl"))
        elif place.is_file():
            yield place
        else:
            raise CaseError("missing", place=place)


def _of_file(path: Path) -> Iterator[tuple[int, Case]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise CaseError("unreadable", place=path, reason=error) from error
    for number, line in enumerate(lines, start=1):
        if line.strip():
            yield number, _case(line, path, number)


def _case(line: str, path: Path, number: int) -> Case:
    where = f"{path}:{number}"
    try:
        value = json.loads(line)
    except json.JSONDecodeError as error:
        raise CaseError("not_json", place=where, reason=error) from error
    try:
        return Case.model_validate({**value, "source": path.stem} if isinstance(value, dict) else value)
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"]) or "-"
        raise CaseError("no_case", place=where, name=name, reason=first["msg"]) from error


def instant(value: str | datetime) -> datetime:
    """A moment, whether or not it came as text."""
    return datetime.fromisoformat(value) if isinstance(value, str) else value
