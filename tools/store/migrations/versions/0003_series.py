"""Tasks that come back, dates taken out of them, and names from other calendars.

Revision ID: 0003
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    op.add_column("tasks", sa.Column("rrule", sa.String(300)))
    op.add_column("tasks", sa.Column("exdates", sa.JSON))
    # No foreign key: SQLite could add it only by copying the table. It tells where a row came from, no more.
    op.add_column("tasks", sa.Column("series_id", sa.Integer))
    op.add_column("tasks", sa.Column("uid", sa.String(255)))
    op.add_column("reminders", sa.Column("occurs_on", sa.Date))
    series = sa.text("rrule IS NOT NULL")
    columns = ["user_id", "status", "date"]
    op.create_index("ix_tasks_series", "tasks", columns, sqlite_where=series, postgresql_where=series)
    op.create_index("uq_tasks_user_id_uid", "tasks", ["user_id", "uid"], unique=True)


def downgrade() -> None:
    op.drop_index("uq_tasks_user_id_uid", "tasks")
    op.drop_index("ix_tasks_series", "tasks")
    op.drop_column("reminders", "occurs_on")
    for column in ("uid", "series_id", "exdates", "rrule"):
        op.drop_column("tasks", column)
