"""What may stand on the command line; faults are told in the user's language."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from typing import NoReturn

from deep_planner.cli.options import (
    add_chat_options,
    add_deliberate_options,
    add_demo_options,
    add_groups_options,
    add_mcp_options,
    add_plan_options,
    add_run_options,
    add_tasks_options,
    add_threads_options,
    groups_fault,
    mcp_fault,
    run_fault,
    tasks_fault,
    threads_fault,
    unexpected,
)
from deep_planner.settings import default_database
from tools.core.text import LANGUAGES, Language, language_of, text

COMMANDS = (
    "chat",
    "deliberate",
    "plan",
    "threads",
    "tasks",
    "reminders",
    "groups",
    "when",
    "export",
    "import",
    "mcp",
    "eval",
    "demo",
)

#: What the options of a command must keep to beyond each one's own form.
CHECKS: dict[str, Callable[[argparse.Namespace, Language], str | None]] = {
    "chat": lambda _found, _language: None,
    "threads": threads_fault,
    "tasks": tasks_fault,
    "groups": groups_fault,
    "mcp": mcp_fault,
    "demo": lambda _found, _language: None,
}


class BadUsageError(Exception):
    """A command line that cannot be understood; its message is for the user."""


class Parser(argparse.ArgumentParser):
    """argparse that raises instead of exiting, so that the face can word the fault itself."""

    def error(self, message: str) -> NoReturn:
        """Called by argparse for what has no exception of its own."""
        raise argparse.ArgumentError(None, message)


def screen_language(argv: Sequence[str]) -> Language:
    """The language of help and faults: ``--lang``, the settings, Chinese words on the line, else the locale."""
    for before, value in zip(argv, [*argv[1:], ""], strict=True):
        chosen = value if before == "--lang" else before.removeprefix("--lang=") if before.startswith("--lang=") else ""
        if chosen in LANGUAGES:
            return "zh" if chosen == "zh" else "en"
    chosen = "" if list(argv[:1]) == ["demo"] else os.environ.get("DEEP_PLANNER_LANGUAGE", "")  # it reads no settings
    if chosen in LANGUAGES:
        return "zh" if chosen == "zh" else "en"
    if language_of(" ".join(argv)) == "zh":
        return "zh"
    locale = next((os.environ[name] for name in ("LC_ALL", "LC_MESSAGES", "LANG") if os.environ.get(name)), "")
    return "zh" if locale.startswith("zh") else "en"


def parse(argv: Sequence[str], language: Language) -> argparse.Namespace:
    """The command line as values; ``command`` is ``run`` unless a command is named first.

    Raises:
        BadUsageError: An unknown option, a missing or wrong value.
    """
    named = bool(argv) and argv[0] in COMMANDS
    command = argv[0] if named else "run"
    parser = _parser(command, language)
    try:
        found, unknown = parser.parse_known_intermixed_args(argv[1:] if named else argv)
    except argparse.ArgumentError as error:
        raise BadUsageError(_reason(error, language)) from error
    strange = [word for word in unknown if word.startswith("-")]
    if strange:
        raise BadUsageError(text(language, "cli.unknown_option", options=" ".join(strange)))
    if command == "reminders":
        _check_reminders(found, language)
    if command in ("run", "deliberate") and (fault := run_fault(found, language)):
        raise BadUsageError(fault)
    if command in CHECKS and (fault := unexpected(unknown, language) or CHECKS[command](found, language)):
        raise BadUsageError(fault)
    found.command = command
    return found


def _check_reminders(found: argparse.Namespace, language: Language) -> None:
    """What goes with ``deliver`` only, and what does not go with it."""
    if found.action and found.date is not None:
        raise BadUsageError(text(language, "cli.unknown_option", options="--date"))
    for given, needed, name in ((found.watch, found.action, "deliver"), (found.every, found.watch, "--watch")):
        if given and not needed:
            raise BadUsageError(text(language, "cli.missing_argument", names=name))


def _reason(fault: argparse.ArgumentError, language: Language) -> str:
    """Argparse's own message is English and its parts are not kept; what can be told apart is said anew."""
    option, message = fault.argument_name or "", fault.message
    if message.startswith("expected"):
        return text(language, "cli.missing_value", option=option)
    if message.startswith("invalid choice"):
        value, _, choices = message.removeprefix("invalid choice: ").partition(" (choose from ")
        return text(language, "cli.bad_choice", option=option, value=value.strip("'"), choices=choices.rstrip(")"))
    if "required" in message:
        return text(language, "cli.missing_argument", names=message.rpartition(": ")[2])
    return text(language, "cli.bad_option", reason=message)


def _parser(command: str, language: Language) -> Parser:
    def say(name: str) -> str:
        return text(language, f"cli.{name}")

    parser = Parser(
        prog="deep-planner" if command == "run" else f"deep-planner {command}",
        description=say("about"),
        epilog=say("commands") if command == "run" else None,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
    )
    if command == "run":
        parser.add_argument("request", nargs="*", help=say("request"))
        parser.add_argument("--resume", action="store_true", help=say("option_resume"))
        add_run_options(parser, language)
        parser.add_argument("--usage", action="store_true", help=say("option_usage"))
    elif command == "when":
        parser.add_argument("text", nargs="+", help=say("option_when"))
    elif command == "eval":
        from deep_planner.cli.evaluate import add_options  # noqa: PLC0415 - each command brings its own options

        add_options(parser, language)
    elif command == "groups":
        add_groups_options(parser, language)
    elif command == "threads":
        add_threads_options(parser, language)
    elif command == "chat":
        add_chat_options(parser, language)
    elif command == "deliberate":
        add_deliberate_options(parser, language)
    elif command == "plan":
        add_plan_options(parser, language)
    elif command == "mcp":
        add_mcp_options(parser, language)
    elif command == "demo":
        add_demo_options(parser, language)
    _add_rows(parser, command, language)
    if command not in ("eval", "demo"):
        _add_surroundings(parser, language)
    if command not in ("eval", "demo", "chat"):
        parser.add_argument("--json", action="store_true", help=text(language, "cli.option_json"))
    _add_common(parser, language)
    return parser


def _add_rows(parser: Parser, command: str, language: Language) -> None:
    """Which rows, and where they go or come from."""

    def say(name: str) -> str:
        return text(language, f"cli.{name}")

    if command in ("tasks", "reminders", "export"):
        parser.add_argument("--date", metavar="WORDS", help=say("option_date"))
    if command == "reminders":
        parser.add_argument("action", nargs="?", choices=("deliver",), help=say("option_action"))
        parser.add_argument("--watch", action="store_true", help=say("option_watch"))
        parser.add_argument("--every", metavar="SECONDS", help=say("option_every"))
    if command == "tasks":
        add_tasks_options(parser, language)
    if command == "export":
        statuses = ("pending", "completed", "cancelled")
        parser.add_argument("--status", choices=statuses, help=say("option_status"))
        parser.add_argument("--ics", metavar="FILE", nargs="?", const="-", required=True, help=say("option_ics_export"))
    if command == "import":
        parser.add_argument("--ics", metavar="FILE", required=True, help=say("option_ics_import"))
        parser.add_argument("--yes", action="store_true", help=say("option_yes"))


def _add_common(parser: Parser, language: Language) -> None:
    """What every command takes."""
    parser.add_argument("--lang", choices=LANGUAGES, help=text(language, "cli.option_lang"))
    parser.add_argument("--debug", action="store_true", help=text(language, "cli.option_debug"))
    parser.add_argument("--version", action="store_true", help=text(language, "cli.option_version"))
    parser.add_argument("-h", "--help", action="store_true", help=text(language, "cli.option_help"))


def _add_surroundings(parser: Parser, language: Language) -> None:
    """Where and when it happens, and in which shape it is told; evaluation cases bring their own."""
    place = default_database().replace("%", "%%")
    parser.add_argument("--db", metavar="FILE", help=text(language, "cli.option_db", default=place))
    parser.add_argument("--now", metavar="TIME", help=text(language, "cli.option_now"))
    parser.add_argument("--timezone", metavar="ZONE", help=text(language, "cli.option_timezone"))


def help_text(argv: Sequence[str], language: Language) -> str:
    """The help of the command named first, else of the program."""
    command = argv[0] if argv and argv[0] in COMMANDS else "run"
    return _parser(command, language).format_help()


def read_request(words: Sequence[str]) -> str:
    """The request: the words of the line, or standard input for a lone ``-``."""
    if list(words) == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return " ".join(words)
