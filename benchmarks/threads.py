"""Threads: gradients over independent iterations with ``parallel=True``, beside the same on one thread."""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from functools import partial
from statistics import median
from typing import Any

from benchmarks.difference import difference
from benchmarks.figures import Figure
from benchmarks.problems import problem
from srcgrad import grad

TITLE = f"Gradients on {os.cpu_count()} threads, by the clock"
NAMES = ("heston", "kepler", "lennard_jones", "gmm:d10_k100")
ROUNDS = 15
OVERHEAD = 0.15  # of the time on one thread, beside its share of the work


def by_the_clock(calls: dict[bool, Callable[[], Any]]) -> dict[bool, float]:
    """Median seconds from rounds that call each in turn: what a thread takes by itself says nothing here."""
    times: dict[bool, list[float]] = {key: [] for key in calls}
    for _ in range(ROUNDS):
        for key, call in calls.items():
            start = time.perf_counter()
            call()
            times[key].append(time.perf_counter() - start)
    return {key: median(values) for key, values in times.items()}


def figures() -> list[Figure]:
    found = []
    for name in NAMES:
        given = problem(name)
        calls = {
            parallel: partial(grad(given.primal, argnums=given.argnums, parallel=parallel), *given.arguments)
            for parallel in (False, True)
        }
        assert difference(calls[True](), calls[False]()) < 1e-9
        times = by_the_clock(calls)
        found += [
            Figure(f"{given.title}, one thread", 1e3 * times[False], "ms"),
            Figure(
                f"{given.title}: to one thread", times[True] / times[False], "", 1.0 / (os.cpu_count() or 1) + OVERHEAD
            ),
        ]
    return found
