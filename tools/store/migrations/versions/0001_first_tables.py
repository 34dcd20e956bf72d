"""First tables: users, groups, tasks, reminders, effects, journal.

Revision ID: 0001
"""

import sqlalchemy as sa
from alembic import op

from tools.store.types import UtcDateTime

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.String(100), nullable=False),
        sa.Column("city", sa.String(100)),
        sa.Column("timezone", sa.String(64)),
        sa.Column("created_at", UtcDateTime, nullable=False),
    )
    op.create_table(
        "groups",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
        sa.Column("name", sa.String(100), nullable=False),
        sa.UniqueConstraint("user_id", "name"),
    )
    op.create_table(
        "tasks",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("date", sa.Date, nullable=False),
        sa.Column("start_time", sa.Time),
        sa.Column("end_time", sa.Time),
        sa.Column("time_segment", sa.String(20), nullable=False),
        sa.Column("priority", sa.String(10), nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("group_id", sa.Integer, sa.ForeignKey("groups.id", ondelete="SET NULL")),
        sa.Column("description", sa.Text),
        sa.Column("blocks_day", sa.Boolean, nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Column("updated_at", UtcDateTime, nullable=False),
        sa.Index("ix_tasks_user_status_date", "user_id", "status", "date"),
    )
    op.create_table(
        "reminders",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
        sa.Column("task_id", sa.Integer, sa.ForeignKey("tasks.id", ondelete="CASCADE")),
        sa.Column("remind_at", UtcDateTime, nullable=False),
        sa.Column("content", sa.Text, nullable=False),
        sa.Column("reason", sa.String(20), nullable=False),
        sa.Column("status", sa.String(20), nullable=False),
        sa.Column("channel", sa.String(20), nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
        sa.Index("ix_reminders_status_remind_at", "status", "remind_at"),
        sa.Index("ix_reminders_user_id", "user_id"),
        sa.Index(
            "uq_reminders_pending",
            "task_id",
            "remind_at",
            "channel",
            unique=True,
            sqlite_where=sa.text("status = 'pending'"),
            postgresql_where=sa.text("status = 'pending'"),
        ),
    )
    op.create_table(
        "effects",
        sa.Column("key", sa.String(400), primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
        sa.Column("result", sa.JSON, nullable=False),
        sa.Column("created_at", UtcDateTime, nullable=False),
    )
    op.create_table(
        "journal",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("user_id", sa.Integer, sa.ForeignKey("users.id", ondelete="CASCADE"), nullable=False),
        sa.Column("thread", sa.String(200), nullable=False),
        sa.Column("request", sa.Integer, nullable=False),
        sa.Column("item", sa.String(100), nullable=False),
        sa.Column("tool", sa.String(50), nullable=False),
        sa.Column("table_name", sa.String(30), nullable=False),
        sa.Column("row_id", sa.Integer, nullable=False),
        sa.Column("before", sa.JSON),
        sa.Column("after", sa.JSON),
        sa.Column("at", UtcDateTime, nullable=False),
        sa.Index("ix_journal_user_thread_request", "user_id", "thread", "request"),
    )


def downgrade() -> None:
    for table in ("journal", "effects", "reminders", "tasks", "groups", "users"):
        op.drop_table(table)
