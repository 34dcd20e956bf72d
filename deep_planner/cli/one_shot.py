"""One request from the command line: the plan as it runs, questions in between, the reply at the end."""

from __future__ import annotations

import argparse
import asyncio
import shlex
import sys
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing

from deep_planner.app import open_planner
from deep_planner.asked import checked_request, new_thread_id
from deep_planner.cli.arguments import read_request
from deep_planner.cli.chosen import settings_of
from deep_planner.cli.entry import Exit
from deep_planner.cli.prompting import person_is_there, prompted
from deep_planner.cli.shown import write_json
from deep_planner.cli.stopping import stoppable
from deep_planner.cli.view import View, picked, question_lines, view_for
from deep_planner.events import Event, Finished, OpenQuestion, RunResult
from deep_planner.models.ledger import Usage
from deep_planner.planner import Planner
from tools.core.clock import Clock
from tools.core.errors import ThreadError
from tools.core.harmless import harmless_lines
from tools.core.text import Language, language_of, text

EXITS = {
    "completed": Exit.DONE,
    "refused": Exit.DONE,
    "failed": Exit.FAILED,
    "waiting": Exit.WAITING,
    "interrupted": Exit.INTERRUPTED,
}


async def carry_out(arguments: argparse.Namespace, clock: Clock, language: Language) -> int:
    """Run the request, or answer or go on with a thread; the exit code tells how it ended."""
    request = read_request(arguments.request)
    if arguments.resume and not arguments.thread:
        raise ThreadError("unknown_thread", thread="")
    settings = settings_of(arguments)
    if request.strip():
        language = settings.language or language_of(request)
    view = view_for(language, arguments.show, json=arguments.json, events=arguments.events)
    if not arguments.resume:
        checked_request(request)
        view.header(settings)
    async with open_planner(settings, clock=clock, console=view.line) as planner:
        thread = arguments.thread or new_thread_id()
        try:
            if arguments.resume:
                events = await _gone_on(planner, thread, request, view)
                language = view.language
                view.header(settings)
            else:
                events = planner.stream(request, thread=thread)
            result = await _stoppably(planner, events, view)
            while result.question and not (arguments.json or arguments.events) and person_is_there():
                answered = planner.stream_resume(thread, _asked(result.question, view))
                result = await _stoppably(planner, answered, view)
        except asyncio.CancelledError:
            view.line(text(language, "cli.go_on_how", thread=shlex.quote(thread)))
            raise
    _tell(result, arguments, view, language)
    return EXITS[result.status]


async def _gone_on(planner: Planner, thread: str, answer: str, view: View) -> AsyncGenerator[Event]:
    """The rest of a thread's run, after an answer if there is one; the view takes up its plan and its language."""
    if standing := await planner.standing(thread):
        view.recall(standing.todos)
        # "1" and "ok" are of no language; the thread is.
        view.language = standing.language or view.language
        answer = picked(standing.question, answer) if standing.question else answer
    return planner.stream_resume(thread, answer.strip() or None)


async def _stoppably(planner: Planner, events: AsyncGenerator[Event], view: View) -> RunResult:
    with stoppable(planner, view.line, view.language):
        return await shown(events, view)


async def shown(events: AsyncGenerator[Event], view: View) -> RunResult:
    """Let a view see a run; what came of it."""
    result = None
    async with aclosing(events):
        with view:
            async for event in events:
                view.event(event)
                if isinstance(event, Finished):
                    result = event.result
    if result is None:
        raise AssertionError("a stream ends with Finished")
    return result


def _asked(question: OpenQuestion, view: View) -> str:
    """The user's answer; a number picks a choice."""
    view.question(question)
    words = ""
    while not words:
        words = prompted(text(view.language, "cli.answer_prompt"))
    return picked(question, words)


def _tell(result: RunResult, arguments: argparse.Namespace, view: View, language: Language) -> None:
    if arguments.json:
        write_json(result.model_dump(mode="json"))
    elif result.question and not arguments.events:
        sys.stdout.write(harmless_lines("\n".join(question_lines(result.question))) + "\n")
    else:
        view.reply(result)
    if result.question and not arguments.json:
        view.line(text(language, "cli.answer_how", thread=shlex.quote(result.thread_id)))
    if result.status == "interrupted":
        view.line(text(language, "cli.go_on_how", thread=shlex.quote(result.thread_id)))
    if arguments.usage and not arguments.json:
        for line in usage_lines(result.usage, language):
            view.line(line)


def usage_lines(usage: Mapping[str, Usage], language: Language) -> list[str]:
    """Calls and tokens, a line for each role and model."""
    return [text(language, "cli.usage_line", row=row, **each.model_dump()) for row, each in usage.items()]
