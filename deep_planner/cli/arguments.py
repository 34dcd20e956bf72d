"""What may stand on the command line; faults are told in the user's language."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NoReturn

from deep_planner.cli import options
from deep_planner.settings import default_database
from tools.core.text import LANGUAGES, Language, language_of, text


def _no_fault(_found: argparse.Namespace, _language: Language) -> None:
    """Each option's own form is all there is to keep to."""


@dataclass(frozen=True)
class Command:
    """What may stand on the line of a command, beside what every command takes.

    Attributes:
        add: Adds the options of its own.
        fault: What is wrong with them together, beyond each one's own form.
        placed: Whether it is told where and when it happens; else it brings its own world.
        json: Whether it can tell what came of it as JSON.
    """

    add: Callable[[argparse.ArgumentParser, Language], None]
    fault: Callable[[argparse.Namespace, Language], str | None] = _no_fault
    placed: bool = True
    json: bool = True


#: The line that names no command is a request.
RUN = Command(options.add_request, options.events_fault)
COMMANDS = {
    "chat": Command(options.add_chat, json=False),
    "deliberate": Command(options.add_deliberate, options.events_fault),
    "plan": Command(options.add_plan),
    "threads": Command(options.add_threads, options.action_fault),
    "tasks": Command(options.add_tasks, options.tasks_fault),
    "reminders": Command(options.add_reminders, options.reminders_fault),
    "groups": Command(options.add_groups, options.action_fault),
    "when": Command(options.add_when),
    "export": Command(options.add_export),
    "import": Command(options.add_import),
    "mcp": Command(options.add_mcp, options.action_fault),
    "eval": Command(options.add_eval, placed=False, json=False),
    "demo": Command(options.add_demo, placed=False),
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
    name = _named(argv)
    parser = _parser(name, language)
    try:
        found, unknown = parser.parse_known_intermixed_args(argv[1:] if name else argv)
    except argparse.ArgumentError as error:
        raise BadUsageError(_reason(error, language)) from error
    found.command = name or "run"
    strange = [word for word in unknown if word.startswith("-")]
    fault = options.unexpected(strange or unknown, language) or COMMANDS.get(name, RUN).fault(found, language)
    if fault:
        raise BadUsageError(fault)
    return found


def _named(argv: Sequence[str]) -> str:
    """The command that the line begins with; empty when it names none."""
    return argv[0] if argv and argv[0] in COMMANDS else ""


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


def _parser(name: str, language: Language) -> Parser:
    command = COMMANDS.get(name, RUN)
    parser = Parser(
        prog=f"deep-planner {name}".strip(),
        description=text(language, "cli.about"),
        epilog=None if name else text(language, "cli.commands"),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        add_help=False,
        allow_abbrev=False,
        exit_on_error=False,
    )
    command.add(parser, language)
    if command.placed:
        _add_surroundings(parser, language)
    else:
        parser.set_defaults(now=None)  # every command is handed a clock
    if command.json:
        parser.add_argument("--json", action="store_true", help=text(language, "cli.option_json"))
    _add_common(parser, language)
    return parser


def _add_common(parser: Parser, language: Language) -> None:
    """What every command takes."""
    parser.add_argument("--lang", choices=LANGUAGES, help=text(language, "cli.option_lang"))
    parser.add_argument("--debug", action="store_true", help=text(language, "cli.option_debug"))
    parser.add_argument("--version", action="store_true", help=text(language, "cli.option_version"))
    parser.add_argument("-h", "--help", action="store_true", help=text(language, "cli.option_help"))


def _add_surroundings(parser: Parser, language: Language) -> None:
    """Where and when it happens."""
    place = default_database().replace("%", "%%")
    parser.add_argument("--db", metavar="FILE", help=text(language, "cli.option_db", default=place))
    parser.add_argument("--now", metavar="TIME", help=text(language, "cli.option_now"))
    parser.add_argument("--timezone", metavar="ZONE", help=text(language, "cli.option_timezone"))


def help_text(argv: Sequence[str], language: Language) -> str:
    """The help of the command named first, else of the program."""
    return _parser(_named(argv), language).format_help()


def read_request(words: Sequence[str]) -> str:
    """The request: the words of the line, or standard input for a lone ``-``."""
    if list(words) == ["-"]:
        return sys.stdin.buffer.read().decode("utf-8", "replace")
    return " ".join(words)
