"""Compile time: the first gradient beside numba.njit of its primal, and a start from the cache."""

from __future__ import annotations

import importlib.util
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.figures import Figure
from benchmarks.flags import plain_njit
from benchmarks.processes import processor_times, write_script
from srcgrad import grad

TITLE = "Compile time"

# Twenty lines of loops: an explicit scheme for a travelling wave, and a misfit. COURANT makes each copy new.
KERNEL = """
import numpy as np

def misfit(speed, start, observed, steps):
    n = start.shape[0]
    courant = COURANT
    u = start.copy()
    v = np.zeros(n)
    for t in range(steps):
        for i in range(1, n - 1):
            slope = u[i + 1] - 2.0 * u[i] + u[i - 1]
            v[i] += courant * speed[i] * speed[i] * slope
        for i in range(1, n - 1):
            u[i] += courant * v[i]
        u[0] = u[1]
        u[n - 1] = u[n - 2]
    total = 0.0
    for i in range(n):
        r = u[i] - observed[i]
        total += 0.5 * r * r
    for i in range(1, n):
        total += 0.01 * (speed[i] - speed[i - 1]) ** 2
    return total
"""
ARGUMENTS = "np.linspace(1.0, 2.0, 50), np.sin(np.arange(50.0)), np.zeros(50), 20"
TRIVIAL = ["import numba", "", "@numba.njit(cache=True)", "def double(x):", "    return 2.0 * x", "", "double(1.0)"]
COPIES = 5


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as name:
        return [*first_calls(Path(name)), *starts_from_cache(Path(name))]


def first_calls(folder: Path) -> list[Figure]:
    """In this process, each copy of the kernel compiled once; the first copy warms up and is not counted."""
    speed, start, observed, steps = np.linspace(1.0, 2.0, 50), np.sin(np.arange(50.0)), np.zeros(50), 20
    of_primal, of_gradient = [], []
    for copy in range(COPIES + 1):
        misfit = load_kernel(folder, copy)
        primal, gradient = plain_njit(misfit), grad(misfit, cache=False)
        of_primal.append(seconds_of(lambda: primal(speed, start, observed, steps)))  # noqa: B023  # called here
        of_gradient.append(seconds_of(lambda: gradient(speed, start, observed, steps)))  # noqa: B023
    first_primal, first_gradient = median(of_primal[1:]), median(of_gradient[1:])
    return [
        Figure("20-line kernel, primal, numba.njit", first_primal, "s"),
        Figure("20-line kernel, first gradient", first_gradient, "s"),
        Figure("first gradient / primal", first_gradient / first_primal, "", 3.0),
    ]


def starts_from_cache(folder: Path) -> list[Figure]:
    """Processor time of fresh processes, from start to exit, everything on disk."""
    kernel = KERNEL.replace("COURANT", "0.01").splitlines()
    call = ["from srcgrad import grad", f"grad(misfit)({ARGUMENTS})"]
    times = processor_times(
        {
            "trivial": write_script(folder, "trivial.py", ["import numpy", *TRIVIAL]),
            "gradient": write_script(folder, "gradient.py", [*kernel, "", *call]),
        },
        cache=folder / "cache",
    )
    return [
        Figure("process with one cached call of a trivial njit function", times["trivial"], "s"),
        Figure("process with one cached call of the gradient", times["gradient"], "s"),
        Figure("difference", times["gradient"] - times["trivial"], "s", 0.1),
    ]


def load_kernel(folder: Path, copy: int) -> Callable[..., float]:
    lines = KERNEL.replace("COURANT", repr(0.01 + 1e-4 * copy)).splitlines()
    path = write_script(folder, f"kernel_{copy}.py", lines)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    kernel: Callable[..., float] = module.misfit
    return kernel


def seconds_of(call: Callable[[], object]) -> float:
    """Of this thread, which does all the work: another process that keeps the machine busy does not count."""
    start = time.thread_time()
    call()
    return time.thread_time() - start
