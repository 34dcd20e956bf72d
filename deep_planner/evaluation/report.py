"""What a run of the cases amounts to: rates by file, language, basis and tag, and why cases failed."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import Console
from rich.table import Table

from deep_planner.evaluation.grading import Verdict
from tools.core.text import Language, text

#: How many of the commonest first reasons are shown.
COMMONEST = 15


@dataclass(frozen=True, slots=True)
class Rate:
    """How many of how many."""

    passed: int
    total: int

    @property
    def share(self) -> float:
        """From 0 to 1; of nothing, nothing."""
        return self.passed / self.total if self.total else 0.0

    def __str__(self) -> str:
        return f"{self.passed}/{self.total} {self.share:.1%}"


def overall(verdicts: Sequence[Verdict]) -> Rate:
    """Of all cases."""
    return Rate(sum(verdict.passed for verdict in verdicts), len(verdicts))


def intent_rate(verdicts: Iterable[Verdict]) -> Rate:
    """Of the turns that name an intent; not part of passing."""
    met = [one for verdict in verdicts for one in verdict.intents()]
    return Rate(sum(met), len(met))


def rates(verdicts: Sequence[Verdict], dimension: str) -> list[tuple[str, Rate]]:
    """By ``file``, ``language``, ``basis`` (seeds without their section) or ``tag``; a case may have several tags."""
    groups: defaultdict[str, list[Verdict]] = defaultdict(list)
    for verdict in verdicts:
        for name in _names(verdict, dimension):
            groups[name].append(verdict)
    return [(name, overall(groups[name])) for name in sorted(groups)]


def _names(verdict: Verdict, dimension: str) -> Iterable[str]:
    case = verdict.case
    if dimension == "tag":
        return set(case.tags)
    if dimension == "basis":
        return [case.basis.partition("§")[0] or "-"]
    return [case.source if dimension == "file" else case.lang]


def show(verdicts: Sequence[Verdict], console: Console, language: Language) -> None:
    """All rates, and the commonest first reasons."""
    for dimension in ("file", "language", "basis"):
        table = Table(box=None, pad_edge=False)
        table.add_column(text(language, f"cli.eval_by_{dimension}"))
        table.add_column(text(language, "cli.eval_passed"), justify="right")
        table.add_column("%", justify="right")
        for name, rate in rates(verdicts, dimension):
            table.add_row(name, f"{rate.passed}/{rate.total}", f"{rate.share:.1%}")
        console.print(table)
        console.print()
    tags = sorted(rates(verdicts, "tag"), key=lambda entry: (-entry[1].total, entry[0]))
    told = "  ".join(f"{name} {rate.passed}/{rate.total}" for name, rate in tags)
    console.print(f"{text(language, 'cli.eval_by_tag')}: {told}\n")
    for line in _commonest(verdicts, language):
        console.print(line)
    console.print(text(language, "cli.eval_intents", rate=intent_rate(verdicts)))
    console.print(text(language, "cli.eval_overall", rate=overall(verdicts)))


def _commonest(verdicts: Sequence[Verdict], language: Language) -> Iterator[str]:
    first = [(verdict.first_reason, verdict.case.id) for verdict in verdicts]
    count = Counter(reason.name for reason, _ in first if reason)
    if count:
        yield text(language, "cli.eval_first_reasons")
    for name, number in count.most_common(COMMONEST):
        examples = [case for reason, case in first if reason and reason.name == name][:3]
        yield f"  {number:4}  {name}  ({', '.join(examples)})"
    if count:
        yield ""


def show_failures(verdicts: Iterable[Verdict], console: Console, language: Language) -> None:
    """Each failed case: what was said, what came back, what is wrong with it."""
    for verdict in verdicts:
        if verdict.passed:
            continue
        console.print(f"✗ {verdict.case.source}/{verdict.case.id}  [{verdict.case.basis}]")
        for number, reasons in enumerate(verdict.turns):
            if number < len(verdict.case.turns):
                console.print(f"    > {verdict.case.turns[number].user}")
            if number < len(verdict.run.turns):
                turn = verdict.run.turns[number]
                console.print(f"    < {turn.reply}".replace("\n", "\n      "))
                console.print(f"      ({turn.status}; {', '.join(turn.agents) or '-'}; {turn.intent or '-'})")
            for reason in reasons:
                console.print(f"      ✗ {reason.words(language)}")
        console.print()
