"""``scipy.integrate``: rules for integrals of samples along an axis."""

from __future__ import annotations

import numpy as np
import scipy.integrate
from numpy.typing import NDArray

from srcgrad.frontend.calls.compile_time import refuse
from srcgrad.library.differences import trapezoid
from srcgrad.primitives.library import library

Array = NDArray[np.floating]

library(scipy.integrate.trapezoid)(trapezoid)


def spacings(y: Array, x: Array | None, dx: float, axis: int) -> Array:
    """The steps between the samples, which lie along the last axis of ``y``."""
    if x is None:
        return np.full(y.shape[-1] - 1, dx)
    x = np.asarray(x)
    return np.diff(x) if x.ndim == 1 else np.diff(np.moveaxis(x, axis, -1))


@library(scipy.integrate.cumulative_trapezoid)
def cumulative_trapezoid(
    y: Array, x: Array | None = None, dx: float = 1.0, axis: int = -1, initial: float | None = None
) -> Array:
    rows = np.moveaxis(np.asarray(y), axis, -1)
    parts = np.cumsum(spacings(rows, x, dx, axis) * (rows[..., 1:] + rows[..., :-1]) / 2.0, axis=-1)
    if initial is not None:
        if initial != 0:
            refuse("cumulative_trapezoid() with another initial value than 0", "Add it to the result.")
        parts = np.concatenate((0.0 * parts[..., :1], parts), axis=-1)
    return np.moveaxis(parts, -1, axis)


@library(scipy.integrate.simpson)
def simpson(y: Array, x: Array | None = None, *, dx: float = 1.0, axis: int = -1) -> Array | np.floating:
    """Of an even number of samples the last interval by the parabola through the last three (Cartwright, 2017)."""
    rows = np.moveaxis(np.asarray(y), axis, -1)
    h = spacings(rows, x, dx, axis)
    n = rows.shape[-1]
    if n < 3:
        return np.sum(h * (rows[..., 1:] + rows[..., :-1]) / 2.0, axis=-1)
    pairs = (n - 1) // 2
    one = h[..., 0 : 2 * pairs : 2]
    two = h[..., 1 : 2 * pairs : 2]
    both = one + two
    first = rows[..., 0 : 2 * pairs : 2] * (2.0 - two / one)
    middle = rows[..., 1 : 2 * pairs : 2] * (both * both / (one * two))
    last = rows[..., 2 : 2 * pairs + 1 : 2] * (2.0 - one / two)
    total = np.sum(both / 6.0 * (first + middle + last), axis=-1)
    if n % 2 == 0:
        total = total + last_interval(rows, h[..., -2], h[..., -1])
    return total


def last_interval(rows: Array, before: Array, step: Array) -> Array | np.floating:
    both = before + step
    alpha = (2.0 * step**2 + 3.0 * before * step) / (6.0 * both)
    beta = (step**2 + 3.0 * before * step) / (6.0 * before)
    eta = step**3 / (6.0 * before * both)
    return alpha * rows[..., -1] + beta * rows[..., -2] - eta * rows[..., -3]
