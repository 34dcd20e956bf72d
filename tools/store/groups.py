"""Writing the groups of one user; ``People.groups`` reads them."""

from __future__ import annotations

from sqlalchemy import func, select
from sqlalchemy.ext.asyncio import AsyncSession

from tools.domain.records import Group
from tools.domain.tasks import Task, TaskStatus
from tools.store.repositories import task_of
from tools.store.tables import GroupRow, TaskRow


class Groups:
    """The groups of one user; somebody else's are not found (P15)."""

    def __init__(self, session: AsyncSession, user_id: int) -> None:
        self._session = session
        self._user_id = user_id

    async def open_tasks(self) -> dict[int, int]:
        """How many pending tasks each group holds, by its id; a series counts once, empty groups are left out."""
        query = (
            select(TaskRow.group_id, func.count())
            .where(
                TaskRow.user_id == self._user_id,
                TaskRow.group_id.is_not(None),
                TaskRow.status == TaskStatus.PENDING.value,
            )
            .group_by(TaskRow.group_id)
        )
        return {number: count for number, count in await self._session.execute(query) if number is not None}

    async def tasks_of(self, group_id: int) -> list[Task]:
        """All tasks of a group as they are stored, whatever their status."""
        query = select(TaskRow).where(TaskRow.user_id == self._user_id, TaskRow.group_id == group_id)
        return [task_of(row) for row in await self._session.scalars(query.order_by(TaskRow.id))]

    async def add(self, name: str) -> Group:
        """Insert a group."""
        row = GroupRow(user_id=self._user_id, name=name)
        self._session.add(row)
        await self._session.flush()
        return Group(row.id, row.name)

    async def save(self, group: Group) -> Group:
        """Write a new name.

        Raises:
            LookupError: The row is gone or is not the user's.
        """
        row = await self._row(group.id)
        row.name = group.name
        await self._session.flush()
        return group

    async def remove(self, group_id: int) -> None:
        """Delete the row; tasks that are still in it are left without a group.

        Raises:
            LookupError: The row is gone or is not the user's.
        """
        await self._session.delete(await self._row(group_id))
        await self._session.flush()

    async def _row(self, group_id: int) -> GroupRow:
        query = select(GroupRow).where(GroupRow.user_id == self._user_id, GroupRow.id == group_id)
        row = (await self._session.scalars(query)).one_or_none()
        if row is None:
            raise LookupError(f"group {group_id} went away")
        return row
