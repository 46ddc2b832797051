"""Sweeps of Gauss and Seidel by rows: what a point has from its neighbour in the row is a number that is carried.

From one point to the next there is one fused multiply-add: the neighbour's value has its factor for itself.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from benchmarks.flags import njit
from benchmarks.problem import Array


def by_rows(forward_row: Callable[..., None], backward_row: Callable[..., None]) -> Callable[[Array, int], Array]:
    """The adjoint that goes through a row at a time, forwards and backwards."""

    @njit
    def gradient(source: Array, sweeps: int) -> Array:
        n = source.shape[0]
        u = np.zeros((n, n))
        for _ in range(sweeps):
            for i in range(1, n - 1):
                forward_row(u[i - 1], u[i], u[i + 1], source[i])
        u_bar = 2.0 * u
        source_bar = np.zeros((n, n))
        for _ in range(sweeps):
            for q in range(n - 2):
                i = n - 2 - q
                backward_row(u_bar[i - 1], u_bar[i], u_bar[i + 1], source_bar[i])
        return source_bar

    compiled: Callable[[Array, int], Array] = gradient
    return compiled


@njit
def forward_row(above: Array, here: Array, below: Array, source: Array) -> None:
    left = here[0]
    for q in range(here.shape[0] - 2):
        left = 0.25 * (above[q + 1] + below[q + 1] + here[q + 2] + source[q + 1]) + 0.25 * left
        here[q + 1] = left


@njit
def backward_row(above: Array, here: Array, below: Array, source_bar: Array) -> None:
    n = here.shape[0]
    last = here[n - 1]
    quarter = 0.0  # of the right neighbour's
    for q in range(n - 2):
        j = np.uint64(n - 2 - q)
        quarter = 0.25 * here[j] + 0.25 * quarter
        here[j + np.uint64(1)] = quarter
        above[j] += quarter
        below[j] += quarter
        source_bar[j] += quarter
    here[n - 1] += last
    here[1] = 0.0
    here[0] += quarter


gradient = by_rows(forward_row, backward_row)
