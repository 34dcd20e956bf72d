"""The command line: ``deep-planner "…"``, ``tasks``, ``reminders``, ``when``."""

from deep_planner.cli.entry import main

__all__ = ["main"]
