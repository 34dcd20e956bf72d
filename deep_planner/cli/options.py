"""The options of the commands that take more than rows and places; nothing here is slow to import."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tools.core.text import Language, text

ACTIONS = ("list", "add", "rename", "remove")
#: How many names each action of ``groups`` takes.
NAMES = {"list": 0, "add": 1, "rename": 2, "remove": 1}
#: How many names each action of ``mcp`` takes.
MCP_NAMES = {"list": 0, "approve": 1}


def add_tasks_options(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``tasks``, besides ``--date``."""

    def say(name: str) -> str:
        return text(language, f"views.option_{name}")

    statuses = ("pending", "completed", "cancelled")
    parser.add_argument("--status", choices=statuses, help=text(language, "cli.option_status"))
    parser.add_argument("--priority", choices=("low", "medium", "high"), help=say("priority"))
    parser.add_argument("--group", metavar="NAME", help=say("group"))
    parser.add_argument("--search", metavar="TEXT", help=say("search"))
    parser.add_argument("--day", metavar="WORDS", nargs="?", const="", help=say("day"))
    parser.add_argument("--week", metavar="WORDS", nargs="?", const="", help=say("week"))


def tasks_fault(found: argparse.Namespace, language: Language) -> str | None:
    """What is wrong with the options of ``tasks`` together."""
    given = [f"--{name}" for name in ("date", "day", "week") if getattr(found, name) is not None]
    return text(language, "views.only_one", options=", ".join(given)) if len(given) > 1 else None


def add_groups_options(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``groups``."""
    parser.add_argument(
        "action", nargs="?", choices=ACTIONS, default="list", help=text(language, "groups.option_action")
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=text(language, "groups.option_name"))
    parser.add_argument("--yes", action="store_true", help=text(language, "groups.option_yes"))


def groups_fault(found: argparse.Namespace, language: Language) -> str | None:
    """Too few or too many names for the action."""
    needed, given = NAMES[found.action], found.names
    if len(given) < needed:
        names = ("OLD NEW" if needed > 1 else "NAME").split()[len(given) :]
        return text(language, "cli.missing_argument", names=" ".join(names))
    return unexpected(given[needed:], language)


def add_threads_options(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``threads``."""
    actions = ("list", "remove")
    parser.add_argument(
        "action", nargs="?", choices=actions, default="list", help=text(language, "threads.option_action")
    )
    parser.add_argument("names", nargs="*", metavar="NAME", help=text(language, "threads.option_name"))


def threads_fault(found: argparse.Namespace, language: Language) -> str | None:
    """No name for ``remove``, or a word too many."""
    needed = 1 if found.action == "remove" else 0
    if len(found.names) < needed:
        return text(language, "cli.missing_argument", names="NAME")
    return unexpected(found.names[needed:], language)


def add_mcp_options(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``mcp``."""
    actions = tuple(MCP_NAMES)
    parser.add_argument("action", nargs="?", choices=actions, default="list", help=text(language, "mcp.option_action"))
    parser.add_argument("names", nargs="*", metavar="NAME", help=text(language, "mcp.option_name"))
    parser.add_argument("--mcp", metavar="FILE", help=text(language, "mcp.option_mcp"))


def mcp_fault(found: argparse.Namespace, language: Language) -> str | None:
    """Too few or too many names for the action."""
    needed = MCP_NAMES[found.action]
    if len(found.names) < needed:
        return text(language, "cli.missing_argument", names="NAME")
    return unexpected(found.names[needed:], language)


def add_run_options(parser: argparse.ArgumentParser, language: Language) -> None:
    """How a request is carried out: for one from the command line and for all of a chat."""

    def say(name: str) -> str:
        return text(language, f"cli.{name}")

    parser.add_argument("--thread", metavar="NAME", help=say("option_thread"))
    _add_sources(parser, language)
    parser.add_argument("--mcp", metavar="FILE", help=text(language, "mcp.option_mcp"))
    parser.add_argument("--show", metavar="WHAT", type=_shown, default=frozenset(), help=say("option_show"))
    parser.add_argument("--events", action="store_true", help=say("option_events"))
    parser.add_argument("--plan-first", action="store_true", default=None, help=text(language, "plans.option_first"))


def add_deliberate_options(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``deliberate``."""
    parser.add_argument("question", nargs="*", help=text(language, "deliberation.option_question"))
    _add_sources(parser, language)
    parser.add_argument("--events", action="store_true", help=text(language, "cli.option_events"))


def _add_sources(parser: argparse.ArgumentParser, language: Language) -> None:
    """Where weather and words come from."""

    def say(name: str) -> str:
        return text(language, f"cli.{name}")

    parser.add_argument("--weather", metavar="FILE", help=say("option_weather"))
    parser.add_argument("--city", metavar="CITY", help=say("option_city"))
    add_model_options(parser, language)


def add_model_options(parser: argparse.ArgumentParser, language: Language) -> None:
    """Who is asked."""
    parser.add_argument("--model", metavar="PROVIDER:MODEL", help=text(language, "cli.option_model"))
    parser.add_argument("--light-model", metavar="PROVIDER:MODEL", help=text(language, "cli.option_light_model"))
    parser.add_argument("--base-url", metavar="URL", help=text(language, "cli.option_base_url"))


#: What a view can show besides the plan and the reply.
SHOWN = ("agents", "reasoning")


def _shown(words: str) -> frozenset[str]:
    """``agents,reasoning`` or one of them."""
    names = [name.strip() for name in words.split(",") if name.strip()]
    for name in names:
        if name not in SHOWN:
            raise argparse.ArgumentTypeError(f"invalid choice: {name!r} (choose from {', '.join(SHOWN)})")
    return frozenset(names)


def add_plan_options(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``plan``."""
    parser.add_argument("request", nargs="*", help=text(language, "cli.request"))
    parser.add_argument("--require", metavar="WORDS", action="append", help=text(language, "plans.option_require"))
    parser.add_argument("--mermaid", metavar="FILE", help=text(language, "plans.option_mermaid"))
    add_model_options(parser, language)


def add_chat_options(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``chat``."""
    add_run_options(parser, language)
    parser.add_argument("--history", metavar="FILE", help=text(language, "chat.option_history"))


def run_fault(found: argparse.Namespace, language: Language) -> str | None:
    """Two shapes for one output."""
    if found.events and found.json:
        return text(language, "views.only_one", options="--events, --json")
    return None


def add_demo_options(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``demo``."""
    parser.add_argument("--keep", action="store_true", help=text(language, "demo.option_keep"))
    parser.add_argument("--json", action="store_true", help=text(language, "cli.option_json"))
    parser.set_defaults(now=None)  # every command is handed a clock


def unexpected(words: Sequence[str], language: Language) -> str | None:
    """Words that no option and no argument takes."""
    return text(language, "cli.unknown_option", options=" ".join(words)) if words else None
