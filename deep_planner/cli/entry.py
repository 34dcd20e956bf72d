"""The program's entry: what to run, and how every ending becomes an exit code and a sentence."""

from __future__ import annotations

import argparse
import asyncio
import gc
import signal
import sys
from collections.abc import Awaitable, Callable, Sequence
from datetime import datetime
from enum import IntEnum
from types import FrameType

from deep_planner.cli.arguments import BadUsageError, help_text, parse, screen_language
from tools.core.clock import Clock, FrozenClock, SystemClock
from tools.core.errors import ModelError, PlannerError, UsageError
from tools.core.harmless import harmless
from tools.core.text import Language, text


class Exit(IntEnum):
    """Exit codes; the README has the table."""

    DONE = 0
    FAILED = 1
    USAGE = 2
    WAITING = 3
    INTERRUPTED = 130


def main(argv: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code."""
    if argv is None:
        catch_sigterm()
    words = [_clean(word) for word in (sys.argv[1:] if argv is None else argv)]
    language = screen_language(words)
    if {"-h", "--help"} & set(words):
        sys.stdout.write(help_text(words, language))
        return Exit.DONE
    try:
        arguments = parse(words, language)
    except BadUsageError as fault:
        _complain(f"{fault} {text(language, 'cli.see_help')}")
        return Exit.USAGE
    if arguments.version:
        from deep_planner import __version__  # noqa: PLC0415 - the package checks its neighbours first

        sys.stdout.write(f"deep-planner {__version__}\n")
        return Exit.DONE
    return _guarded(arguments, language)


def clock_of(arguments: argparse.Namespace) -> Clock:
    """The clock that the line asks for.

    Raises:
        UsageError: ``--now`` is no ISO time with an offset.
    """
    if arguments.now is None:
        return SystemClock()
    try:
        moment = datetime.fromisoformat(arguments.now)
    except ValueError as fault:
        raise UsageError("bad_now", value=arguments.now) from fault
    if moment.tzinfo is None:
        raise UsageError("bad_now", value=arguments.now)
    return FrozenClock(moment)


def catch_sigterm() -> None:
    """Let SIGTERM end the program as Ctrl-C does, wherever it stands, so that everything that was opened is closed."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, interrupt)


def _guarded(arguments: argparse.Namespace, language: Language) -> int:
    """No traceback ever reaches the user; ``--debug`` lets it through."""
    try:
        return asyncio.run(_run(arguments, language))
    except ModelError as error:
        _complain(error.message(language))
        return Exit.FAILED
    except PlannerError as error:
        _complain(error.message(language))
        return Exit.USAGE
    except (KeyboardInterrupt, asyncio.CancelledError):
        _complain(text(language, "plan.stopped"))
        return Exit.INTERRUPTED
    except BrokenPipeError:
        return Exit.DONE
    except Exception as error:
        if arguments.debug:
            raise
        _complain(text(language, "errors.unexpected", reason=f"{type(error).__name__}: {error}"))
        return Exit.FAILED


async def _run(arguments: argparse.Namespace, language: Language) -> int:
    command = _command(arguments)
    return await command(arguments, clock_of(arguments), language)


def _command(arguments: argparse.Namespace) -> Callable[[argparse.Namespace, Clock, Language], Awaitable[int]]:
    """What carries the line out; each command pays for its own imports alone.

    Importing makes a great many objects and no garbage: without the collector it takes a fifth less time.
    """
    command: Callable[[argparse.Namespace, Clock, Language], Awaitable[int]]
    gc.disable()
    if arguments.command == "eval":
        from deep_planner.cli.evaluate import evaluate as command  # noqa: PLC0415 - see above
    elif arguments.command == "export":
        from deep_planner.cli.ics import export_ics as command  # noqa: PLC0415 - see above
    elif arguments.command == "import":
        from deep_planner.cli.ics import import_ics as command  # noqa: PLC0415 - see above
    elif arguments.command == "when":
        from deep_planner.cli.when import show_when as command  # noqa: PLC0415 - see above
    elif arguments.command == "run":
        from deep_planner.cli.one_shot import carry_out as command  # noqa: PLC0415 - see above
    elif arguments.command == "reminders" and arguments.action == "deliver":
        from deep_planner.cli.deliver import deliver as command  # noqa: PLC0415 - see above
    elif arguments.command == "tasks":
        from deep_planner.cli.tasks import show_tasks as command  # noqa: PLC0415 - see above
    elif arguments.command == "groups":
        from deep_planner.cli.groups import change_groups as command  # noqa: PLC0415 - see above
    elif arguments.command == "plan":
        from deep_planner.cli.plan import show_plan as command  # noqa: PLC0415 - see above
    elif arguments.command == "threads":
        from deep_planner.cli.threads import show_threads as command  # noqa: PLC0415 - see above
    elif arguments.command == "chat":
        from deep_planner.cli.chat import chat as command  # noqa: PLC0415 - see above
    elif arguments.command == "mcp":
        from deep_planner.cli.mcp import show_servers as command  # noqa: PLC0415 - see above
    elif arguments.command == "deliberate":
        from deep_planner.cli.deliberate import deliberate as command  # noqa: PLC0415 - see above
    elif arguments.command == "demo":
        from deep_planner.cli.demo import show_demo as command  # noqa: PLC0415 - see above
    else:
        from deep_planner.cli.listing import show_reminders as command  # noqa: PLC0415 - see above
    if not gc.get_freeze_count():  # once: what a caller of ``main`` has made since then is the collector's again
        gc.freeze()
    gc.enable()
    return command


def _clean(word: str) -> str:
    """Bytes that are no UTF-8 come as lone surrogates, which no output can take."""
    return word.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def _complain(words: str) -> None:
    sys.stderr.write("\n".join(map(harmless, words.split("\n"))) + "\n")
