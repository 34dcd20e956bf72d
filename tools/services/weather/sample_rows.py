"""The rows of a weather file: read, checked, and refused with the place of the fault."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from enum import StrEnum
from pathlib import Path

_ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
#: °C; no place on Earth has been beyond it.
_EXTREME = 100
_CAMEL_CASE = {"temp_min": "tempMin", "temp_max": "tempMax"}


class FileFault(StrEnum):
    """What is wrong with a weather file."""

    MISSING = "missing"
    UNREADABLE = "unreadable"
    NOT_UTF8 = "not_utf8"
    NOT_JSON = "not_json"
    NOT_ROWS = "not_rows"
    MISSING_FIELD = "missing_field"
    WRONG_TYPE = "wrong_type"
    BAD_DATE = "bad_date"
    BAD_TEMPERATURE = "bad_temperature"
    MIN_ABOVE_MAX = "min_above_max"


class WeatherFileError(Exception):
    """A weather file cannot be used; the attributes say where and why, for a message in the user's language.

    Attributes:
        path: The file.
        reason: The kind of fault.
        line: Line in the file, from 1, where it is known: JSON Lines and broken JSON.
        row: Number of the forecast in the file, from 1, when one row is at fault.
        field: The field at fault.
    """

    def __init__(
        self,
        path: Path,
        reason: FileFault,
        line: int | None = None,
        *,
        row: int | None = None,
        field: str | None = None,
    ) -> None:
        """Keep the facts."""
        self.path = path
        self.reason = reason
        self.line = line
        self.row = row
        self.field = field
        where = "".join(
            f", {name} {value}" for name, value in (("line", line), ("row", row), ("field", field)) if value is not None
        )
        super().__init__(f"weather file {path}: {reason.replace('_', ' ')}{where}")


@dataclass(frozen=True, slots=True)
class SampleRow:
    """One forecast of the file: ``date`` as YYYY-MM-DD, temperatures in °C or null, ``suggestion`` optional.

    In the file the temperatures may also be called ``tempMin`` and ``tempMax``, as the tool's result names them (A20).
    """

    city: str
    date: date
    condition: str
    temp_min: float | None
    temp_max: float | None
    suggestion: str | None = None


class _RefusedRowError(Exception):
    """A row's fault, before it is known where the row stands."""

    def __init__(self, reason: FileFault, field: str | None = None) -> None:
        self.reason = reason
        self.field = field
        super().__init__(reason, field)


def read_rows(path: Path) -> list[SampleRow]:
    """The rows of a JSON or JSON Lines file.

    Raises:
        WeatherFileError: The file cannot be read or a row is at fault.
    """
    rows: list[SampleRow] = []
    for number, (line, value) in enumerate(_values(path), start=1):
        try:
            rows.append(_row(value))
        except _RefusedRowError as fault:
            raise WeatherFileError(path, fault.reason, line, row=number, field=fault.field) from fault
    return rows


def _values(path: Path) -> Iterator[tuple[int | None, object]]:
    """Each row with its line, where lines are rows."""
    text = _text(path)
    try:
        whole = _parse(text)
    except _BrokenJsonError as broken:
        lines = [(number, line) for number, line in enumerate(text.splitlines(), start=1) if line.strip()]
        if len(lines) < 2 or not _is_object(lines[0][1]):
            raise WeatherFileError(path, FileFault.NOT_JSON, broken.line) from broken
        yield from _json_lines(path, lines)
        return
    yield from ((None, value) for value in _listed(path, whole))


def _text(path: Path) -> str:
    try:
        return path.read_bytes().decode("utf-8-sig")
    except FileNotFoundError as error:
        raise WeatherFileError(path, FileFault.MISSING) from error
    except UnicodeDecodeError as error:
        raise WeatherFileError(path, FileFault.NOT_UTF8) from error
    except (OSError, ValueError) as error:  # a folder, no permission, a NUL in the path
        raise WeatherFileError(path, FileFault.UNREADABLE) from error


def _listed(path: Path, whole: object) -> list[object]:
    if isinstance(whole, dict):
        whole = whole.get("forecasts", [whole])
    if not isinstance(whole, list):
        raise WeatherFileError(path, FileFault.NOT_ROWS)
    return whole


def _json_lines(path: Path, lines: list[tuple[int, str]]) -> Iterator[tuple[int, object]]:
    for number, line in lines:
        try:
            yield number, _parse(line)
        except _BrokenJsonError as broken:
            raise WeatherFileError(path, FileFault.NOT_JSON, number) from broken


class _BrokenJsonError(Exception):
    """Text that is not JSON; ``line`` is the parser's, from 1."""

    def __init__(self, line: int | None) -> None:
        self.line = line
        super().__init__(line)


def _parse(text: str) -> object:
    try:
        return json.loads(text)
    except json.JSONDecodeError as error:
        raise _BrokenJsonError(error.lineno) from error
    except (ValueError, RecursionError) as error:  # an endless integer, brackets without end
        raise _BrokenJsonError(None) from error


def _is_object(line: str) -> bool:
    try:
        return isinstance(_parse(line), dict)
    except _BrokenJsonError:
        return False


def _row(value: object) -> SampleRow:
    if not isinstance(value, dict):
        raise _RefusedRowError(FileFault.NOT_ROWS)
    temp_min, temp_max = _temperature(value, "temp_min"), _temperature(value, "temp_max")
    if temp_min is not None and temp_max is not None and temp_min > temp_max:
        raise _RefusedRowError(FileFault.MIN_ABOVE_MAX, "temp_min")
    suggestion = value.get("suggestion")
    return SampleRow(
        city=_words(value, "city"),
        date=_date(_words(value, "date")),
        condition=_words(value, "condition"),
        temp_min=temp_min,
        temp_max=temp_max,
        suggestion=None if suggestion is None or suggestion == "" else _words(value, "suggestion"),
    )


def _words(row: dict[str, object], field: str) -> str:
    value = _field(row, field)
    words = " ".join(value.split()) if isinstance(value, str) else ""
    if not words or not words.isprintable():  # a lone surrogate could not even be shown
        raise _RefusedRowError(FileFault.WRONG_TYPE, field)
    return words


def _date(text: str) -> date:
    try:
        # fromisoformat alone would also take 20260214 and 2026-W07-6.
        return date.fromisoformat(text if _ISO_DATE.fullmatch(text) else "")
    except ValueError as error:
        raise _RefusedRowError(FileFault.BAD_DATE, "date") from error


def _temperature(row: dict[str, object], field: str) -> float | None:
    value = _field(row, field if field in row else _CAMEL_CASE[field], called=field)
    if value is None:
        return None
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise _RefusedRowError(FileFault.WRONG_TYPE, field)
    if not -_EXTREME <= value <= _EXTREME:  # also true of NaN, which json.loads takes
        raise _RefusedRowError(FileFault.BAD_TEMPERATURE, field)
    return value


def _field(row: dict[str, object], field: str, *, called: str | None = None) -> object:
    if field not in row:
        raise _RefusedRowError(FileFault.MISSING_FIELD, called or field)
    return row[field]
