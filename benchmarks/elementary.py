"""Elementary functions: srcgrad.vector_math beside the C library, in a sum over the elements of an array each."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt

from benchmarks.figures import Figure
from srcgrad import jit
from srcgrad.demo.timing import medians, one_core

TITLE = "Sums of exp(x[i]) and the like, a term; 4,000 elements from 0.1 to 3"
Vector = npt.NDArray[np.floating]
SIZE = 4000
# The largest ratio to the C library's time that is right for a loop that vectorises.
TARGET = 0.7


def sum_of(function: Callable[[float], float], vector_math: bool) -> Callable[[Vector], float]:
    def total(x: Vector) -> float:
        s = 0.0
        for i in range(x.shape[0]):
            s += function(x[i])
        return s

    return jit(total, vector_math=vector_math)


FUNCTIONS: dict[str, Callable[[float], float]] = {
    "exp": math.exp,
    "expm1": math.expm1,
    "log": math.log,
    "log1p": math.log1p,
    "log2": math.log2,
    "log10": math.log10,
    "x**1.7": lambda x: x**1.7,
    "sin": math.sin,
    "cos": math.cos,
    "tan": math.tan,
    "arctan": math.atan,
    "sinh": math.sinh,
    "cosh": math.cosh,
    "tanh": math.tanh,
    "erf": math.erf,
    "arctan2(x, 2)": lambda x: math.atan2(x, 2.0),
    "hypot(x, 2)": lambda x: math.hypot(x, 2.0),
    "logaddexp(x, 2)": lambda x: float(np.logaddexp(x, 2.0)),
}


def figures() -> list[Figure]:
    found = []
    for dtype in (np.float64, np.float32):
        x = np.linspace(0.1, 3.0, SIZE).astype(dtype)
        calls = {
            (name, vector): partial(sum_of(function, vector), x)
            for name, function in FUNCTIONS.items()
            for vector in (True, False)
        }
        with one_core():
            times = medians({f"{name} {vector}": call for (name, vector), call in calls.items()}, seconds=2.0)
        for name in FUNCTIONS:
            ours, libm = (1e9 * times[f"{name} {vector}"] / SIZE for vector in (True, False))
            found += [
                Figure(f"{name}, {dtype.__name__}", ours, "ns"),
                Figure(f"{name}, {dtype.__name__}: to the C library's", ours / libm, "", TARGET),
            ]
    return found
