"""``langgraph dev`` with no key: streams, a question and its answers, history, schemas, and a loop that never waits.

Requests name dates far ahead: the server has the machine's clock.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from typing import Any

import pytest
from langgraph_sdk import get_sync_client
from langgraph_sdk.client import SyncLangGraphClient

from tests.support.builders import NOW, stored, task, tasks_of
from tests.support.studio_server import StudioServer, missing, studio_server
from tools.store.database import Database, sqlite_url

pytestmark = [
    pytest.mark.graph,
    pytest.mark.skipif(bool(missing()), reason=f"not installed (extra `test`): {', '.join(missing())}"),
]

GRAPH = "planner"
WEATHER = [{"city": "北京", "date": "2031-03-08", "condition": "小雨", "temp_min": 2, "temp_max": 8}]
SPORT = "---\ndescription: 安排运动\ntools: [find_free_slots, create_task]\n---\n你安排运动。\n"
Json = dict[str, Any]


def edited(answer: str) -> Json:
    """An answer as deep-agents-ui sends it."""
    return {"decisions": [{"type": "edit", "edited_action": {"name": "ask_user", "args": {"answer": answer}}}]}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[StudioServer]:
    folder = tmp_path_factory.mktemp("studio")
    (folder / "weather.json").write_text(json.dumps(WEATHER), encoding="utf-8")
    (folder / "agents").mkdir()
    (folder / "agents" / "sport.md").write_text(SPORT, encoding="utf-8")
    settings = {
        "DEEP_PLANNER_SUBAGENTS_FOLDER": str(folder / "agents"),
        "DEEP_PLANNER_DATABASE": str(folder / "planner.db"),
        "DEEP_PLANNER_WEATHER_FILE": str(folder / "weather.json"),
        "DEEP_PLANNER_CITY": "北京",
        "DEEP_PLANNER_TIMEZONE": "Asia/Tokyo",
    }
    with studio_server(folder, settings) as server:
        yield server
        assert "Blocking call" not in server.log


@pytest.fixture(scope="module")
def client(server: StudioServer) -> Iterator[SyncLangGraphClient]:
    with get_sync_client(url=server.url, api_key=None) as client:
        yield client


@dataclass
class Run:
    """What one run streamed."""

    values: list[Json] = field(default_factory=list)
    updates: list[Json] = field(default_factory=list)
    others: set[str] = field(default_factory=set)

    @property
    def nodes(self) -> list[str]:
        return [name for update in self.updates for name in update]

    def seen(self, key: str) -> list[Any]:
        """The values that a key took, each once, in order."""
        return changes([state[key] for state in self.values if key in state])


class Thread:
    """One thread, driven as a client does."""

    def __init__(self, client: SyncLangGraphClient, server: StudioServer) -> None:
        self.client = client
        self.server = server
        self.id: str = client.threads.create()["thread_id"]

    def say(self, words: str, **context: Any) -> Run:
        return self._run(input={"messages": [{"role": "user", "content": words}]}, context=context or None)

    def resume(self, answer: Any) -> Run:
        return self._run(command={"resume": answer})

    def state(self) -> Json:
        return dict(self.client.threads.get_state(self.id))

    def values(self) -> Json:
        return dict(self.state()["values"])

    def ended(self) -> list[str]:
        """Where the items of a run stand that has nothing left to do or to ask."""
        state = self.state()
        assert (state["next"], state["interrupts"]) == ([], [])
        return [todo["status"] for todo in state["values"]["todos"]]

    def reply(self) -> str:
        return str(self.values()["messages"][-1]["content"])

    def asked(self, day: date) -> Json:
        """Want an hour of a day of which a part is taken: the value of the interrupt that follows."""
        asyncio.run(take(self.server, day))
        self.say(f"{words_of(day)}下午3点半到4点半面试")
        [interrupt] = self.state()["interrupts"]
        return dict(interrupt["value"])

    def _run(self, **given: Any) -> Run:
        run = Run()
        for part in self.client.runs.stream(self.id, GRAPH, stream_mode=["values", "updates"], **given):
            assert part.event != "error", part.data
            if part.event == "values":
                run.values.append(dict(part.data))
            elif part.event == "updates":
                run.updates.append(dict(part.data))
            else:
                run.others.add(part.event)
        return run


@pytest.fixture
def thread(client: SyncLangGraphClient, server: StudioServer) -> Thread:
    return Thread(client, server)


@asynccontextmanager
async def rows_of(server: StudioServer) -> AsyncIterator[Database]:
    """The server's database, from beside it."""
    database = await Database.open(sqlite_url(server.folder / "planner.db"), now=NOW)
    try:
        yield database
    finally:
        await database.aclose()


async def take(server: StudioServer, day: date) -> None:
    """A meeting from 15:00 to 16:00."""
    async with rows_of(server) as database:
        await stored(database, task("开会", "15:00-16:00", day=day))


def titles(server: StudioServer, day: date) -> list[str]:
    """What user 1 has on a day, by start."""

    async def read() -> list[str]:
        async with rows_of(server) as database:
            return [each.title for each in await tasks_of(database) if each.date == day]

    return asyncio.run(read())


def words_of(day: date) -> str:
    return f"{day.year}年{day.month}月{day.day}日"


def changes(taken: list[Any]) -> list[Any]:
    """A list without what only repeats the one before."""
    return [value for n, value in enumerate(taken) if n == 0 or value != taken[n - 1]]


def test_schemas_load(client: SyncLangGraphClient) -> None:
    [assistant] = client.assistants.search(graph_id=GRAPH)
    schemas: Json = dict(client.assistants.get_schemas(assistant["assistant_id"]))
    keys = {name: set(schemas[f"{name}_schema"]["properties"]) for name in ("input", "output", "state", "context")}
    assert keys["input"] == {"messages", "draft"}
    assert keys["output"] == {"messages", "todos", "notes", "plan"}
    assert keys["state"] >= keys["output"]
    assert keys["context"] >= {"user_id", "city", "timezone", "language", "supervision"}
    assert keys["context"] >= {"intent_threshold", "plan_first", "reflection", "context_memory", "instructions"}
    assert keys["context"] >= {"max_plan_calls", "max_item_model_calls", "deliberation_rounds", "deliberation_score"}


def test_drawing_shows_the_sub_agents(client: SyncLangGraphClient) -> None:
    drawn = client.assistants.get_graph(GRAPH, xray=True)
    nodes = {str(node["id"]).partition(":")[0] for node in drawn["nodes"]}
    assert {"triage", "planner", "dispatch", "ask", "respond"} <= nodes
    assert {"task", "calendar", "weather", "notification", "sport"} <= nodes


def test_a_deliberation_runs_by_itself(client: SyncLangGraphClient) -> None:
    """The second graph of ``langgraph.json`` (seed 002): a question in, a result out, on a thread that serves twice."""
    thread = client.threads.create()["thread_id"]
    for question, rounds in (("2031年3月8日适不适合搬家", 2), ("2031年3月8日天气怎么样", 0)):
        values: Json = dict(client.runs.wait(thread, "deliberation", input={"question": question}))  # type: ignore[arg-type]
        assert (values["result"]["question"], values["result"]["rounds"]) == (question, rounds)
    drawn = {str(node["id"]) for node in client.assistants.get_graph("deliberation")["nodes"]}
    assert {"moderator_init", "expert_generate", "critic_review", "moderator_synthesize"} <= drawn


def test_todos_and_notes_change_in_the_streams(thread: Thread) -> None:
    """Three items: task and weather at once, then the reminder that follows from both."""
    run = thread.say("2031年3月8日早上去机场接人", city="北京")
    assert run.others == {"metadata"}
    assert changes([[todo["status"] for todo in todos] for todos in run.seen("todos")]) == [
        [],
        ["pending"] * 3,
        ["in_progress", "in_progress", "pending"],
        ["completed", "completed", "pending"],
        ["completed", "completed", "in_progress"],
        ["completed"] * 3,
    ]
    assert [sorted(notes) for notes in run.seen("notes")] == [[], ["r1/t1", "r1/t2"], ["r1/t1", "r1/t2", "r1/t3"]]
    assert run.nodes[:4] == ["triage", "planner", "plan_tools", "dispatch"]
    assert sorted(run.nodes[4:6]) == ["task", "weather"], "each as it ends"
    assert run.nodes[6:] == ["dispatch", "notification", "dispatch", "respond"]
    written = {key for update in run.updates for values in update.values() for key in (values or {}).get("notes", ())}
    assert written == {"r1/t1", "r1/t2", "r1/t3"}
    assert "小雨" in thread.reply()


def test_settings_of_the_server_hold_for_runs_without_a_context(thread: Thread) -> None:
    thread.say("2031年3月8日天气怎么样")
    assert datetime.fromisoformat(thread.values()["plan"]["now"]).utcoffset() == timedelta(hours=9), "Asia/Tokyo"
    assert "小雨" in thread.reply(), "the city is a setting, too"


def test_another_user_named_by_the_context(server: StudioServer, thread: Thread) -> None:
    """``user_id`` is a field of the form that Studio shows."""
    thread.say("2031年3月17日上午9点体检", user_id=7)
    assert thread.ended() == ["completed"]
    assert titles(server, date(2031, 3, 17)) == [], "it is not user 1's"


def test_threshold_of_the_form_decides_whether_it_asks_first(thread: Thread) -> None:
    """D02, D20: no rule is as sure as that."""
    thread.say("2031年3月18日上午9点体检", intent_threshold=1)
    [interrupt] = thread.state()["interrupts"]
    assert interrupt["value"]["type"] == "clarify"


def test_plan_is_seen_first_changed_and_carried_out(server: StudioServer, thread: Thread) -> None:
    """A field of the form; the answer is an edit as deep-agents-ui sends it, after one that cannot be."""
    thread.say("2031年3月19日早上去机场接人", plan_first=True)
    [interrupt] = thread.state()["interrupts"]
    [request], [config] = interrupt["value"]["action_requests"], interrupt["value"]["review_configs"]
    assert config["allowedDecisions"] == ["approve", "edit", "reject"]
    assert [todo["subagent"] for todo in request["args"]["todos"]] == ["task", "weather", "notification"]
    circle = [{**todo, "depends_on": [todo["id"]]} for todo in request["args"]["todos"]]
    args = {"todos": circle}
    thread.resume({"decisions": [{"type": "edit", "edited_action": {"name": request["name"], "args": args}}]})
    [again] = thread.state()["interrupts"]
    assert again["value"]["question"].endswith(interrupt["value"]["question"])
    assert titles(server, date(2031, 3, 19)) == []
    kept = {"todos": [{**request["args"]["todos"][0], "content": "2031年3月19日早上去车站接人"}]}
    thread.resume({"decisions": [{"type": "edit", "edited_action": {"name": request["name"], "args": kept}}]})
    assert thread.ended() == ["completed"]
    assert titles(server, date(2031, 3, 19)) == ["去车站接人"]


def test_history_tells_how_it_came(thread: Thread) -> None:
    thread.say("2031年3月10日上午9点体检")
    states = [dict(state) for state in thread.client.threads.get_history(thread.id, limit=50)][::-1]
    seen = [[todo["status"] for todo in state["values"].get("todos", [])] for state in states]
    assert changes(seen) == [[], ["pending"], ["in_progress"], ["completed"]]
    assert states[-1]["next"] == []
    assert thread.client.threads.get(thread.id)["status"] == "idle"


def test_question_can_be_shown_by_existing_clients(thread: Thread) -> None:
    question = thread.asked(date(2031, 3, 11))
    [request], [review] = question["action_requests"], question["review_configs"]
    assert question["type"] == "conflict"
    assert "开会" in question["question"]
    assert [choice["label"] for choice in question["choices"]] == request["args"]["choices"]
    assert (request["description"], request["args"]["answer"]) == (question["question"], "")
    assert review["actionName"] == review["action_name"] == request["name"]
    assert review["allowedDecisions"] == review["allowed_decisions"] == ["edit", "reject"]
    state = thread.state()
    assert request["name"] in [made["name"] for made in state["values"]["messages"][-1]["tool_calls"]]
    assert state["next"] == ["ask"]
    assert thread.client.threads.get(thread.id)["status"] == "interrupted"


FORMS = {"edit": edited("还是要建"), "words": "还是要建", "answer": {"answer": "还是要建"}}


@pytest.mark.parametrize(("number", "form"), list(enumerate(FORMS, start=1)), ids=FORMS)
def test_yes_in_every_form_makes_the_row(server: StudioServer, thread: Thread, number: int, form: str) -> None:
    day = date(2031, 4, number)
    thread.asked(day)
    assert thread.resume(FORMS[form]).nodes[0] == "ask"
    assert thread.ended() == ["completed"]
    assert titles(server, day) == ["开会", "面试"]


def test_other_time_picked_in_the_form(server: StudioServer, thread: Thread) -> None:
    day = date(2031, 3, 12)
    other = thread.asked(day)["choices"][2]
    thread.resume(edited(other["label"]))
    assert thread.ended() == ["completed"]
    assert titles(server, day) == ["开会", "面试"]
    assert other["id"] in thread.reply()


def test_reject_makes_no_row(server: StudioServer, thread: Thread) -> None:
    day = date(2031, 3, 13)
    thread.asked(day)
    thread.resume({"decisions": [{"type": "reject"}]})
    assert thread.ended() == ["skipped"]
    assert titles(server, day) == ["开会"]


def test_message_that_answers_while_a_question_is_open(server: StudioServer, thread: Thread) -> None:
    day = date(2031, 3, 14)
    thread.asked(day)
    thread.say("还是要建")
    assert thread.ended() == ["completed"]
    assert titles(server, day) == ["开会", "面试"]


@pytest.mark.parametrize(("number", "come"), [(15, "message"), (16, "answer")])
def test_new_request_while_a_question_is_open(server: StudioServer, thread: Thread, number: int, come: str) -> None:
    day = date(2031, 3, number)
    thread.asked(day)
    request = f"{words_of(day)}早上8点跑步"
    if come == "message":
        thread.say(request)
    else:
        thread.resume(edited(request))
    assert thread.ended() == ["completed"]
    assert titles(server, day) == ["跑步", "开会"]
    messages = thread.values()["messages"]
    calls = [made["id"] for message in messages for made in message.get("tool_calls") or []]
    answers = [message["tool_call_id"] for message in messages if message["type"] == "tool"]
    assert sorted(calls) == sorted(answers), "the question is closed, too"
