"""``deep-planner chat``: one request after the other on one open planner, questions answered in place."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import shlex
import signal
import sys
from collections.abc import AsyncGenerator, Iterator
from pathlib import Path

from deep_planner.app import open_planner
from deep_planner.asked import checked_thread, new_thread_id
from deep_planner.cli.chat_commands import COMMANDS, NAMES
from deep_planner.cli.chat_lines import ENDS, Keyboard, Lines, Pipe, no_echo
from deep_planner.cli.chosen import settings_of
from deep_planner.cli.entry import Exit
from deep_planner.cli.one_shot import EXITS, shown
from deep_planner.cli.shown import show
from deep_planner.cli.stopping import GRACE
from deep_planner.cli.view import View, picked, question_lines, view_for
from deep_planner.events import Event, OpenQuestion, RunResult
from deep_planner.models.ledger import Usage
from deep_planner.planner import Planner
from tools.core.clock import Clock
from tools.core.errors import PlannerError
from tools.core.harmless import harmless, harmless_lines
from tools.core.text import Language, language_of, text
from tools.domain.records import ThreadStatus


async def chat(arguments: argparse.Namespace, clock: Clock, language: Language) -> int:
    """Talk until the user ends it.

    Raises:
        UsageError: A setting, the thread's name or the history file cannot be used.
        StoreError: The database cannot be used.
    """
    settings = settings_of(arguments)
    thread = checked_thread(arguments.thread) if arguments.thread else new_thread_id()
    lines = _lines(arguments)
    view = view_for(settings.language or language, arguments.show, json=False, events=arguments.events)
    async with open_planner(settings, clock=clock, console=view.line) as planner:
        talk = Chat(planner, view, lines, arguments, clock)
        with talk.interruptions():
            await talk.begin(thread)
            return await talk.go_on()


def _lines(arguments: argparse.Namespace) -> Lines:
    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        return Pipe()
    return Keyboard(Path(arguments.history).expanduser() if arguments.history else default_history(), NAMES)


def default_history() -> Path:
    """``chat_history`` beside the default database."""
    from platformdirs import user_data_path  # noqa: PLC0415 - only when no file is named

    return user_data_path("deep-planner") / "chat_history"


class Chat:
    """One talk.

    Args:
        planner: Open for the whole of it.
        view: Shows the runs.
        lines: Where the user's lines come from.
        arguments: The command line; commands that list rows read it.
        clock: The moment of what is listed.

    Attributes:
        thread: Where requests go.
        question: What waits for the user there.
        usage: Model calls and tokens so far, by role and model.
    """

    def __init__(self, planner: Planner, view: View, lines: Lines, arguments: argparse.Namespace, clock: Clock) -> None:
        self.planner = planner
        self.view = view
        self.arguments = arguments
        self.clock = clock
        self.thread = ""
        self.question: OpenQuestion | None = None
        self.usage: dict[str, Usage] = {}
        self._lines = lines
        self._running: asyncio.Task[RunResult] | None = None
        self._stopping: asyncio.TimerHandle | None = None
        self._code: int = Exit.DONE

    @property
    def language(self) -> Language:
        """That of the last request, unless the settings name one."""
        return self.view.language

    def say(self, words: str) -> None:
        """Words of the chat itself."""
        show(harmless_lines(words) + "\n", sys.stdout)

    def tell(self, name: str, **facts: object) -> None:
        """A sentence about the chat; beside the output when that is for programs."""
        self.view.line(text(self.language, f"chat.{name}", **facts))

    async def begin(self, thread: str) -> None:
        """Greet, and tell what is open on the thread."""
        self.view.header(self.planner.settings)
        if self._lines.person:
            self.tell("welcome", thread=harmless(thread))
        await self.switch(thread)

    async def switch(self, thread: str) -> None:
        """Go to a thread, and tell what is open there."""
        self.thread, self.question = thread, None
        standing = await self.planner.standing(thread)
        self.view.recall(standing.todos if standing else ())
        record = next((each for each in await self.planner.threads() if each.name == thread), None)
        if standing and standing.question:
            self.ask(standing.question)
        elif record and record.status is ThreadStatus.INTERRUPTED:
            self.tell("go_on")

    async def go_on(self) -> int:
        """Line after line, until there is no more."""
        while True:
            try:
                line = (await self._lines.next(self._prompt())).strip()
            except KeyboardInterrupt:
                if not self._lines.person:
                    raise
                continue
            except EOFError:
                break
            if line.casefold() in ENDS:
                break
            if line:
                await self._line(line)
        if self._lines.person:
            self.tell("bye", thread=harmless(self.thread))
            return Exit.DONE
        return self._code

    def _prompt(self) -> str:
        return text(self.language, "chat.answer_prompt" if self.question else "chat.prompt")

    async def _line(self, line: str) -> None:
        """One line: a command, an answer, or a request. Whatever goes wrong is told, and the talk goes on."""
        try:
            if line.startswith("/"):
                await self._command(line)
            elif self.question:
                await self.watch(self.planner.stream_resume(self.thread, picked(self.question, line)))
            else:
                self.view.language = self.planner.settings.language or language_of(line)
                await self.watch(self.planner.stream(line, thread=self.thread))
        except PlannerError as error:
            self.view.line(error.message(self.language))
            self._code = Exit.FAILED
        except Exception as error:
            if self.arguments.debug:
                raise
            reason = f"{type(error).__name__}: {error}"
            self.view.line(text(self.language, "errors.unexpected", reason=reason))
            self._code = Exit.FAILED

    async def _command(self, line: str) -> None:
        name, _, rest = line.partition(" ")
        command = COMMANDS.get(name.casefold())
        if command is None:
            self.tell("unknown_command", command=harmless(name))
            return
        # Beside ``--events`` only events may stand on standard output; going on with a run makes some.
        aside = self.arguments.events and command is not COMMANDS["/resume"]
        with contextlib.redirect_stdout(sys.stderr) if aside else contextlib.nullcontext():
            await command(self, rest.strip())

    async def watch(self, events: AsyncGenerator[Event]) -> None:
        """Show a run to its end, to a question, or until Ctrl-C."""
        self._running = asyncio.ensure_future(shown(events, self.view))
        self._stopping = None
        try:
            with no_echo():
                self._ended(await self._running)
        except asyncio.CancelledError:
            task = asyncio.current_task()
            if self._stopping is None or (task and task.cancelling()):
                raise  # it is the chat itself that is to end
            self._stopped()
        finally:
            if self._stopping is not None:
                self._stopping.cancel()
            self._running = None

    def _ended(self, result: RunResult) -> None:
        for row, usage in result.usage.items():
            self.usage[row] = added(self.usage[row], usage) if row in self.usage else usage
        self._code = EXITS[result.status]
        self.question = None
        if result.question:
            self.ask(result.question)
        elif result.status == "interrupted":
            self._stopped()
        else:
            self.view.reply(result)

    def _stopped(self) -> None:
        """The run was cut off; what is open on the thread is told when it goes on."""
        self.question = None
        if not self._lines.person:
            self.view.line(text(self.language, "cli.go_on_how", thread=shlex.quote(self.thread)))
            raise KeyboardInterrupt
        self.tell("stopped")

    def ask(self, question: OpenQuestion) -> None:
        """Put a question; the next line answers it."""
        self.question = question
        if not self.arguments.events:
            self.say("\n".join(question_lines(question)))

    @contextlib.contextmanager
    def interruptions(self) -> Iterator[None]:
        """Ctrl-C stops the run at work and not the program; at the prompt the line editor takes it itself.

        The run may come to the end of its step, for ``GRACE`` seconds at most; a second Ctrl-C does not wait for it.
        """
        loop = asyncio.get_running_loop()

        def stop() -> None:
            running = self._running
            if running is None:
                return
            if self._stopping is not None:
                running.cancel()
                return
            self._stopping = loop.call_later(GRACE, running.cancel)
            self.tell("stopping")
            self.planner.drain()

        # Also when the loop sleeps: the handler itself runs between two instructions and must not touch tasks.
        before = signal.signal(signal.SIGINT, lambda *_: loop.call_soon_threadsafe(stop))
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)


def added(one: Usage, other: Usage) -> Usage:
    """Both together; the share of known prefixes is weighed by calls, since the characters sent are not kept."""
    total = Usage(**{name: getattr(one, name) + getattr(other, name) for name in Usage.model_fields})
    shares = one.prefix_share * one.calls + other.prefix_share * other.calls
    return total.model_copy(
        update={"seconds": round(total.seconds, 3), "prefix_share": round(shares / max(total.calls, 1), 4)}
    )
