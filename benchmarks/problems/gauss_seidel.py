"""Poisson's equation by sweeps of Gauss and Seidel, in place: gradient by the right-hand side."""

from __future__ import annotations

import numpy as np

from benchmarks.flags import njit
from benchmarks.mechanical import gauss_seidel as mechanical
from benchmarks.problem import Array, Problem


def energy(source: Array, sweeps: int) -> float:
    n = source.shape[0]
    u = np.zeros((n, n))
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + source[i, j])
    total = 0.0
    for i in range(n):
        for j in range(n):
            total += u[i, j] * u[i, j]
    return total


@njit
def hand(source: Array, sweeps: int) -> Array:
    n = source.shape[0]
    u_bar = 2.0 * solved(source, sweeps)
    source_bar = np.zeros((n, n))
    for _ in range(sweeps):
        for i in range(n - 2, 0, -1):
            for j in range(n - 2, 0, -1):
                quarter = 0.25 * u_bar[i, j]
                u_bar[i, j] = 0.0
                u_bar[i - 1, j] += quarter
                u_bar[i + 1, j] += quarter
                u_bar[i, j - 1] += quarter
                u_bar[i, j + 1] += quarter
                source_bar[i, j] += quarter
    return source_bar


@njit
def solved(source: Array, sweeps: int) -> Array:
    n = source.shape[0]
    u = np.zeros((n, n))
    for _ in range(sweeps):
        for i in range(1, n - 1):
            for j in range(1, n - 1):
                u[i, j] = 0.25 * (u[i - 1, j] + u[i + 1, j] + u[i, j - 1] + u[i, j + 1] + source[i, j])
    return u


@njit
def forward_row(above: Array, here: Array, below: Array, source: Array) -> None:
    left = here[0]
    for q in range(here.shape[0] - 2):
        left = 0.25 * (left + (above[q + 1] + below[q + 1] + here[q + 2] + source[q + 1]))
        here[q + 1] = left


@njit
def backward_row(above: Array, here: Array, below: Array, source_bar: Array) -> None:
    n = here.shape[0]
    from_right = 0.0  # a quarter of the right neighbour's
    for q in range(n - 2):
        j = np.uint64(n - 2 - q)
        one = np.uint64(1)
        quarter = 0.25 * (here[j] + from_right)
        # What this one sends to the right arrives behind the sweep.
        here[j + one] = here[j + one] + quarter if q == 0 else quarter
        above[j] += quarter
        below[j] += quarter
        source_bar[j] += quarter
        from_right = quarter
    here[1] = 0.0
    here[0] += from_right


# Along a row only one number is carried: what the right neighbour sends; the others wait in the rows around.
best = mechanical.by_rows(forward_row, backward_row)


def problem() -> Problem:
    source = np.random.default_rng(5).standard_normal((120, 120))
    return Problem(
        "Gauss-Seidel, 120 x 120, 20 sweeps", energy, (source, 20), 0, hand, best, mechanical=mechanical.gradient
    )
