"""A saddle point by gradient descent in gradient descent: the inner one is differentiated for the outer one.

``fr`` is forward mode for the minimum outside and reverse mode for the maximum inside.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.gradbench.descent import argmin
from benchmarks.gradbench.tasks import Array, Task
from srcgrad import grad, jacfwd, jit

MODES: dict[str, Callable[..., Any]] = {"f": jacfwd, "r": grad}


def height(x: Array, y: Array) -> float:
    return x[0] ** 2 + x[1] ** 2 - (y[0] ** 2 + y[1] ** 2)


def argmax(slope: Callable[[Array, Array], Array], x: Array, start: Array) -> Array:
    """The ``y`` that makes ``height(x, y)`` largest."""
    return argmin(lambda y: -height(x, y), lambda y: -slope(x, y), start)


def saddle_point(outer: str, inner: str) -> Callable[[Array], Array]:
    slope = MODES[inner](height, argnums=1)
    slope_at_last = MODES[outer](height, argnums=1)

    def highest(x: Array, start: Array) -> float:
        return height(x, argmax(slope, x, start))

    gradient = MODES[outer](highest)

    def point(start: Array) -> Array:
        x = argmin(lambda x: highest(x, start), lambda x: gradient(x, start), start)
        return np.concatenate((x, argmax(slope_at_last, x, start)))

    return jit(point)


def prepare(given: dict[str, Any]) -> tuple[Array]:
    return (np.array(given["start"], dtype=float),)


TASKS = {outer + inner: Task(prepare, saddle_point(outer, inner)) for outer in "fr" for inner in "fr"}
