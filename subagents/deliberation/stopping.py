"""When a deliberation is over: pure functions of its records (C11, C12, seed 002 section 4.2)."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from itertools import pairwise

from rapidfuzz import fuzz

from subagents.deliberation.schemas import Answer, Issue, ReviewRecord, Stop

#: Two answers that are more alike than this differ in wording alone; another round would bring no more.
SAME_ANSWER = 0.95
#: Below this a new version is no change of the last one but another answer (C10).
REWRITTEN = 0.3
#: From this likeness on two criticisms are the same one, told twice.
SAME_ISSUE = 0.8


def likeness(first: Answer, second: Answer) -> float:
    """How alike two answers are, 0 to 1, whatever their case, width and blanks."""
    return _ratio(first.words, second.words)


def new_issues(issues: Sequence[Issue], before: Sequence[Issue]) -> int:
    """How many of the issues no round before had: neither the same place for the same reason, nor the same words."""
    return sum(not any(_same(issue, other) for other in before) for issue in issues)


def reason_to_stop(records: Sequence[ReviewRecord], *, most_rounds: int, enough: int) -> Stop | None:
    """Why the rounds so far are enough; ``None`` when another one is worth it.

    An answer that is off the topic never is, whatever its score: only the hard stop ends such a deliberation. The
    falling of new issues ends it when it has fallen in every round and nothing major stands: with a major fault left
    the next round is the one that mends it.

    Args:
        records: All rounds, the last one just judged.
        most_rounds: The hard stop.
        enough: The score (0 to 100) from which an answer is good enough.
    """
    last = records[-1]
    if last.on_topic and (stop := _soft(records, enough)):
        return stop
    return Stop.ROUNDS if len(records) >= most_rounds else None


def _soft(records: Sequence[ReviewRecord], enough: int) -> Stop | None:
    last = records[-1]
    review = last.review
    if review.status == "pass":
        return Stop.PASSED
    if review.score >= enough:
        return Stop.SCORE
    if not review.issues:
        return Stop.UNFOUNDED
    if last.likeness > SAME_ANSWER:
        return Stop.SIMILAR
    counts = [record.new_issues for record in records]
    falling = len(counts) > 1 and all(later < earlier for earlier, later in pairwise(counts))
    if falling and all(issue.severity == "minor" for issue in review.issues):
        return Stop.SETTLING
    return None


def _same(one: Issue, other: Issue) -> bool:
    if one.dimension is not other.dimension:
        return False
    return one.quote == other.quote or _ratio(one.problem, other.problem) >= SAME_ISSUE


def _ratio(first: str, second: str) -> float:
    return fuzz.ratio(_plain(first), _plain(second)) / 100


def _plain(words: str) -> str:
    return "".join(unicodedata.normalize("NFKC", words).casefold().split())
