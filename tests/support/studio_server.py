"""``langgraph dev`` as a user starts it: no key, a free port, and all that it writes in a folder of the test."""

from __future__ import annotations

import http.client
import importlib.util
import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Event

ROOT = Path(__file__).parents[2]
#: What the command needs, beyond the product.
NEEDED = ("langgraph_cli", "langgraph_api", "langgraph_runtime_inmem")
#: How often, and how many seconds apart, the server is asked whether it is up.
TRIES, APART = 480, 0.25
QUIET = {"LANGSMITH_TRACING": "false", "LANGGRAPH_CLI_NO_ANALYTICS": "1", "LANGGRAPH_NO_VERSION_CHECK": "1"}
#: Settings and keys of whoever runs the tests do not reach the server.
PRIVATE = ("DEEP_PLANNER_", "LANGSMITH_", "LANGCHAIN_", "LANGGRAPH_")


def missing() -> list[str]:
    """What would have to be installed first."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


@dataclass(frozen=True)
class StudioServer:
    """A server that is up.

    Attributes:
        url: Where it listens.
        folder: Its working folder.
    """

    url: str
    folder: Path

    @property
    def log(self) -> str:
        """All it has said so far."""
        return (self.folder / "server.log").read_text("utf-8", errors="replace")


@contextmanager
def studio_server(folder: Path, settings: Mapping[str, str]) -> Iterator[StudioServer]:
    """Start the server, wait until it answers, end it and its children.

    Args:
        folder: Working folder; the repository's ``langgraph.json`` is read from a copy in it.
        settings: Environment beside what is needed to run at all.

    Raises:
        RuntimeError: It ended, or did not answer in time; with what it said.
    """
    port = _free_port()
    config = _config(folder)
    options = ["--no-browser", "--no-reload", "--port", str(port), "--n-jobs-per-worker", "4"]
    command = [sys.executable, "-m", "langgraph_cli", "dev", "--config", str(config), *options]
    with (folder / "server.log").open("wb") as log:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=_environment(settings),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
    server = StudioServer(f"http://127.0.0.1:{port}", folder)
    try:
        if not _answers(process, port):
            raise RuntimeError(f"langgraph dev is not up:\n{server.log}")
        yield server
    finally:
        os.killpg(process.pid, signal.SIGKILL)  # not waited for yet, so the number is still its own
        process.wait()


def _config(folder: Path) -> Path:
    """The repository's ``langgraph.json`` with absolute paths: the command looks from where it is run."""
    config = json.loads((ROOT / "langgraph.json").read_text("utf-8"))
    config["dependencies"] = [str(ROOT / place) for place in config["dependencies"]]
    for graph in config["graphs"].values():
        graph["path"] = str(ROOT / graph["path"])
    copy = folder / "langgraph.json"
    copy.write_text(json.dumps(config), encoding="utf-8")
    return copy


def _environment(settings: Mapping[str, str]) -> dict[str, str]:
    kept = {k: v for k, v in os.environ.items() if not k.startswith(PRIVATE) and not k.endswith("_API_KEY")}
    return kept | QUIET | {"PYTHONPATH": str(ROOT)} | dict(settings)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port: int = free.getsockname()[1]
        return port


def _answers(process: subprocess.Popen[bytes], port: int) -> bool:
    never = Event()
    for _ in range(TRIES):
        if process.poll() is not None:
            return False
        if _is_ok(port):
            return True
        never.wait(APART)
    return False


def _is_ok(port: int) -> bool:
    with closing(http.client.HTTPConnection("127.0.0.1", port, timeout=5)) as connection:
        try:
            connection.request("GET", "/ok")
            return connection.getresponse().status == 200
        except (OSError, http.client.HTTPException):
            return False
