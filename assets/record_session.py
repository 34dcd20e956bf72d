"""Record a chat at a real terminal as a picture: ``python assets/record_session.py``.

Runs the installed program with a frozen clock, sample weather and a database of its own, types the lines below, and
draws what is on the screen as ``session.zh.svg`` and ``session.en.svg``: the same bytes each time. In a browser the
lines appear one after the other. Needs what the ``test`` extra installs.
"""

from __future__ import annotations

import shutil
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from itertools import groupby
from pathlib import Path

import pyte
from rich.cells import cell_len

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from tests.support.terminal import Terminal  # noqa: E402 - the tests are no package that is installed

#: What is typed, by language: a request, one that collides with it, the answer to the question.
SESSIONS = {
    "zh": ("北京", "周六早上九点到十一点去机场接人", "周六上午十点到十一点看牙", "下午三点"),
    "en": (
        "Beijing",
        "pick up a friend at the airport on Saturday from 9 to 11 am",
        "dentist on Saturday from 10 to 11 am",
        "3 pm",
    ),
}
FROZEN = ["--db", "planner.db", "--now", "2026-02-11T10:00:00+08:00", "--timezone", "Asia/Shanghai"]
COLUMNS, LINES = 100, 60

#: Pixels of a cell, of a line, and around all.
CELL, LINE, EDGE, BAR = 8.4, 20, 16, 34
COLOURS = {"default": "#d8dee9", "green": "#a3be8c", "cyan": "#88c0d0", "red": "#bf616a", "brown": "#ebcb8b"}
DIM = "#7b8494"
BUTTONS = {20: "red", 38: "brown", 56: "green"}
#: Seconds before a line that was typed, before a line that was written.
TYPED, WRITTEN = 1.2, 0.12


@dataclass(frozen=True)
class Piece:
    """Characters of one look in a row; ``column`` and ``cells`` are those of the terminal."""

    column: int
    cells: int
    words: str
    colour: str
    bold: bool


def recorded(language: str) -> bytes:
    """All that the program writes in a session."""
    city, *typed = SESSIONS[language]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        shutil.copyfile(HERE.parent / "deep_planner" / "demo" / "weather.json", folder / "weather.json")
        surroundings = ["--weather", "weather.json", "--city", city, "--lang", language, "--thread", "trip"]
        with Terminal(["chat", *FROZEN, *surroundings], folder, size=(COLUMNS, LINES)) as terminal:
            for line in typed:
                terminal.wait_until_ready()
                terminal.enter(line)
            terminal.wait_until_ready()
            terminal.enter("exit")
            if code := terminal.ended():
                raise SystemExit(f"the session ended with {code}:\n" + "\n".join(terminal.lines))
            return terminal.raw


def rows_of(raw: bytes) -> list[list[Piece]]:
    """The screen at the end, row by row."""
    screen = pyte.Screen(COLUMNS, LINES)
    # The emulator knows no dimmed letters; bright black, which nothing else uses, stands for them.
    pyte.ByteStream(screen).feed(raw.replace(b"\x1b[2m", b"\x1b[90m"))
    rows = [list(_pieces(screen, row)) for row in range(LINES)]
    while not rows[-1]:
        rows.pop()
    return rows


def _pieces(screen: pyte.Screen, row: int) -> Iterator[Piece]:
    cells = [(column, screen.buffer[row][column]) for column in range(COLUMNS)]
    for (colour, bold), run in groupby(cells, key=lambda cell: (cell[1].fg, cell[1].bold)):
        found = list(run)
        words = "".join(char.data for _, char in found)
        if words.strip():
            yield Piece(found[0][0], cell_len(words.rstrip()), words.rstrip(), COLOURS.get(colour, DIM), bold)


def drawn(rows: list[list[Piece]], language: str) -> str:
    """The rows as SVG; each is hidden until its moment has come, where a viewer can do that."""
    width, height = COLUMNS * CELL + 2 * EDGE, len(rows) * LINE + 2 * EDGE + BAR
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
        f'height="{height:g}" role="img" xml:space="preserve" xml:lang="{language}">',
        f"<title>deep-planner chat: {escape(' / '.join(SESSIONS[language][1:]))}</title>",
        "<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,'Noto Sans Mono CJK SC',monospace;"
        "white-space:pre}.b{font-weight:bold}</style>",
        f'<rect width="{width:g}" height="{height:g}" rx="8" fill="#2e3440"/>',
        *(
            f'<circle cx="{20 + 18 * n}" cy="18" r="5.5" fill="{fill}"/>'
            for n, fill in enumerate(("#bf616a", "#ebcb8b", "#a3be8c"))
        ),
    ]
    moment = 0.0
    for number, row in enumerate(rows):
        typed = bool(row) and ">" in row[0].words[:8] and row[0].column == 0
        moment = round(moment + (TYPED if typed else WRITTEN), 2)
        y = BAR + EDGE + number * LINE
        parts.append(f'<g><set attributeName="visibility" to="hidden" begin="0s" dur="{moment:g}s"/>')
        parts += [_text(piece, y) for piece in row]
        parts.append("</g>")
    return "\n".join([*parts, "</svg>"]) + "\n"


def _text(piece: Piece, y: float) -> str:
    lead = len(piece.words) - len(piece.words.lstrip())
    x, cells = EDGE + (piece.column + lead) * CELL, piece.cells - lead
    bold = ' class="b"' if piece.bold else ""
    # The length makes Chinese as wide as two cells, whichever font is there.
    return (
        f'<text x="{x:g}" y="{y:g}" textLength="{cells * CELL:g}" lengthAdjust="spacingAndGlyphs" '
        f'fill="{piece.colour}"{bold}>{escape(piece.words.strip())}</text>'
    )


def main() -> None:
    """Write both pictures."""
    for language in SESSIONS:
        picture = drawn(rows_of(recorded(language)), language)
        (HERE / f"session.{language}.svg").write_text(picture, encoding="utf-8")


if __name__ == "__main__":
    main()
