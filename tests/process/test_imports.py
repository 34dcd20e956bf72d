"""What a command does not need it does not import: in a process of its own, because imports stay."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest

from tests.support.command_line import Line

pytestmark = pytest.mark.graph

#: What servers of tools need, and what calendar files need.
DEAR = ("mcp", "langchain_mcp_adapters", "jsonschema", "icalendar")
COMMANDS = (["明天下午三点开会", "--json"], ["tasks"], ["import", "--help"], ["export", "--help"])
PROGRAM = f"""
import json, sys
from deep_planner.cli import main
codes = [main([*words, *sys.argv[1:]]) for words in {COMMANDS}]
print(json.dumps([codes, [name for name in {DEAR} if name in sys.modules]]))
"""


def test_nobody_pays_for_servers_and_calendars_that_are_not_named(line: Line) -> None:
    done = subprocess.run([sys.executable, "-c", PROGRAM, *line.words()], env=line.env, capture_output=True, check=True)
    assert json.loads(done.stdout.splitlines()[-1]) == [[0] * len(COMMANDS), []]
