"""The determinant by expansion by minors, and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.gradbench.tasks import Array, Task
from srcgrad import grad, jit


def minor(a: Array, row: int, used: int) -> float:
    """The determinant of the rows from ``row`` on, without the columns whose bits are set in ``used``."""
    if row == a.shape[0]:
        return 1.0
    total = 0.0
    sign = 1.0
    for column in range(a.shape[0]):
        if not used & (1 << column):
            total += sign * a[row, column] * minor(a, row + 1, used | (1 << column))
            sign = -sign
    return total


def determinant(a: Array) -> float:
    return minor(a, 0, 0)


def prepare(given: dict[str, Any]) -> tuple[Array]:
    return (np.array(given["A"], dtype=float).reshape(given["ell"], given["ell"]),)


def in_rows(gradient: Array) -> list[float]:
    flat: list[float] = gradient.ravel().tolist()
    return flat


TASKS = {"primal": Task(prepare, jit(determinant)), "gradient": Task(prepare, grad(determinant), in_rows)}
