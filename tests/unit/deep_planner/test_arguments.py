"""The command line as values: what each command takes, and what none of them lets pass unsaid."""

from __future__ import annotations

import pytest

from deep_planner.cli.arguments import COMMANDS, BadUsageError, help_text, parse

pytestmark = pytest.mark.unit

#: Words that the command's own arguments leave over.
TOO_MANY = {
    "chat 明天": "明天",
    "demo now": "now",
    "export 明天 --ics day.ics": "明天",
    "groups list work": "work",
    "groups rename a b c d": "c d",
    "import --ics a.ics b.ics": "b.ics",
    "mcp approve a b": "b",
    "reminders deliver 明天": "明天",
    "tasks 明天": "明天",
    "threads remove a b": "b",
}


@pytest.mark.parametrize("line", TOO_MANY)
def test_no_word_is_passed_over(line: str) -> None:
    with pytest.raises(BadUsageError) as fault:
        parse(line.split(), "zh")
    assert str(fault.value) == f"不认识的选项：{TOO_MANY[line]}。"


def test_option_that_nobody_knows_is_named_first() -> None:
    with pytest.raises(BadUsageError, match=r"^Unknown option: --what\.$"):
        parse(["export", "tomorrow", "--what", "--ics", "day.ics"], "en")


@pytest.mark.parametrize(
    ("line", "missing"),
    [("groups add", "NAME"), ("groups rename", "OLD NEW"), ("groups rename a", "NEW"), ("threads remove", "NAME")],
)
def test_name_that_an_action_needs_is_missed(line: str, missing: str) -> None:
    with pytest.raises(BadUsageError, match=missing):
        parse(line.split(), "zh")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_is_the_commands_own(command: str) -> None:
    words = help_text([command], "en")
    assert words.startswith(f"usage: deep-planner {command} ")
    assert help_text(["run", command], "en") == help_text([], "en") != words


def test_line_that_names_no_command_is_a_request() -> None:
    found = parse(["run", "five", "kilometres", "tomorrow"], "en")
    assert (found.command, found.request) == ("run", ["run", "five", "kilometres", "tomorrow"])
