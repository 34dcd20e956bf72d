"""Bringing a database to the newest revision, inside the caller's transaction."""

from __future__ import annotations

from importlib.resources import files

from alembic import command
from alembic.config import Config
from alembic.script import ScriptDirectory
from alembic.util import CommandError
from sqlalchemy import Connection


def config() -> Config:
    """Alembic's configuration; there is no ini file."""
    options = Config()
    options.set_main_option("script_location", str(files("tools.store").joinpath("migrations")))
    return options


def is_known(revision: str) -> bool:
    """Whether this program has that revision; a newer program's database has not."""
    try:
        return ScriptDirectory.from_config(config()).get_revision(revision) is not None
    except CommandError:
        return False


def to_head(connection: Connection) -> None:
    """Run what is missing; two processes that start at once take turns by the write lock."""
    options = config()
    options.attributes["connection"] = connection
    command.upgrade(options, "head")
