"""One request from the command line: the plan as it runs, questions in between, the reply at the end."""

from __future__ import annotations

import argparse
import sys
from collections.abc import AsyncIterator

from deep_planner.app import checked_request, open_planner
from deep_planner.cli.arguments import read_request
from deep_planner.cli.entry import Exit
from deep_planner.cli.view import PlainView, QuietView, TreeView, View
from deep_planner.events import Event, Finished, OpenQuestion, RunResult
from deep_planner.settings import Settings
from tools.core.clock import Clock
from tools.core.errors import ThreadError
from tools.core.harmless import harmless_lines
from tools.core.text import Language, language_of, text

EXITS = {"completed": Exit.DONE, "refused": Exit.DONE, "failed": Exit.FAILED, "waiting": Exit.WAITING}


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The line's options over environment and file."""
    given = vars(arguments)
    return Settings.load(
        database=given.get("db"),
        model=given.get("model"),
        light_model=given.get("light_model"),
        base_url=given.get("base_url"),
        city=given.get("city"),
        timezone=given.get("timezone"),
        language=given.get("lang"),
        weather_file=given.get("weather"),
        mcp_file=given.get("mcp"),
    )


async def carry_out(arguments: argparse.Namespace, clock: Clock, language: Language) -> int:
    """Run the request, or answer or go on with a thread; the exit code tells how it ended."""
    request = read_request(arguments.request)
    if arguments.resume and not arguments.thread:
        raise ThreadError("unknown_thread", thread="")
    settings = settings_of(arguments)
    if request.strip():
        language = settings.language or language_of(request)
    if not arguments.resume:
        checked_request(request)
    view = _view(arguments, language)
    view.header(settings)
    async with open_planner(settings, clock=clock, console=view.line) as planner:
        if arguments.resume:
            events = planner.stream_resume(arguments.thread, request.strip() or None)
        else:
            events = planner.stream(request, thread=arguments.thread)
        result = await _shown(events, view)
        while result.question and not arguments.json and _person_is_there():
            result = await _shown(planner.stream_resume(result.thread_id, _asked(result.question, view)), view)
    _tell(result, arguments, view, language)
    return EXITS[result.status]


async def _shown(events: AsyncIterator[Event], view: View) -> RunResult:
    result = None
    with view:
        async for event in events:
            view.event(event)
            if isinstance(event, Finished):
                result = event.result
    if result is None:
        raise AssertionError("a stream ends with Finished")
    return result


def _view(arguments: argparse.Namespace, language: Language) -> View:
    if arguments.json:
        return QuietView(language)
    return TreeView(language) if sys.stderr.isatty() else PlainView(language)


def _person_is_there() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _asked(question: OpenQuestion, view: View) -> str:
    """The user's answer; a number picks a choice."""
    view.question(question)
    while True:
        sys.stderr.write(text(view.language, "cli.answer_prompt"))
        sys.stderr.flush()
        line = sys.stdin.readline()
        if not line:
            raise KeyboardInterrupt
        if words := line.strip():
            break
    if words.isdecimal() and 1 <= int(words) <= len(question.choices):
        return question.choices[int(words) - 1]["id"]
    return words


def _tell(result: RunResult, arguments: argparse.Namespace, view: View, language: Language) -> None:
    if arguments.json:
        sys.stdout.write(result.model_dump_json(indent=2) + "\n")
        return
    if result.question:
        lines = [result.question.question]
        lines += [f"  {n}. {choice['label']}" for n, choice in enumerate(result.question.choices, start=1)]
        sys.stdout.write(harmless_lines("\n".join(lines)) + "\n")
        view.line(text(language, "cli.answer_how", thread=result.thread_id))
        return
    sys.stdout.write(harmless_lines(result.reply) + "\n")
    if arguments.usage:
        for row, usage in result.usage.items():
            view.line(text(language, "cli.usage_line", row=row, **usage.model_dump()))
