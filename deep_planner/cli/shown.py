"""Words on standard output: cut and padded by terminal cells, safe to look at, never read as markup."""

from __future__ import annotations

import os
import sys
from typing import Any, TextIO

from rich.cells import cell_len, set_cell_size
from rich.console import Console
from rich.table import Table
from rich.tree import Tree

from tools.core.harmless import harmless_json

#: The widest table off a terminal, in cells.
WIDEST = 160


def fitted(words: str, cells: int | None) -> str:
    """The words in at most that many terminal cells, an ellipsis at the cut; a Chinese character takes two."""
    if cells is None or cell_len(words) <= cells:
        return words
    return set_cell_size(words, max(cells - 1, 0)).rstrip() + "…"


def padded(words: str, cells: int) -> str:
    """The words, blanks after them up to that many terminal cells."""
    return words + " " * (cells - cell_len(words))


class _Output(Console):
    def on_broken_pipe(self) -> None:
        """The reader has gone: that is no fault, and the entry ends quietly; rich alone would exit with 1."""
        _to_nobody(sys.stdout)
        raise BrokenPipeError


def show(words: str, stream: TextIO) -> None:
    """Write and flush. When the reader has gone, what is being carried out for the user goes on all the same."""
    try:
        stream.write(words)
        stream.flush()
    except BrokenPipeError:
        _to_nobody(stream)


def _to_nobody(stream: TextIO) -> None:
    # What is left in the buffer has no reader either; it must not fail again when the interpreter ends.
    os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())


def console() -> Console:
    """Standard output. Words of the user are never read as markup, and what its encoding lacks becomes ``?``."""
    reconfigure = getattr(sys.stdout, "reconfigure", None)
    if reconfigure:
        reconfigure(errors="replace")
    return _Output(highlight=False, markup=False, emoji=False)


def print_whole(table: Table | Tree, out: Console) -> None:
    """Print a table or a tree. Off a terminal it is as wide as its words ask for, up to ``WIDEST`` cells."""
    if not out.is_terminal:
        wide = out.options.update(width=WIDEST)
        out.width = max(out.width, out.measure(table, options=wide).maximum)
    out.print(table)


def write_json(value: Any) -> None:
    """The value on standard output, for people and programs."""
    sys.stdout.write(harmless_json(value) + "\n")
