"""What the offline brain understands: the specification's own sentences, each with near paraphrases, zh and en."""

from __future__ import annotations

import re

import pytest

from tests.unit.deep_planner.brain import carried_out, sorted_as

pytestmark = pytest.mark.unit

#: Intent, calls, and the sentences that come to them, with a bar between.
SENTENCES: dict[str, tuple[str, list[str], str]] = {
    "a task that comes back, zh": (
        "single_task",
        ["create 站会 @02-16~FREQ=WEEKLY;BYDAY=MO 09:00-09:30"],
        "每周一9点到9点半站会 | 帮我安排每周一上午9点到9点半的站会 | 每个星期一9点到9点半有站会 | "
        "每周一早上9:00-9:30站会",
    ),
    "a task that comes back, en": (
        "single_task",
        ["create standup @02-16~FREQ=WEEKLY;BYDAY=MO 09:00"],
        "Standup every Monday at 9am | every Monday at 9am standup | add a standup every Monday at 9am | "
        "Schedule standup for every Monday at 9am",
    ),
    "a reminder that comes back, zh": (
        "complex_workflow",
        ["create 吃药 @02-11~FREQ=DAILY 20:00-20:00", "remind #1 at a time"],
        "每天晚上8点提醒我吃药 | 每天晚上8点记得提醒我吃药",
    ),
    "all of a task that comes back, zh": (
        "single_task",
        ["remove 站会 all of it"],
        "以后的站会都取消 | 站会以后都取消 | 取消以后的站会 | 取消每次的站会",
    ),
    "all of a task that comes back, en": (
        "single_task",
        ["remove yoga all of it"],
        "cancel all future yoga | cancel all upcoming yoga | cancel the whole series of yoga",
    ),
    "4.1 airport at the weekend, zh": (
        "complex_workflow",
        ["create 机场接人 @02-14 morning", "weather @02-14", "remind #1 weather"],
        "周末早上去机场接人 | 周末早上要去机场接人 | 这周末早上去机场接人 | 帮我安排周末早上去机场接人 | "
        "周六早上去机场接人，谢谢 | 我周末早上得去机场接人",
    ),
    "4.1 airport at the weekend, en": (
        "complex_workflow",
        ["create pick up ann at the airport @02-14 morning", "weather @02-14", "remind #1 weather"],
        "Pick up Ann at the airport on Saturday morning | "
        "I need to pick up Ann at the airport on Saturday morning | "
        "On Saturday morning I have to pick up Ann at the airport | "
        "please schedule: pick up Ann at the airport Saturday morning | "
        "Saturday morning: pick up Ann at the airport",
    ),
    "4.2 free tomorrow afternoon, zh": (
        "information_query",
        ["free @02-12 afternoon"],
        "明天下午有空吗 | 明天下午我有空吗？ | 我明天下午有时间吗 | 明天下午有没有空 | 明天下午忙不忙 | "
        "请问明天下午有空闲时间吗",
    ),
    "4.2 free tomorrow afternoon, en": (
        "information_query",
        ["free @02-12 afternoon"],
        "Am I free tomorrow afternoon? | am I available tomorrow afternoon | "
        "Do I have any time tomorrow afternoon? | Any free slots tomorrow afternoon? | "
        "Will I be free tomorrow afternoon? | When am I free tomorrow afternoon?",
    ),
    "4.3 the report is done, zh": (
        "single_task",
        ["finish 写周报"],
        "完成写周报 | 写周报完成了 | 写周报做完了 | 把写周报标记为完成 | 写周报搞定了 | 我写周报已经完成了",
    ),
    "4.3 the report is done, en": (
        "single_task",
        ["finish weekly report"],
        "I finished the weekly report | Finish weekly report | mark the weekly report as done | "
        "The weekly report is done | I'm done with the weekly report | weekly report is finished",
    ),
    "6.3 buy food tomorrow, zh": (
        "single_task",
        ["create 买菜 @02-12"],
        "帮我创建一个任务，明天去买菜 | 明天去买菜 | 明天要去买菜 | 创建任务：明天买菜 | "
        "新建一个任务明天买菜 | 记得明天去买菜",
    ),
    "6.3 buy food tomorrow, en": (
        "single_task",
        ["create buy groceries @02-12"],
        "Create a task to buy groceries tomorrow | buy groceries tomorrow | "
        "I need to buy groceries tomorrow | Please add a task: buy groceries tomorrow | "
        "tomorrow, buy groceries | Schedule buy groceries for tomorrow",
    ),
    "6.3 weather tomorrow, zh": (
        "information_query",
        ["weather @02-12"],
        "明天天气怎么样 | 明天的天气如何 | 查一下明天的天气 | 明天会下雨吗 | 明天多少度 | 明天要带伞吗",
    ),
    "6.3 weather tomorrow, en": (
        "information_query",
        ["weather @02-12"],
        "What's the weather tomorrow? | How is the weather tomorrow | weather tomorrow | "
        "Will it rain tomorrow? | Do I need an umbrella tomorrow? | What will the temperature be tomorrow?",
    ),
    "6.3 a joke, zh": (
        "out_of_domain",
        [],
        "讲个笑话 | 给我讲个笑话 | 来个笑话 | 能讲一个笑话吗 | 说个笑话听听 | 给我讲个故事",
    ),
    "6.3 a joke, en": (
        "out_of_domain",
        [],
        "Tell me a joke | tell a joke | Do you know a joke? | Tell me a story | Write me a poem | a joke please",
    ),
    "tomorrow's plans, zh": (
        "information_query",
        ["day @02-12"],
        "明天有什么安排 | 看看明天的日程 | 明天有哪些安排 | 我明天要做什么 | 查看明天的安排",
    ),
    "tomorrow's plans, en": (
        "information_query",
        ["day @02-12"],
        "What's on tomorrow? | What do I have tomorrow? | show my schedule for tomorrow | show tomorrow's schedule",
    ),
    "a meeting with a clock, zh": (
        "single_task",
        ["create 开会 @02-12 15:00"],
        "明天下午三点开会 | 明天下午3点开会 | 明天15:00开会 | 明天15点要开会 | 安排明天下午三点开会",
    ),
    "a meeting with a clock, en": (
        "single_task",
        ["create team meeting @02-12 15:00"],
        "team meeting tomorrow at 3pm | Team meeting tomorrow 15:00 | "
        "schedule a team meeting for tomorrow at 3 pm | Tomorrow at 3pm I have a team meeting | "
        "I've got a team meeting tomorrow at 3pm",
    ),
    "moving, zh": (
        "single_task",
        ["modify 开会 @02-13"],
        "把开会改到后天 | 开会改到后天 | 把开会推迟到后天 | 将开会挪到后天 | 开会改成后天吧",
    ),
    "moving, en": (
        "single_task",
        ["modify team meeting @02-13"],
        "move the team meeting to Friday | reschedule the team meeting to Friday | "
        "postpone the team meeting until Friday | push team meeting to Friday | "
        "change the team meeting to Friday",
    ),
    "dropping, zh": (
        "single_task",
        ["remove 买菜"],
        "取消买菜 | 删掉买菜 | 买菜不去了 | 把买菜取消掉 | 删除买菜 | 不去买菜了",
    ),
    "dropping, en": (
        "single_task",
        ["remove dentist"],
        "cancel the dentist | delete dentist | remove the dentist | call off the dentist | drop the dentist",
    ),
    "remind me of something new, zh": (
        "complex_workflow",
        ["create 吃药 @02-12 08:00-08:00", "remind #1 at a time"],
        "提醒我明天早上八点吃药 | 明天早上八点提醒我吃药 | 明天早上8点记得提醒我吃药 | 请明天早上八点提醒我吃药",
    ),
    "remind me of something new, en": (
        "complex_workflow",
        ["create take the pill @02-12 08:00-08:00", "remind #1 at a time"],
        "Remind me to take the pill tomorrow at 8am | remind me tomorrow at 8am to take the pill | "
        "Tomorrow at 8am remind me to take the pill",
    ),
    "two things at once, zh": (
        "complex_workflow",
        ["create 开会 @02-12 09:00", "create 看牙医 @02-13 15:00"],
        "明天上午九点开会，后天下午三点看牙医 | 明天上午九点开会；后天下午三点去看牙医",
    ),
    "small talk beside work, zh": (
        "information_query",
        ["weather @02-11"],
        "你好，今天天气怎么样 | 嗨，今天天气如何",
    ),
    "small talk, zh": (
        "simple_chat",
        [],
        "你好 | 您好 | 早上好 | 谢谢 | 你能做什么 | 你是谁",
    ),
    "small talk, en": (
        "simple_chat",
        [],
        "hello | Hi there! | good morning | thanks | What can you do? | help",
    ),
    "outside the domain": (
        "out_of_domain",
        [],
        "帮我写一段Python代码 | 今天股票怎么样 | 把这句话翻译成英文 | Write some python code | "
        "What's the capital of France?",
    ),
    "nothing to be understood": (
        "uncertain",
        [],
        "嗯 | asdf qwer | ？？？ | 那个 | blue | 42",
    ),
}
ROWS = [
    pytest.param(words, intent, calls, id=f"{name}: {words}")
    for name, (intent, calls, sentences) in SENTENCES.items()
    for words in sentences.split(" | ")
]


@pytest.mark.parametrize(("words", "intent", "calls"), ROWS)
def test_a_request_becomes_these_calls(words: str, intent: str, calls: list[str]) -> None:
    sorted_as_, made = carried_out(words)
    # A reminder of something new is exactly then (P18): in the words of the request, which differ here.
    assert (sorted_as_, [re.sub(r"(remind #1 at) .+", r"\1 a time", one) for one in made]) == (intent, calls)


def test_confidence_tells_what_is_to_be_asked_first() -> None:
    assert sorted_as("明天下午三点开会")["confidence"] >= 0.7
    assert sorted_as("嗯")["confidence"] < 0.7
    assert sorted_as("讲个笑话").get("subagent") is None
