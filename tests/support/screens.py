"""What stands on an emulated screen."""

from __future__ import annotations

import pyte


def lines_of(screen: pyte.HistoryScreen) -> list[str]:
    """All lines, those that have scrolled off first, blanks at their ends and empty ones at the end taken off."""
    gone = ["".join(line[column].data for column in range(screen.columns)) for line in screen.history.top]
    lines = [line.rstrip() for line in (*gone, *screen.display)]
    while lines and not lines[-1]:
        lines.pop()
    return lines
