"""What an import is told as: lines for people, one JSON object for programs."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

from tools.core.context import RunContext
from tools.core.result import ResultStatus, ToolResult
from tools.core.text import text
from tools.services.ics.planning import Action, Entry, Plan
from tools.services.wording import info, joined, when_words

#: How many entries of a kind are shown before they are only counted; ``--json`` has them all.
SHOWN = 50


class WordsView:
    """Lines on standard output.

    Args:
        place: The file's name.
        context: Language, zone and moment.
    """

    def __init__(self, place: str, context: RunContext) -> None:
        self._place = place
        self._context = context

    def preview(self, plan: Plan) -> None:
        """What would be created, changed and skipped; what stays is counted."""
        if not plan.entries:
            self._say("empty", place=self._place)
            return
        self._say("preview", place=self._place, **_counts(plan))
        for action in (Action.CREATE, Action.CHANGE, Action.SKIP):
            found = plan.of(action)
            if found:
                self._say(f"heading_{action.value}")
            for entry in found[:SHOWN]:
                sys.stdout.write(_line(entry, self._context) + "\n")
            if len(found) > SHOWN:
                self._say("more", count=len(found) - SHOWN)
        if plan.strange:
            self._say("strange", names=text(self._context.language, "when.separator").join(plan.strange))

    def nothing(self) -> None:
        """There is nothing to do."""
        self._say("nothing")

    def declined(self) -> None:
        """The person said no."""
        self._say("declined")

    def how(self) -> None:
        """Nobody is there to ask: what to add."""
        sys.stderr.write(text(self._context.language, "ics.how") + "\n")

    def result(self, result: ToolResult) -> None:
        """What was done, or why not."""
        (sys.stdout if result.status is ResultStatus.SUCCESS else sys.stderr).write(result.message + "\n")

    def close(self) -> None:
        """Everything has been said."""

    def _say(self, name: str, **facts: object) -> None:
        sys.stdout.write(text(self._context.language, f"ics.{name}", **facts) + "\n")


class JsonView(WordsView):
    """One object, written at the end: ``written`` tells a preview from a result."""

    def __init__(self, place: str, context: RunContext) -> None:
        super().__init__(place, context)
        self._told: dict[str, Any] | None = None

    def preview(self, plan: Plan) -> None:
        """The whole plan."""
        self._told = {
            "file": self._place,
            "written": False,
            "counts": _counts(plan),
            "entries": [_told(entry, self._context) for entry in plan.entries],
            "left_behind": list(plan.strange),
        }

    def nothing(self) -> None:
        """``counts`` says it."""

    def declined(self) -> None:
        """``written`` says it."""

    def how(self) -> None:
        """The exit code says it."""

    def result(self, result: ToolResult) -> None:
        """The numbers of the rows."""
        if self._told is None or result.status is not ResultStatus.SUCCESS:
            super().result(result)
            return
        self._told["written"] = True
        rows = iter(result.rows)
        for entry in self._told["entries"]:
            if entry["action"] in (Action.CREATE, Action.CHANGE):
                entry["task_id"] = int(next(rows).partition(":")[2])

    def close(self) -> None:
        """Write the object."""
        if self._told is not None:
            sys.stdout.write(json.dumps(self._told, ensure_ascii=False, indent=2) + "\n")


def _counts(plan: Plan) -> dict[str, int]:
    return {action.value: len(plan.of(action)) for action in Action}


def _line(entry: Entry, context: RunContext) -> str:
    language = context.language
    title = entry.title or text(language, "ics.untitled")
    if entry.task is None:
        return text(language, "ics.line_skip", title=title, reason=_why(entry, context))
    when = joined([when_words(entry.task, context), *_additions(entry, context)], context)
    if entry.action is Action.CREATE:
        return text(language, "ics.line", title=title, when=when)
    fields = text(language, "when.separator").join(text(language, f"ics.field.{name}") for name in entry.changed)
    return text(language, "ics.line_change", title=title, when=when, fields=fields)


def _additions(entry: Entry, context: RunContext) -> Iterator[str]:
    if entry.task and entry.task.rrule:
        yield text(context.language, "ics.repeats")
    if entry.rings:
        yield text(context.language, "ics.rings", count=len(entry.rings))


def _why(entry: Entry, context: RunContext) -> str:
    return text(context.language, f"ics.skipped.{entry.reason}", **entry.facts)


def _told(entry: Entry, context: RunContext) -> dict[str, Any]:
    task = entry.task
    facts = (
        info(task).model_dump() | {"rrule": task.rrule, "exdates": [f"{day}" for day in task.exdates]} if task else {}
    )
    return {
        "action": entry.action.value,
        "kind": entry.kind,
        "uid": entry.uid,
        "title": entry.title,
        "task_id": entry.before.id if entry.before else None,
        "task": {name: value for name, value in facts.items() if name != "id"} or None,
        "changed": list(entry.changed),
        "reminders": [ring.at.astimezone(context.zone).isoformat(timespec="minutes") for ring in entry.rings],
        "reason": entry.reason or None,
        "message": _why(entry, context) if entry.reason else None,
    }
