"""Time zones by the names that calendars give them."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, tzinfo
from typing import cast
from zoneinfo import ZoneInfo

from icalendar import Timezone
from icalendar.timezone import tzp
from icalendar.timezone.windows_to_olson import WINDOWS_TO_OLSON

from tools.core.clock import zone_named
from tools.core.errors import UsageError
from tools.services.ics.lines import Block

#: Rules of clock changes that come more often than that are an attack or a mistake.
_FREQUENCIES = frozenset({"YEARLY", "MONTHLY"})
#: Parts of a maker's prefix that are tried.
DEEPEST_NAME = 8


class Zones:
    """The zones of one file: names that everybody knows, and those that the file explains itself.

    Args:
        blocks: The file's VTIMEZONE blocks.
    """

    def __init__(self, blocks: Iterable[Block]) -> None:
        self._explained = {name: block for block in blocks if (name := _name_of(block))}
        self._known: dict[str, tzinfo | None] = {}

    def named(self, name: str) -> tzinfo | None:
        """The zone of that name; ``None`` when nobody knows it.

        IANA and Windows names first, also behind a maker's prefix (``/example.org/Europe/Berlin``); then the file's
        own explanation.
        """
        if name not in self._known:
            self._known[name] = _iana(name) or _explained(self._explained.get(name))
        return self._known[name]


def _name_of(block: Block) -> str | None:
    try:
        found = block.first("TZID")
    except ValueError:
        return None
    return found.text if found else None


def _iana(name: str) -> ZoneInfo | None:
    clean = name.strip("/")
    candidates = [WINDOWS_TO_OLSON.get(clean, clean)]
    if name.startswith("/"):
        parts = clean.split("/")
        candidates += ["/".join(parts[start:]) for start in range(1, len(parts))]
    for candidate in candidates[:DEEPEST_NAME]:
        try:
            return zone_named(candidate)
        except UsageError:
            continue
    return None


def _explained(block: Block | None) -> tzinfo | None:
    """The zone as the file explains it; ``None`` when the explanation cannot be used."""
    if block is None:
        return None
    try:
        for observance in block.blocks:
            for rule in observance.all("RRULE"):
                parts = dict(part.partition("=")[::2] for part in rule.value.upper().split(";"))
                if parts.get("FREQ") not in _FREQUENCIES or not int(parts.get("INTERVAL", "1")) > 0:
                    return None
        timezone = cast("Timezone", Timezone.from_ical(block.source()))
        zone: tzinfo = timezone.to_tz(tzp, lookup_tzid=False)
        datetime(2026, 1, 1, tzinfo=zone).utcoffset()
    except Exception:  # noqa: BLE001 - a stranger's definition goes through two libraries; whatever they say, it is unknown
        return None
    return zone
