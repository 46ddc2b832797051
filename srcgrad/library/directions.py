"""Derivatives by all elements of an array: loops over directions, for Jacobians inside functions that are compiled.

``column`` is the function from a direction to the derivative along it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.floating]


def row_of(column: Callable[[Array], float], x: Array) -> Array:
    """The derivatives of a number by the elements of ``x``."""
    row = np.empty(x.size, x.dtype)
    for k in range(x.size):
        unit = np.zeros(x.size, x.dtype)
        unit[k] = 1.0
        row[k] = column(unit.reshape(x.shape))
    return row.reshape(x.shape)


def matrix_of(column: Callable[[Array], Array], x: Array, value: Array) -> Array:
    """The derivatives of an array like ``value`` by the elements of ``x``, which are the last axes."""
    matrix = np.empty((*value.shape, x.size), value.dtype)
    for k in range(x.size):
        unit = np.zeros(x.size, x.dtype)
        unit[k] = 1.0
        matrix[..., k] = column(unit.reshape(x.shape))
    return matrix.reshape((*value.shape, *x.shape))


def like(x: Array, v: Array) -> Array:
    """A direction with the shape and dtype of ``x``."""
    direction = np.empty_like(x)
    direction[...] = v
    return direction


def value_and_slope(f: Callable[..., float], x: float, args: Sequence[object]) -> tuple[float, float]:
    """``f(x, *args)`` and its derivative by ``x``, for a function that may have been made while the program runs.

    The compiler takes the derivative (``api/slopes.py``); what ``f`` reads besides ``x`` stays fixed in it.
    """
    raise NotImplementedError
