"""A deliberation by itself on a real database, with a model that follows a script, and the lines of its roles."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from pathlib import Path
from typing import Any

from langchain_core.language_models import BaseChatModel

from deep_planner.deliberating import Deliberation, open_deliberation
from deep_planner.settings import Settings
from subagents.deliberation.schemas import Dimension, Issue
from subagents.patience import Patience
from subagents.thinking import Models
from tests.graph.world import DRY, NOW, RAIN
from tests.support import builders
from tests.support.scripted_model import Prompt, Said, ScriptedModel, call
from tools.core.clock import FrozenClock
from tools.services.weather import SampleWeather
from tools.services.weather.sample_rows import SampleRow

SUN = SampleRow(city="北京", date=date(2026, 2, 15), condition="晴", temp_min=2, temp_max=9)
#: The other way round: dry on Saturday, wet on Sunday, dry again.
AWAY = [
    SampleRow(city="上海", date=date(2026, 2, day), condition=sky, temp_min=6, temp_max=12)
    for day, sky in ((14, "晴"), (15, "大雨"), (16, "晴"))
]
QUESTION = "这周六适不适合搬家"


@asynccontextmanager
async def opened(folder: Path, **settings: Any) -> AsyncIterator[tuple[Deliberation, ScriptedModel]]:
    """A deliberation and the one model that plays all its roles; it must not be asked for more than is scripted."""
    model = ScriptedModel()
    async with asked(folder, model, **settings) as deliberation:
        yield deliberation, model
    assert model.overruns == []


@asynccontextmanager
async def asked(
    folder: Path, model: BaseChatModel, light: BaseChatModel | None = None, **settings: Any
) -> AsyncIterator[Deliberation]:
    """A deliberation by any model, on a database of its own."""
    builders.put_file(folder / "planner.db")
    chosen = Settings(database=str(folder / "planner.db"), city="北京", timezone="Asia/Shanghai", **settings)
    async with open_deliberation(
        chosen,
        clock=FrozenClock(NOW),
        models=Models(model, light or model, patience=Patience(attempts=1), jitter=lambda: 0.0),
        weather=SampleWeather([RAIN, DRY, SUN, *AWAY]),
        new_id=lambda: "d",
    ) as deliberation:
        yield deliberation


def framed(complexity: str = "complex", **fields: Any) -> Said:
    """The moderator's reading of the question."""
    about = {"understanding": "要不要在周六搬家", "constraints": ["这周六"], "aspects": ["天气", "时间"]}
    return call("frame_question", complexity=complexity, **{**about, **fields})


def answered(number: int = 1, change: str = "", **fields: Any) -> Said:
    """An expert's answer; ``change`` is its change log and a further point."""
    points = ["利：周六全天有空", "弊：周六有小雨", *([f"补充：{change}"] if change else [])]
    about: dict[str, Any] = {
        "version": number,
        "understanding": "用户想知道周六能不能搬家",
        "key_points": points,
        "detail": "周六没有安排，时间足够；但预报有小雨，家具容易淋湿，路面也滑，要多花时间包装。",
        "conclusion": "不太适合，除非能备好防雨措施。",
        "confidence": 0.6,
        "limits": ["不知道东西有多少"],
        "change_log": [change] if change else [],
    }
    return call("submit_answer", **{**about, **fields})


def final(prompt: Prompt) -> Said:
    """The moderator's merging: the best answer, with a conclusion of its own."""
    answer = prompt.told["answer"]
    return call("submit_final", **{**answer, "conclusion": f"综合：{answer['conclusion']}", "change_log": []})


def issue(quote: str = "不太适合", problem: str = "没有说换哪天", **fields: Any) -> dict[str, Any]:
    """A criticism."""
    about = {"dimension": Dimension.COMPLETENESS.value, "severity": "major", "suggestion": "给出另一天"}
    return {**about, "quote": quote, "problem": problem, **fields}


def reviewed(score: int = 60, *issues: dict[str, Any], status: str = "revise", version: int = 1) -> Said:
    """A critic's review."""
    marks = dict.fromkeys((dimension.value for dimension in Dimension), score)
    return call(
        "submit_review",
        version=version,
        score=score,
        scores=marks,
        status=status,
        issues=list(issues),
        strengths=["利弊都说到了"],
        suggestions=["补充备选"],
        confidence=0.8,
    )


def judged(*invented: str, on_topic: bool = True, summary: str = "还缺备选日期", **fields: Any) -> Said:
    """The moderator's judgement; the named issues do not stand."""
    verdicts = [{"issue": name, "stands": False, "reason": "答案里没有这个毛病"} for name in invented]
    return call("judge_round", on_topic=on_topic, verdicts=verdicts, advice="补上备选日期", summary=summary, **fields)


def as_issue(**fields: Any) -> Issue:
    """A criticism as the code has it."""
    return Issue.model_validate(issue(**fields))
