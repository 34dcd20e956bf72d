"""``deep-planner eval``: run evaluation cases, each in a world of its own, and say how many pass."""

from __future__ import annotations

import argparse
import logging
from pathlib import Path
from typing import TYPE_CHECKING

from tools.core.clock import Clock
from tools.core.text import Language, text

if TYPE_CHECKING:
    from deep_planner.evaluation.cases import Case
    from deep_planner.evaluation.grading import Verdict
    from deep_planner.settings import Settings


async def evaluate(arguments: argparse.Namespace, _clock: Clock, language: Language) -> int:
    """Run the cases, write what happened, print the rates.

    Raises:
        UsageError: Cases that cannot be read, an option or a model that cannot be used.
    """
    from rich.console import Console  # noqa: PLC0415 - help must not wait for it

    from deep_planner.cli.chosen import settings_of  # noqa: PLC0415 - as above
    from deep_planner.cli.entry import Exit  # noqa: PLC0415 - as above
    from deep_planner.evaluation.cases import CaseError, load_cases  # noqa: PLC0415 - as above
    from deep_planner.evaluation.report import overall, show, show_failures  # noqa: PLC0415 - as above

    if not arguments.cases:
        raise CaseError("unnamed")
    if arguments.jobs < 1 or not 0 <= arguments.at_least <= 1:
        raise CaseError("range", jobs=arguments.jobs, rate=arguments.at_least)
    if not arguments.debug:
        # Faults are part of the cases; without a handler their tracebacks would go to standard error.
        logging.getLogger().addHandler(logging.NullHandler())
    cases = load_cases(arguments.cases)
    verdicts = await _run(cases, settings_of(arguments), arguments, language)
    console = Console(highlight=False, markup=False, emoji=False, soft_wrap=True)
    if arguments.failures:
        show_failures(verdicts, console, language)
    show(verdicts, console, language)
    return Exit.DONE if overall(verdicts).share >= arguments.at_least else Exit.FAILED


async def _run(
    cases: list[Case], settings: Settings, arguments: argparse.Namespace, language: Language
) -> list[Verdict]:
    """The verdicts in the order of the cases; runs are written as they end, so that a broken-off run keeps its own."""
    from rich.console import Console  # noqa: PLC0415 - as above
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn  # noqa: PLC0415

    from deep_planner.evaluation.cases import CaseError  # noqa: PLC0415 - as above
    from deep_planner.evaluation.grading import Verdict  # noqa: PLC0415 - as above
    from deep_planner.evaluation.running import run_cases  # noqa: PLC0415 - as above

    verdicts: dict[str, Verdict] = {}
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    out = Path(arguments.out) if arguments.out else None
    try:
        file = out.open("w", encoding="utf-8") if out else None
    except OSError as error:
        raise CaseError("unwritable", place=out, reason=error.strerror or error) from error
    try:
        with Progress(*columns, console=console, disable=not console.is_terminal) as progress:
            bar = progress.add_task(text(language, "cli.eval_progress"), total=len(cases))
            async for case, run in run_cases(cases, settings, arguments.jobs):
                verdicts[case.id] = Verdict(case, run)
                progress.advance(bar)
                if file:
                    file.write(run.line() + "\n")
                    file.flush()
    finally:
        if file:
            file.close()
    ordered = [verdicts[case.id] for case in cases]
    if out:
        out.write_text("".join(verdict.run.line() + "\n" for verdict in ordered), encoding="utf-8")
    return ordered
