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
    """Elements of a shadow gather what they get; blocks of steps run again, so that what is kept stays in the cache."""
    n, m = start.shape
    blocks = (steps + BLOCK - 1) // BLOCK
    before, now, then = start.copy(), start.copy(), np.zeros((n, m))
    states = np.empty((blocks, 3, n, m))
    for b in range(blocks):
        states[b, 0], states[b, 1], states[b, 2] = before, now, then
        for _ in range(min(BLOCK, steps - b * BLOCK)):
            for i in range(1, n - 1):
                forward_row(before[i], now[i - 1], now[i], now[i + 1], then[i], speed[i])
            before, now, then = now, then, before
    before_bar, now_bar, then_bar = np.zeros((n, m)), 2.0 * (now - observed), np.zeros((n, m))
    speed_bar, curvature_bar, kept = np.zeros((n, m)), np.zeros((n, m)), np.empty((BLOCK, n, m))
    for p in range(blocks):
        b = blocks - 1 - p
        count = min(BLOCK, steps - b * BLOCK)
        before, now, then = states[b, 0], states[b, 1], states[b, 2]
        for t in range(count):
            for i in range(1, n - 1):
                keeping_row(before[i], now[i - 1], now[i], now[i + 1], then[i], speed[i], kept[t, i])
            before, now, then = now, then, before
        for q in range(count):
            t = count - 1 - q
            before_bar, now_bar, then_bar = then_bar, before_bar, now_bar
            for i in range(1, n - 1):
                own_row(before_bar[i], then_bar[i], speed[i], kept[t, i], speed_bar[i], curvature_bar[i])
            for j in range(1, m - 1):
                now_bar[0, j] += curvature_bar[1, j]
                now_bar[n - 1, j] += curvature_bar[n - 2, j]
            for i in range(1, n - 1):
                gather_row(now_bar[i], then_bar[i], curvature_bar[i - 1], curvature_bar[i], curvature_bar[i + 1])
    return now_bar + before_bar, speed_bar


@njit
def forward_row(before: Array, above: Array, here: Array, below: Array, then: Array, speed: Array) -> None:
    for j in range(1, here.shape[0] - 1):
        curvature = above[j] + below[j] + here[j - 1] + here[j + 1] - 4.0 * here[j]
        then[j] = 2.0 * here[j] - before[j] + speed[j] * curvature


@njit
def keeping_row(before: Array, above: Array, here: Array, below: Array, then: Array, speed: Array, kept: Array) -> None:
    for j in range(1, here.shape[0] - 1):
        curvature = above[j] + below[j] + here[j - 1] + here[j + 1] - 4.0 * here[j]
        kept[j] = curvature
        then[j] = 2.0 * here[j] - before[j] + speed[j] * curvature


@njit
def own_row(
    before_bar: Array, then_bar: Array, speed: Array, kept: Array, speed_bar: Array, curvature_bar: Array
) -> None:
    for j in range(1, then_bar.shape[0] - 1):
        ct = then_bar[j]
        before_bar[j] = -ct
        speed_bar[j] += kept[j] * ct
        curvature_bar[j] = speed[j] * ct


@njit
def gather_row(now_bar: Array, then_bar: Array, above: Array, here: Array, below: Array) -> None:
    m = now_bar.shape[0]
    now_bar[0] += here[1]
    now_bar[m - 1] += here[m - 2]
    for j in range(1, m - 1):
        now_bar[j] += 2.0 * then_bar[j] + above[j] + below[j] + here[j - 1] + here[j + 1] - 4.0 * here[j]


def problem() -> Problem:
    generator = np.random.default_rng(9)
    start = np.zeros((200, 200))
    start[90:110, 90:110] = 1.0
    speed, observed = generator.uniform(0.1, 0.2, (200, 200)), np.zeros((200, 200))
    return Problem("Waves, 200 x 200, 500 steps", misfit, (start, speed, observed, 500), (0, 1), hand, best)
