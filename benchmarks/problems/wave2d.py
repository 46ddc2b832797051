"""Waves on a square whose speed varies from place to place: gradient by the initial state and the squared speed."""

from __future__ import annotations

import numpy as np

from benchmarks.flags import njit
from benchmarks.problem import Array, Problem

BLOCK = 25  # steps whose curvatures are kept at a time, in `best`


def misfit(start: Array, speed: Array, observed: Array, steps: int) -> float:
    n, m = start.shape
    before, now, then = start.copy(), start.copy(), np.zeros((n, m))
    for _ in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                curvature = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1] - 4.0 * now[i, j]
                then[i, j] = 2.0 * now[i, j] - before[i, j] + speed[i, j] * curvature
        before, now, then = now, then, before
    total = 0.0
    for i in range(n):
        for j in range(m):
            total += (now[i, j] - observed[i, j]) ** 2
    return total


@njit
def hand(start: Array, speed: Array, observed: Array, steps: int) -> tuple[Array, Array]:
    """The curvatures are kept; shadows change places as the states do."""
    n, m = start.shape
    before, now, then = start.copy(), start.copy(), np.zeros((n, m))
    kept = np.empty((steps, n, m))
    for t in range(steps):
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                curvature = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1] - 4.0 * now[i, j]
                kept[t, i, j] = curvature
                then[i, j] = 2.0 * now[i, j] - before[i, j] + speed[i, j] * curvature
        before, now, then = now, then, before
    before_bar, now_bar, then_bar = np.zeros((n, m)), 2.0 * (now - observed), np.zeros((n, m))
    speed_bar = np.zeros((n, m))
    for q in range(steps):
        t = steps - 1 - q
        before_bar, now_bar, then_bar = then_bar, before_bar, now_bar
        for i in range(1, n - 1):
            for j in range(1, m - 1):
                ct = then_bar[i, j]
                then_bar[i, j] = 0.0
                speed_bar[i, j] += kept[t, i, j] * ct
                before_bar[i, j] -= ct
                curvature_bar = speed[i, j] * ct
                now_bar[i, j] += 2.0 * ct - 4.0 * curvature_bar
                now_bar[i - 1, j] += curvature_bar
                now_bar[i + 1, j] += curvature_bar
                now_bar[i, j - 1] += curvature_bar
                now_bar[i, j + 1] += curvature_bar
    return now_bar + before_bar, speed_bar


@njit
def best(start: Array, speed: Array, observed: Array, steps: int) -> tuple[Array, Array]:
    """Shadows gather, nothing is cleared that is overwritten, and blocks of steps run again to keep less at a time."""
    n, m = start.shape
    blocks = (steps + BLOCK - 1) // BLOCK
    before, now, then = start.copy(), start.copy(), np.zeros((n, m))
    states = np.empty((blocks, 3, n, m))
    curvature = np.empty((BLOCK, n, m))
    for b in range(blocks):
        states[b, 0], states[b, 1], states[b, 2] = before, now, then
        for _ in range(min(BLOCK, steps - b * BLOCK)):
            step(before, now, then, speed, curvature[0])
            before, now, then = now, then, before
    before_bar, now_bar, then_bar = np.zeros((n, m)), 2.0 * (now - observed), np.zeros((n, m))
    speed_bar, curvature_bar = np.zeros((n, m)), np.zeros((n, m))
    for p in range(blocks):
        b = blocks - 1 - p
        count = min(BLOCK, steps - b * BLOCK)
        before, now, then = states[b, 0], states[b, 1], states[b, 2]
        for t in range(count):
            step(before, now, then, speed, curvature[t])
            before, now, then = now, then, before
        for q in range(count):
            before_bar, now_bar, then_bar = then_bar, before_bar, now_bar
            scale(before_bar, then_bar, speed, curvature[count - 1 - q], speed_bar, curvature_bar)
            gather(now_bar, then_bar, curvature_bar)
    return now_bar + before_bar, speed_bar


@njit
def step(before: Array, now: Array, then: Array, speed: Array, curvature: Array) -> None:
    n, m = now.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            bent = now[i - 1, j] + now[i + 1, j] + now[i, j - 1] + now[i, j + 1] - 4.0 * now[i, j]
            curvature[i, j] = bent
            then[i, j] = 2.0 * now[i, j] - before[i, j] + speed[i, j] * bent


@njit
def scale(
    before_bar: Array, then_bar: Array, speed: Array, curvature: Array, speed_bar: Array, curvature_bar: Array
) -> None:
    n, m = speed.shape
    for i in range(1, n - 1):
        for j in range(1, m - 1):
            ct = then_bar[i, j]
            before_bar[i, j] = -ct
            speed_bar[i, j] += curvature[i, j] * ct
            curvature_bar[i, j] = speed[i, j] * ct


@njit
def gather(now_bar: Array, then_bar: Array, ct: Array) -> None:
    n, m = ct.shape
    for j in range(1, m - 1):
        now_bar[0, j] += ct[1, j]
        now_bar[n - 1, j] += ct[n - 2, j]
    for i in range(1, n - 1):
        now_bar[i, 0] += ct[i, 1]
        now_bar[i, m - 1] += ct[i, m - 2]
        for j in range(1, m - 1):
            around = ct[i - 1, j] + ct[i + 1, j] + ct[i, j - 1] + ct[i, j + 1] - 4.0 * ct[i, j]
            now_bar[i, j] += 2.0 * then_bar[i, j] + around


def problem() -> Problem:
    generator = np.random.default_rng(9)
    start = np.zeros((200, 200))
    start[90:110, 90:110] = 1.0
    speed, observed = generator.uniform(0.1, 0.2, (200, 200)), np.zeros((200, 200))
    return Problem("Waves, 200 x 200, 500 steps", misfit, (start, speed, observed, 500), (0, 1), hand, best)
