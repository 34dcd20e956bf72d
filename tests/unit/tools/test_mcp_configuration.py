"""``mcp.json`` (B11): what may stand in it, what is said of what may not, and that no value is shown."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tools.services.mcp.configuration import McpServer, read_servers
from tools.services.mcp.faults import McpFileError

pytestmark = pytest.mark.unit

AGENTS = ("task", "general")
ENVIRON = {"TOKEN": "s3cret"}


def read(folder: Path, content: Any) -> list[McpServer]:
    path = folder / "mcp.json"
    raw = content if isinstance(content, bytes) else json.dumps(content).encode()
    path.write_bytes(raw)
    return read_servers(path, ENVIRON, AGENTS)


def one(folder: Path, **keys: Any) -> McpServer:
    [server] = read(folder, {"mcpServers": {"s": keys}})
    return server


def test_the_usual_form_and_what_is_ours(tmp_path: Path) -> None:
    given = {
        "command": "uvx",
        "args": ["x", "${TOKEN}"],
        "env": {"KEY": "a ${TOKEN} $5", "B": "$TOKEN"},
        "cwd": "sub",
        "agents": ["task"],
        "tools": ["a"],
        "autoApprove": ["a"],
        "startTimeout": 3,
        "timeout": 0.5,
    }
    server = one(tmp_path, **given)
    assert server.env == {"KEY": "a s3cret $5", "B": "$TOKEN"}
    assert server.args == ["x", "${TOKEN}"], "seen by everybody on the machine"
    assert server.cwd == str(tmp_path / "sub")
    assert (server.agents, server.tools, server.auto_approve) == (["task"], ["a"], ["a"])
    assert (server.start_timeout, server.timeout) == (3, 0.5)


def test_defaults(tmp_path: Path) -> None:
    server = one(tmp_path, command="x")
    assert (server.args, server.env, server.cwd, server.agents, server.tools) == ([], {}, None, [], None)
    assert (server.disabled, server.auto_approve, server.start_timeout, server.timeout) == (False, [], 10, 60)
    assert read(tmp_path, b'\xef\xbb\xbf{"mcpServers": {}}') == []


@pytest.mark.parametrize("kind", [None, "http", "streamable-http", "streamable_http"])
def test_servers_over_http(tmp_path: Path, kind: str | None) -> None:
    given = {"url": "https://h/mcp", "headers": {"Authorization": "Bearer ${TOKEN}"}} | ({"type": kind} if kind else {})
    assert one(tmp_path, **given).headers == {"Authorization": "Bearer s3cret"}


FAULTS: dict[str, tuple[Any, str, str]] = {
    "not_json": (b'{"mcpServers": {,}}', "1:17", "not_json"),
    "deep": (b"[" * 100_000, "", "not_json"),
    "not_utf8": (b'{"mcpServers": {"\xff": {}}}', "", "not_utf8"),
    "list": ([], "", "no_servers"),
    "no_servers": ({}, "", "no_servers"),
    "servers_list": ({"mcpServers": []}, "", "no_servers"),
    "other_top": ({"mcpServers": {}, "inputs": []}, "inputs", "unknown_key"),
    "twice": (b'{"mcpServers": {"s": {"command": "a"}, "s": {"command": "b"}}}', "s", "twice"),
    "no_table": ({"mcpServers": {"s": "x"}}, "mcpServers.s", "no_object"),
    "blank_name": ({"mcpServers": {" ": {"command": "x"}}}, "mcpServers. ", "bad_name"),
    "hidden_name": ({"mcpServers": {"a\u202eb": {"command": "x"}}}, "mcpServers.a\u202eb", "bad_name"),
}
ENTRIES: dict[str, tuple[dict[str, Any], str, str]] = {
    "unknown": ({"command": "x", "alwaysAllow": []}, ".alwaysAllow", "unknown_key"),
    "snake": ({"command": "x", "auto_approve": []}, ".auto_approve", "unknown_key"),
    "name": ({"command": "x", "name": "y"}, ".name", "unknown_key"),
    "args": ({"command": "x", "args": ["a", 1]}, ".args.1", "no_text"),
    "timeout": ({"command": "x", "timeout": 0}, ".timeout", "out_of_range"),
    "endless": (b'{"mcpServers": {"s": {"command": "x", "timeout": NaN}}}', ".timeout", "out_of_range"),
    "digits": ({"command": "x", "timeout": "5"}, ".timeout", "no_number"),
    "no_list": ({"command": "x", "tools": "a"}, ".tools", "no_list"),
    "no_env": ({"command": "x", "env": []}, ".env", "no_object"),
    "blank": ({"command": ""}, ".command", "no_text"),
    "words": ({"command": "x", "disabled": "no"}, ".disabled", "no_bool"),
    "nothing": ({}, "", "no_way"),
    "both": ({"command": "x", "url": "http://h"}, "", "two_ways"),
    "headers": ({"command": "x", "headers": {"a": "b"}}, "", "two_ways"),
    "env": ({"url": "http://h", "env": {"a": "b"}}, "", "two_ways"),
    "type": ({"command": "x", "type": "http"}, "", "wrong_type"),
    "sse": ({"url": "http://h", "type": "sse"}, ".type", "wrong_type"),
    "file": ({"url": "file:///etc/passwd"}, ".url", "bad_url"),
    "port": ({"url": "http://h:99999"}, ".url", "bad_url"),
    "agent": ({"command": "x", "agents": ["cook"]}, ".agents", "unknown_agent"),
    "variable": ({"command": "x", "env": {"K": "${NOWHERE}"}}, ".env.K", "no_variable"),
}
CASES = FAULTS | {
    name: (given if isinstance(given, bytes) else {"mcpServers": {"s": given}}, f"mcpServers.s{place}", reason)
    for name, (given, place, reason) in ENTRIES.items()
}


@pytest.mark.parametrize("case", CASES)
def test_faults_name_the_place(tmp_path: Path, case: str) -> None:
    content, place, reason = CASES[case]
    with pytest.raises(McpFileError) as fault:
        read(tmp_path, content)
    assert (fault.value.place, fault.value.reason) == (place, reason)
    for language, words in (("zh", "MCP 文件不能用"), ("en", "The MCP file cannot be used")):
        assert fault.value.message(language).startswith(words)
    assert "\u202e" not in str(fault.value)


def test_no_value_is_shown(tmp_path: Path) -> None:
    with pytest.raises(McpFileError) as fault:
        one(tmp_path, command="x", env={"KEY": ["canary"]})
    assert "canary" not in str(fault.value)
    assert fault.value.__cause__ is None


@pytest.mark.parametrize(("name", "reason"), [("nowhere.json", "missing"), ("", "unreadable")])
def test_files_that_cannot_be_read(tmp_path: Path, name: str, reason: str) -> None:
    with pytest.raises(McpFileError) as fault:
        read_servers(tmp_path / name, {}, AGENTS)
    assert fault.value.reason == reason
