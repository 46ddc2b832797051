"""The logarithm of a sum of exponentials, and its gradient."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.gradbench.tasks import Array, Task
from srcgrad import grad, jit


def log_sum_exp(x: Array) -> float:
    top = np.max(x)
    return top + np.log(np.sum(np.exp(x - top)))


def prepare(given: dict[str, Any]) -> tuple[Array]:
    return (np.array(given["x"], dtype=float),)


TASKS = {"primal": Task(prepare, jit(log_sum_exp)), "gradient": Task(prepare, grad(log_sum_exp))}
