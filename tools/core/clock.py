"""Where the time comes from: passed in, so that a run can be frozen and told again."""

from __future__ import annotations

import os
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from tools.core.errors import UsageError

FALLBACK_ZONE = "Asia/Shanghai"


class Clock(Protocol):
    """Tells the present moment, aware, in UTC."""

    def now(self) -> datetime:
        """The present moment."""
        ...


class SystemClock:
    """The machine's clock."""

    def now(self) -> datetime:
        """The present moment, UTC."""
        return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class FrozenClock:
    """A clock that always shows the same moment (``--now``, tests)."""

    moment: datetime

    def now(self) -> datetime:
        """The frozen moment, UTC."""
        return self.moment.astimezone(UTC)


def zone_named(name: str) -> ZoneInfo:
    """The IANA zone.

    Raises:
        UsageError: No such zone.
    """
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError) as error:
        raise UsageError("unknown_timezone", value=name) from error


def machine_zone() -> str | None:
    """The machine's IANA zone name, from ``TZ`` or ``/etc/localtime``; ``None`` when neither names one (P20)."""
    name = os.environ.get("TZ", "").lstrip(":")
    if name and _is_zone(name):
        return name
    _, found, tail = str(Path("/etc/localtime").resolve()).partition("zoneinfo/")
    return tail if found and _is_zone(tail) else None


def _is_zone(name: str) -> bool:
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True
