"""``mcp.json`` files that name the server of :mod:`mcp_server`, and that server over HTTP."""

from __future__ import annotations

import importlib.util
import json
import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

SCRIPT = Path(__file__).with_name("mcp_server.py")
#: What the servers need, beyond the product.
NEEDED = ("mcp", "langchain_mcp_adapters", "jsonschema", "psutil")
#: How often, and how many seconds apart, the server over HTTP is asked whether it is up.
TRIES, APART = 200, 0.05


def missing() -> list[str]:
    """What would have to be installed first."""
    return [name for name in NEEDED if importlib.util.find_spec(name) is None]


def stub(*modes: str, log: Path | None = None, **keys: Any) -> dict[str, Any]:
    """An entry for the server as a process."""
    arguments = [str(SCRIPT), *modes, *(["--log", str(log)] if log else [])]
    env = {"LD_LIBRARY_PATH": "${LD_LIBRARY_PATH}"} if "LD_LIBRARY_PATH" in os.environ else {}
    return {"command": sys.executable, "args": arguments, "env": env, **keys}


def mcp_file(folder: Path, **servers: dict[str, Any]) -> Path:
    """An ``mcp.json`` in the folder."""
    path = folder / "mcp.json"
    path.write_text(json.dumps({"mcpServers": servers}), encoding="utf-8")
    return path


@dataclass(frozen=True)
class HttpServer:
    """The server over HTTP; ``log`` is what it notes."""

    url: str
    log: Path
    process: subprocess.Popen[bytes]

    @property
    def booked(self) -> list[str]:
        """What ``book`` was called with, in order."""
        return booked(self.log)


def booked(log: Path) -> list[str]:
    """What ``book`` was called with, in order."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [json.loads(line)["words"] for line in lines if line.startswith("{")]


def noted_pids(log: Path) -> list[int]:
    """The processes that a server has noted: its own, and that of what it started."""
    lines = log.read_text(encoding="utf-8").splitlines() if log.exists() else []
    return [int(line.removeprefix("pid ")) for line in lines if line.startswith("pid ")]


@contextmanager
def http_server(folder: Path) -> Iterator[HttpServer]:
    """Start it on a free port of 127.0.0.1, wait until it answers, end it."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    log = folder / "http.log"
    process = subprocess.Popen([sys.executable, str(SCRIPT), "--http", str(port), "--log", str(log)])
    try:
        _wait_for(port)
        yield HttpServer(f"http://127.0.0.1:{port}/mcp", log, process)
    finally:
        process.kill()
        process.wait()


def _wait_for(port: int) -> None:
    for _ in range(TRIES):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
        except OSError:
            time.sleep(APART)
        else:
            return
    raise RuntimeError("the MCP server is not up")
