"""The mixture-of-Gaussians gradient in lanes: blocks of 32 points, the lane loop innermost everywhere.

Written by hand in the form a compiler can produce mechanically from the scalar loop. Every scalar of the
body is a buffer of 32 lanes on the stack; what the body stores in arrays has the lane as its last axis. The
trip count of the lane loops is known to LLVM only as a multiple of 8, otherwise they are unrolled before
they are vectorised. The last block is padded, and its padding gets no cotangent.
"""

from __future__ import annotations

import numpy as np
from numba import carray

from benchmarks.flags import njit
from benchmarks.gmm_hand import Gradient, finish, unpack
from benchmarks.lane_math import exp, log, stack
from srcgrad.demo.gmm import Array

LANES = 32


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
    means_bar = np.zeros((components, d))
    x = np.empty((d, lanes))
    centred = np.zeros((padded, lanes))
    centred_bar = np.zeros((padded, lanes))
    y = np.empty((components, d, lanes))
    terms = np.empty((components, lanes))
    value = 0.0
    for start in range(0, n, lanes):
        used = min(lanes, n - start)
        pack(points, start, used, x)
        forward(x, means, scale, lower, offset, centred, y, terms)
        value += softmax_in_lanes(terms, used)
        backward(x, means, scale, lower, y, terms, centred, centred_bar, offset_bar, means_bar, scale_bar, lower_bar)
    rest, alphas_bar, icf_bar = finish(alphas, icf, scale, scale_bar, lower_bar, offset_bar, n, gamma, m)
    return value + rest, alphas_bar, means_bar, icf_bar


@njit
def padded_factors(alphas: Array, icf: Array, d: int) -> tuple[Array, Array, Array]:
    """The diagonals, and the triangles with zeros up to a multiple of four rows; what the terms begin with."""
    components, padded = alphas.shape[0], 4 * ((d + 3) // 4)
    scale, unpadded = unpack(icf, d)
    lower = np.zeros((components, padded, padded))
    lower[:, :d, :d] = unpadded
    offset = np.empty(components)
    for k in range(components):
        offset[k] = alphas[k] + np.sum(icf[k, :d])
    return scale, lower, offset


@njit
def pack(points: Array, start: int, used: int, x: Array) -> None:
    """A block of points with the lane as the last axis; lanes beyond the last point are zero."""
    d, lanes = x.shape
    for lane in range(lanes):
        for a in range(d):
            x[a, lane] = points[start + lane, a] if lane < used else 0.0


@njit
def forward(
    x: Array, means: Array, scale: Array, lower: Array, offset: Array, centred: Array, y: Array, terms: Array
) -> None:
    """The terms of a block; ``y`` keeps ``-A_k (x - mu_k)``, with the sign that the reverse sweep wants."""
    components, d = means.shape
    count = (x.shape[1] >> 3) << 3
    row = carray(stack(32), (32,))
    distance = carray(stack(32), (32,))
    for k in range(components):
        for lane in range(count):
            distance[lane] = 0.0
        for a in range(d):
            for lane in range(count):
                centred[a, lane] = x[a, lane] - means[k, a]
                row[lane] = scale[k, a] * centred[a, lane]
            for q in range((a + 3) >> 2):
                b = 4 * q
                for lane in range(count):
                    row[lane] += (
                        lower[k, a, b] * centred[b, lane]
                        + lower[k, a, b + 1] * centred[b + 1, lane]
                        + lower[k, a, b + 2] * centred[b + 2, lane]
                        + lower[k, a, b + 3] * centred[b + 3, lane]
                    )
            for lane in range(count):
                y[k, a, lane] = -row[lane]
                distance[lane] += row[lane] * row[lane]
        for lane in range(count):
            terms[k, lane] = offset[k] - 0.5 * distance[lane]


@njit
def softmax_in_lanes(terms: Array, used: int) -> float:
    """Terms become weights, those of padding zero; the sum of the log-sum-exps of the points."""
    components, lanes = terms.shape
    count = (lanes >> 3) << 3
    top = carray(stack(32), (32,))
    total = carray(stack(32), (32,))
    for lane in range(count):
        top[lane] = terms[0, lane]
        total[lane] = 0.0
    for k in range(1, components):
        for lane in range(count):
            top[lane] = terms[k, lane] if terms[k, lane] > top[lane] else top[lane]
    for k in range(components):
        for lane in range(count):
            e = exp(terms[k, lane] - top[lane])
            terms[k, lane] = e
            total[lane] += e
    value = 0.0
    for lane in range(count):
        value += top[lane] + log(total[lane]) if lane < used else 0.0
        total[lane] = 1.0 / total[lane] if lane < used else 0.0
    for k in range(components):
        for lane in range(count):
            terms[k, lane] *= total[lane]
    return value


@njit
def backward(
    x: Array, means: Array, scale: Array, lower: Array, y: Array, weights: Array, centred: Array, centred_bar: Array,
    offset_bar: Array, means_bar: Array, scale_bar: Array, lower_bar: Array,
) -> None:  # fmt: skip
    """Adds the gradients of a block."""
    components, d = means.shape
    count = (x.shape[1] >> 3) << 3
    y_bar = carray(stack(32), (32,))
    for k in range(components):
        total = 0.0
        for lane in range(count):
            total += weights[k, lane]
        offset_bar[k] += total
        for a in range(d):
            total = 0.0
            for lane in range(count):
                centred[a, lane] = x[a, lane] - means[k, a]
                y_bar[lane] = weights[k, lane] * y[k, a, lane]
                centred_bar[a, lane] = y_bar[lane] * scale[k, a]
                total += y_bar[lane] * centred[a, lane]
            scale_bar[k, a] += total
            for b in range(a):
                total = 0.0
                for lane in range(count):
                    total += y_bar[lane] * centred[b, lane]
                    centred_bar[b, lane] += y_bar[lane] * lower[k, a, b]
                lower_bar[k, a, b] += total
        for a in range(d):
            total = 0.0
            for lane in range(count):
                total += centred_bar[a, lane]
            means_bar[k, a] -= total
