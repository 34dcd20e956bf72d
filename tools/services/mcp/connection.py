"""One server: a session that stays open as long as the planner, in a task of its own.

The SDK's transports and sessions are anyio scopes, which must be left in the task that entered them. A task a server
does both, and its failure touches nobody else. Calls come from any task; only messages pass between.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import AsyncIterator, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

import anyio
import httpx
from langchain_core.messages import ToolMessage
from langchain_mcp_adapters.sessions import create_session
from langchain_mcp_adapters.tools import convert_mcp_tool_to_langchain_tool
from mcp import ClientSession, McpError
from mcp.types import CONNECTION_CLOSED, Implementation

from tools.services.mcp.configuration import McpServer
from tools.services.mcp.faults import McpServerError, detail, reason_of
from tools.services.mcp.process import ServerProcess

#: Seconds that a session may take to end before its task is cancelled, and after. With them a process that ignores
#: everything is gone in time (B15).
LEAVING, CANCELLING = 3.0, 1.0
#: Starts of one server in the life of a planner.
MOST_STARTS = 2
MOST_PAGES = 50

T = TypeVar("T")


def quiet_sdk() -> None:
    """What goes wrong is told in our words; without a handler Python would print the SDK's, traceback and all."""
    for name in ("mcp", "client"):
        logger = logging.getLogger(name)
        if not logger.handlers:
            logger.addHandler(logging.NullHandler())


class Connection:
    """A session with one server.

    Attributes:
        server: Its place in the file.
        fault: Why it is not up.
        listed: Its tools as it lists them, by name.
    """

    def __init__(self, server: McpServer, version: str) -> None:
        self.server = server
        self.fault: McpServerError | None = None
        self.listed: dict[str, Any] = {}
        self._client = Implementation(name="deep-planner", version=version)
        self._session: ClientSession | None = None
        self._task: asyncio.Task[None] | None = None
        self._process: ServerProcess | None = None
        self._leave = asyncio.Event()
        self._turn = asyncio.Lock()
        self._starts = 0

    async def start(self) -> None:
        """Start it and list its tools, within ``start_timeout``; a failure is kept as ``fault``."""
        self._starts += 1
        self._leave = asyncio.Event()
        self.fault = None
        up = asyncio.get_running_loop().create_future()
        self._task = asyncio.create_task(self._live(up), name=f"mcp {self.server.name}")
        try:
            async with asyncio.timeout(self.server.start_timeout):
                await up
        except TimeoutError:
            await self.aclose()
            self.fault = self._down("slow_start", seconds=f"{self.server.start_timeout:g}")
        except McpServerError as fault:
            self.fault = fault

    async def ready(self) -> None:
        """Make sure that it is up and that ``listed`` is what it lists now; one that died is started once more.

        It is asked each time: ``tools/list_changed`` may come late, and who means harm does not send it.

        Raises:
            McpServerError: It is down.
        """
        async with self._turn:
            try:
                await self._look()
            except McpServerError:
                if self._starts >= MOST_STARTS:
                    raise
                await self.aclose()
                await self.start()
                if self.fault is not None:
                    raise self.fault from None

    async def _look(self) -> None:
        session = self._session
        if session is None or self._leave.is_set():
            raise self.fault or self._down("ended")
        try:
            self.listed = await self._within(self.server.start_timeout, _all_tools(session))
        except McpServerError:
            raise
        except Exception as error:
            raise self._down("broken", reason=reason_of(error)) from error

    async def call(self, tool: str, arguments: dict[str, Any]) -> ToolMessage:
        """Call a tool of a server that is ``ready``; at most once, within ``timeout``.

        Raises:
            McpServerError: No answer in time, the server died, or it refused the call. It may have acted all the same.
        """
        session = self._session
        if session is None:
            raise self.fault or self._down("ended")
        try:
            return await self._within(self.server.timeout, _called(session, self.listed[tool], arguments))
        except McpServerError:
            raise
        except McpError as error:
            if error.error.code == CONNECTION_CLOSED:
                self._leave.set()
                raise self._down("died") from error
            raise self._down("refused", reason=reason_of(error)) from error
        except (anyio.ClosedResourceError, anyio.BrokenResourceError) as error:
            self._leave.set()
            raise self._down("died") from error
        except Exception as error:
            # The SDK lets through whatever its transports and its checks of the answer raise.
            raise self._down("broken", reason=reason_of(error)) from error

    async def _within(self, seconds: float, work: Coroutine[Any, Any, T]) -> T:
        """What comes of asking the server, if it comes in time and before its end; the SDK would wait after both."""
        answer, end = asyncio.ensure_future(work), asyncio.ensure_future(self._leave.wait())
        try:
            await asyncio.wait((answer, end), timeout=seconds, return_when=asyncio.FIRST_COMPLETED)
            if answer.done():
                return answer.result()
            raise self._down("died") if end.done() else self._down("slow_call", seconds=f"{seconds:g}")
        finally:
            answer.cancel()
            end.cancel()

    async def aclose(self) -> None:
        """End the session and every process; nothing is left after ``LEAVING + CANCELLING`` seconds."""
        self._leave.set()
        task = self._task
        if task is None:
            return
        try:
            if self._session is None:
                task.cancel()
            await asyncio.wait([task], timeout=LEAVING)
            if not task.done():
                task.cancel()
                await asyncio.wait([task], timeout=CANCELLING)
        finally:
            self.kill()  # also when closing itself is cancelled

    def kill(self) -> None:
        """End its processes at once."""
        if self._process is not None:
            self._process.kill()

    async def _live(self, up: asyncio.Future[None]) -> None:
        """From start to end, in this task; see the module."""
        try:
            async with self._opened() as session:
                await session.initialize()
                self.listed = await _all_tools(session)
                self._session = session
                if not up.done():
                    up.set_result(None)
                await self._leave.wait()
        except Exception as error:  # noqa: BLE001 - one server's failure, whatever it is, is told; the others go on
            await asyncio.sleep(0)  # what it wrote to standard error may still be on its way
            fault = self._failed(error)
            self.fault = self.fault or fault
            if not up.done():
                up.set_exception(fault)
        finally:
            self._session = None
            self._leave.set()

    @asynccontextmanager
    async def _opened(self) -> AsyncIterator[ClientSession]:
        options: dict[str, Any] = {"client_info": self._client}
        if self.server.url is not None:
            address = {"transport": "streamable_http", "url": self.server.url, "headers": self.server.headers}
            limits = {"timeout": self.server.timeout, "sse_read_timeout": self.server.timeout}
            connection: Any = {**address, **limits, "session_kwargs": options, "httpx_client_factory": _http_client}
            async with create_session(connection) as session:
                yield session
            return
        self._process = ServerProcess(self.server, self._leave.set)
        async with self._process.streams() as (read, write), ClientSession(read, write, **options) as session:
            yield session

    def _failed(self, error: Exception) -> McpServerError:
        said = b"".join(self._process.errors if self._process else ()).decode("utf-8", "replace").strip()
        if isinstance(error, FileNotFoundError | PermissionError | NotADirectoryError):
            return self._down("no_command", command=detail(str(self.server.command)), reason=error.strerror)
        if self._process is not None and said:
            return self._down("ended_saying", words=detail(said.splitlines()[-1]))
        return self._down("broken", reason=reason_of(error))

    def _down(self, key: str, **facts: object) -> McpServerError:
        return McpServerError(key, server=detail(self.server.name), **facts)


async def _all_tools(session: ClientSession) -> dict[str, Any]:
    """Every page of its tools, by name."""
    listed: dict[str, Any] = {}
    cursor = None
    for _ in range(MOST_PAGES):
        page = await session.list_tools(cursor=cursor)
        listed |= {tool.name: tool for tool in page.tools}
        cursor = page.nextCursor
        if not cursor:
            break
    return listed


async def _called(session: ClientSession, tool: Any, arguments: dict[str, Any]) -> ToolMessage:
    """One call through the adapter.

    The arguments are laid in behind its back: among them may be names that LangChain keeps for itself (``config``).
    """

    async def with_arguments(request: Any, handler: Any) -> Any:
        return await handler(request.override(args=arguments))

    adapted = convert_mcp_tool_to_langchain_tool(session, tool, tool_interceptors=[with_arguments])
    answer = await adapted.ainvoke({"type": "tool_call", "id": tool.name, "name": tool.name, "args": {}})
    if not isinstance(answer, ToolMessage):
        raise AssertionError(f"the adapter answered with {type(answer).__name__}")
    return answer


def _http_client(
    headers: dict[str, str] | None = None, timeout: httpx.Timeout | None = None, auth: httpx.Auth | None = None
) -> httpx.AsyncClient:
    """A client that stays where the file sends it: a redirect elsewhere would take the headers, keys and all, along."""

    async def stays(response: httpx.Response) -> None:
        if not response.has_redirect_location:
            return
        there = response.request.url.join(response.headers["location"])
        here = response.request.url
        if (there.scheme, there.host, there.port) != (here.scheme, here.host, here.port):
            raise httpx.TooManyRedirects(f"redirect to {there.host}", request=response.request)

    return httpx.AsyncClient(
        headers=headers, timeout=timeout, auth=auth, follow_redirects=True, event_hooks={"response": [stays]}
    )
