"""A real terminal around the real program: what is on its screen, line by line, and what has scrolled off it."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

import pexpect
import pyte

from tests.support.screens import lines_of

#: Seconds after which something that should have come has not.
PATIENCE = 60
#: The line editor switches pastes on when it takes over, and this stands for it among the words.
READY = "\u2326"
TAKES_OVER = re.compile(r"\x1b\[\?2004h")
ESCAPES = re.compile(r"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][0-9A-B]|[=>78])")


class Terminal:
    """A program in a terminal; a context manager that ends it.

    Args:
        words: What stands after ``deep-planner``.
        folder: Where it runs.
        env: Variables besides the few that every program needs.
        size: Columns and lines.
    """

    def __init__(
        self, words: Sequence[str], folder: Path, env: Mapping[str, str] | None = None, size: tuple[int, int] = (80, 24)
    ) -> None:
        columns, lines = size
        self.screen = pyte.HistoryScreen(columns, lines, history=10_000, ratio=0.5)
        self._stream = pyte.ByteStream(self.screen)
        self.raw = b""
        self._read_to = 0
        kept = ("PATH", "LD_LIBRARY_PATH", "VIRTUAL_ENV", "HOME")
        surroundings = {name: os.environ[name] for name in kept if name in os.environ}
        root = str(Path(__file__).parents[2])
        surroundings |= {"TERM": "xterm-256color", "LANG": "zh_CN.UTF-8", "PYTHONIOENCODING": "utf-8"}
        # The emulator does not answer where its cursor is; the line editor need not wait for it.
        surroundings |= {"PROMPT_TOOLKIT_NO_CPR": "1", "PYTHONPATH": root, "XDG_DATA_HOME": str(folder / "data")}
        self.child = pexpect.spawn(
            sys.executable,
            ["-m", "deep_planner", *words],
            cwd=str(folder),
            env={**surroundings, **(env or {})},
            dimensions=(lines, columns),
            timeout=PATIENCE,
        )
        self.child.logfile_read = self

    def write(self, data: bytes) -> None:
        """Called with what the program writes."""
        self.raw += data
        self._stream.feed(data)

    def flush(self) -> None:
        """Called after it."""

    def wait_for(self, words: str) -> None:
        """Read until the program has written the words, after those that were waited for before."""
        while (at := self.words.find(words, self._read_to)) < 0:
            self.child.read_nonblocking(100_000, PATIENCE)
        self._read_to = at + len(words)

    def wait_until_ready(self) -> None:
        """Read until the next prompt takes keys."""
        self.wait_for(READY)

    @property
    def words(self) -> str:
        """What was written, without what moves the cursor and colours."""
        text = self.raw.decode("utf-8", "ignore")
        return ESCAPES.sub("", TAKES_OVER.sub(READY, text)).replace("\r\n", "\n")

    def type(self, words: str) -> None:
        """Press keys."""
        self.child.send(words.encode())

    def enter(self, words: str) -> None:
        """Type a line."""
        self.type(words + "\r")

    def ended(self) -> int:
        """Wait for the end; the exit code, negative for a signal."""
        self.child.expect(pexpect.EOF)
        self.child.close()
        signal = self.child.signalstatus
        return -int(signal) if signal else int(self.child.exitstatus or 0)

    @property
    def lines(self) -> list[str]:
        """All lines, those that have scrolled off first."""
        return lines_of(self.screen)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.child.close(force=True)
