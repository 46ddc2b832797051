"""GradBench's messages and the answers to them: start, define, evaluate, and whatever else wants to be acknowledged."""

from __future__ import annotations

import importlib
import time
import traceback
from typing import Any

from benchmarks.gradbench.tasks import Task

PROBLEMS = ("hello", "gmm", "ba", "ht", "lstm", "kmeans", "llsq", "lse", "ode", "particle", "saddle", "det")
Message = dict[str, Any]


def respond(message: Message) -> Message:
    """The response to a message; it has the same ``id``."""
    match message["kind"]:
        case "start":
            return {"id": message["id"], "tool": "srcgrad"}
        case "define":
            return {"id": message["id"], **defined(message["module"])}
        case "evaluate":
            return {"id": message["id"], **evaluated(message)}
    return {"id": message["id"]}


def defined(module: str) -> Message:
    if module not in PROBLEMS:
        return {"success": False, "error": f"srcgrad has no module {module!r}; it has {', '.join(PROBLEMS)}"}
    start = time.perf_counter_ns()
    tasks_of(module)
    return {"success": True, "timings": [timing("import", start)]}


def evaluated(message: Message) -> Message:
    """A fault is an answer, too: it goes to whoever asked, and the tool lives on."""
    try:
        task = tasks_of(message["module"])[message["function"]]
        output, timings = run(task, message["input"])
    except Exception:
        return {"success": False, "error": traceback.format_exc()}
    return {"success": True, "output": output, "timings": timings}


def tasks_of(module: str) -> dict[str, Task]:
    tasks: dict[str, Task] = importlib.import_module(f"benchmarks.gradbench.{module}").TASKS
    return tasks


def run(task: Task, given: Any) -> tuple[Any, list[Message]]:
    """The output, and a timing for each run: as many as are asked for, and for as long.

    The first call is on its own, as ``prepare``: it compiles what has not been compiled before.
    """
    asked = given if isinstance(given, dict) else {}
    arguments = task.prepare(given)
    start = time.perf_counter_ns()
    result = task.call(*arguments)
    timings = [timing("prepare", start)]
    runs, spent = 0, 0
    while runs < asked.get("min_runs", 1) or spent < 1e9 * asked.get("min_seconds", 0.0):
        start = time.perf_counter_ns()
        task.call(*arguments)
        timings.append(timing("evaluate", start))
        runs, spent = runs + 1, spent + timings[-1]["nanoseconds"]
    return task.answer(result), timings


def timing(name: str, start: int) -> Message:
    return {"name": name, "nanoseconds": time.perf_counter_ns() - start}
