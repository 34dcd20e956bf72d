"""The options of each command, and what they must keep to together; nothing here is slow to import."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from tools.core.text import Language, text

STATUSES = ("pending", "completed", "cancelled")
#: What ``groups``, ``threads`` and ``mcp`` do, and the names that each action takes.
ACTIONS = {
    "groups": {"list": (), "add": ("NAME",), "rename": ("OLD", "NEW"), "remove": ("NAME",)},
    "threads": {"list": (), "remove": ("NAME",)},
    "mcp": {"list": (), "approve": ("NAME",)},
}
#: Evaluation cases at a time, unless the line says otherwise.
JOBS = 4
#: What a view can show besides the plan and the reply.
SHOWN = ("agents", "reasoning")


def add_request(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand on a line that names no command."""
    parser.add_argument("request", nargs="*", help=text(language, "cli.request"))
    parser.add_argument("--resume", action="store_true", help=text(language, "cli.option_resume"))
    _add_run(parser, language)
    parser.add_argument("--usage", action="store_true", help=text(language, "cli.option_usage"))


def add_chat(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``chat``."""
    _add_run(parser, language)
    parser.add_argument("--history", metavar="FILE", help=text(language, "chat.option_history"))


def _add_run(parser: argparse.ArgumentParser, language: Language) -> None:
    """How a request is carried out: for one from the command line and for all of a chat."""

    def say(name: str) -> str:
        return text(language, f"cli.{name}")

    parser.add_argument("--thread", metavar="NAME", help=say("option_thread"))
    _add_sources(parser, language)
    parser.add_argument("--mcp", metavar="FILE", help=text(language, "mcp.option_mcp"))
    parser.add_argument("--show", metavar="WHAT", type=_shown, default=frozenset(), help=say("option_show"))
    parser.add_argument("--events", action="store_true", help=say("option_events"))
    parser.add_argument("--plan-first", action="store_true", default=None, help=text(language, "plans.option_first"))


def _shown(words: str) -> frozenset[str]:
    """``agents,reasoning`` or one of them."""
    names = [name.strip() for name in words.split(",") if name.strip()]
    for name in names:
        if name not in SHOWN:
            raise argparse.ArgumentTypeError(f"invalid choice: {name!r} (choose from {', '.join(SHOWN)})")
    return frozenset(names)


def add_deliberate(parser: argparse.ArgumentParser, language: Language) -> None:
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
    _add_models(parser, language)


def add_plan(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``plan``."""
    parser.add_argument("request", nargs="*", help=text(language, "cli.request"))
    parser.add_argument("--require", metavar="WORDS", action="append", help=text(language, "plans.option_require"))
    parser.add_argument("--mermaid", metavar="FILE", help=text(language, "plans.option_mermaid"))
    _add_models(parser, language)


def _add_models(parser: argparse.ArgumentParser, language: Language) -> None:
    """Who is asked."""
    parser.add_argument("--model", metavar="PROVIDER:MODEL", help=text(language, "cli.option_model"))
    parser.add_argument("--light-model", metavar="PROVIDER:MODEL", help=text(language, "cli.option_light_model"))
    parser.add_argument("--base-url", metavar="URL", help=text(language, "cli.option_base_url"))


def events_fault(found: argparse.Namespace, language: Language) -> str | None:
    """Two shapes for one output."""
    if found.events and found.json:
        return text(language, "views.only_one", options="--events, --json")
    return None


def add_tasks(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``tasks``."""

    def say(name: str) -> str:
        return text(language, f"views.option_{name}")

    _add_date(parser, language)
    parser.add_argument("--status", choices=STATUSES, help=text(language, "cli.option_status"))
    parser.add_argument("--priority", choices=("low", "medium", "high"), help=say("priority"))
    parser.add_argument("--group", metavar="NAME", help=say("group"))
    parser.add_argument("--search", metavar="TEXT", help=say("search"))
    parser.add_argument("--day", metavar="WORDS", nargs="?", const="", help=say("day"))
    parser.add_argument("--week", metavar="WORDS", nargs="?", const="", help=say("week"))


def tasks_fault(found: argparse.Namespace, language: Language) -> str | None:
    """What is wrong with the options of ``tasks`` together."""
    given = [f"--{name}" for name in ("date", "day", "week") if getattr(found, name) is not None]
    return text(language, "views.only_one", options=", ".join(given)) if len(given) > 1 else None


def add_reminders(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``reminders``."""
    _add_date(parser, language)
    parser.add_argument("action", nargs="?", choices=("deliver",), help=text(language, "cli.option_action"))
    parser.add_argument("--watch", action="store_true", help=text(language, "cli.option_watch"))
    parser.add_argument("--every", metavar="SECONDS", help=text(language, "cli.option_every"))


def reminders_fault(found: argparse.Namespace, language: Language) -> str | None:
    """What goes with ``deliver`` only, and what does not go with it."""
    if found.action and found.date is not None:
        return text(language, "cli.unknown_option", options="--date")
    for given, needed, name in ((found.watch, found.action, "deliver"), (found.every, found.watch, "--watch")):
        if given and not needed:
            return text(language, "cli.missing_argument", names=name)
    return None


def add_export(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``export``."""

    def say(name: str) -> str:
        return text(language, f"cli.{name}")

    _add_date(parser, language)
    parser.add_argument("--status", choices=STATUSES, help=say("option_status"))
    parser.add_argument("--ics", metavar="FILE", nargs="?", const="-", required=True, help=say("option_ics_export"))


def add_import(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``import``."""
    parser.add_argument("--ics", metavar="FILE", required=True, help=text(language, "cli.option_ics_import"))
    parser.add_argument("--yes", action="store_true", help=text(language, "cli.option_yes"))


def _add_date(parser: argparse.ArgumentParser, language: Language) -> None:
    parser.add_argument("--date", metavar="WORDS", help=text(language, "cli.option_date"))


def add_groups(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``groups``."""
    _add_action("groups", parser, language)
    parser.add_argument("--yes", action="store_true", help=text(language, "groups.option_yes"))


def add_threads(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``threads``."""
    _add_action("threads", parser, language)


def add_mcp(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``mcp``."""
    _add_action("mcp", parser, language)
    parser.add_argument("--mcp", metavar="FILE", help=text(language, "mcp.option_mcp"))


def _add_action(command: str, parser: argparse.ArgumentParser, language: Language) -> None:
    actions, say = tuple(ACTIONS[command]), f"{command}.option_action"
    parser.add_argument("action", nargs="?", choices=actions, default="list", help=text(language, say))
    parser.add_argument("names", nargs="*", metavar="NAME", help=text(language, f"{command}.option_name"))


def action_fault(found: argparse.Namespace, language: Language) -> str | None:
    """Too few or too many names for the action."""
    needed, given = ACTIONS[found.command][found.action], found.names
    if missing := needed[len(given) :]:
        return text(language, "cli.missing_argument", names=" ".join(missing))
    return unexpected(given[len(needed) :], language)


def add_when(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``when``."""
    parser.add_argument("text", nargs="+", help=text(language, "cli.option_when"))


def add_eval(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``eval``."""

    def say(name: str) -> str:
        return text(language, f"cli.eval_option_{name}")

    parser.add_argument("cases", nargs="*", metavar="CASES", help=say("cases"))
    _add_models(parser, language)
    parser.add_argument("--out", metavar="RUN.jsonl", help=say("out"))
    parser.add_argument("--jobs", metavar="N", type=int, default=JOBS, help=say("jobs"))
    parser.add_argument("--at-least", metavar="RATE", type=float, default=0.0, help=say("at_least"))
    parser.add_argument("--failures", action="store_true", help=say("failures"))


def add_demo(parser: argparse.ArgumentParser, language: Language) -> None:
    """What may stand after ``demo``."""
    parser.add_argument("--keep", action="store_true", help=text(language, "demo.option_keep"))


def unexpected(words: Sequence[str], language: Language) -> str | None:
    """Words that no option and no argument takes."""
    return text(language, "cli.unknown_option", options=" ".join(words)) if words else None
