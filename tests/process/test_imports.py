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
#: What only plans need: a second, for those who look something up.
PLANNING = ("langgraph", "langchain_core", "langsmith")
LOOKING = (["when", "明天"], ["tasks"], ["groups"], ["reminders"], ["threads"], ["reminders", "deliver"])


def imported(line: Line, commands: tuple[list[str], ...], dear: tuple[str, ...]) -> list[object]:
    """The exit codes of commands, one after the other in a new process, and which of the modules it has then."""
    program = f"""
import json, sys
from deep_planner.cli import main
codes = [main([*words, *(sys.argv[1:] if words[0] != "when" else [])]) for words in {commands}]
print(json.dumps([codes, [name for name in {dear} if name in sys.modules]]))
"""
    done = subprocess.run([sys.executable, "-c", program, *line.words()], env=line.env, capture_output=True, check=True)
    told: list[object] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_nobody_pays_for_servers_and_calendars_that_are_not_named(line: Line) -> None:
    assert imported(line, COMMANDS, DEAR) == [[0] * len(COMMANDS), []]


def test_who_only_looks_something_up_does_not_pay_for_the_planner(line: Line) -> None:
    assert imported(line, LOOKING, PLANNING) == [[0] * len(LOOKING), []]
