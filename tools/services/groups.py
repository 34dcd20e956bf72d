"""The user's groups of tasks: make one, give it another name, take it away and keep its tasks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import replace
from unicodedata import normalize

from tools.core.context import Call
from tools.core.errors import ToolArgumentError, UsageError
from tools.core.result import ResultStatus, ToolResult
from tools.core.text import text
from tools.domain.records import Group
from tools.services.proposals import clean_words
from tools.store.database import Database
from tools.store.effects import Work, once
from tools.store.groups import Groups
from tools.store.repositories import People

#: Longest name, as the table has it.
LONGEST_NAME = 100
#: What a name is called that is no part of it.
_CALLED_GROUP = re.compile(r"(?<=.)(?:这个|那个)?(?:分?组|列表|清单|\s+(?:group|list))$")


class GroupService:
    """What users do with groups; each change is one transaction with its journal."""

    def __init__(self, database: Database) -> None:
        self.database = database

    async def all(self, user_id: int) -> list[tuple[Group, int]]:
        """The user's groups by name, each with the number of its pending tasks."""
        async with self.database.reading() as session:
            counts = await Groups(session, user_id).open_tasks()
            return [(group, counts.get(group.id, 0)) for group in await People(session).groups(user_id)]

    async def add(self, call: Call, name: str) -> ToolResult:
        """Make a group.

        Raises:
            UsageError: The name is blank, too long, unreadable or taken.
        """

        async def perform(work: Work) -> ToolResult:
            stored = await work.add_group(_free_name(name, await _groups(work)))
            return _done("added", call, stored)

        return await once(self.database, call, perform)

    async def rename(self, call: Call, old: str, new: str) -> ToolResult:
        """Give a group another name.

        Raises:
            UsageError: There is no such group, or the new name cannot be.
        """

        async def perform(work: Work) -> ToolResult:
            groups = await _groups(work)
            group = group_named(groups, old)
            renamed = replace(group, name=_free_name(new, [other for other in groups if other.id != group.id]))
            if renamed == group:
                return _done("same", call, group)
            return _done("renamed", call, await work.save_group(group, renamed), old=group.name)

        return await once(self.database, call, perform)

    async def remove(self, call: Call, name: str) -> ToolResult:
        """Take a group away; its tasks stay, without a group.

        Raises:
            UsageError: There is no such group.
        """

        async def perform(work: Work) -> ToolResult:
            group = group_named(await _groups(work), name)
            tasks = await work.groups.tasks_of(group.id)
            for task in tasks:  # one by one, so that each is in the journal and may be put back
                await work.save_task(task, replace(task, group_id=None))
            await work.remove_group(group)
            return _done("removed_tasks" if tasks else "removed", call, group, count=len(tasks))

        return await once(self.database, call, perform)


async def _groups(work: Work) -> list[Group]:
    return await work.people.groups(work.call.context.user_id)


async def group_of(work: Work, name: str | None) -> int | None:
    """The id of the user's group of that name or number; ``None`` stays.

    Raises:
        ToolArgumentError: The user has no such group; names those there are.
    """
    if not name:
        return None
    try:
        return group_named(await _groups(work), name).id
    except UsageError as error:
        raise ToolArgumentError(error.key, **error.facts) from error


def group_named(groups: Sequence[Group], words: str) -> Group:
    """The group of that name, else of that number; 工作组 is the group 工作 unless there is one of that very name.

    Raises:
        UsageError: There is none; names those there are.
    """
    bare = _CALLED_GROUP.sub("", plain(words))
    named = [group for wanted in (plain(words), bare) for group in groups if plain(group.name) == wanted]
    numbered = (group for group in groups if str(group.id) == words.strip())
    for group in (*named, *numbered):
        return group
    raise UsageError("unknown_group", value=words, known=", ".join(group.name for group in groups) or "-")


def plain(words: str) -> str:
    """The words for a comparison: full width, capitals and blanks around make no difference."""
    return normalize("NFKC", words).casefold().strip()


def _free_name(words: str, others: Iterable[Group]) -> str:
    """The name in one line, if it can be one."""
    name = " ".join(clean_words(words).split())
    if not name:
        raise UsageError("blank_group")
    if len(name) > LONGEST_NAME:
        raise UsageError("long_group", length=len(name), limit=LONGEST_NAME)
    if not name.isprintable():
        raise UsageError("unprintable_group")
    taken = next((other.name for other in others if plain(other.name) == plain(name)), None)
    if taken is not None:
        raise UsageError("group_taken", value=taken)
    return name


def _done(said: str, call: Call, group: Group, **facts: object) -> ToolResult:
    message = text(call.context.language, f"groups.{said}", name=group.name, **facts)
    data = {"id": group.id, "name": group.name}
    return ToolResult(status=ResultStatus.SUCCESS, message=message, data=data, rows=[f"group:{group.id}"])
