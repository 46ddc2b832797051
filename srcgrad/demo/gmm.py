"""The log-likelihood of a mixture of Gaussians, written twice: with loops for Numba, and with NumPy arrays.

Component ``k`` has the weight ``exp(alphas[k]) / sum(exp(alphas))``, the mean ``means[k]`` and the inverse
covariance ``A.T @ A``, where the lower triangular ``A`` has ``exp(icf[k, :d])`` on its diagonal and
``icf[k, d:]`` below it, column by column. ``gamma`` and ``m`` are the parameters of the Wishart prior on it.
This is the objective of the public benchmark ADBench.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeVar

import numba
import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]
F = TypeVar("F", bound=Callable[..., object])
njit: Callable[[F], F] = numba.njit


@njit
def log_sum_exp(values: Array) -> float:
    top = values[0]
    for k in range(1, values.shape[0]):
        if values[k] > top:
            top = values[k]
    total = 0.0
    for k in range(values.shape[0]):
        total += math.exp(values[k] - top)
    return top + math.log(total)


@njit
def log_wishart(d: int, gamma: float, m: int) -> float:
    """The normalising constant of the prior of one component."""
    freedom = d + m + 1
    log_gamma = 0.25 * d * (d - 1) * math.log(math.pi)
    for j in range(d):
        log_gamma += math.lgamma(0.5 * (freedom - j))
    return freedom * d * (math.log(gamma) - 0.5 * math.log(2.0)) - log_gamma


def log_likelihood(alphas: Array, means: Array, icf: Array, points: Array, gamma: float, m: int) -> float:
    """The log-likelihood of the points and the prior, as a Numba user writes it."""
    n, d = points.shape
    components = alphas.shape[0]
    scale = np.empty((components, d))
    lower = np.zeros((components, d, d))
    offset = np.empty(components)
    prior = 0.0
    for k in range(components):
        log_determinant = 0.0
        squares = 0.0
        for a in range(d):
            log_determinant += icf[k, a]
            scale[k, a] = math.exp(icf[k, a])
            squares += scale[k, a] ** 2
        p = d
        for b in range(d):
            for a in range(b + 1, d):
                lower[k, a, b] = icf[k, p]
                squares += icf[k, p] ** 2
                p += 1
        offset[k] = alphas[k] + log_determinant
        prior += 0.5 * gamma * gamma * squares - m * log_determinant

    total = 0.0
    centred = np.empty(d)
    terms = np.empty(components)
    for i in range(n):
        for k in range(components):
            for a in range(d):
                centred[a] = points[i, a] - means[k, a]
            distance = 0.0
            for a in range(d):
                y = scale[k, a] * centred[a]
                for b in range(a):
                    y += lower[k, a, b] * centred[b]
                distance += y * y
            terms[k] = offset[k] - 0.5 * distance
        total += log_sum_exp(terms)
    constant = -0.5 * n * d * math.log(2.0 * math.pi) - components * log_wishart(d, gamma, m)
    return constant + total - n * log_sum_exp(alphas) + prior


def log_likelihood_arrays(alphas: Array, means: Array, icf: Array, points: Array, gamma: float, m: int) -> float:
    """The same in array expressions, as a NumPy user writes it."""
    n, d = points.shape
    components = alphas.shape[0]
    scale = np.exp(icf[:, :d])
    log_determinants = np.sum(icf[:, :d], axis=1)
    terms = np.zeros((n, components))
    for k in range(components):
        factor = np.zeros((d, d))
        p = d
        for b in range(d - 1):
            factor[b + 1 :, b] = icf[k, p : p + d - 1 - b]
            p += d - 1 - b
        centred = points - means[k]
        y = centred * scale[k] + centred @ factor.T
        terms[:, k] = alphas[k] + log_determinants[k] - 0.5 * np.sum(y * y, axis=1)
    top = np.max(terms, axis=1)
    per_point = top + np.log(np.sum(np.exp(terms - top[:, None]), axis=1))
    top_alpha = np.max(alphas)
    log_weights = top_alpha + np.log(np.sum(np.exp(alphas - top_alpha)))
    squares = np.sum(scale * scale) + np.sum(icf[:, d:] ** 2)
    prior = 0.5 * gamma * gamma * squares - m * np.sum(log_determinants)
    constant = -0.5 * n * d * math.log(2.0 * math.pi) - components * log_wishart(d, gamma, m)
    return constant + np.sum(per_point) - n * log_weights + prior
