"""``deep-planner deliberate QUESTION``: the rounds as they happen, and the answer at the end."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator

from deep_planner.asked import checked_request
from deep_planner.cli.arguments import read_request
from deep_planner.cli.board import retrying_line
from deep_planner.cli.chosen import settings_of
from deep_planner.cli.entry import Exit
from deep_planner.cli.shown import write_json
from deep_planner.cli.view import header_lines, view_for
from deep_planner.deliberating import open_deliberation
from deep_planner.events import Deliberated, DeliberationStep, Retrying
from subagents.deliberation.schemas import DeliberationResult
from tools.core.clock import Clock
from tools.core.errors import LimitError
from tools.core.harmless import harmless_lines
from tools.core.text import Language, language_of, text


async def deliberate(arguments: argparse.Namespace, clock: Clock, language: Language) -> int:
    """Weigh the question; 1 when no answer could be given."""
    question = read_request(arguments.question)
    settings = settings_of(arguments)
    checked_request(question)
    language = settings.language or language_of(question)
    view = view_for(language, frozenset(), json=arguments.json, events=arguments.events)
    quiet = arguments.json or arguments.events
    if not quiet:
        for line in header_lines(settings, language):
            view.line(line)
    result = None
    async with open_deliberation(settings, clock=clock) as deliberation:
        try:
            async for event in deliberation.stream(question):
                if arguments.events:
                    view.event(event)
                elif isinstance(event, DeliberationStep) and not arguments.json:
                    view.line(event.words)
                elif isinstance(event, Retrying) and not arguments.json:
                    view.line(retrying_line(event, language))
                if isinstance(event, Deliberated):
                    result = event.result
        except LimitError as error:
            view.line(error.message(language))
            return Exit.FAILED
    if result is not None and not arguments.events:
        _tell(result, arguments, language)
    return Exit.DONE


def _tell(result: DeliberationResult, arguments: argparse.Namespace, language: Language) -> None:
    if arguments.json:
        write_json(result.model_dump(mode="json"))
    else:
        sys.stdout.write(harmless_lines("\n".join(told_lines(result, language))) + "\n")


def told_lines(result: DeliberationResult, language: Language) -> Iterator[str]:
    """The whole answer for people: conclusion, points, reasoning, limits, changes, and how it came about."""

    def say(name: str, **facts: object) -> str:
        return text(language, f"deliberation.told.{name}", **facts)

    answer = result.answer
    yield say("conclusion", conclusion=answer.conclusion)
    if result.rounds:
        yield from (f"  · {point}" for point in answer.key_points)
        yield say("detail", detail=answer.detail)
    for name, parts in (("limits", answer.limits), ("changes", answer.change_log)):
        if parts:
            yield say(name, **{name: say("separator").join(parts)})
    if result.dropped_quotes:
        yield say("dropped", count=result.dropped_quotes)
    stop = text(language, f"deliberation.stop.{result.stopped.value}")
    ended = "ended" if result.rounds else "ended_simple"
    yield say(ended, rounds=result.rounds, stop=stop, confidence=answer.confidence)
