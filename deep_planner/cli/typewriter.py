"""The reply on standard output: at a terminal as it is written, elsewhere whole.

It is written straight to the terminal, which breaks and scrolls lines itself: a reply may be longer than the screen,
and Chinese takes the cells that it takes.
"""

from __future__ import annotations

import sys

from deep_planner.cli.shown import show
from tools.core.harmless import harmless_lines


class Typewriter:
    """Types one reply after the other.

    Args:
        live: Whether pieces are shown as they come; by default, whether a person is looking.
    """

    def __init__(self, *, live: bool | None = None) -> None:
        self.live = sys.stdout.isatty() if live is None else live
        self._typed = ""
        self._in_line = False
        reconfigure = getattr(sys.stdout, "reconfigure", None)
        if reconfigure:
            reconfigure(errors="replace")

    def piece(self, words: str) -> None:
        """The next piece of the reply."""
        if self.live:
            self._write(harmless_lines(words))
            self._typed += words

    def step_aside(self) -> None:
        """Something else is to be shown: it begins on a line of its own, and the reply goes on below it."""
        if self._in_line:
            self._write("\n")

    def void(self) -> None:
        """The reply starts over: what was typed does not count."""
        if self._typed:
            self._write("…\n")
            self._typed = ""

    def end(self, reply: str) -> None:
        """The reply is whole: end its line, or write it if it was not typed as it now stands."""
        if self._typed != reply:
            self.void()
            self._write(harmless_lines(reply))
        self._write("\n")
        self._typed = ""

    def broken_off(self) -> None:
        """There will be no more of it: what comes next begins on a line of its own."""
        self.step_aside()
        self._typed = ""

    def _write(self, words: str) -> None:
        show(words, sys.stdout)
        if words:
            self._in_line = not words.endswith("\n")
