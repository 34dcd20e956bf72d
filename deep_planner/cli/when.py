"""``deep-planner when TEXT``: how a time phrase is understood."""

from __future__ import annotations

import argparse
import json
import sys
from datetime import datetime
from typing import Any

from deep_planner.cli.chosen import settings_of
from deep_planner.cli.entry import Exit
from tools.core.clock import Clock
from tools.core.context import RunContext
from tools.core.text import Language, language_of, text
from tools.domain.times import Kind, When, occurrences, parse_when
from tools.services.wording import day_words, instant_words, joined, segment_words

#: How many occurrences of a recurrence are shown.
SHOWN = 5


async def show_when(arguments: argparse.Namespace, clock: Clock, language: Language) -> int:
    """Tell how the words are understood; ``-`` reads a phrase a line from standard input."""
    settings = settings_of(arguments)
    words = arguments.text
    phrases = [line.rstrip("\n") for line in sys.stdin] if words == ["-"] else [" ".join(words)]
    understood = 0
    for phrase in phrases:
        said = settings.language or (language_of(phrase) if language_of(phrase) == "zh" else language)
        context = settings.context().run_context(clock.now(), said)
        when = parse_when(phrase, context.now, context.zone)
        understood += when is not None
        if arguments.json:
            line = json.dumps(as_json(phrase, when), ensure_ascii=False)
        else:
            line = "\n".join(_lines(phrase, when, context))
        sys.stdout.write(line + "\n")
    return Exit.DONE if understood == len(phrases) or arguments.json else Exit.FAILED


def as_json(phrase: str, when: When | None) -> dict[str, Any]:
    """The phrase as understood: local ISO times without offset, ``end`` exclusive."""
    if when is None:
        nothing = dict.fromkeys(("date", "segment", "start", "end", "rrule", "seconds", "span"))
        return {"text": phrase, "kind": "none", **nothing, "provisional": False}
    told: dict[str, Any] = {
        "text": phrase,
        "kind": when.kind.value,
        "date": when.date.isoformat() if when.date else None,
        "segment": when.segment.value if when.segment else None,
        "start": _local(when.start),
        "end": _local(when.end),
        "rrule": when.rrule,
        "seconds": when.seconds,
        "span": list(when.spans[0]) if len(when.spans) == 1 else [list(span) for span in when.spans],
        "provisional": when.provisional,
    }
    if when.kind is Kind.RECURRENCE:
        told["next"] = [_local(moment) for moment in occurrences(when, SHOWN)]
    return told


def _local(moment: datetime | None) -> str | None:
    return moment.replace(tzinfo=None).isoformat(timespec="minutes") if moment else None


def _lines(phrase: str, when: When | None, context: RunContext) -> list[str]:
    language = context.language
    if when is None:
        return [text(language, "cli.when_none", text=phrase)]
    told = {"text": when.text, "kind": text(language, f"cli.kind_{when.kind.value}")}
    if when.kind is Kind.DURATION:
        told["length"] = f"{when.seconds} s"
    elif when.kind is Kind.DATE and when.date:
        told["date"] = day_words(when.date, context)
    elif when.start:
        told["start"] = instant_words(when.start, context)
    if when.segment:
        told["segment"] = segment_words(when.segment, context)
    if when.end and when.kind is Kind.RANGE:
        told["end"] = instant_words(when.end, context)
    if when.rrule:
        told["rrule"] = when.rrule
        told["next"] = joined([instant_words(moment, context) for moment in occurrences(when, SHOWN)], context)
    if when.choices:
        told["choices"] = joined([day_words(day, context) for day in when.choices], context)
    lines = [f"{text(language, f'cli.when_{name}')}: {value}" for name, value in told.items()]
    return [*lines, text(language, "cli.when_provisional")] if when.provisional else lines
