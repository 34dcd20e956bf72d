"""``deep-planner`` as people and programs use it: a folder of its own, a real file, a frozen clock.

``Line.run`` goes through the program's entry in this process, which spares the two seconds of imports that a process
of its own costs; it holds the program to leaving this process as it found it. ``Line.process`` is for what only a
process shows: bytes on its pipes, signals, a terminal, what it imports.
"""

from __future__ import annotations

import io
import json
import logging
import os
import signal
import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from deep_planner.cli import main

ROOT = Path(__file__).parents[2]
NOW = "2026-02-11T10:00:00+08:00"
RAIN = {"city": "北京", "date": "2026-02-14", "condition": "小雨", "temp_min": 2, "temp_max": 8}
AIRPORT = "周末早上去机场接人"
#: What a program needs of whoever runs the tests; their settings, keys and proxies stay away.
KEPT = ("PATH", "LD_LIBRARY_PATH", "SYSTEMROOT", "VIRTUAL_ENV", "HOME", "TMPDIR")


class Ended(NamedTuple):
    """How the program ended and what it said."""

    code: int
    out: str
    err: str


class Line:
    """Runs ``deep-planner`` in a folder, on one database, at one moment; Chinese by its surroundings."""

    def __init__(self, folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder = folder
        self.database = folder / "planner.db"
        self.weather = folder / "weather.json"
        self.weather.write_text(json.dumps([RAIN]), encoding="utf-8")
        self.env = {name: os.environ[name] for name in KEPT if name in os.environ}
        self.env |= {"LANG": "zh_CN.UTF-8", "PYTHONIOENCODING": "utf-8", "PYTHONPATH": str(ROOT)}
        self.env |= {"XDG_DATA_HOME": str(folder / "data"), "TERM": "xterm", "COLUMNS": "120"}
        self._capsys, self._monkeypatch = capsys, monkeypatch
        monkeypatch.chdir(folder)
        for name in set(os.environ) - set(self.env):
            if not name.startswith(("PYTEST", "COV")):
                monkeypatch.delenv(name)
        for name, value in self.env.items():
            monkeypatch.setenv(name, value)

    def words(self, *words: str, frozen: bool = True) -> list[str]:
        """What stands after the program's name."""
        place = ["--db", str(self.database), "--now", NOW, "--timezone", "Asia/Shanghai"]
        return [*words, *(place if frozen else ())]

    def run(self, *words: str, given: str | bytes = b"", frozen: bool = True, terminal: bool = False) -> Ended:
        """In this process: exit code and output, with ``given`` on standard input.

        With ``terminal`` the streams say that they are one, of ``COLUMNS`` cells: somebody can be asked.
        """
        given = given.encode() if isinstance(given, str) else given
        found = _surroundings()
        with self._monkeypatch.context() as patch:
            patch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(given), encoding="utf-8"))
            for name in ("stdin", "stdout", "stderr") if terminal else ():
                patch.setattr(getattr(sys, name), "isatty", lambda: True)
            code = main(self.words(*words, frozen=frozen))
        ended = Ended(code, *self._capsys.readouterr())
        assert "Traceback" not in ended.err
        assert _surroundings() == found
        return ended

    def ask(self, request: str, *words: str, given: str | bytes = b"") -> Ended:
        """A request, with the sample weather."""
        return self.run(*self.asking(request, *words), given=given)

    def asking(self, request: str, *words: str) -> tuple[str, ...]:
        """The words of ``ask``."""
        return (request, "--city", "北京", "--weather", str(self.weather), *words)

    def command(self, *words: str) -> list[str]:
        """The command of a process of its own."""
        return [sys.executable, "-m", "deep_planner", *self.words(*words)]

    def process(self, *words: str, given: str | bytes = b"") -> Ended:
        """The same in a process of its own."""
        given = given.encode() if isinstance(given, str) else given
        done = subprocess.run(
            self.command(*words), input=given, capture_output=True, cwd=self.folder, env=self.env, check=False
        )
        ended = Ended(done.returncode, done.stdout.decode(), done.stderr.decode())
        assert "Traceback" not in ended.err
        return ended

    def rows(self, query: str) -> list[tuple[object, ...]]:
        with closing(sqlite3.connect(self.database)) as connection:
            return list(connection.execute(query))


def _surroundings() -> tuple[object, ...]:
    """What a program could leave changed behind it, and would not be noticed if its process ended with it."""
    handlers = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGPIPE)]
    threads = {thread for thread in threading.enumerate() if not thread.daemon}
    return dict(os.environ), Path.cwd(), handlers, threads, [*logging.getLogger().handlers], sys.path[:]
