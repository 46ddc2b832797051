"""Elementary functions: srcgrad.vector_math beside the C library, in a sum over the elements of an array each."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np
import numpy.typing as npt
from scipy import special

from benchmarks.figures import Figure
from srcgrad import jit
from srcgrad.demo.timing import medians, one_core

TITLE = "Sums of exp(x[i]) and the like, a term; 4,000 elements from 0.1 to 3"
Vector = npt.NDArray[np.floating]
SIZE = 4000
TARGET = 1.0  # no slower than the C library; most are three to five times as fast


def sum_of(function: Callable[[float], float], vector_math: bool) -> Callable[[Vector], float]:
    def total(x: Vector) -> float:
        s = 0.0
        for i in range(x.shape[0]):
            s += function(x[i])
        return s

    return jit(total, vector_math=vector_math)


FUNCTIONS: dict[str, Callable[[float], float]] = {
    **{f.__name__: f for f in (np.exp, np.exp2, np.expm1, np.log, np.log2, np.log10, np.log1p)},
    **{f.__name__: f for f in (np.sin, np.cos, np.tan, np.arctan, np.sinh, np.cosh, np.tanh)},
    "erf": special.erf,
    "x**1.7": lambda x: x**1.7,
    "arctan2(x, x)": lambda x: np.arctan2(x, x),
    "hypot(x, x)": lambda x: np.hypot(x, x),
    "logaddexp(x, -x)": lambda x: np.logaddexp(x, -x),
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
