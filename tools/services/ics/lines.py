"""The content lines of an iCalendar file: checked, unfolded, in blocks.

Only the shape is looked at here. A file that is no calendar is refused as a whole; what is wrong inside one entry is
that entry's own fault.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from icalendar.parser import Contentline, split_on_unescaped_comma, unescape_backslash

from tools.core.errors import UsageError
from tools.core.text import Language, text

#: Bytes of the largest file that is read, and entries of the fullest one: years of a busy calendar.
LARGEST_FILE = 10_000_000
MOST_ENTRIES = 10_000
#: Calendar, entry, alarm or observance; more is allowed for strange extensions.
DEEPEST = 8
#: Characters of the longest property that is read.
LONGEST_LINE = 100_000
ENTRIES = frozenset({"VEVENT", "VTODO", "VJOURNAL"})

_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_NAME = re.compile(r"[A-Za-z0-9-]+")


class CalendarFileError(UsageError):
    """A file that cannot be read as a calendar, or not be written; says which and why.

    Attributes:
        reason: Key in ``errors.ics_fault``.
    """

    def __init__(self, reason: str, place: str = "", **facts: object) -> None:
        self.reason = reason
        self.place = place
        super().__init__("ics_file", **facts)

    def message(self, language: Language) -> str:
        """File and fault."""
        reason = text(language, f"errors.ics_fault.{self.reason}", **self.facts)
        return text(language, "errors.ics_file", place=self.place, reason=reason)


@dataclass(frozen=True, slots=True)
class Property:
    """One property: upper-case name, parameters by upper-case name, the value as it stands in the file."""

    name: str
    parameters: dict[str, str]
    value: str

    @property
    def text(self) -> str:
        """The value as text, its escapes undone."""
        return str(unescape_backslash(self.value))

    @property
    def texts(self) -> list[str]:
        """The values of a list of texts."""
        return split_on_unescaped_comma(self.value)


@dataclass(slots=True)
class Block:
    """What stands between BEGIN and END: unfolded lines with their names, and blocks inside."""

    name: str
    lines: list[tuple[str, str]] = field(default_factory=list)
    blocks: list[Block] = field(default_factory=list)

    def all(self, name: str) -> list[Property]:
        """The properties of a name.

        Raises:
            ValueError: One of them cannot be taken apart, or is too long.
        """
        return [_property(line) for known, line in self.lines if known == name]

    def first(self, name: str) -> Property | None:
        """The first property of a name, if there is one.

        Raises:
            ValueError: As ``all``.
        """
        return next((_property(line) for known, line in self.lines if known == name), None)

    def inside(self, name: str) -> Iterator[Block]:
        """The blocks of a name directly inside."""
        return (block for block in self.blocks if block.name == name)

    def source(self) -> str:
        """The block as text again, one property a line."""
        own = [line for _, line in self.lines]
        return "\r\n".join([f"BEGIN:{self.name}", *own, *(block.source() for block in self.blocks), f"END:{self.name}"])


def calendars_of(data: bytes) -> list[Block]:
    """The VCALENDAR blocks of a file.

    Raises:
        CalendarFileError: Too large, no UTF-8, no calendar, broken off, nested too deep, too many entries.
    """
    if len(data) > LARGEST_FILE:
        raise CalendarFileError("large", limit=LARGEST_FILE // 1_000_000)
    if b"\0" in data:
        raise CalendarFileError("binary")
    try:
        content = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise CalendarFileError("not_utf8") from error
    if not content.strip():
        raise CalendarFileError("empty")
    return _nested(_unfolded(content))


def _unfolded(content: str) -> Iterator[tuple[int, str]]:
    """Number and text of each line; those that begin with a blank go on with the one before."""
    parts: list[str] = []
    begun = 0
    for number, line in enumerate(_LINE_BREAK.split(content), start=1):
        if line[:1] in (" ", "\t") and parts:
            parts.append(line[1:])
            continue
        if parts:
            yield begun, "".join(parts)
        parts, begun = ([line], number) if line else ([], number)
    if parts:
        yield begun, "".join(parts)


def _nested(lines: Iterator[tuple[int, str]]) -> list[Block]:
    calendars: list[Block] = []
    open_blocks: list[Block] = []
    entries = 0
    for number, line in lines:
        name = _name_of(line)
        if name == "BEGIN":
            block = Block(line.partition(":")[2].strip().upper())
            entries += block.name in ENTRIES
            _check(block, open_blocks, entries, number)
            (open_blocks[-1].blocks if open_blocks else calendars).append(block)
            open_blocks.append(block)
        elif name == "END":
            if not open_blocks or open_blocks.pop().name != line.partition(":")[2].strip().upper():
                raise CalendarFileError("broken", line=number)
        elif open_blocks:
            open_blocks[-1].lines.append((name, line))
        elif not calendars:
            raise CalendarFileError("no_calendar")
    if open_blocks:
        raise CalendarFileError("broken_off")
    if not calendars:
        raise CalendarFileError("no_calendar")
    return calendars


def _check(block: Block, open_blocks: list[Block], entries: int, number: int) -> None:
    if not open_blocks and block.name != "VCALENDAR":
        raise CalendarFileError("no_calendar")
    if len(open_blocks) >= DEEPEST:
        raise CalendarFileError("deep", line=number, limit=DEEPEST)
    if entries > MOST_ENTRIES:
        raise CalendarFileError("many", limit=MOST_ENTRIES)


def _name_of(line: str) -> str:
    found = _NAME.match(line)
    return found[0].upper() if found else ""


def _property(line: str) -> Property:
    if len(line) > LONGEST_LINE:
        raise ValueError(f"a property of {len(line)} characters")
    name, parameters, value = Contentline(line).raw_parts()  # type: ignore[no-untyped-call]  # icalendar has no types there
    single = {key.upper(): given if isinstance(given, str) else ",".join(given) for key, given in parameters.items()}
    return Property(name.upper(), single, value)
