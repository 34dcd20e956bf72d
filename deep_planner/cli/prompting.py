"""A line from the person at the terminal, when the program has to ask in the middle of its work."""

from __future__ import annotations

import signal
import sys


def person_is_there() -> bool:
    """Whether somebody can be asked: pipes and logs cannot."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def prompted(words: str) -> str:
    """Ask, and wait for the line.

    The event loop stands still meanwhile, and with it asyncio's own way to take Ctrl-C; so Python's stands in for it.

    Raises:
        KeyboardInterrupt: Ctrl-C, or the input is at its end.
    """
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        # Only now: who sees the question may press Ctrl-C at once.
        sys.stderr.write(words)
        sys.stderr.flush()
        line = sys.stdin.readline()
    finally:
        signal.signal(signal.SIGINT, before)
    if not line:
        raise KeyboardInterrupt
    return line.strip()
