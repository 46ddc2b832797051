"""The mixture of Gaussians in lanes, 32 points side by side, with the sums over coordinates four terms at a time.

A loop over lanes that does four terms at once reads and writes what they share once. The rows of the triangles are
padded to a multiple of four with zeros. The gradient of the means is linear in what a point sends to
``A_k (x - mu_k)``: that is summed first, and multiplied by ``A_k`` once.
"""

from __future__ import annotations

import numpy as np
from numba import carray

from benchmarks.flags import njit
from benchmarks.gmm_hand import Gradient, finish, transposed_product
from benchmarks.gmm_lanes import LANES, pack, padded_factors, softmax_in_lanes
from benchmarks.lane_math import stack
from srcgrad.demo.gmm import Array


@njit
def value_and_gradient(alphas: Array, means: Array, icf: Array, points: Array, gamma: float, m: int) -> Gradient:
    return in_lanes(alphas, means, icf, points, gamma, m, LANES)


@njit
def in_lanes(alphas: Array, means: Array, icf: Array, points: Array, gamma: float, m: int, lanes: int) -> Gradient:
    n, d = points.shape
    components = alphas.shape[0]
    scale, lower, offset = padded_factors(alphas, icf, d)
    padded = lower.shape[1]
    offset_bar = np.zeros(components)
    scale_bar = np.zeros((components, d))
    lower_bar = np.zeros((components, padded, padded))
    y_bar = np.zeros((components, d))
    x = np.empty((d, lanes))
    centred = np.zeros((components, padded, lanes))
    y = np.empty((components, d, lanes))
    terms = np.empty((components, lanes))
    value = 0.0
    for start in range(0, n, lanes):
        used = min(lanes, n - start)
        pack(points, start, used, x)
        forward(x, means, scale, lower, offset, centred, y, terms)
        value += softmax_in_lanes(terms, used)
        backward(scale, y, terms, centred, offset_bar, y_bar, scale_bar, lower_bar)
    rest, alphas_bar, icf_bar = finish(alphas, icf, scale, scale_bar, lower_bar, offset_bar, n, gamma, m)
    return value + rest, alphas_bar, transposed_product(scale, lower, y_bar), icf_bar


@njit
def forward(
    x: Array, means: Array, scale: Array, lower: Array, offset: Array, centred: Array, y: Array, terms: Array
) -> None:
    """The terms of a block; ``y`` keeps ``-A_k (x - mu_k)``, with the sign that the reverse sweep wants."""
    components, d = means.shape
    count = (x.shape[1] >> 3) << 3
    row, distance = carray(stack(32), (32,)), carray(stack(32), (32,))
    for k in range(components):
        for lane in range(count):
            distance[lane] = 0.0
        for a in range(d):
            for lane in range(count):
                centred[k, a, lane] = x[a, lane] - means[k, a]
        for a in range(d):
            for lane in range(count):
                row[lane] = scale[k, a] * centred[k, a, lane]
            for q in range((a + 3) >> 2):
                b = 4 * q
                for lane in range(count):
                    row[lane] += (
                        lower[k, a, b] * centred[k, b, lane]
                        + lower[k, a, b + 1] * centred[k, b + 1, lane]
                        + lower[k, a, b + 2] * centred[k, b + 2, lane]
                        + lower[k, a, b + 3] * centred[k, b + 3, lane]
                    )
            for lane in range(count):
                y[k, a, lane] = -row[lane]
                distance[lane] += row[lane] * row[lane]
        for lane in range(count):
            terms[k, lane] = offset[k] - 0.5 * distance[lane]


@njit
def backward(
    scale: Array, y: Array, weights: Array, centred: Array, offset_bar: Array, y_bar_sum: Array, scale_bar: Array,
    lower_bar: Array,
) -> None:  # fmt: skip
    """Adds the gradients of a block."""
    components, d = scale.shape
    count = (weights.shape[1] >> 3) << 3
    y_bar = carray(stack(32), (32,))
    for k in range(components):
        total = 0.0
        for lane in range(count):
            total += weights[k, lane]
        offset_bar[k] += total
        for a in range(d):
            total, of_scale = 0.0, 0.0
            for lane in range(count):
                y_bar[lane] = weights[k, lane] * y[k, a, lane]
                total += y_bar[lane]
                of_scale += y_bar[lane] * centred[k, a, lane]
            y_bar_sum[k, a] += total
            scale_bar[k, a] += of_scale
            for q in range((a + 3) >> 2):
                b = 4 * q
                first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
                for lane in range(count):
                    first += y_bar[lane] * centred[k, b, lane]
                    second += y_bar[lane] * centred[k, b + 1, lane]
                    third += y_bar[lane] * centred[k, b + 2, lane]
                    fourth += y_bar[lane] * centred[k, b + 3, lane]
                lower_bar[k, a, b] += first
                lower_bar[k, a, b + 1] += second
                lower_bar[k, a, b + 2] += third
                lower_bar[k, a, b + 3] += fourth
