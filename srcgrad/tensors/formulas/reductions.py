"""Norms and exponentials along axes, shifted so that they do not overflow."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from srcgrad.annotations.custom import stop_gradient

Array = NDArray[np.floating]


def root(x: Array) -> Array:
    """The square root, with a derivative of 0 at 0."""
    return np.where(x > 0, np.sqrt(np.where(x > 0, x, 1)), x)


def std(x: Array, axis: Any, ddof: float, keepdims: bool) -> Array:
    return root(np.var(x, axis=axis, ddof=ddof, keepdims=keepdims))


def norm(x: Array, p: float, axis: Any, keepdims: bool) -> Array:
    if p == 2.0:
        return root(np.sum(x * x, axis=axis, keepdims=keepdims))
    if p == 1.0:
        return np.sum(np.abs(x), axis=axis, keepdims=keepdims)
    if p == np.inf:
        return np.max(np.abs(x), axis=axis, keepdims=keepdims)
    if p == -np.inf:
        return np.min(np.abs(x), axis=axis, keepdims=keepdims)
    return np.sum(np.abs(x) ** p, axis=axis, keepdims=keepdims) ** (1.0 / p)


# The shift cancels, so no derivative need go through it.


def logsumexp(x: Array, axis: Any, keepdims: bool) -> Array:
    largest = stop_gradient(np.max(x, axis=axis, keepdims=True))
    total = np.log(np.sum(np.exp(x - largest), axis=axis, keepdims=True)) + largest
    return np.sum(total, axis=axis, keepdims=keepdims)


def softmax(x: Array, axis: int) -> Array:
    powers = np.exp(x - stop_gradient(np.max(x, axis=axis, keepdims=True)))
    return powers / np.sum(powers, axis=axis, keepdims=True)


def log_softmax(x: Array, axis: int) -> Array:
    shifted = x - stop_gradient(np.max(x, axis=axis, keepdims=True))
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
