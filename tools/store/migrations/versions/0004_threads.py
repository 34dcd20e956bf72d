"""The directory of threads: what was asked, how it stands.

Revision ID: 0004
"""

import sqlalchemy as sa
from alembic import op

from tools.store.types import UtcDateTime

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    op.create_table(
        "threads",
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
        sa.Column("name", sa.String(100), primary_key=True),
        sa.Column("first_request", sa.Text, nullable=False),
        sa.Column("last_request", sa.Text, nullable=False),
        sa.Column("requests", sa.Integer, nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("checkpoint", sa.String(100)),
        sa.Column("started_at", UtcDateTime, nullable=False),
        sa.Column("updated_at", UtcDateTime, nullable=False),
        sa.Index("ix_threads_user_id_updated_at", "user_id", "updated_at"),
    )


def downgrade() -> None:
    op.drop_table("threads")
