"""Runs a Python script in a fresh process: for what a process does once, such as importing and compiling."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from statistics import median


def run(script: Path, *arguments: str, cache: Path) -> str:
    """What the script prints. Generated code is cached in ``cache``."""
    command = [sys.executable, str(script), *arguments]
    environment = {**os.environ, "SRCGRAD_CACHE_DIR": str(cache)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, cwd=script.parent)
    if done.returncode:
        raise RuntimeError(f"{script.name} failed:\n{done.stderr}")
    return done.stdout


def processor_times(scripts: Mapping[str, Path], cache: Path, rounds: int = 9) -> dict[str, float]:
    """The median processor time of each script from start to exit, interleaved, in seconds.

    The first round is not counted. On an idle machine this is the time that passes.
    """
    times: dict[str, list[float]] = {name: [] for name in scripts}
    for done in range(rounds + 1):
        for name, script in scripts.items():
            start = processor_time_of_children()
            run(script, cache=cache)
            if done:
                times[name].append(processor_time_of_children() - start)
    return {name: median(values) for name, values in times.items()}


def processor_time_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def write_script(folder: Path, name: str, lines: Sequence[str]) -> Path:
    path = folder / name
    path.write_text("\n".join(lines) + "\n")
    return path
