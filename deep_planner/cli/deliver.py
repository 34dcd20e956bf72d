"""``deep-planner reminders deliver``: print what is due, once or again and again (A29, X10).

Only the reminders of the settings' user, and only those of the console channel. What is delivered goes to standard
output, one line each, whatever else there is to say to standard error.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import sys
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import replace
from datetime import datetime
from uuid import uuid4

from deep_planner.cli.chosen import settings_of
from deep_planner.cli.entry import Exit
from tools.core.clock import Clock
from tools.core.context import RunContext
from tools.core.errors import UsageError
from tools.core.harmless import harmless
from tools.core.text import Language, text
from tools.services.delivery import ChannelClosedError, Delivery, DeliveryService, Outcome
from tools.services.wording import clock_words, instant_words
from tools.store.database import Database

#: Seconds between two looks of ``--watch``.
EVERY = 30.0
LONGEST_EVERY = 86_400.0


class ConsoleChannel:
    """Standard output.

    Args:
        form: The line for a delivery.
    """

    name = "console"

    def __init__(self, form: Callable[[Delivery], str]) -> None:
        self._form = form

    async def send(self, delivery: Delivery) -> None:
        """Print the line, and see it out of the program before the mark is stored."""
        encoding = sys.stdout.encoding or "utf-8"
        line = self._form(delivery).encode(encoding, "replace").decode(encoding)
        try:
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()
        except BrokenPipeError as error:
            raise ChannelClosedError from error


async def deliver(
    arguments: argparse.Namespace,
    clock: Clock,
    language: Language,
    sleep: Callable[[float], Awaitable[object]] | None = None,
) -> int:
    """Deliver what is due; with ``--watch`` go on until SIGINT or SIGTERM, which end it at the next step.

    Args:
        arguments: The command line.
        clock: The present moment, asked anew for each reminder.
        language: The language of the lines, unless the settings name one; reminders keep their own.
        sleep: Waits some seconds between two looks; by default in real time, and only until a signal comes.

    Returns:
        0; without ``--watch`` 1 when the channel did not take a reminder.

    Raises:
        UsageError: ``--every`` is no sensible number of seconds.
    """
    settings = settings_of(arguments)
    language = settings.language or language
    every = _seconds(arguments.every, language)
    context = settings.context().run_context(clock.now(), language)
    stop = _stop_at_signals()
    channel = ConsoleChannel(lambda delivery: (_json if arguments.json else _words)(delivery, context))
    failed = False
    database = await Database.open(settings.url, now=clock.now())
    try:
        service = DeliveryService(
            database, clock, channel, user_id=settings.user_id, zone=context.zone, claimer=uuid4().hex
        )
        wait = sleep or (lambda seconds: _wait(stop, seconds))
        outcomes = service.watch(lambda: wait(every), stop.is_set)
        async for outcome in outcomes if arguments.watch else service.deliver_due(stop.is_set):
            if outcome.fault is not None:
                failed = True
                sys.stderr.write(_complaint(outcome, context) + "\n")
    except ChannelClosedError:
        # What is left in the buffer has no reader either; it must not fail again when the interpreter ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    finally:
        await database.aclose()
    return Exit.FAILED if failed and not arguments.watch else Exit.DONE


def _seconds(given: str | None, language: Language) -> float:
    try:
        seconds = EVERY if given is None else float(given)
    except ValueError:
        seconds = 0
    if not 0 < seconds <= LONGEST_EVERY:
        reason = text(language, "cli.deliver_every_range", limit=round(LONGEST_EVERY))
        raise UsageError("bad_setting", name="--every", value=given, reason=reason)
    return seconds


def _stop_at_signals() -> asyncio.Event:
    """Set by the first SIGINT or SIGTERM; a second one ends the program as it would have."""
    stop, loop = asyncio.Event(), asyncio.get_running_loop()
    signals = (signal.SIGINT, signal.SIGTERM)

    def end() -> None:
        stop.set()
        for number in signals:
            loop.remove_signal_handler(number)

    with suppress(NotImplementedError):  # an event loop without signals: Ctrl-C interrupts as ever
        for number in signals:
            loop.add_signal_handler(number, end)
    return stop


async def _wait(stop: asyncio.Event, seconds: float) -> None:
    with suppress(TimeoutError):
        await asyncio.wait_for(stop.wait(), seconds)


def _words(delivery: Delivery, context: RunContext) -> str:
    """The line for people. A late one names its day as well: the reminder's 今天 is meant from there."""
    at, facts = delivery.reminder.remind_at, {"content": harmless(delivery.reminder.content)}
    if delivery.late:
        return text(context.language, "cli.deliver_late", at=_moment(at, delivery, context), **facts)
    return text(context.language, "cli.deliver_line", at=clock_words(at.astimezone(context.zone).time()), **facts)


def _json(delivery: Delivery, context: RunContext) -> str:
    """The line for programs; ``id`` is what tells a repeat."""
    reminder = delivery.reminder
    line = {
        "id": reminder.id,
        "task_id": reminder.task_id,
        "remind_at": _iso(reminder.remind_at, context),
        "delivered_at": _iso(delivery.now, context),
        "late": delivery.late,
        "attempt": delivery.attempt,
        "content": reminder.content,
        "reason": reminder.reason,
        "channel": reminder.channel,
    }
    return json.dumps(line, ensure_ascii=False)


def _complaint(outcome: Outcome, context: RunContext) -> str:
    delivery, language = outcome.delivery, context.language
    facts = {"content": delivery.reminder.content, "reason": outcome.fault}
    if outcome.again_at is None:
        return text(language, "cli.deliver_given_up", tries=delivery.attempt, **facts)
    return text(language, "cli.deliver_failed", at=_moment(outcome.again_at, delivery, context), **facts)


def _moment(moment: datetime, delivery: Delivery, context: RunContext) -> str:
    return instant_words(moment, replace(context, now=delivery.now.astimezone(context.zone)))


def _iso(moment: datetime, context: RunContext) -> str:
    return moment.astimezone(context.zone).isoformat(timespec="minutes")
