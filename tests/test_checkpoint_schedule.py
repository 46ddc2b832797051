"""When snapshots are taken: the schedule is optimal, and what it plans keeps to the budget."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

from srcgrad.differentiate.checkpoints.schedule import FEWEST_SLOTS, first_advance, slots_for, unit_length


@cache
def least(units: int, slots: int) -> int:
    """By trying everything: units to be run again, so that each can be reversed, the last first."""
    if units <= 1:
        return 0
    if slots == 1:
        return units * (units - 1) // 2
    return min(m + least(m, slots) + least(units - m, slots - 1) for m in range(1, units))


@cache
def scheduled(units: int, slots: int) -> int:
    if units <= 1:
        return 0
    if slots == 1:
        return units * (units - 1) // 2
    advance = first_advance(units, slots)
    assert 1 <= advance < units
    return advance + scheduled(advance, slots) + scheduled(units - advance, slots - 1)


def test_schedule_is_optimal() -> None:
    for units in range(1, 80):
        for slots in range(1, 9):
            assert scheduled(units, slots) == least(units, slots), (units, slots)


def test_plans_keep_to_the_budget() -> None:
    for trips in (1, 2, 10, 1000, 10**6):
        for budget in (10**3, 10**6, 10**8):
            for state, step in ((800, 800), (8, 24), (80_000, 160_000)):
                length = unit_length(trips, budget, state, step)
                units = -(-trips // length)
                slots = slots_for(units, length, budget, state, step)
                assert 1 <= length <= trips and 1 <= slots <= units
                assert length * step + slots * state <= max(1.001 * budget, FEWEST_SLOTS * state + budget // 2 + step)


MEMORY = """
import resource, sys
import numpy as np
from srcgrad import checkpoint, grad

@grad
def last(x, trips):
    u = x.copy()
    for _ in checkpoint(range(trips), budget="20MB"):
        for i in range(u.shape[0]):
            u[i] += 1e-6 * u[i] * (1.0 - u[i])
    return np.sum(u)

x = np.linspace(0.1, 0.9, 10_000)
last(x, 10)
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
last(x, 10_000)                           # all states together: 800 MB
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) / 1024)
"""


def test_memory_stays_within_the_budget(tmp_path: Path) -> None:
    script = tmp_path / "long_loop.py"
    script.write_text(MEMORY)
    said = subprocess.run([sys.executable, script], capture_output=True, text=True, check=True)
    assert float(said.stdout) < 30.0
