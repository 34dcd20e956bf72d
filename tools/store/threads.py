"""The directory of one user's threads: what was asked, how it stands."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from tools.domain.records import ThreadRecord, ThreadStatus
from tools.store.tables import ThreadRow

#: So many characters of a request are kept, to know the thread by; the whole is in its checkpoints.
LONGEST_WORDS = 300


class Threads:
    """The threads of one user; somebody else's are not found (P15)."""

    def __init__(self, session: AsyncSession, user_id: int) -> None:
        self._session = session
        self._user_id = user_id

    async def all(self) -> list[ThreadRecord]:
        """All of them, the one changed last first."""
        query = select(ThreadRow).where(ThreadRow.user_id == self._user_id)
        rows = await self._session.scalars(query.order_by(ThreadRow.updated_at.desc(), ThreadRow.name))
        return [_record(row) for row in rows]

    async def get(self, name: str) -> ThreadRecord | None:
        """One thread, or ``None`` when there is none or it is not the user's."""
        row = await self._row(name)
        return _record(row) if row else None

    async def begin(self, name: str, request: str | None, checkpoint: str, now: datetime) -> None:
        """A run begins.

        Args:
            name: The thread.
            request: What was said; ``None`` when the run goes on with what was said before.
            checkpoint: The thread's newest checkpoint; empty when it has none.
            now: The present moment, aware.
        """
        words = _kept(request or "")
        row = await self._row(name)
        if row is None:
            row = ThreadRow(user_id=self._user_id, name=name, first_request=words, requests=0, started_at=now)
            row.last_request = words
            self._session.add(row)
        row.checkpoint = None
        if request is not None:
            row.last_request, row.requests, row.checkpoint = words, row.requests + 1, checkpoint
        row.status, row.updated_at = ThreadStatus.RUNNING.value, now
        await self._session.flush()

    async def end(self, name: str, status: ThreadStatus, now: datetime) -> None:
        """A run has ended; a thread that was removed meanwhile stays away."""
        row = await self._row(name)
        if row is not None:
            row.status, row.updated_at = status.value, now
            await self._session.flush()

    async def remove(self, name: str) -> ThreadRecord | None:
        """Delete the row; what it held, or ``None`` when there was none."""
        row = await self._row(name)
        if row is None:
            return None
        await self._session.delete(row)
        await self._session.flush()
        return _record(row)

    async def _row(self, name: str) -> ThreadRow | None:
        return await self._session.get(ThreadRow, (self._user_id, name))


def _kept(request: str) -> str:
    """What every database can hold: no NUL, no half of a surrogate pair; one line, cut to ``LONGEST_WORDS``."""
    words = request.encode("utf-8", "replace").decode("utf-8").replace("\x00", "\ufffd")
    words = " ".join(words[: 2 * LONGEST_WORDS].split())
    return words if len(words) <= LONGEST_WORDS else words[: LONGEST_WORDS - 1] + "…"


def _record(row: ThreadRow) -> ThreadRecord:
    return ThreadRecord(
        name=row.name,
        first_request=row.first_request,
        last_request=row.last_request,
        requests=row.requests,
        status=ThreadStatus(row.status),
        checkpoint=row.checkpoint,
        started_at=row.started_at,
        updated_at=row.updated_at,
    )
