"""The commands of a chat: what begins with a slash, in Chinese and English."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from deep_planner.asked import checked_thread, new_thread_id
from deep_planner.cli.arguments import BadUsageError, parse
from deep_planner.cli.listing import show_reminders
from deep_planner.cli.one_shot import usage_lines
from deep_planner.cli.options import SHOWN
from deep_planner.cli.tasks import show_tasks
from deep_planner.cli.threads import print_threads, removed_words
from deep_planner.cli.view import todo_line
from tools.core.harmless import harmless
from tools.core.text import text

if TYPE_CHECKING:
    from deep_planner.cli.chat import Chat

Command = Callable[["Chat", str], Awaitable[None]]


async def _help(chat: Chat, _rest: str) -> None:
    chat.say(text(chat.language, "chat.help").strip())


async def _resume(chat: Chat, _rest: str) -> None:
    """Go on with what was cut off; an open question is put again."""
    await chat.watch(chat.planner.stream_resume(chat.thread))


async def _thread(chat: Chat, rest: str) -> None:
    """Name the thread, or go to another one."""
    if rest:
        await chat.switch(checked_thread(rest))
    chat.tell("now_on", thread=harmless(chat.thread))


async def _new(chat: Chat, _rest: str) -> None:
    await chat.switch(new_thread_id())
    chat.tell("now_on_new", thread=chat.thread)


async def _threads(chat: Chat, _rest: str) -> None:
    zone = ZoneInfo(chat.planner.settings.zone)
    print_threads(await chat.planner.threads(), zone, chat.language, current=chat.thread)


async def _remove(chat: Chat, rest: str) -> None:
    """Forget a thread; after the one at work, a new one begins."""
    name = rest or chat.thread
    chat.say(removed_words(name, await chat.planner.remove_thread(name), chat.language))
    if name == chat.thread:
        await _new(chat, "")


async def _todos(chat: Chat, _rest: str) -> None:
    standing = await chat.planner.standing(chat.thread)
    if standing is None or not standing.todos:
        chat.tell("no_todos")
        return
    for todo in standing.todos:
        chat.say(todo_line(dict(todo), chat.language))


async def _notes(chat: Chat, _rest: str) -> None:
    standing = await chat.planner.standing(chat.thread)
    if standing is None or not standing.notes:
        chat.tell("no_notes")
        return
    for key, note in standing.notes.items():
        chat.say(f"{key}: {note.partition(chr(10))[0]}")  # the data under it is for the agents


async def _usage(chat: Chat, _rest: str) -> None:
    for line in usage_lines(chat.usage, chat.language) or [text(chat.language, "chat.no_usage")]:
        chat.say(line)


async def _show(chat: Chat, rest: str) -> None:
    """What is shown besides plan and reply: without a word, what it is now."""
    names = [name for name in rest.replace(",", " ").split() if name != "none"]
    if strange := [name for name in names if name not in SHOWN]:
        words = text(
            chat.language,
            "cli.bad_choice",
            option="/show",
            value=harmless(" ".join(strange)),
            choices=", ".join((*SHOWN, "none")),
        )
        chat.view.line(words)
        return
    if rest:
        chat.view.board.shown = frozenset(names)
    what = ", ".join(sorted(chat.view.board.shown)) or text(chat.language, "chat.shows_nothing")
    chat.tell("shows", what=what)


def _listing(command: str) -> Command:
    """A command of the program itself, on the chat's own database and moment."""

    async def listed(chat: Chat, rest: str) -> None:
        try:
            found = parse([command, *shlex.split(rest)], chat.language)
        except (BadUsageError, ValueError) as fault:
            chat.tell("bad_command", command=f"/{command}", reason=harmless(str(fault)))
            return
        for name in ("db", "now", "timezone", "lang"):
            setattr(found, name, getattr(chat.arguments, name))
        shows = show_tasks if command == "tasks" else show_reminders
        await shows(found, chat.clock, chat.language)
        sys.stdout.flush()

    return listed


#: What each word does.
COMMANDS: dict[str, Command] = {
    name: command
    for names, command in (
        (("/help", "/?", "/帮助"), _help),
        (("/resume", "/继续"), _resume),
        (("/thread", "/会话"), _thread),
        (("/new", "/新会话"), _new),
        (("/threads", "/所有会话"), _threads),
        (("/remove", "/删除"), _remove),
        (("/todos", "/plan", "/计划", "/待办"), _todos),
        (("/notes", "/笔记"), _notes),
        (("/tasks", "/任务"), _listing("tasks")),
        (("/reminders", "/提醒"), _listing("reminders")),
        (("/usage", "/用量"), _usage),
        (("/show", "/显示"), _show),
    )
    for name in names
}
NAMES = (*COMMANDS, "/exit")
