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


Vector = npt.NDArray[np.float64]


def area(x: float, y: float) -> float:
    return x * y + 0.5 * x * x


def weighted_squares(x: Vector, w: Vector) -> float:
    total = 0.0
    for i in range(x.shape[0]):
        total += w[i] * x[i] * x[i]
    return total


def five_arrays(a: Vector, b: Vector, c: Vector, d: Vector, e: Vector) -> float:
    total = 0.0
    for i in range(a.shape[0]):
        total += a[i] * b[i] + c[i] * d[i] * e[i]
    return total


def pair_of(point: dict[str, float]) -> float:
    return point["x"] * point["y"]


def figures() -> list[Figure]:
    x, w = np.ones(8), np.ones(8)
    primal, gradient, both = plain_njit(area), grad(area), grad(area, argnums=(0, 1))
    with_value, of_arrays, of_tree = value_and_grad(area), grad(weighted_squares), grad(pair_of)
    of_five = grad(five_arrays, argnums=(0, 1, 2, 3, 4))
    point = {"x": 2.0, "y": 3.0}
    calls: dict[str, Callable[[], object]] = {
        "primal of two floats, numba.njit": lambda: primal(2.0, 3.0),
        "gradient of two floats": lambda: gradient(2.0, 3.0),
        "value and gradient of two floats": lambda: with_value(2.0, 3.0),
        "gradient of two floats, argnums=(0, 1)": lambda: both(2.0, 3.0),
        "gradient of two arrays of 8": lambda: of_arrays(x, w),
        "gradients of five arrays of 8": lambda: of_five(x, x, x, x, x),
        "gradient of a dict": lambda: of_tree(point),
    }
    targets = {"gradient of two floats": 2.0, "gradients of five arrays of 8": 4.0}
    with one_core():
        times = medians(calls, seconds=2.0, repeat=2000)
    return [Figure(name, 1e6 * seconds, "us", targets.get(name)) for name, seconds in times.items()]
