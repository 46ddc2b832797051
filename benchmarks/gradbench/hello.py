"""Hello: a square and its derivative."""

from __future__ import annotations

from benchmarks.gradbench.tasks import Task
from srcgrad import grad, jit


def square(x: float) -> float:
    return x * x


def prepare(x: float) -> tuple[float]:
    return (float(x),)


TASKS = {"square": Task(prepare, jit(square)), "double": Task(prepare, grad(square))}
