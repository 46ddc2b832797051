"""The mixture-of-Gaussians gradient as an expert writes it for Numba: scalar, each point reversed in place.

Storage is for one point: the centred point and ``y_k = A_k (x - mu_k)`` for each component. The gradient of the
means is linear in ``y_bar``, so that it is summed over the points first and multiplied by ``A_k`` once.
"""

from __future__ import annotations

import math

import numpy as np

from benchmarks.flags import njit
from srcgrad.demo.gmm import Array, log_wishart

Gradient = tuple[float, Array, Array, Array]


@njit
def unpack(icf: Array, d: int) -> tuple[Array, Array]:
    """exp of the log-diagonals, and the strictly lower triangles as matrices."""
    components = icf.shape[0]
    scale = np.exp(icf[:, :d])
    lower = np.zeros((components, d, d))
    for k in range(components):
        p = d
        for b in range(d):
            for a in range(b + 1, d):
                lower[k, a, b] = icf[k, p]
                p += 1
    return scale, lower


@njit
def softmax_in_place(values: Array) -> float:
    """Replaces the values by their softmax; returns their log-sum-exp."""
    top = values[0]
    for k in range(1, values.shape[0]):
        top = max(top, values[k])
    total = 0.0
    for k in range(values.shape[0]):
        values[k] = math.exp(values[k] - top)
        total += values[k]
    inverse = 1.0 / total
    for k in range(values.shape[0]):
        values[k] *= inverse
    return top + math.log(total)


@njit
def finish(
    alphas: Array,
    icf: Array,
    scale: Array,
    scale_bar: Array,
    lower_bar: Array,
    offset_bar: Array,
    n: int,
    gamma: float,
    m: int,
) -> tuple[float, Array, Array]:
    """The terms that do not depend on the points: their value, and the gradients of alphas and icf."""
    components, d = scale.shape
    weights = alphas.copy()
    value = -0.5 * n * d * math.log(2.0 * math.pi) - components * log_wishart(d, gamma, m)
    value -= n * softmax_in_place(weights)
    icf_bar = np.empty_like(icf)
    for k in range(components):
        for a in range(d):
            value += 0.5 * gamma * gamma * scale[k, a] ** 2 - m * icf[k, a]
            scale_ct = scale_bar[k, a] + gamma * gamma * scale[k, a]
            icf_bar[k, a] = scale_ct * scale[k, a] + offset_bar[k] - m
        p = d
        for b in range(d):
            for a in range(b + 1, d):
                value += 0.5 * gamma * gamma * icf[k, p] ** 2
                icf_bar[k, p] = lower_bar[k, a, b] + gamma * gamma * icf[k, p]
                p += 1
    return value, offset_bar - n * weights, icf_bar


@njit
def transposed_product(scale: Array, lower: Array, y_bar: Array) -> Array:
    """``-A_k.T @ y_bar[k]``, the gradient of the means."""
    means_bar = -scale * y_bar
    components, d = scale.shape
    for k in range(components):
        for a in range(d):
            for b in range(a):
                means_bar[k, b] -= y_bar[k, a] * lower[k, a, b]
    return means_bar


@njit
def value_and_gradient(alphas: Array, means: Array, icf: Array, points: Array, gamma: float, m: int) -> Gradient:
    n, d = points.shape
    components = alphas.shape[0]
    scale, lower = unpack(icf, d)
    offset = np.empty(components)
    for k in range(components):
        offset[k] = alphas[k] + np.sum(icf[k, :d])
    offset_bar = np.zeros(components)
    scale_bar = np.zeros((components, d))
    lower_bar = np.zeros((components, d, d))
    y_bar_sum = np.zeros((components, d))
    terms = np.empty(components)
    centred = np.empty((components, d))
    y = np.empty((components, d))
    value = 0.0
    for i in range(n):
        for k in range(components):
            for a in range(d):
                centred[k, a] = points[i, a] - means[k, a]
            distance = 0.0
            for a in range(d):
                s = scale[k, a] * centred[k, a]
                for b in range(a):
                    s += lower[k, a, b] * centred[k, b]
                y[k, a] = s
                distance += s * s
            terms[k] = offset[k] - 0.5 * distance
        value += softmax_in_place(terms)
        for k in range(components):
            offset_bar[k] += terms[k]
            for a in range(d):
                y_bar = -terms[k] * y[k, a]
                y_bar_sum[k, a] += y_bar
                scale_bar[k, a] += y_bar * centred[k, a]
                for b in range(a):
                    lower_bar[k, a, b] += y_bar * centred[k, b]
    means_bar = transposed_product(scale, lower, y_bar_sum)
    rest, alphas_bar, icf_bar = finish(alphas, icf, scale, scale_bar, lower_bar, offset_bar, n, gamma, m)
    return value + rest, alphas_bar, means_bar, icf_bar
