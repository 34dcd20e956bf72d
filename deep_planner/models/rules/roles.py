"""Which role is played is told by the tools on offer."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from langchain_core.messages import BaseMessage

from deep_planner.models.rules import deliberating, planning, sorting, wording, working
from deep_planner.models.rules.reading import Said

Role = Callable[[Sequence[BaseMessage]], Said]

#: The first tool that is on offer decides.
ROLES: tuple[tuple[str, Role], ...] = (
    ("classify_intent", sorting.classify),
    ("take_answer", sorting.take_answer),
    ("write_note", wording.write_note),
    ("write_todo", planning.plan),
    ("frame_question", deliberating.frame),
    ("submit_answer", deliberating.expert),
    ("submit_review", deliberating.critic),
    ("judge_round", deliberating.judge),
    ("submit_final", deliberating.final),
    ("generate_workflow", planning.workflow),
    ("create_task", working.task),
    ("get_day_schedule", working.calendar),
    ("get_weather", working.weather),
    ("schedule_reminder", working.notification),
)


def answer(messages: Sequence[BaseMessage], usable: Sequence[str], bound: Sequence[str]) -> Said:
    """What the brain says.

    Args:
        messages: The whole prompt.
        usable: Names of the tools that may be called now.
        bound: Names of all bound tools; with none usable, words are wanted.
    """
    for tool, role in ROLES:
        if tool in usable:
            return role(messages)
    return wording.reply(messages) if bound else wording.small_talk(messages)
