"""What the brain reads in a prompt, and the form of what it says."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolMessage

from tools.core.text import Language, language_of

#: How the main prompt marks the engine's records.
ENGINE = "[engine] "
#: The tool that shows a sub-agent a note.
QUERY_NOTE = "query_note"
#: The tool that puts a question to the user.
ASK_USER = "ask_user"
OPENED = re.compile(r"(\d{4}-\d{2}-\d{2} \d{2}:\d{2}).*[（(]([\w/+-]+)[)）]")


@dataclass(frozen=True, slots=True)
class ToolUse:
    """A call to make."""

    name: str
    args: dict[str, Any]


@dataclass(frozen=True, slots=True)
class Said:
    """An answer: words, calls, or nothing at all."""

    text: str = ""
    calls: list[ToolUse] = field(default_factory=list)


def call(name: str, /, **arguments: Any) -> Said:
    """An answer of one call; arguments that are ``None`` are left out."""
    return Said(calls=[ToolUse(name, {k: v for k, v in arguments.items() if v is not None})])


@dataclass(frozen=True, slots=True)
class Situation:
    """When and where a request is made."""

    now: datetime
    language: Language
    city: str | None = None
    before: str = ""
    """The user's words of the turn before, for what goes on from them (P7)."""
    told: str = ""
    """Our answer to them."""

    @property
    def zone(self) -> ZoneInfo:
        """The zone of ``now``."""
        zone = self.now.tzinfo
        if not isinstance(zone, ZoneInfo):
            raise TypeError(f"expected a ZoneInfo, got {zone!r}")
        return zone


def situation_of(messages: Sequence[BaseMessage]) -> Situation:
    """From a sub-agent's system prompt: its last line of JSON.

    The prompt is in the user's language (P21); the city and the groups in its JSON may be in another.
    """
    system = next(m.text for m in messages if isinstance(m, SystemMessage))
    facts = last_json(system)
    moment = datetime.fromisoformat(facts["now"]).astimezone(ZoneInfo(facts["timezone"]))
    return Situation(
        moment, prompt_language(messages), facts.get("city"), *turn_before(task_of(messages).get("last_turn"))
    )


def request_situation(messages: Sequence[BaseMessage]) -> Situation:
    """From the main prompt: the engine's record of the last request's beginning."""
    for message in reversed(messages):
        if message.text.startswith(ENGINE) and (found := OPENED.search(message.text)):
            zone = ZoneInfo(found[2])
            moment = datetime.strptime(found[1], "%Y-%m-%d %H:%M").replace(tzinfo=zone)
            return Situation(moment, prompt_language(messages), None, *_dialogue_before(messages))
    raise LookupError("no request was opened in this dialogue")


def prompt_language(messages: Sequence[BaseMessage]) -> Language:
    """That of the prompt's first line; behind it stand the user's own words, in any language."""
    return language_of(messages[0].text.partition("\n")[0])


def turn_before(last_turn: str | dict[str, Any] | None) -> tuple[str, str]:
    """The request and the reply of the turn before; both empty on a new thread."""
    turn = json.loads(last_turn) if isinstance(last_turn, str) and last_turn else last_turn or {}
    return (str(turn.get("request", "")), str(turn.get("reply", ""))) if isinstance(turn, dict) else ("", "")


def _dialogue_before(messages: Sequence[BaseMessage]) -> tuple[str, str]:
    """The same from the main prompt: the user's words but one, and the last words of ours."""
    said = [m.text for m in messages if isinstance(m, HumanMessage) and not m.text.startswith(ENGINE)]
    told = [m.text for m in messages if isinstance(m, AIMessage) and m.text and not m.tool_calls]
    return (said[-2], told[-1] if told else "") if len(said) > 1 else ("", "")


def task_of(messages: Sequence[BaseMessage]) -> dict[str, Any]:
    """A sub-agent's first message: request, item, parents, last turn."""
    first = next(m.text for m in messages if isinstance(m, HumanMessage))
    task: dict[str, Any] = json.loads(first)
    return task


def last_human(messages: Sequence[BaseMessage]) -> str:
    """The user's last words in the main dialogue, the engine's records left out."""
    return next(
        (m.text for m in reversed(messages) if isinstance(m, HumanMessage) and not m.text.startswith(ENGINE)), ""
    )


def last_json(words: str) -> dict[str, Any]:
    """The last line that is a JSON object."""
    for line in reversed(words.splitlines()):
        if line.startswith("{"):
            found: dict[str, Any] = json.loads(line)
            return found
    raise ValueError("no JSON object in the prompt")


def row_ids(rows: Sequence[str], table: str) -> list[int]:
    """Numbers of the rows of a table: ``["task:5"]`` holds task 5."""
    return [int(row.partition(":")[2]) for row in rows if row.startswith(f"{table}:")]


def notes_read(messages: Sequence[BaseMessage]) -> list[str]:
    """The notes that a sub-agent has read, in order."""
    return [message.text for message in messages if isinstance(message, ToolMessage) and message.name == QUERY_NOTE]


def facts_in(note: str) -> list[dict[str, Any]]:
    """The facts of a note: its lines that are a JSON object."""
    found = []
    for line in note.splitlines():
        if line.startswith("{"):
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return found
