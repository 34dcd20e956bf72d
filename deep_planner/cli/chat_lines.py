"""Where the lines of a chat come from: a person at a terminal, or a pipe."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Protocol

from tools.core.errors import UsageError

#: What ends the chat.
ENDS = frozenset(("exit", "quit", "bye", "退出", "结束", "再见", "/exit", "/quit", "/退出"))


class Lines(Protocol):
    """Gives one line after the other."""

    #: Whether a person types them, who sees and hears at once.
    person: bool

    async def next(self, prompt: str) -> str:
        """The next line.

        Raises:
            EOFError: There is no more.
            KeyboardInterrupt: Ctrl-C.
        """
        ...


class Pipe:
    """One request a line from standard input."""

    person = False

    async def next(self, prompt: str) -> str:
        """See ``Lines``; nothing else runs meanwhile, so it may block."""
        before = signal.signal(signal.SIGINT, signal.default_int_handler)
        try:
            line = sys.stdin.buffer.readline()
        finally:
            signal.signal(signal.SIGINT, before)
        if not line:
            raise EOFError
        return line.decode("utf-8", "replace")


class Keyboard:
    """A person: with history, editing, completion of commands, and pastes of many lines kept in one.

    Args:
        history: The file that keeps what was typed.
        commands: What Tab completes.

    Raises:
        UsageError: The file cannot be used.
    """

    person = True

    def __init__(self, history: Path, commands: Sequence[str]) -> None:
        from prompt_toolkit import PromptSession  # noqa: PLC0415 - a pipe needs no line editor
        from prompt_toolkit.completion import WordCompleter  # noqa: PLC0415 - as above
        from prompt_toolkit.history import FileHistory  # noqa: PLC0415 - as above
        from prompt_toolkit.key_binding import KeyBindings, KeyPressEvent  # noqa: PLC0415 - as above

        _make_file(history)
        keys = KeyBindings()

        @keys.add("escape", "enter")
        def _new_line(event: KeyPressEvent) -> None:
            event.current_buffer.insert_text("\n")

        class Whole(FileHistory):
            """A file that takes every line: half a character, as a broken terminal sends it, is no reason to stop."""

            def store_string(self, string: str) -> None:
                super().store_string(_whole(string))

        self._session: PromptSession[str] = PromptSession(
            history=Whole(str(history)),
            key_bindings=keys,
            completer=WordCompleter(list(commands), sentence=True),
            complete_while_typing=False,
            prompt_continuation="  ",
        )

    async def next(self, prompt: str) -> str:
        """See ``Lines``."""
        return _whole(await self._session.prompt_async(prompt))


def _whole(line: str) -> str:
    return line.encode("utf-8", "replace").decode("utf-8")


def _make_file(path: Path) -> None:
    """Make the file if need be; only its owner may read it."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        path.read_text("utf-8", errors="replace")
    except OSError as error:
        raise UsageError("history_unusable", place=path, reason=error.strerror or str(error)) from error


@contextmanager
def no_echo() -> Iterator[None]:
    """What is typed while a request runs waits for the prompt, and is not drawn into what is shown."""
    if sys.platform == "win32" or not sys.stdin.isatty():
        yield
        return
    import termios  # noqa: PLC0415 - not on Windows

    before = termios.tcgetattr(sys.stdin)
    silent = [*before]
    silent[3] &= ~termios.ECHO
    try:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, silent)
        yield
    finally:
        termios.tcsetattr(sys.stdin, termios.TCSADRAIN, before)
