"""Titles that mean the same in other words: a port, for those who have a model of meaning at hand (A13, P6).

The rules on words come first and decide alone what is acted on, and what stands in the way of what. Only where they
find no task at all is meaning asked, and what it finds is offered, never acted on: the worst that a wrong guess costs
is a question. It is asked after the transaction has ended, because nobody should wait for a network while rows are
locked.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from tools.core.context import RunContext
from tools.core.result import ToolResult
from tools.domain.similarity import decisive_words
from tools.services.finding import NotFound, candidates

#: How many titles are compared, the earliest first, and how many tasks are offered.
_MOST_TITLES, _MOST_OFFERED = 100, 5


class TitleMeaning(Protocol):
    """Compares titles by what they mean."""

    async def alike(self, title: str, others: Sequence[str]) -> list[str]:
        """Those of the others that mean much the same, the nearest first; none when that cannot be told just now."""
        ...


async def offered_by_meaning(result: ToolResult, meaning: TitleMeaning | None, context: RunContext) -> ToolResult:
    """The result; when it says that there is no such task, and meaning knows better, a question about which one."""
    if meaning is None or not isinstance(result, NotFound) or not result.tasks:
        return result
    tasks = result.tasks[:_MOST_TITLES]
    # 不买菜 is near to 买菜 in meaning, and yet its opposite.
    titles = {task.title for task in tasks if decisive_words(task.title) == decisive_words(result.title)}
    near = (await meaning.alike(result.title, sorted(titles)))[:_MOST_OFFERED] if titles else []
    found = [task for title in near for task in tasks if task.title == title]
    return candidates(result.title, found[:_MOST_OFFERED], context) if found else result
