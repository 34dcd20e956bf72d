"""Alembic's entry: runs on the connection that ``upgrade`` hands over."""

from __future__ import annotations

from alembic import context

from tools.store.tables import Base

context.configure(connection=context.config.attributes["connection"], target_metadata=Base.metadata)
context.run_migrations()
