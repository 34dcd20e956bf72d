"""Effects outside of our database: at most once (N1).

What another program does cannot be part of our transaction. So its key is stored before the call and its result
after; a key without a result means that the process died in between, and nobody but the user can say what is so.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable

from tools.core.context import Call
from tools.core.result import ToolResult
from tools.store.database import Database
from tools.store.repositories import People
from tools.store.tables import EffectRow


async def at_most_once(
    database: Database, call: Call, act: Callable[[], Awaitable[ToolResult]], unsure: ToolResult
) -> ToolResult:
    """Act, or give the result of the first time.

    Args:
        database: Where receipts are.
        call: Carries the operation key.
        act: The effect. What it raises leaves the key without a result: it may have happened.
        unsure: The answer when the key is there without a result.
    """
    async with database.writing() as session:
        receipt = await session.get(EffectRow, call.operation.key)
        if receipt is not None:
            return ToolResult.model_validate(receipt.result) if receipt.result else unsure
        await People(session).ensure_user(call.context.user_id, call.context.now)
        begun = EffectRow(key=call.operation.key, user_id=call.context.user_id, result={}, created_at=call.context.now)
        session.add(begun)
    result = await act()
    async with database.writing() as session:
        row = await session.get_one(EffectRow, call.operation.key)
        row.result = result.model_dump(mode="json")
    return result
