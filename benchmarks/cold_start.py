"""CPU of a fresh process, from its start to the reply: ``python benchmarks/cold_start.py [RUNS]``.

Prints user + system seconds of ``deep-planner "…"`` on the offline model: with a new database (tables are made) and
with one that is there. Goal: 2.5 s at most.
"""

from __future__ import annotations

import json
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

REQUEST = "周末早上去机场接人"
FORECAST = {"city": "北京", "date": "2026-02-14", "condition": "小雨", "temp_min": 2, "temp_max": 8}


def cpu_of(database: Path, weather: Path) -> float:
    """CPU seconds of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    options = ["--db", str(database), "--weather", str(weather), "--city", "北京", "--now", "2026-02-11T10:00:00+08:00"]
    command = [sys.executable, "-m", "deep_planner", REQUEST, *options]
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 3):
        raise SystemExit(done.stderr)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    with tempfile.TemporaryDirectory() as folder:
        weather = Path(folder) / "weather.json"
        weather.write_text(json.dumps([FORECAST]), encoding="utf-8")
        fresh = [cpu_of(Path(folder) / f"{n}.db", weather) for n in range(runs)]
        again = [cpu_of(Path(folder) / "0.db", weather) for _ in range(runs)]
    for name, figures in (("new database", fresh), ("database there", again)):
        low, middle, high = min(figures), statistics.median(figures), max(figures)
        figures_said = f"{low:.2f} / {middle:.2f} / {high:.2f} s CPU (min / median / max of {runs})"
        print(f"cold start to reply, {name}: {figures_said}")


if __name__ == "__main__":
    main()
