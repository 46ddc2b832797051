"""Functions of ``scipy.special`` for likelihoods and networks, in forms that neither overflow nor make NaN."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy import special

from srcgrad.primitives.library import library
from srcgrad.primitives.scalar import FUNCTIONS

Array = NDArray[np.floating]
Axis = int | tuple[int, ...] | None

FUNCTIONS |= {special.erf: "erf", special.erfc: "erfc", special.gamma: "gamma", special.gammaln: "lgamma"}


@library(special.ndtr)
def ndtr(x: Array) -> Array:
    return 0.5 * special.erfc(x * -0.7071067811865476)  # 1 / sqrt(2)


@library(special.expit)
def expit(x: Array) -> Array:
    return np.where(x >= 0.0, 1.0 / (1.0 + np.exp(-x)), np.exp(x) / (1.0 + np.exp(x)))


@library(special.log_expit)
def log_expit(x: Array) -> Array:
    return np.where(x >= 0.0, -np.log1p(np.exp(-x)), x - np.log1p(np.exp(x)))


@library(special.logit)
def logit(p: Array) -> Array:
    return np.log(p / (1.0 - p))


@library(special.xlogy)
def xlogy(x: Array, y: Array) -> Array:
    return np.where((x == 0.0) & ~np.isnan(y), 0.0 * x, x * np.log(y))


@library(special.xlog1py)
def xlog1py(x: Array, y: Array) -> Array:
    return np.where((x == 0.0) & ~np.isnan(y), 0.0 * x, x * np.log1p(y))


@library(special.entr)
def entr(x: Array) -> Array:
    return np.where(x > 0.0, -x * np.log(x), np.where(x == 0.0, 0.0 * x, -np.inf))


@library(special.rel_entr)
def rel_entr(x: Array, y: Array) -> Array:
    return np.where((x > 0.0) & (y > 0.0), x * np.log(x / y), np.where((x == 0.0) & (y >= 0.0), 0.0 * (x + y), np.inf))


@library(special.logsumexp)
def logsumexp(a: Array, axis: Axis = None, keepdims: bool = False) -> Array:
    a = np.asarray(a)
    if axis is None and not keepdims:
        largest = finite(np.max(a))
        return largest + np.log(np.sum(np.exp(a - largest)))
    largest = finite(np.max(a, axis=axis, keepdims=True))
    total = np.log(np.sum(np.exp(a - largest), axis=axis, keepdims=True)) + largest
    return total if keepdims else np.sum(total, axis=axis)  # of one element each


def finite(x: Array | np.floating) -> Array:
    return np.where(np.isfinite(x), x, 0.0)


@library(special.softmax)
def softmax(x: Array, axis: Axis = None) -> Array:
    x = np.asarray(x)
    weights = np.exp(x - np.max(x, axis=axis, keepdims=True))
    return weights / np.sum(weights, axis=axis, keepdims=True)


@library(special.log_softmax)
def log_softmax(x: Array, axis: Axis = None) -> Array:
    x = np.asarray(x)
    shifted = x - np.max(x, axis=axis, keepdims=True)
    return shifted - np.log(np.sum(np.exp(shifted), axis=axis, keepdims=True))
