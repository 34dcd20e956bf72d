"""A PostgreSQL server for the length of a test module: its own folder, a socket in it, no port, nothing kept."""

from __future__ import annotations

import itertools
import os
import pwd
import shutil
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from threading import Event
from typing import Any

import asyncpg

#: Where distributions put the programs; the newest version first.
PLACES = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql*/bin")
#: Who runs the server when the tests run as root, which it refuses.
UNPRIVILEGED = ("postgres", "nobody")
SUPERUSER = "planner"
#: How often, and how many seconds apart, the server is asked whether it is up.
TRIES, APART = 1200, 0.05
#: The server lives for one test module: nothing need outlive the power.
OPTIONS = ("listen_addresses=", "fsync=off", "synchronous_commit=off", "full_page_writes=off", "timezone=UTC")


def programs() -> Path | None:
    """The folder that holds ``initdb`` and ``postgres``; ``None`` when there is none."""
    found = [Path(place) for name in ("postgres", "initdb") if (place := shutil.which(name))]
    folders = [found[0].resolve().parent] if len(found) == 2 else []
    for pattern in PLACES:
        folders += sorted(Path("/").glob(pattern[1:]), key=_version, reverse=True)
    names = ("postgres", "initdb")
    return next((folder for folder in folders if all((folder / name).exists() for name in names)), None)


def _version(folder: Path) -> tuple[int, ...]:
    return tuple(int(digits) for digits in "".join(c if c.isdigit() else " " for c in str(folder)).split())


@dataclass
class Postgres:
    """A server that is up.

    Attributes:
        folder: Holds its socket.
        migrated: A database that may be copied: migrating anew is most of a test's time.
    """

    folder: Path
    migrated: str | None = None
    _numbers: Iterator[int] = field(default_factory=lambda: itertools.count(1))

    def url(self, database: str) -> str:
        """The URL of a database, whether there is one of that name or not."""
        return f"postgresql+asyncpg://{SUPERUSER}:secret@/{database}?host={self.folder}"

    async def new_database(self, template: str = "template1") -> str:
        """The URL of a new database: empty, or a copy of another one to which nobody is connected."""
        name = f"test{next(self._numbers)}"
        connection = await asyncpg.connect(host=str(self.folder), user=SUPERUSER, database="postgres")
        try:
            await connection.execute(f"CREATE DATABASE {name} TEMPLATE {template}")
        finally:
            await connection.close()
        return self.url(name)


@contextmanager
def postgres_server(place: Path) -> Iterator[Postgres]:
    """Start a server, wait until it takes connections, end it.

    Args:
        place: The folder of its programs.

    Raises:
        RuntimeError: It did not start; with what it said.
    """
    # Not in pytest's own folder: that is closed to the user who runs the server; and a socket's path must be short.
    folder = Path(tempfile.mkdtemp(prefix="pg"))
    owner = _owner()
    if owner:
        os.chown(folder, owner["user"], owner["group"])
    data, log = folder / "data", folder / "server.log"
    try:
        _run([place / "initdb", "-D", data, "-U", SUPERUSER, "-A", "trust", "-E", "UTF8", "--locale=C", "-N"], owner)
        options = [part for option in OPTIONS for part in ("-c", option)]
        with log.open("wb") as said:
            command = [place / "postgres", "-D", data, "-k", folder, *options]
            process = subprocess.Popen(command, stdout=said, stderr=subprocess.STDOUT, cwd=folder, **owner)
        try:
            if not _is_up(process, data):
                raise RuntimeError(f"PostgreSQL is not up:\n{log.read_text('utf-8', errors='replace')}")
            yield Postgres(folder)
        finally:
            process.send_signal(signal.SIGQUIT)  # at once, and its children with it
            process.wait()
    finally:
        shutil.rmtree(folder)


def _owner() -> dict[str, Any]:
    """Arguments that run a program as somebody else when we are root."""
    if os.geteuid() != 0:
        return {}
    known = {user.pw_name: user for user in pwd.getpwall()}
    user = next(known[name] for name in UNPRIVILEGED if name in known)
    return {"user": user.pw_uid, "group": user.pw_gid, "extra_groups": []}


def _run(command: Sequence[object], owner: dict[str, Any]) -> None:
    words = [str(part) for part in command]
    done = subprocess.run(words, capture_output=True, text=True, check=False, cwd="/", **owner)
    if done.returncode:
        raise RuntimeError(f"{command[0]} failed:\n{done.stderr}")


def _is_up(process: subprocess.Popen[bytes], data: Path) -> bool:
    """Whether it says so itself, in the eighth line of its pid file."""
    never, told = Event(), data / "postmaster.pid"
    for _ in range(TRIES):
        if process.poll() is not None:
            return False
        lines = told.read_text().splitlines() if told.exists() else []
        if len(lines) >= 8 and lines[7].strip() == "ready":
            return True
        never.wait(APART)
    return False
