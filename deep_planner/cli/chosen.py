"""The settings that a command line chooses.

A file of its own: commands that only look something up need no planner, whose libraries take a second to import.
"""

from __future__ import annotations

import argparse

from deep_planner.settings import Settings


def settings_of(arguments: argparse.Namespace) -> Settings:
    """The line's options over environment and file."""
    given = vars(arguments)
    return Settings.load(
        database=given.get("db"),
        model=given.get("model"),
        light_model=given.get("light_model"),
        base_url=given.get("base_url"),
        city=given.get("city"),
        timezone=given.get("timezone"),
        language=given.get("lang"),
        weather_file=given.get("weather"),
        plan_first=given.get("plan_first"),
        mcp_file=given.get("mcp"),
    )
