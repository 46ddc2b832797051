"""Covariances and correlations of samples."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from srcgrad.primitives.library import library

Array = NDArray[np.floating]


@library(np.cov)
def cov(
    m: Array,
    y: Array | None = None,
    rowvar: bool = True,
    bias: bool = False,
    ddof: int | None = None,
    fweights: NDArray[np.int64] | None = None,
    aweights: Array | None = None,
) -> Array:
    """Each row is a variable, each column an observation."""
    x = variables(np.asarray(m), rowvar)
    if y is not None:
        x = np.concatenate((x, variables(np.asarray(y), rowvar)))
    weights = weights_of(fweights, aweights)
    corrected = (0 if bias else 1) if ddof is None else ddof
    if weights is None:
        factor = max(x.shape[1] - corrected, 0) * 1.0
        centred = x - np.mean(x, axis=1, keepdims=True)
        c = centred @ centred.conj().T / factor
    else:
        factor = normalisation(weights, aweights, corrected)
        centred = x - np.average(x, axis=1, weights=weights, keepdims=True)
        c = (centred * weights) @ centred.conj().T / factor
    if np.ndim(m) < 2 and y is None:
        return c[0, 0]
    if x.shape[0] == 1:
        raise ValueError("cov() of one variable takes an array of one dimension here, and gives a number")
    return c


def variables(x: Array, rowvar: bool) -> Array:
    if x.ndim < 2:
        return x.reshape((1, -1)) * 1.0
    return (x if rowvar else x.T) * 1.0


def weights_of(fweights: NDArray[np.int64] | None, aweights: Array | None) -> Array | None:
    if fweights is None:
        return aweights
    return fweights * 1.0 if aweights is None else fweights * aweights


def normalisation(weights: Array, aweights: Array | None, ddof: int) -> np.floating:
    total = np.sum(weights)
    if ddof == 0:
        return total
    if aweights is None:
        return total - ddof
    return total - ddof * np.sum(weights * aweights) / total


@library(np.corrcoef)
def corrcoef(x: Array, y: Array | None = None, rowvar: bool = True) -> Array:
    c = cov(x, y, rowvar)
    if np.ndim(c) == 0:
        return c / c
    deviations = np.sqrt(np.diag(c))
    return np.clip(c / deviations[:, None] / deviations[None, :], -1.0, 1.0)
