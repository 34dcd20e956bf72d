"""Names, pins, unseen characters and arguments of outside tools (B11)."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.support.mcp_files import missing
from tools.services.mcp.faults import McpServerError, McpUsageError
from tools.services.mcp.naming import LONGEST, tool_name
from tools.services.mcp.trust import Pins, fingerprint, is_hidden

pytestmark = pytest.mark.unit

PARTS = st.text(st.sampled_from("ab_-.é时 "), min_size=1, max_size=4) | st.text(min_size=1, max_size=90)


@pytest.mark.parametrize(
    ("server", "tool", "name"),
    [("time", "get_time", "time__get_time"), ("a-b", "c__d", "a-b__c__d"), ("a_b", "_c", "a_b___c")],
)
def test_plain_names_stand_as_they_are(server: str, tool: str, name: str) -> None:
    assert tool_name(server, tool) == name


@settings(max_examples=50)
@given(st.lists(st.tuples(PARTS, PARTS), min_size=2, max_size=8, unique=True))
def test_no_two_tools_share_a_name_and_vendors_take_each(tools: list[tuple[str, str]]) -> None:
    names = [tool_name(*each) for each in tools]
    assert len(set(names)) == len(names)
    for name in names:
        assert re.fullmatch(rf"[A-Za-z0-9_-]{{1,{LONGEST}}}", name)
        assert "__" in name, "none of our own tools has that"


def test_the_fingerprint_holds_all_that_is_trusted() -> None:
    plain = fingerprint("a", "b", {"x": 1, "y": 2}, read_only=False)
    assert plain == fingerprint("a", "b", {"y": 2, "x": 1}, read_only=False)
    changed = [
        fingerprint("a2", "b", {"x": 1, "y": 2}, read_only=False),
        fingerprint("a", "b2", {"x": 1, "y": 2}, read_only=False),
        fingerprint("a", "b", {"x": 1, "y": 3}, read_only=False),
        fingerprint("a", "b", {"x": 1, "y": 2}, read_only=True),
    ]
    assert len({plain, *changed}) == 5


@pytest.mark.parametrize(
    "words",
    [
        "a\u200bb",  # zero width space
        "a\u202eb",  # right-to-left override
        "a\u2066b",  # isolate
        "a\u200db",  # a joiner between letters
        "\U000e0041\U000e0042",  # tags
        "a\ufe00\ufe01",  # variation selectors
        "\U000e0100",
        "a\ufe0f\ufe0f",
        "\x1b[8m",
        "a\x00b",
        "\u3164",
        "\xad",
        "\ud800",
        {"properties": {"a": {"description": "x\u200b"}}},
        {"x\u200b": 1},
        ["x", ["\u2060"]],
    ],
)
def test_unseen_characters_are_seen(words: Any) -> None:
    assert is_hidden(words)


@pytest.mark.parametrize(
    "words",
    [
        "",
        "查询 天气。\n\t- é",
        "⚠️ careful",
        "1️⃣",
        "👨‍👩‍👧",
        "👍🏽",
        "العربية עברית",
        "résumé",
        7,
        None,
        {"a": [True, 1.5]},
    ],
)
def test_plain_words_are_plain(words: Any) -> None:
    assert not is_hidden(words)


def test_pins_are_kept_and_those_of_others_too(tmp_path: Path) -> None:
    file = tmp_path / "mcp.json"
    mine, other = Pins.beside(file), Pins.beside(file)
    other.pin({("s", "a"): "sha256:1"})
    mine.pin({("s", "b"): "sha256:2"})
    kept = Pins.beside(file)
    assert kept.path == tmp_path / "mcp.lock.json"
    assert (kept.pinned("s", "a"), kept.pinned("s", "b"), kept.pinned("t", "a")) == ("sha256:1", "sha256:2", None)
    assert [path.name for path in tmp_path.iterdir()] == ["mcp.lock.json"]


@pytest.mark.parametrize("content", ["{", "[]", '{"pins": []}', '{"pins": {"s": 1}}', "{}"])
def test_broken_pins_are_not_started_anew(tmp_path: Path, content: str) -> None:
    (tmp_path / "mcp.lock.json").write_text(content, encoding="utf-8")
    with pytest.raises(McpUsageError) as fault:
        Pins.beside(tmp_path / "mcp.json")
    assert fault.value.key == "pins_broken"


def test_pins_that_cannot_be_written(tmp_path: Path) -> None:
    pins = Pins.beside(tmp_path / "nowhere" / "mcp.json")
    with pytest.raises(McpServerError) as fault:
        pins.pin({("s", "a"): "sha256:1"})
    assert fault.value.key == "pins_unwritable"
    assert pins.pinned("s", "a") is None


@pytest.mark.skipif(bool(missing()), reason=f"not installed: {missing()}")
@pytest.mark.parametrize(
    ("given", "fits"),
    [({"n": 1}, True), ({"n": "1"}, False), ({}, False), ({"n": 1, "more": 2}, False), ({"n": 1, "config": {}}, True)],
)
def test_arguments_are_held_to_the_schema(given: dict[str, Any], fits: bool) -> None:
    from pydantic import ValidationError

    from tools.toolkits.mcp import arguments_by

    schema = {
        "type": "object",
        "properties": {"n": {"type": "integer"}, "config": {"type": "object"}},
        "required": ["n"],
    }
    shape = arguments_by(json.loads(json.dumps(schema)))
    if fits:
        shape.model_validate(given)
    else:
        with pytest.raises(ValidationError):
            shape.model_validate(given)


@pytest.mark.skipif(bool(missing()), reason=f"not installed: {missing()}")
@pytest.mark.parametrize(
    ("there", "stays"),
    [
        ("/mcp/", True),
        ("http://h:8000/x", True),
        ("http://h:8001/", False),
        ("https://h:8000/", False),
        ("//evil/", False),
    ],
)
async def test_redirects_stay_where_the_file_sends(there: str, stays: bool) -> None:
    """The headers with the keys in them go along."""
    import httpx

    from tools.services.mcp.connection import _http_client

    response = httpx.Response(307, headers={"location": there}, request=httpx.Request("POST", "http://h:8000/mcp"))
    async with _http_client() as client:
        [hook] = client.event_hooks["response"]
        if stays:
            await hook(response)
        else:
            with pytest.raises(httpx.TooManyRedirects):
                await hook(response)


TO_A = {"a": {"$ref": "#/$defs/A"}}
SCHEMAS: dict[str, tuple[dict[str, Any], str]] = {
    "plain": ({"type": "object"}, "new"),
    "inside": (
        {"type": "object", "properties": TO_A, "$defs": {"A": {"type": "string"}}},
        "new",
    ),
    "circle": (
        {"type": "object", "properties": TO_A, "$defs": {"A": {"$ref": "#/$defs/A"}}},
        "new",
    ),
    "nowhere": ({"type": "object", "properties": TO_A}, "unusable"),
    "elsewhere": ({"type": "object", "properties": {"a": {"$ref": "http://127.0.0.1:9/a.json"}}}, "unusable"),
    "no_schema": ({"type": "object", "properties": {"a": {"type": "thing"}}}, "unusable"),
    "no_object": ({"type": "string"}, "unusable"),
    "reserved": ({"type": "object", "properties": {"call": {"type": "string"}}}, "unusable"),
    "hidden": ({"type": "object", "properties": {"a": {"description": "\u202e"}}}, "hidden"),
}


@pytest.mark.skipif(bool(missing()), reason=f"not installed: {missing()}")
@pytest.mark.parametrize("case", SCHEMAS)
def test_schemas_that_may_be_used(tmp_path: Path, case: str) -> None:
    from mcp.types import Tool

    from tools.services.mcp.configuration import McpServer
    from tools.services.mcp.servers import offered

    schema, trust = SCHEMAS[case]
    server = McpServer.model_validate({"name": "s", "command": "x"})
    assert offered(server, Tool(name="a", inputSchema=schema), Pins.beside(tmp_path / "mcp.json")).trust == trust


@pytest.mark.skipif(bool(missing()), reason=f"not installed: {missing()}")
def test_patterns_are_left_to_the_server() -> None:
    """One of them is broken, one takes for ever, one names the arguments."""
    from tools.toolkits.mcp import arguments_by

    properties = {"a": {"type": "string", "pattern": "("}, "pattern": {"type": "string", "pattern": "^(x+)+$"}}
    shape = arguments_by({"type": "object", "properties": properties, "patternProperties": {"^n": {"type": "integer"}}})
    shape.model_validate({"a": "b", "pattern": "x" * 40 + "y", "n1": "c"})
    with pytest.raises(ValueError, match="not of type"):
        shape.model_validate({"pattern": 1})


def test_the_agents_of_the_file_are_those_of_the_registry() -> None:
    from deep_planner.mcp import AGENTS
    from tests.unit.deep_planner.brain import AGENTS as REGISTERED

    assert (*REGISTERED, "general") == AGENTS
