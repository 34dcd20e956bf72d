"""What a tool may know of its run and its caller; none of it comes from a model."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from tools.core.text import Language


@dataclass(frozen=True, slots=True)
class RunContext:
    """The person and the moment a run works for.

    Attributes:
        user_id: Whose rows these are; every query is bound to it (P15).
        now: The run's frozen moment, aware, in ``zone``: a run that pauses or crashes keeps it.
        zone: The user's IANA zone; tasks are wall time in it.
        language: The language of the request; messages are in it.
        city: The user's city, used when a request names none (P20).
    """

    user_id: int
    now: datetime
    zone: ZoneInfo
    language: Language
    city: str | None = None


@dataclass(frozen=True, slots=True)
class Operation:
    """Which call of which item of which request this is: the key that makes an effect happen once (N1).

    A ``tool_call_id`` would not do: a model asked again after a crash mints a new one. ``occurrence`` counts the
    equal calls before this one in the item's window, so that a call meant twice has two keys.
    """

    thread: str
    request: int
    item: str
    tool: str
    digest: str
    occurrence: int

    @property
    def key(self) -> str:
        """The unique key stored beside the effect."""
        return f"{self.thread}/r{self.request}/{self.item}/{self.tool}/{self.digest}/{self.occurrence}"


@dataclass(frozen=True, slots=True)
class Call:
    """One tool call on its way to a service.

    Attributes:
        context: Person and moment.
        operation: The effect's key.
        permitted: The user has said yes to exactly this call (P5).
    """

    context: RunContext
    operation: Operation
    permitted: bool = False


def digest(arguments: Mapping[str, Any]) -> str:
    """A short digest of a call's arguments: order and left-out values make no difference."""
    given = {name: value for name, value in arguments.items() if value is not None}
    canonical = json.dumps(given, sort_keys=True, ensure_ascii=False, separators=(",", ":"), default=str)
    return hashlib.sha256(canonical.encode("utf-8", "surrogatepass")).hexdigest()[:16]
