"""What one call of a compiled gradient costs."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from benchmarks.figures import Figure
from benchmarks.flags import plain_njit
from srcgrad import grad, value_and_grad
from srcgrad.demo.timing import medians, one_core

TITLE = "One call"


def area(x: float, y: float) -> float:
    return x * y + 0.5 * x * x


def weighted_squares(x: npt.NDArray[np.float64], w: npt.NDArray[np.float64]) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        total += w[i] * x[i] * x[i]
    return total


def pair_of(point: dict[str, float]) -> float:
    return point["x"] * point["y"]


def figures() -> list[Figure]:
    x, w = np.ones(8), np.ones(8)
    primal, gradient, both = plain_njit(area), grad(area), grad(area, argnums=(0, 1))
    with_value, of_arrays, of_tree = value_and_grad(area), grad(weighted_squares), grad(pair_of)
    point = {"x": 2.0, "y": 3.0}
    calls: dict[str, Callable[[], object]] = {
        "primal of two floats, numba.njit": lambda: primal(2.0, 3.0),
        "gradient of two floats": lambda: gradient(2.0, 3.0),
        "value and gradient of two floats": lambda: with_value(2.0, 3.0),
        "gradient of two floats, argnums=(0, 1)": lambda: both(2.0, 3.0),
        "gradient of two arrays of 8": lambda: of_arrays(x, w),
        "gradient of a dict": lambda: of_tree(point),
    }
    targets = {"gradient of two floats": 3.0}
    with one_core():
        times = medians(calls, seconds=2.0, repeat=2000)
    return [Figure(name, 1e6 * seconds, "us", targets.get(name)) for name, seconds in times.items()]
