"""A talk line by line on the real graph: what each line comes to, in whichever state the thread is."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Sequence

import pytest

from deep_planner.cli import chat
from deep_planner.cli.arguments import parse
from deep_planner.cli.chat import Chat, added
from deep_planner.cli.entry import Exit
from deep_planner.cli.view import PlainView
from deep_planner.models.ledger import Usage
from tests.graph.world import NOW, World, noted, single
from tests.support.scripted_model import Prompt, Said, call
from tools.core.clock import FrozenClock

pytestmark = pytest.mark.graph

BUY = call("create_task", title="买菜", due_date="明天")
TAKEN = call("take_answer", kind="answer")


class Lines:
    """What a person types."""

    person = True

    def __init__(self, lines: Sequence[str | type[BaseException]]) -> None:
        self._lines = list(lines)
        self.prompts: list[str] = []

    async def next(self, prompt: str) -> str:
        self.prompts.append(prompt)
        line = self._lines.pop(0) if self._lines else EOFError
        if isinstance(line, str):
            return line
        raise line


class Talk:
    """A chat on the world's planner."""

    def __init__(self, world: World, *options: str) -> None:
        self._world = world
        self._arguments = parse(["chat", "--db", str(world.file), "--lang", "zh", *options], "zh")
        self._arguments.timezone = "Asia/Shanghai"
        self.lines = Lines([])

    async def __call__(self, *lines: str | type[BaseException], person: bool = True, thread: str = "t") -> int:
        self.lines = Lines(lines)
        self.lines.person = person
        view = PlainView("zh", self._arguments.show)
        talk = Chat(self._world.planner, view, self.lines, self._arguments, FrozenClock(NOW))
        with talk.interruptions():
            await talk.begin(thread)
            return await talk.go_on()


async def test_a_request_its_answer_and_a_follow_up(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.script(triage=single("task"), note=noted, answer=[TAKEN])
    world.script(task=[call("ask_user", question="哪天？"), BUY, call("create_task", title="看牙", due_date="后天")])
    talk = Talk(world)
    assert await talk("买菜", "", "   ", "明天", "后天看牙", "exit", "不会读到") == Exit.DONE
    assert talk.lines.prompts == ["> ", "回答> ", "回答> ", "回答> ", "> ", "> "]
    out, err = capsys.readouterr()
    assert out.splitlines() == [
        "哪天？",
        "已创建任务「买菜」：明天周五（2月13日）。",
        "已创建任务「看牙」：周六（2月14日）。",
    ]
    assert "deep-planner chat --thread t" in err
    assert await world.titles() == ["买菜", "看牙"]
    [record] = await world.planner.threads()
    assert (record.requests, record.status) == (2, "completed")


async def test_a_number_picks_a_choice(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    await world.has("买菜")
    world.script(triage=single("task"), task=[BUY, BUY], note=noted)
    await Talk(world)("明天买菜", "1", "quit")
    assert "1. 还是要建" in capsys.readouterr().out
    assert await world.titles() == ["买菜", "买菜"]


@pytest.mark.parametrize("word", ["exit", "QUIT", "退出", "/exit"])
async def test_words_that_end_it(world: World, word: str) -> None:
    talk = Talk(world)
    assert await talk(KeyboardInterrupt, word, "不会读到") == Exit.DONE
    assert len(talk.lines.prompts) == 2


async def test_a_fault_is_told_and_the_talk_goes_on(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.script(triage=[AssertionError("kaputt"), *[single("task")] * 2], task=[BUY], note=noted)
    await Talk(world)("明天买菜", "长" * 100_001, "明天买菜")
    out, err = capsys.readouterr()
    assert "AssertionError: kaputt" in err
    assert "100001" in err
    assert "Traceback" not in out + err
    assert await world.titles() == ["买菜"]


async def test_commands_in_both_languages(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.script(triage=single("task"), task=[BUY], note=noted)
    told = {
        "/todos": "没有计划",
        "/笔记": "没有笔记",
        "/usage": "还没有调用过模型",
        "明天买菜": "已创建任务",
        "/待办": "● t1 明天买菜 [任务] 完成",
        "/notes": "r1/t1: 笔记：已创建任务",
        "/threads": "明天买菜",
        "/任务 --date 明天": "买菜",
        "/tasks --nope": "--nope",
        "/tasks 'x": "看不懂 /tasks",
        "/提醒": "没有待发的提醒",
        "/help": "/resume",
        "/帮助": "Ctrl-C",
        "/\x1b[2J": "没有 /␛[2J 这个命令",
        "/show agents": "agents",
        "/显示 none": "无",
        "/show x": "x",
        "/thread": "会话：t",
        "/resume": "没有等待回答的问题",
    }
    talk = Talk(world)
    for line, words in told.items():
        await talk(line)
        out, err = capsys.readouterr()
        assert words in out + err, line
    world.script(task=[call("create_task", title="看牙", due_date="明天")])
    await talk("明天看牙", "/用量")
    assert "light scripted：2 次调用" in capsys.readouterr().out


async def test_going_from_thread_to_thread(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.script(triage=single("task"), note=noted, answer=[TAKEN])
    world.script(task=[call("ask_user", question="哪天？"), BUY, call("create_task", title="买米", due_date="明天")])
    talk = Talk(world)
    await talk("买菜", "/thread other", "明天买菜", "/会话 t", "明天", "/删除", "/thread a\x00b", "/remove nosuch")
    assert talk.lines.prompts == ["> ", "回答> ", "> ", "> ", "回答> ", "> ", "> ", "> ", "> "]
    out, err = capsys.readouterr()
    assert out.count("哪天？") == 2
    assert "已删除会话「t」（1 个请求，第一个：买菜）" in out
    assert "无法显示的字符" in err
    assert "没有名为「nosuch」的会话" in err
    assert [record.name for record in await world.planner.threads()] == ["other"]


async def test_a_question_that_waits_is_put_again_when_the_chat_begins(
    world: World, capsys: pytest.CaptureFixture[str]
) -> None:
    world.script(triage=single("task"), note=noted, answer=[TAKEN], task=[call("ask_user", question="哪天？"), BUY])
    await world.run("买菜")
    await world.reopen()
    assert await Talk(world)("/resume", "明天", person=False) == Exit.DONE
    assert capsys.readouterr().out.count("哪天？") == 2
    assert await world.titles() == ["买菜"]


async def test_the_code_of_a_pipe_is_that_of_its_last_run(world: World) -> None:
    world.script(triage=single("task"), note=noted, task=[call("ask_user", question="哪天？")])
    assert await Talk(world)("买菜", person=False) == Exit.WAITING


class Slow:
    """An answer in whose middle the user presses Ctrl-C, as often as it is told to."""

    def __init__(self, times: int) -> None:
        self._times = times

    async def __call__(self, prompt: Prompt) -> Said:
        for _ in range(self._times):
            os.kill(os.getpid(), signal.SIGINT)
            await asyncio.sleep(0)
        if self._times > 1:
            await asyncio.Event().wait()
        return BUY


@pytest.mark.parametrize("times", [1, 2])
async def test_ctrl_c_stops_the_run_and_not_the_chat(
    world: World, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    """Once: at the end of the step. Twice: at once."""
    monkeypatch.setattr(chat, "GRACE", 600)
    world.script(triage=single("task"), task=[Slow(times), BUY], note=noted)
    talking = Talk(world)("明天买菜", "/threads", "/resume", "/threads")
    assert await asyncio.wait_for(talking, timeout=10) == Exit.DONE
    out, err = capsys.readouterr()
    assert err.index("正在停下") < err.index("/resume 继续")
    assert out.index("中断") < out.index("已创建任务「买菜」") < out.index("完成")
    assert await world.titles() == ["买菜"]


async def test_ctrl_c_before_the_request_is_sorted(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    world.script(triage=[Slow(2), single("task")], task=[BUY], note=noted)
    await Talk(world)("明天买菜", "/todos", "/继续")
    assert "已创建任务「买菜」" in capsys.readouterr().out
    assert await world.titles() == ["买菜"]


async def test_what_agents_say_is_shown_on_demand(world: World, capsys: pytest.CaptureFixture[str]) -> None:
    said = Said("我先看看日历\x1b[2J\n再来建", calls=BUY.calls)
    world.script(triage=single("task"), task=[said, said], note=noted)
    await Talk(world)("明天买菜")
    assert "我先看看" not in capsys.readouterr().err
    await Talk(world, "--show", "agents")("后天买菜")
    err = capsys.readouterr().err
    assert "t1 task: 我先看看日历␛[2J\nt1 task: 再来建\n" in err


def test_usage_adds_up() -> None:
    one = Usage(calls=1, input=10, output=2, seconds=0.5, prefix_share=0.0)
    assert added(one, Usage(calls=3, input=5, cached=4, seconds=0.25, prefix_share=0.8)) == Usage(
        calls=4, input=15, output=2, cached=4, seconds=0.75, prefix_share=0.6
    )
