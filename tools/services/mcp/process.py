"""A server's process and all that it started, until the last is gone (B15).

The SDK has a transport of its own. It hands out no process id, leaves behind what a server has started when the server
itself ends politely, kills only the server when it is cancelled, and takes four seconds over a stubborn one; the
planner promises that nothing is left within five, however it ends. So the process is ours; what goes over its pipes
is the SDK's.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Any

import anyio
from anyio.abc import ByteReceiveStream, Process
from anyio.streams.memory import MemoryObjectReceiveStream, MemoryObjectSendStream
from mcp.client.stdio import get_default_environment
from mcp.shared.message import SessionMessage
from mcp.types import JSONRPCMessage
from pydantic import ValidationError

from tools.services.mcp.configuration import McpServer

#: Seconds that a server has to end after its input is closed, and again after SIGTERM; then it is killed.
GRACE = 1.0
#: Longest message of a server, in bytes.
LONGEST_MESSAGE = 16_000_000
#: How much of its standard error is kept, in pieces.
KEPT_PIECES = 8

LEASH = Path(__file__).with_name("leash.py")

Streams = tuple[MemoryObjectReceiveStream[Any], MemoryObjectSendStream[Any]]


class ServerProcess:
    """One server's process, leader of a process group of its own.

    Attributes:
        errors: The last of what it wrote to standard error; shown when it does not come up.
    """

    def __init__(self, server: McpServer, on_end: Callable[[], None]) -> None:
        """``on_end`` is called when it ends or closes its output, whoever ended it."""
        self._server = server
        self._on_end = on_end
        self._process: Process | None = None
        self._read_all = anyio.Event()
        self.errors: deque[bytes] = deque(maxlen=KEPT_PIECES)

    @asynccontextmanager
    async def streams(self) -> AsyncIterator[Streams]:
        """Start it, and carry messages to and fro until the end; then nothing of it is left.

        Raises:
            OSError: The command cannot be started.
        """
        server = self._server
        # Its environment is what a process needs to start at all (PATH, HOME, SHELL, TERM, USER, LOGNAME; on Windows
        # the folders of the system), and what the file gives. Keys of services in ours are none of its business.
        process = self._process = await anyio.open_process(
            [str(server.command), *server.args],
            env=get_default_environment() | server.env,
            cwd=server.cwd,
            start_new_session=True,
        )
        to_session, from_server = anyio.create_memory_object_stream[Any](0)
        to_server, from_session = anyio.create_memory_object_stream[Any](0)
        try:
            async with (
                _leashed(process.pid),
                anyio.create_task_group() as tasks,
                to_session,
                from_server,
                to_server,
                from_session,
            ):
                tasks.start_soon(self._read, _of(process.stdout), to_session)
                tasks.start_soon(self._write, process, from_session)
                tasks.start_soon(self._listen, _of(process.stderr))
                tasks.start_soon(self._watch, process)
                try:
                    yield from_server, to_server
                    await self._leave(process)
                finally:
                    self.kill()
                    tasks.cancel_scope.cancel()
        finally:
            self.kill()
            await process.aclose()

    def kill(self) -> None:
        """End it and all that it started, at once; without process groups (Windows) only the server itself."""
        if self._process is not None:
            self._signal(getattr(signal, "SIGKILL", signal.SIGTERM))

    def _signal(self, number: int) -> None:
        process = self._process
        if process is None:
            return
        with suppress(ProcessLookupError, PermissionError):
            if sys.platform == "win32":
                if process.returncode is None:
                    process.kill()
            else:
                os.killpg(process.pid, number)  # the group lives as long as anyone in it

    async def _leave(self, process: Process) -> None:
        """Ask by closing its input, then by SIGTERM."""
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError, OSError):
            if process.stdin is not None:
                await process.stdin.aclose()
        for number in (signal.SIGTERM, None):
            with anyio.move_on_after(GRACE):
                await process.wait()
                return
            if number is not None:
                self._signal(number)

    async def _read(self, output: ByteReceiveStream, to_session: MemoryObjectSendStream[Any]) -> None:
        rest = b""
        with suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            while len(rest) <= LONGEST_MESSAGE:
                *lines, rest = (rest + await output.receive()).split(b"\n")
                for line in lines:
                    # Some servers print a greeting. What is no message is not for the session.
                    with suppress(ValidationError):
                        await to_session.send(SessionMessage(JSONRPCMessage.model_validate_json(line)))
        await to_session.aclose()
        self._read_all.set()
        self._on_end()

    async def _watch(self, process: Process) -> None:
        """Its end: what it has started may hold its output open, but its last answer may still be in the pipe."""
        await process.wait()
        with anyio.move_on_after(GRACE):
            await self._read_all.wait()
        self._on_end()

    async def _write(self, process: Process, from_session: MemoryObjectReceiveStream[Any]) -> None:
        with suppress(anyio.BrokenResourceError, anyio.ClosedResourceError):
            async for message in from_session:
                line = message.message.model_dump_json(by_alias=True, exclude_none=True)
                if process.stdin is not None:
                    await process.stdin.send(line.encode() + b"\n")

    async def _listen(self, errors: ByteReceiveStream) -> None:
        with suppress(anyio.EndOfStream, anyio.BrokenResourceError, anyio.ClosedResourceError):
            while True:
                self.errors.append(await errors.receive())


@asynccontextmanager
async def _leashed(group: int) -> AsyncIterator[None]:
    """Whatever becomes of this process meanwhile, the group ends: see ``leash``."""
    if sys.platform == "win32":
        yield
        return
    leash = await anyio.open_process(
        [sys.executable, "-I", "-S", str(LEASH), str(group), str(GRACE)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C at a terminal is for the planner
    )
    try:
        yield
    finally:
        with anyio.move_on_after(GRACE, shield=True), suppress(anyio.BrokenResourceError, OSError):
            if leash.stdin is not None:
                await leash.stdin.send(b".")
            await leash.aclose()


def _of(stream: ByteReceiveStream | None) -> ByteReceiveStream:
    if stream is None:
        raise AssertionError("a process is started with pipes")
    return stream
