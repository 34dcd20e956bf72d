"""What every HTTP server of the tests does the same: a free port of this machine, a thread, a quiet end."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Self


class Quiet:
    """A handler that keeps standard error for the tests."""

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


class LoopbackServer:
    """Use as a context manager.

    Args:
        handler: Answers the requests.
        waits: Wait for the handlers at the end, which keeps a late one from writing after its test; those of
            connections that are kept alive would never end.

    Attributes:
        closing: Set at the end: a handler that waits for it goes on.
    """

    def __init__(self, handler: type[BaseHTTPRequestHandler], *, waits: bool = True) -> None:
        self.closing = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self._server.daemon_threads = not waits
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01}, daemon=True)

    @property
    def host(self) -> str:
        """Where it is, without a path."""
        return f"http://127.0.0.1:{self._server.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()
