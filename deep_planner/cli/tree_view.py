"""At a terminal: a tree that changes in place, and under it the reply as it is typed."""

from __future__ import annotations

import time
from collections.abc import Callable
from types import TracebackType
from typing import Any, Self

from rich.console import Console, Group, RenderableType
from rich.live import Live
from rich.text import Text
from rich.tree import Tree

from deep_planner.cli.board import Board, call_line, murmur_line, retrying_line
from deep_planner.cli.typewriter import Typewriter
from deep_planner.cli.view import View, header_lines, todo_line
from deep_planner.events import Event, Reasoning, Retrying, RunResult, Token, ToolCallArguments, ToolCallStarted
from deep_planner.settings import Settings
from tools.core.harmless import harmless, harmless_lines
from tools.core.text import Language, text

STYLES = {"pending": "dim", "in_progress": "cyan", "completed": "green", "failed": "red", "skipped": "yellow"}
#: Lines of the screen that the live tree leaves alone.
SPARE = 3
#: Pieces come faster than anybody reads: so many seconds lie between two pictures that differ by pieces alone.
APART = 0.08


class TreeView(View):
    """See the module.

    The tree lives on standard error; it is put down for good when the reply begins, so that what is typed below never
    meets something that is still being redrawn.

    Args:
        language: The language of its words.
        shown: ``agents``, ``reasoning``: what is shown besides the plan and the reply.
        console: Where the tree is drawn; standard error by default.
        seconds: Tells how much time has passed.
    """

    def __init__(
        self,
        language: Language,
        shown: frozenset[str] = frozenset(),
        console: Console | None = None,
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        super().__init__(language, shown)
        self._console = console or Console(stderr=True, highlight=False, markup=False, emoji=False)
        self._typewriter = Typewriter()
        self._live: Live | None = None
        self._seconds = seconds
        self._drawn_at = 0.0

    def __enter__(self) -> Self:
        self._live = Live(console=self._console, auto_refresh=False, transient=True)
        self._live.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._put_down()
        if error is not None:
            self._typewriter.broken_off()

    def header(self, settings: Settings) -> None:
        """Model and database, dimmed."""
        for line in header_lines(settings, self.language):
            self._console.print(Text(line, style="dim"))

    def event(self, event: Event) -> None:
        """Redraw; type."""
        for murmur in self.board.take(event):
            self._aside(murmur_line(murmur, self.language))
        if isinstance(event, Token) and event.agent is None:
            self._put_down()
            self._typewriter.piece(event.text)
        elif isinstance(event, Retrying):
            if event.agent is None:
                self._typewriter.void()
            self._aside(retrying_line(event, self.language))
        if self._live and self._is_time(event):
            self._live.update(self._drawn(), refresh=True)

    def line(self, words: str) -> None:
        """A line above the tree."""
        self._typewriter.step_aside()
        self._console.print(Text(harmless_lines(words)))

    def reply(self, result: RunResult) -> None:
        """End the typed reply, or write it."""
        self._typewriter.end(result.reply)

    def _is_time(self, event: Event) -> bool:
        now = self._seconds()
        if isinstance(event, Token | Reasoning | ToolCallStarted | ToolCallArguments) and now - self._drawn_at < APART:
            return False
        self._drawn_at = now
        return True

    def _aside(self, words: str) -> None:
        self._typewriter.step_aside()
        self._console.print(Text(words, style="dim"))

    def _put_down(self) -> None:
        """End the live display and leave the tree as it stands."""
        if self._live is None:
            return
        self._live.stop()
        self._live = None
        if self.board.todos:
            self._console.print(plan_tree(self.board, self.language))

    def _drawn(self) -> RenderableType:
        """What fits on the screen: when there is no room for all, what has ended is counted only."""
        parts: list[RenderableType] = []
        if self.board.todos:
            tree = plan_tree(self.board, self.language)
            room = self._console.height - SPARE
            lines = self._console.render_lines(tree, pad=False)
            parts.append(tree if len(lines) <= room else plan_tree(self.board, self.language, crowded=True))
        elif self.board.stage:
            parts.append(_dim(text(self.language, f"chat.stage_{self.board.stage}")))
        begun = [call for call in self.board.calls.get(None, ()) if not call.status]
        parts += [_dim(call_line(call, self.language)) for call in begun]
        parts += [_dim(_tail(words)) for (_, (todo_id, _)), words in self.board.tails.items() if todo_id is None]
        return Group(*parts)


def plan_tree(board: Board, language: Language, *, crowded: bool = False) -> Tree:
    """The items with their calls, notes and what is being said.

    Args:
        board: What is known.
        language: The language of the words.
        crowded: Show the items at work alone, and count the others.
    """
    tree = Tree(Text(text(language, "cli.plan"), style="bold"))
    counted: dict[str, int] = {}
    for todo in board.todos.values():
        if crowded and todo["status"] != "in_progress":
            counted[todo["status"]] = counted.get(todo["status"], 0) + 1
            continue
        branch = tree.add(Text(todo_line(todo, language), style=STYLES[todo["status"]]))
        _add_details(branch, board, todo, language)
    for status, count in counted.items():
        words = text(language, "chat.counted", count=count, status=text(language, f"cli.status_{status}"))
        tree.add(Text(words, style=STYLES[status]))
    return tree


def _add_details(branch: Tree, board: Board, todo: dict[str, Any], language: Language) -> None:
    for call in board.calls.get(todo["id"], ()):
        branch.add(_dim(call_line(call, language)))
    for (_, (todo_id, _)), words in board.tails.items():
        if todo_id == todo["id"]:
            branch.add(_dim(_tail(words)))
    if note := todo.get("note"):
        branch.add(_dim(text(language, "cli.note", key=harmless(note))))


def _tail(words: str) -> str:
    return f"“{harmless(words[-60:])}"


def _dim(words: str) -> Text:
    """One line, cut where the screen ends."""
    return Text(words, style="dim", no_wrap=True, overflow="ellipsis")
