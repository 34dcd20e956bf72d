"""What SIGINT and SIGTERM do to a run: it comes to the end of its step, and can be resumed exactly there."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from deep_planner.cli.entry import Exit
from deep_planner.planner import Planner
from tools.core.text import Language, text

#: Seconds that a step may still take; closing takes a few more, and all of it must be over within ten.
GRACE = 4.0
SIGNALS = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def stoppable(planner: Planner, tell: Callable[[str], None], language: Language) -> Iterator[None]:
    """Let a first signal drain the planner's run, and a second one end the program at once.

    A step that takes longer than ``GRACE`` is cancelled: what it did is stored or will be done when it is resumed,
    never both. Only the run itself stands under this: a prompt that waits for the user must feel Ctrl-C at once.
    """
    loop = asyncio.get_running_loop()
    task = asyncio.current_task()
    timers: list[asyncio.TimerHandle] = []

    def stop() -> None:
        if timers or task is None:
            os._exit(Exit.INTERRUPTED)
        tell(text(language, "cli.stopping"))
        planner.drain()
        timers.append(loop.call_later(GRACE, task.cancel))

    before = [signal.getsignal(number) for number in SIGNALS]
    try:
        for number in SIGNALS:
            loop.add_signal_handler(number, stop)
    except NotImplementedError:  # Windows: Ctrl-C cancels the run
        yield
        return
    try:
        yield
    finally:
        for timer in timers:
            timer.cancel()
        for number, handler in zip(SIGNALS, before, strict=True):
            loop.remove_signal_handler(number)
            signal.signal(number, handler)
