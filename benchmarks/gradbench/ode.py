"""An ordinary differential equation by the classical Runge-Kutta method, and the gradient of its last component."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.gradbench.tasks import Array, Task
from srcgrad import grad, jit

END = 2.0


def velocity(x: Array, y: Array, z: Array) -> None:
    """Fills ``z`` with the time derivative of ``y``."""
    z[0] = x[0]
    for i in range(1, x.shape[0]):
        z[i] = x[i] * y[i - 1]


def solve(x: Array, steps: int) -> Array:
    """``y`` at the end: it starts at zero."""
    n = x.shape[0]
    h = END / steps
    y = np.zeros(n)
    between = np.empty(n)
    k1, k2, k3, k4 = np.empty(n), np.empty(n), np.empty(n), np.empty(n)
    for _ in range(steps):
        velocity(x, y, k1)
        for i in range(n):
            between[i] = y[i] + 0.5 * h * k1[i]
        velocity(x, between, k2)
        for i in range(n):
            between[i] = y[i] + 0.5 * h * k2[i]
        velocity(x, between, k3)
        for i in range(n):
            between[i] = y[i] + h * k3[i]
        velocity(x, between, k4)
        for i in range(n):
            y[i] += h * (k1[i] + 2.0 * k2[i] + 2.0 * k3[i] + k4[i]) / 6.0
    return y


def last(x: Array, steps: int) -> float:
    return solve(x, steps)[x.shape[0] - 1]


def prepare(given: dict[str, Any]) -> tuple[Array, int]:
    return np.array(given["x"], dtype=float), int(given["s"])


TASKS = {"primal": Task(prepare, jit(solve)), "gradient": Task(prepare, grad(last))}
