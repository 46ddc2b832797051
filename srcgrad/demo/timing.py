"""Times functions side by side: interleaved calls in one process, on one core, and the median of each."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from statistics import median


@contextmanager
def one_core() -> Iterator[None]:
    """Keep this thread on one core, where the system can; afterwards it may run where it could before."""
    if not hasattr(os, "sched_setaffinity"):
        yield
        return
    before = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(before)})
    try:
        yield
    finally:
        os.sched_setaffinity(0, before)


def medians(
    calls: Mapping[str, Callable[[], object]], seconds: float = 2.0, least: int = 5, repeat: int = 1
) -> dict[str, float]:
    """The median time of each call in seconds, from rounds that call each in turn.

    Interleaving makes the ratios fair: a slow spell of the machine hits all of them. It is the thread's own
    time that counts, or a busy machine would interrupt the longer calls more often than the shorter ones. An
    untimed call goes before each timed one, so that what another left in the caches does not matter. ``repeat``
    calls are timed as one, for what is shorter than the clock can tell.
    """
    clock = time.thread_time
    times: dict[str, list[float]] = {name: [] for name in calls}
    end = time.perf_counter() + seconds
    while time.perf_counter() < end or min(map(len, times.values())) < least:
        for name, call in calls.items():
            call()
            start = clock()
            for _ in range(repeat):
                call()
            times[name].append((clock() - start) / repeat)
    return {name: median(values) for name, values in times.items()}
