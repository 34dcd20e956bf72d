"""Servers as real processes (B11, B15): slow, dead, dying and stubborn ones, and that nothing of them is left."""

from __future__ import annotations

import asyncio
import json
import subprocess
import sys
import time
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import pexpect
import pytest

from deep_planner.mcp import OutsideTools, open_mcp
from deep_planner.settings import Settings
from tests.support.command_line import Ended, Line
from tests.support.mcp_files import http_server, mcp_file, missing, noted_pids, stub
from tools.services.mcp.faults import McpServerError

if TYPE_CHECKING:
    from tools.services.mcp.connection import Connection

pytestmark = [pytest.mark.graph, pytest.mark.skipif(bool(missing()), reason=f"not installed: {missing()}")]

#: Seconds after which nothing may be left (B15).
IN_TIME = 5.0
LEFT_OUT = ("book", "fail", "die", "sleep", "environment", "config")
APART = 0.05


@pytest.fixture
def short_grace(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is asked politely is asked for a moment only."""
    monkeypatch.setattr("tools.services.mcp.process.GRACE", 0.1)


def settings(file: Path) -> Settings:
    return Settings(mcp_file=file, language="en")


def alive(pids: Iterable[int]) -> list[int]:
    """Those that run; one that has ended and that nobody asks about any more is no process that does anything."""
    import psutil

    found = []
    for pid in pids:
        try:
            if psutil.Process(pid).status() != psutil.STATUS_ZOMBIE:
                found.append(pid)
        except psutil.NoSuchProcess:
            pass
    return found


def left_of(log: Path, processes: int) -> list[int]:
    """What still runs of what a server has noted, after ``IN_TIME``, or at once when nothing does."""
    pids = noted_pids(log)
    assert len(pids) == processes
    until = time.monotonic() + IN_TIME
    while alive(pids) and time.monotonic() < until:
        time.sleep(APART)
    return alive(pids)


async def ready(mcp: OutsideTools, name: str) -> Connection:
    return await mcp.servers.ready(next(tool for tool in mcp.tools if tool.name == name))


async def test_a_bad_server_costs_its_own_tools_only(tmp_path: Path) -> None:
    good, slow, told = tmp_path / "good.log", tmp_path / "slow.log", list[str]()
    file = mcp_file(
        tmp_path,
        slow=stub("slow", log=slow, startTimeout=1),
        dead=stub("dead"),
        nowhere={"command": "no-such-command"},
        refused={"url": "http://127.0.0.1:9/mcp"},
        off=stub("dead", disabled=True),
        good=stub("invisible", log=good, tools=["echo", "book", "cook"]),
    )
    async with open_mcp(settings(file), told.append) as mcp:
        assert mcp
        assert [tool.name for tool in mcp.tools] == ["good__echo"]
        assert (await (await ready(mcp, "good__echo")).call("echo", {"words": "hi"})).text == "hi"
    assert told == [
        "MCP server slow did not come up within 1 s. Its tools are left out.",
        "MCP server dead did not come up; its last words: the licence has run out",
        "MCP server nowhere: the command “no-such-command” cannot be started (No such file or directory). "
        "Its tools are left out.",
        "MCP server refused cannot be used: All connection attempts failed",
        "MCP server good has no such tools as the file names: cook.",
        "The MCP tool good__book holds characters that nobody can see, and is refused.",
    ]
    assert left_of(good, 1) == left_of(slow, 1) == []


async def test_a_server_that_dies_is_started_once_more(tmp_path: Path, short_grace: None) -> None:
    """Also when what it had started holds its output open."""
    log = tmp_path / "log"
    file = mcp_file(tmp_path, stub=stub("parent", log=log, timeout=30))
    async with open_mcp(settings(file), print) as mcp:
        assert mcp
        for _ in range(2):
            connection = await ready(mcp, "stub__die")
            with pytest.raises(McpServerError) as died:
                await connection.call("die", {})
            assert died.value.key == "died"
        with pytest.raises(McpServerError) as ended:
            await ready(mcp, "stub__echo")
        assert ended.value.key == "ended"
    assert left_of(log, 4) == []


async def test_time_limit_and_environment_of_a_server(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of our environment it gets what it needs to start, and what the file gives."""
    monkeypatch.setenv("OPENAI_API_KEY", "canary")
    monkeypatch.setenv("ITS_TOKEN", "given")
    entry = stub(timeout=0.2)
    entry["env"] |= {"TOKEN": "${ITS_TOKEN}"}
    async with open_mcp(settings(mcp_file(tmp_path, stub=entry)), print) as mcp:
        assert mcp
        connection = await ready(mcp, "stub__sleep")
        with pytest.raises(McpServerError) as slow:
            await connection.call("sleep", {})
        assert slow.value.message("en") == "MCP server stub gave no answer within 0.2 s."
        assert (await connection.call("config", {"config": "x", "self": "y"})).text == '{"config": "x", "self": "y"}'
        names = set(json.loads((await connection.call("environment", {})).text))
    assert {"PATH", "TOKEN"} <= names
    assert names <= {"HOME", "LOGNAME", "PATH", "SHELL", "TERM", "USER", "TOKEN", "LC_CTYPE", "LD_LIBRARY_PATH"}


async def test_nothing_is_left_of_a_stubborn_server(tmp_path: Path, short_grace: None) -> None:
    """It ignores the end of its input and SIGTERM, and so does what it has started; the work is cancelled."""
    log, up = tmp_path / "log", asyncio.Event()

    async def work() -> None:
        async with open_mcp(settings(mcp_file(tmp_path, stub=stub("stubborn", "parent", log=log))), print):
            up.set()
            await asyncio.Event().wait()

    working = asyncio.ensure_future(work())
    await up.wait()
    assert len(alive(noted_pids(log))) == 2
    working.cancel()
    await asyncio.wait([working])
    assert left_of(log, 2) == []


async def test_nothing_is_left_when_closing_itself_is_cancelled(tmp_path: Path) -> None:
    log, closing = tmp_path / "log", asyncio.Event()

    async def work() -> None:
        async with open_mcp(settings(mcp_file(tmp_path, stub=stub("stubborn", "parent", log=log))), print):
            closing.set()

    working = asyncio.ensure_future(work())
    await closing.wait()
    await asyncio.sleep(0)
    working.cancel()
    await asyncio.wait([working])
    assert left_of(log, 2) == []


def test_nothing_is_left_when_the_planner_is_killed(tmp_path: Path) -> None:
    """By SIGKILL, or by SIGTERM in the hands of a program that does not close it, such as ``langgraph dev``."""
    log = tmp_path / "log"
    file = mcp_file(tmp_path, stub=stub("stubborn", "parent", log=log))
    code = (
        "import asyncio, pathlib, sys\nfrom tests.process.test_mcp_servers import open_mcp, settings\n"
        "from tools.services.mcp import process\nprocess.GRACE = 0.1\n"
        "async def work():\n"
        "    async with open_mcp(settings(pathlib.Path(sys.argv[1])), print):\n"
        "        print('up', flush=True)\n        await asyncio.Event().wait()\n"
        "asyncio.run(work())"
    )
    root = Path(__file__).parents[2]
    planner = subprocess.Popen([sys.executable, "-c", code, str(file)], cwd=root, stdout=subprocess.PIPE)
    with planner:
        assert planner.stdout
        assert planner.stdout.readline() == b"up\n"
        assert len(alive(noted_pids(log))) == 2
        planner.kill()
    assert left_of(log, 2) == []


def test_the_command_line_leaves_nothing(line: Line) -> None:
    """At a question, Ctrl-D (B15): the answer will not come, and the servers go."""
    log = line.folder / "log"
    file = mcp_file(line.folder, stub=stub("stubborn", "parent", log=log))
    assert line.run("明天下午三点到四点开会").code == 0
    command = line.command("明天下午三点半到四点半面试", "--mcp", str(file))
    child = pexpect.spawn(command[0], command[1:], cwd=line.folder, env=line.env, encoding="utf-8", timeout=60)
    child.expect("你的回答")
    assert len(alive(noted_pids(log))) == 2
    child.sendeof()
    child.expect(pexpect.EOF)
    child.close()
    assert left_of(log, 2) == []


@pytest.mark.skipif(find_spec("mcp_server_time") is None, reason="mcp-server-time is not installed")
async def test_a_published_server(tmp_path: Path) -> None:
    time_server = {"command": sys.executable, "args": ["-m", "mcp_server_time"]}
    async with open_mcp(settings(mcp_file(tmp_path, time=time_server)), print) as mcp:
        assert mcp
        assert {"time__get_current_time", "time__convert_time"} <= {tool.name for tool in mcp.tools}
        connection = await ready(mcp, "time__convert_time")
        given = {"source_timezone": "Asia/Shanghai", "time": "15:30", "target_timezone": "UTC"}
        assert "T07:30:00+00:00" in (await connection.call("convert_time", given)).text
        refused = await connection.call("convert_time", {**given, "target_timezone": "Asia/Nowhere"})
        assert refused.status == "error"


def test_a_broken_file_ends_the_command_line(line: Line) -> None:
    file = mcp_file(line.folder, stub=stub(alwaysAllow=["book"]))
    for words in (("明天下午三点开会",), ("mcp", "--lang", "zh")):
        done = line.run(*words, "--mcp", str(file))
        assert done.code == 2
        assert f"MCP 文件不能用：{file} (mcpServers.stub.alwaysAllow)：没有这个键。" in done.err
    nothing = line.run("mcp", "--lang", "en")
    assert (nothing.code, "No MCP file is named" in nothing.err) == (2, True)


def test_the_command_lists_and_approves(line: Line) -> None:
    """What has changed since it was first used is off until it is approved."""

    def mcp(*words: str) -> Ended:
        return line.run("mcp", *words, "--mcp", str(file), "--lang", "en")

    async def use(tool: str) -> list[str]:
        async with open_mcp(settings(file), told.append) as found:
            assert found
            await (await ready(found, f"web__{tool}")).call(tool, {})
            return [each.name for each in found.tools]

    told: list[str] = []
    with http_server(line.folder) as server:
        file = mcp_file(line.folder, web={"url": server.url, "tools": ["echo", "change"]})
        assert "new; pinned" in mcp().out
        assert asyncio.run(use("change")) == ["web__echo", "web__change"], "looking has pinned nothing"
        assert asyncio.run(use("change")) == ["web__change"]
        assert told == [
            "The MCP tool web__echo has changed since it was first used and is off. "
            "Look at it with: deep-planner mcp; if it is right: deep-planner mcp approve web__echo"
        ]
        rows = {row["tool"]: row for row in json.loads(mcp("list", "--json").out)}
        assert rows["web__echo"]["description"] == "Says the words again, and sends them to a stranger"
        states = {name.removeprefix("web__"): row["state"] for name, row in rows.items()}
        assert states == {"echo": "changed", "change": "trusted"} | dict.fromkeys(LEFT_OUT, "left_out")
        done = mcp("approve", "web__echo")
        assert (done.code, done.out) == (0, "Approved as it is now: web__echo.\n")
        assert asyncio.run(use("change")) == ["web__echo", "web__change"]
        for name, why in (("web__book", "left out by the file"), ("nobody", "no MCP server or tool")):
            refused = mcp("approve", name)
            assert refused.code == 2
            assert why in refused.err
