"""Delivery of reminders: the lease of a claim, tries, and when the next one is.

Revision ID: 0002
"""

import sqlalchemy as sa
from alembic import op

from tools.store.types import UtcDateTime

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    # Plain ADD COLUMN: SQLite can do this much without copying the table.
    op.add_column("reminders", sa.Column("claimed_until", UtcDateTime))
    op.add_column("reminders", sa.Column("claimed_by", sa.String(64)))
    op.add_column("reminders", sa.Column("attempts", sa.Integer, nullable=False, server_default="0"))
    op.add_column("reminders", sa.Column("next_attempt_at", UtcDateTime))
    op.add_column("reminders", sa.Column("failed_at", UtcDateTime))


def downgrade() -> None:
    for column in ("failed_at", "next_attempt_at", "attempts", "claimed_by", "claimed_until"):
        op.drop_column("reminders", column)
