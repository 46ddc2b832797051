"""Linear least squares: a polynomial fitted to the sign function, and the gradient by its coefficients."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.gradbench.tasks import Array, Task
from srcgrad import grad, jit


def misfit(x: Array, n: int) -> float:
    """Half the sum of squares of ``sign(t) - sum(x[j] * t**j)`` over ``n`` points ``t`` from -1 to 1."""
    total = 0.0
    for i in range(n):
        t = -1.0 + i * 2.0 / (n - 1.0)
        residual = np.sign(t)
        power = 1.0
        for j in range(x.shape[0]):
            residual -= x[j] * power
            power *= t
        total += residual * residual
    return 0.5 * total


def prepare(given: dict[str, Any]) -> tuple[Array, int]:
    return np.array(given["x"], dtype=float), int(given["n"])


TASKS = {"primal": Task(prepare, jit(misfit)), "gradient": Task(prepare, grad(misfit))}
