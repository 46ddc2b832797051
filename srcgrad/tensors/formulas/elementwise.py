"""Elementwise functions with PyTorch's conventions at kinks."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.floating]


def relu(x: Array) -> Array:
    return np.where(x > 0, x, 0)


def leaky_relu(x: Array, slope: float) -> Array:
    return np.where(x > 0, x, x * slope)


def elu(x: Array, alpha: float) -> Array:
    return np.where(x > 0, x, alpha * np.expm1(np.where(x > 0, 0, x)))


def softplus(x: Array) -> Array:
    """By selections alone, for its derivatives at 0: an absolute value has a slope of 0 there."""
    return np.where(x > 0, x, 0) + np.log1p(np.exp(np.where(x > 0, -x, x)))


def clamped(x: Array, least: Array, most: Array) -> Array:
    """Within bounds. On a bound the derivative is x's, so the bound is compared strictly."""
    return np.where(x > most, most, np.where(x < least, least, x))


def clamped_below(x: Array, least: Array) -> Array:
    return np.where(x < least, least, x)


def clamped_above(x: Array, most: Array) -> Array:
    return np.where(x > most, most, x)


def rsqrt(x: Array) -> Array:
    return np.reciprocal(np.sqrt(x))


def sinc(x: Array) -> Array:
    return np.sinc(x)
