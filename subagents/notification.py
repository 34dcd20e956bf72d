"""The notification agent: its tools and limits; what it tells its model is in ``prompts``."""

from __future__ import annotations

from functools import partial

from subagents.spec import SubagentSpec
from tools.services.notifications import NotificationService
from tools.toolkits.notification import notification_tools


def notification_agent(service: NotificationService) -> SubagentSpec:
    """The spec of the notification agent."""
    return SubagentSpec("notification", partial(notification_tools, service))
