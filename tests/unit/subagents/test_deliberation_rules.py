"""Rules of the deliberation without a model: quotes (C08, N11), stops (C11, C12), the best answer (C14)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from subagents.deliberation.quotes import SHORTEST_QUOTE, quoted, stands_in
from subagents.deliberation.records import best
from subagents.deliberation.schemas import Answer, Dimension, Issue, Review, ReviewRecord, Scores, Stop
from subagents.deliberation.stopping import new_issues, reason_to_stop

pytestmark = pytest.mark.unit

WORDS = st.text(alphabet="周六有小雨可以搬家 abcXYZ１２，。", min_size=1, max_size=30)


def an_answer(*points: str) -> Answer:
    return Answer(understanding="u", key_points=list(points), detail="d", conclusion="c", confidence=0.5)


def an_issue(quote: str = "q", problem: str = "p", **fields: Any) -> Issue:
    return Issue(
        dimension=fields.pop("dimension", Dimension.LOGIC), quote=quote, problem=problem, suggestion="s", **fields
    )


def a_record(score: int = 50, *issues: Issue, status: str = "revise", **fields: Any) -> ReviewRecord:
    review = Review(
        score=score,
        scores=Scores(logic=1, facts=1, completeness=1, relevance=1),
        status="pass" if status == "pass" else "revise",
        issues=list(issues),
        confidence=0.5,
    )
    return ReviewRecord(review=review, **fields)


@given(points=st.lists(WORDS, min_size=1, max_size=4), data=st.data())
def test_every_piece_of_a_passage_stands_in_the_answer(points: list[str], data: st.DataObject) -> None:
    point = data.draw(st.sampled_from(points))
    start = data.draw(st.integers(0, len(point)))
    piece = point[start : data.draw(st.integers(start, len(point)))]
    long_enough = len("".join(piece.split())) >= SHORTEST_QUOTE
    assert stands_in(piece, an_answer(*points)) is long_enough


@given(points=st.lists(WORDS, min_size=1, max_size=4), quote=WORDS)
def test_what_no_passage_says_is_dropped_and_counted(points: list[str], quote: str) -> None:
    issues = [an_issue(quote), an_issue(f"{quote}☂☂")]
    kept, dropped = quoted(issues, an_answer(*points))
    assert len(kept) + dropped == 2
    assert issues[1] not in kept
    assert kept == ([issues[0]] if stands_in(quote, an_answer(*points)) else [])


def test_a_quote_does_not_reach_over_two_passages() -> None:
    assert not stands_in("甲乙丙丁", an_answer("甲乙", "丙丁"))


def test_blanks_and_width_make_no_difference_but_words_do() -> None:
    answer = an_answer("周六 有雨，气温 2-8°C")
    assert stands_in("周六有雨,气温２-8", answer)
    assert not stands_in("周日有雨", answer)


MAJOR, MINOR = an_issue("甲", "重"), an_issue("乙", "轻", severity="minor")


@pytest.mark.parametrize(
    ("records", "stop"),
    [
        ([a_record(50, MAJOR)], None),
        ([a_record(20, MAJOR, status="pass")], Stop.PASSED),
        ([a_record(20, MAJOR, status="pass", on_topic=False)], None),
        ([a_record(85, MAJOR)], Stop.SCORE),
        ([a_record(84, MAJOR)], None),
        ([a_record(85, MAJOR, on_topic=False)], None),
        ([a_record(50)], Stop.UNFOUNDED),
        ([a_record(50, MAJOR), a_record(50, MAJOR, likeness=0.951)], Stop.SIMILAR),
        ([a_record(50, MAJOR), a_record(50, MAJOR, likeness=0.95)], None),
        ([a_record(50, MAJOR, new_issues=2), a_record(50, MINOR, new_issues=1)], Stop.SETTLING),
        ([a_record(50, MAJOR, new_issues=2), a_record(50, MAJOR, new_issues=1)], None),
        ([a_record(50, MAJOR, new_issues=1), a_record(50, MINOR, new_issues=1)], None),
        ([a_record(50, MAJOR)] * 3, Stop.ROUNDS),
        ([a_record(99, status="pass", on_topic=False)] * 3, Stop.ROUNDS),
    ],
)
def test_reasons_to_stop(records: list[ReviewRecord], stop: Stop | None) -> None:
    assert reason_to_stop(records, most_rounds=3, enough=85) is stop


def test_an_issue_told_again_is_not_new() -> None:
    before = [an_issue("全天有空", "没有说几点开始搬")]
    assert new_issues([an_issue("全天有空", "另一句话")], before) == 0, "the same place"
    assert new_issues([an_issue("别处", "没有说几点开始搬家")], before) == 0, "the same words"
    assert new_issues([an_issue("别处", "没有说几点开始搬", dimension=Dimension.FACTS)], before) == 1, (
        "another dimension"
    )
    assert new_issues([an_issue("别处", "忽略了下雨")], before) == 1


def test_the_best_answer_is_on_the_topic_then_scores_then_is_later() -> None:
    answers = [an_answer("a"), an_answer("b"), an_answer("c")]
    assert best(answers, [a_record(60), a_record(90, on_topic=False), a_record(60)]) == 2
    assert best(answers, [a_record(60), a_record(50)]) == 0, "nobody has reviewed the last one"
    assert best(answers[:1], []) == 0
